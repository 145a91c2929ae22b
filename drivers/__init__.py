"""The built-in device drivers: one device, one file; installed as `hapticd.drivers`, found by entry point."""
