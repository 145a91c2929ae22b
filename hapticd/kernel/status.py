"""What a kernel call says about its result; the shell turns a code into words.

Contact codes are ordered by how much of the answer may be trusted.
"""

CONTACT_NONE = 0  # apart, or touching with no volume
CONTACT_OK = 1
CONTACT_DEEP = 2  # one body inside or through the other: last normal kept, area frozen
CONTACT_COARSE = 3  # a capacity was reached: the answer is that of a coarser, enclosing solid

# Friction codes.
FRICTION_STICK = 0
FRICTION_SLIP = 1
FRICTION_BAD_SAMPLE = 2  # NaN, infinite or absurd velocity: zero force, state kept

# Sample codes: what a driver's decode says about the bytes of this tick.
SAMPLE_NONE = 0  # no whole frame came: the sample row is as it was
SAMPLE_OK = 1
SAMPLE_REFUSED = 2  # a frame came that cannot be true (a jump, a broken residual): the sample row is as it was
SAMPLE_ENCODER = 3  # the device can no longer be trusted (stuck or lost sensor): leads to FAULT

# Dual codes: how the way by interior point, dual points and QuickHull ended.
DUAL_OK = 0
DUAL_THIN = 1  # no interior, or too thin a one for its planes' rounding
DUAL_BROKEN = 2  # rounding: no hull, or one that does not hold
DUAL_FULL = 3  # a capacity was reached

# Hull codes.
HULL_OK = 0
HULL_FLAT = 1  # fewer than four points that span a volume
HULL_BROKEN = 2  # rounding: the horizon was not a simple ring, or a facet had no area
