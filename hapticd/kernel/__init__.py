"""The compiled kernel: arrays and numbers in, arrays and status codes out; nothing else in here.

Kernel files import numpy, math, numba and each other only. No objects, strings, dictionaries or exceptions, no
allocation in a tick, no libm function except sqrt (sin, exp and the rest change bits between CPUs;
`kernel/polynomial.py` has ours).
"""
