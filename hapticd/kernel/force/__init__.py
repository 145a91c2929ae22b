"""From contact to wrench: solvers (the normal part), friction laws, joints; one file each."""
