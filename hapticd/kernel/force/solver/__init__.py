"""The normal force of one contact: one solver, one file, one function `solve`; numbered in `force/select.py`."""
