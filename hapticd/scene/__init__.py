"""Start-up and builder side: shapes, meshes and scenes in, the kernel's flat arrays out; nothing runs in a tick."""
