"""Every epsilon of the kernel: unit, value, reason, what breaks when it is changed."""

# Share of the one-sided area below which its vector sum gives no direction (one body inside the other, or through it).
# formulas.md, "No normal, no area". Larger: DEEP too early on wedge-like contacts; smaller: normals from rounding noise.
DEEP_AREA_RATIO = 0.05
