"""Every epsilon of the kernel: unit, value, reason, what breaks when it is changed."""

# Share of the one-sided area below which its vector sum gives no direction (one body inside the other, or through it).
# formulas.md, "No normal, no area". Larger: DEEP too early on wedge-like contacts; smaller: normals from rounding
# noise.
DEEP_AREA_RATIO = 0.05

# Factor on a sliding friction force. A few roundings (norm, share, K e of the next tick: at most 6 of 1.1e-16) could
# put it a hair above the limit; then a body at rest would slip by a rounding error in every tick, for ever. 1 - 2^-49
# rounds it down: the limit holds in floating point and a held point has constant bits. 1: drift; smaller: lost force.
SLIP_ROUNDING = 1.0 - 2.0**-49

# Newton steps for the sliding speed of a Stribeck law (17c); 4-7 are usual. Next to a double root a step only halves
# the error: 24 leave 6e-8 of v_s, and a residual force of its square. Fewer: visible at the fold; more: a longer tick.
NEWTON_STEPS = 24

# rad per tick below which a body's turn is integrated with the angular velocity at the start of the step instead of its
# middle: the two differ by about the square, 1e-10 rad, while a body at rest then costs half. Larger: energy drift.
SLOW_TURN = 1e-5

# d^T (J/A)^-1 d of the centre of pressure's offset: 2 is the largest ellipse that lies in every convex patch (proved
# for two dimensions by Kannan, Lovasz and Simonovits 1995). Larger: the pressure point can leave a triangular patch.
PRESSURE_ELLIPSE = 2.0

# det J / tr(J)^2 below which a patch counts as a line: an aspect ratio of a million. Smaller: division by rounding
# noise.
FLAT_PATCH = 1e-12

# Mean radius over root-mean-square radius of an evenly pressed patch: disc 0.943, square 0.937, 1:2 rectangle 0.921.
UNIFORM_RADIUS = 0.94

# m/s, rms slip over the patch below which its direction is taken from the stretch of the static spring instead of the
# velocity: when the limit falls under a resting body there is no velocity to go by. Larger: direction lags at slow
# slips.
CREEP = 1e-5

# Spin times patch radius over slip speed below which a patch slides evenly: its friction is then closed-form, and the
# neglected part of the wrench is of this size. Larger: a visible step where the two ways meet.
EVEN_SLIP = 1e-9

# Share of the mean section (volume / depth) below which a face's projected area is left out of the sliding integral:
# upright side faces are zero but for rounding. 24 such triangles lose less than 1e-7 of the friction.
THIN_FACE = 1e-9

# Reflections when a pair is seen for the first time, or its direction no longer separates. Most pairs need two or
# three; more only make the next slab thinner. Fewer: slower first clips of round hulls.
REFLECTIONS = 6

# Nodes up to which a part is copied whole instead of being cut at the slab's top first: the cut costs about a copy of
# 16.
LOAD_WHOLE = 20

# Cosine between a plane's normal and the slab's direction above which the plane is cut first. Order changes cost only.
FACING = 0.7
