"""Friction laws, one file each; `impedance.py` has the update that the others are built on."""
