"""Every epsilon of the kernel: unit, value, reason, what breaks when it is changed."""

# Share of the one-sided area below which its vector sum gives no direction (one body inside the other, or through it).
# formulas.md, "No normal, no area". Larger: DEEP too early on wedge-like contacts; smaller: normals from rounding noise.
DEEP_AREA_RATIO = 0.05

# Factor on a sliding friction force. A few roundings (norm, share, K e of the next tick: at most 6 of 1.1e-16) could
# put it a hair above the limit; then a body at rest would slip by a rounding error in every tick, for ever. 1 - 2^-49
# rounds it down: the limit holds in floating point and a held point has constant bits. 1: drift; smaller: lost force.
SLIP_ROUNDING = 1.0 - 2.0**-49

# Newton steps for the sliding speed of a Stribeck law (17c); 4-7 are usual. Next to a double root a step only halves
# the error: 24 leave 6e-8 of v_s, and a residual force of its square. Fewer: visible at the fold; more: a longer tick.
NEWTON_STEPS = 24
