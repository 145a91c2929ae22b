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

# Corners up to which a part is searched whole instead of from corner to neighbour: the way costs about as many looks.
SEARCH_WHOLE = 96

# Share of the slab's thickness by which it is widened: keeps the lid of a part cut at load clear of the cutter's own
# top, and covers the 1e-13 by which a search along edges may stop short. Larger: more corners looked at for nothing.
SLAB_MARGIN = 0.01

# Share of the overlap by which two parts are moved farther apart than they overlap before GJK is asked for the paper's
# normal: it needs a gap, and the farther it is the less the direction says about the contact. Smaller: rounding noise.
SEPARATION = 0.01

# Cosine between a plane's normal and the slab's direction above which the plane is cut first. Order changes cost only.
FACING = 0.7

# Any number of a device sample beyond this is nonsense (m, rad/s, a button mask of 24 bits ...). Larger: squares of
# positions lose the digits of a millimetre.
SAMPLE_BOUND = 2.0**24

# | |q|^2 - 1 | of a sample's quaternion that is still rounding (a device may send float32). Larger: visible shear.
UNIT_QUATERNION = 1e-5

# Ticks over which lost samples are judged; one bit each in an int64. Fewer: 10 % random loss would flicker.
STREAK_TICKS = 60

# Share of lost samples that degrades: a device at half the rate loses 0.5, a line with 10 % random loss stays below 0.3
# in 60 ticks with probability 1 - 1e-6. Smaller: noise degrades; larger: a device at 2/3 of the rate goes unseen.
LOSS_DEGRADED = 0.3

# s by which samples may be older than the driver declares before the stiffness is lowered and the mode is DEGRADED:
# half a tick of the usual 1 kHz. Smaller: jitter degrades; larger: the stability bound is passed unseen.
LATE_SAMPLE = 5e-4

# Ticks without trouble after which DEGRADED ends. Fewer: flicker between the two modes.
RECOVERY_TICKS = 1000

# Shares of a device's own temperature limit: from WARM on the mode is DEGRADED, from HOT on the force falls, 1 is a
# fault.
HEAT_WARM = 0.8
HEAT_HOT = 0.9

# Share of the thermal budget between which the force falls from its peak to what may be held for ever. At FULL it is
# there, so the budget's last tenth fills at that force only. Nearer to 1: the limit would be met only asymptotically.
HEAT_FADE = 0.8
HEAT_FULL = 0.9

# Factor on a clamped force: norm, division and product round by at most 4 of 1.1e-16, the slew's step by 2 more. With
# it the limit holds in floating point, too. 1: a hair above the limit now and then.
LIMIT_ROUNDING = 1.0 - 2.0**-49

# s, in which the force grows from zero when the pointer was put into a body rather than pushed. As long as the arming
# ramp of the guard. Shorter: felt as a knock; longer: the body gives way too long.
FADE_TIME = 0.2

# m, depth of a first contact that is always taken for a push: device noise at rest. Larger: a visible step in the
# force.
FADE_SLACK = 1e-4

# Distance of the centre of the turn from the patch, in rms radii, above which the slip direction is smooth over the
# patch and is integrated from a corner. Smaller: errors of percents; larger: cancelling triangles, digits lost.
FAR_TURN = 5.0

# Cosine of a face's slope against the contact plane below which the centre of the turn is not laid on the face's plane:
# it would be ten patches above it. Larger: faces of a pointed contact are integrated coarsely.
STEEP_FACE = 0.1

# Height above a facet up to which a dual point counts as inside. The dual points lie in the unit ball: no unit;
# rounding of a height is about 1e-15. Smaller: facets made of rounding, more folded horizons; larger: planes that cut
# off less than this share of the solid are left out.
HULL_EPS = 1e-13

# Share of that margin above which a facet counts as seen from a new point. 0 keeps the hull convex to rounding; with 1
# the fan may leave edges that are concave by the margin, and slivers beside them stick out by many times that.
HULL_SEEN = 0.0

# Extent of the points, in the unit ball, below which they span no volume. Round dual points have one of more than 0.1.
HULL_FLAT_SIZE = 1e-6

# Steps of the search for the widest ball inside: 5 in the median, 15 at most in 400 random pairs.
WIDEST_STEPS = 60

# Radius of the widest ball, as a share of the base's box, below which there is no interior to speak of: the rounding of
# the planes' offsets is 1e-16 of it, which leaves four digits. Smaller: slabs made of rounding.
INTERIOR_RADIUS = 1e-12

# Weight of an active plane below which it cannot leave the basis: rounding of the weights is about 1e-15. Larger: the
# search gets stuck on needles; smaller: a singular basis.
PIVOT = 1e-9

# Newton decrement at which the centre is good enough, at least, and as a share of sqrt(n), the most it can be with n
# planes: the ellipsoid of the Hessian then still fills the solid's middle. With a share of 0.3 boxes stop at the end of
# a needle and 1.2 % of 6000 random pairs were refused, with 0.2 one of 10000; 0 costs 2 us more for hulls of 100 faces.
# After the first SHORT_STEPS, enough for most, a step goes to the middle of the chord if that is LONG_CHORD times as
# far: without, a slab of 1e-9 of its width takes more than 48 steps.
CENTRE_DECREMENT = 1.0
CENTRE_SHARE = 0.2
CENTRE_STEPS = 24
SHORT_STEPS = 3
LONG_CHORD = 10.0

# By how much a dual facet may miss its corners or be concave against its neighbours, as a share of its distance from
# the origin: how far a node is off its planes, as a share of the solid. Larger: errors of that size; smaller: slivers
# are refused. A facet must also be 1e-4 from the origin, or HULL_EPS would be worth more than this.
DUAL_CHECK = 1e-9

# Area or volume of a simplex, against those of its parts, below which all of its sides are looked at.
FLAT_SIMPLEX = 1e-14

# Rounding of the corners' differences, as a share of their size: two roundings of each coordinate. Below it a distance
# is 0, and a step that gains less than it ends the search.
GJK_ROUNDING = 4e-16

# Steps of one distance query; 5 at most in 400 random pairs, from a cold start. The distance is an upper bound whenever
# it stops.
GJK_STEPS = 64

# Corners up to which all of a part are looked at instead of climbing along its edges. Measured 2026-11-18, cold / warm,
# us: 18 corners 0.62 / 0.21 all, 0.80 / 0.20 climbing; 52 corners 0.92 / 0.25 all, 0.89 / 0.17 climbing.
GJK_BRUTE = 32
