"""How bodies move: forces (`body`), scripts (`script`), the device (`pointer`)."""
