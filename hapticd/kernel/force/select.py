"""Which law has which number. A new law: one file with the same function, one name here, one line in `pair.py`.

Numbers and not functions, because jitted functions passed as arguments never hit numba's disk cache.
"""

SOLVERS = ("volume_penalty", "point_penalty")
VOLUME_PENALTY = 0
POINT_PENALTY = 1

FRICTIONS = ("none", "coulomb_area", "coulomb_point", "kikuuwe", "maxwell_slip")
NO_FRICTION = 0
COULOMB_AREA = 1
COULOMB_POINT = 2
KIKUUWE = 3
MAXWELL_SLIP = 4
