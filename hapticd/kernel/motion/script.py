"""Motion of kinematic bodies by a script: at rest, to and fro, turning, or at a steady speed.

Position and velocity are functions of the time alone, so nothing adds up and a replay may start anywhere. Forces do not
move these bodies; what they touch feels their velocity.
"""

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.layout import (
    BODY_OMEGA,
    BODY_POSITION,
    BODY_Q,
    BODY_VELOCITY,
    KINEMATIC,
    SCRIPT_AMPLITUDE,
    SCRIPT_AXIS,
    SCRIPT_KIND,
    SCRIPT_OSCILLATE,
    SCRIPT_Q,
    SCRIPT_RATE,
    SCRIPT_SPIN,
    SCRIPT_START,
    SCRIPT_STEADY,
    SCRIPT_VELOCITY,
)
from hapticd.kernel.polynomial import TWO_PI, sin_turn
from hapticd.kernel.vector import quaternion_product


@kernel
def follow_scripts(kind, script, n_body, time, body):
    """Put every kinematic body where its script says, `time` seconds after the start."""
    for i in range(n_body):
        if kind[i] != KINEMATIC:
            continue
        what = int(script[i, SCRIPT_KIND])
        if what == SCRIPT_OSCILLATE:
            oscillate(script, i, time, body)
        elif what == SCRIPT_SPIN:
            spin(script, i, time, body)
        elif what == SCRIPT_STEADY:
            for k in range(3):
                body[i, BODY_POSITION + k] = script[i, SCRIPT_START + k] + time * script[i, SCRIPT_VELOCITY + k]
                body[i, BODY_VELOCITY + k] = script[i, SCRIPT_VELOCITY + k]


@kernel_inline
def oscillate(script, i, time, body):
    """start + axis amplitude sin(2 pi rate t)."""
    turns = script[i, SCRIPT_RATE] * time
    away = script[i, SCRIPT_AMPLITUDE] * sin_turn(turns)
    speed = script[i, SCRIPT_AMPLITUDE] * TWO_PI * script[i, SCRIPT_RATE] * sin_turn(turns + 0.25)
    for k in range(3):
        body[i, BODY_POSITION + k] = script[i, SCRIPT_START + k] + away * script[i, SCRIPT_AXIS + k]
        body[i, BODY_VELOCITY + k] = speed * script[i, SCRIPT_AXIS + k]


@kernel_inline
def spin(script, i, time, body):
    """The start's orientation turned about a world axis through the centre of mass."""
    half = script[i, SCRIPT_RATE] * time / (2.0 * TWO_PI)  # turns of the half angle
    s, c = sin_turn(half), sin_turn(half + 0.25)
    x, y, z, w = quaternion_product(
        s * script[i, SCRIPT_AXIS], s * script[i, SCRIPT_AXIS + 1], s * script[i, SCRIPT_AXIS + 2], c,
        script[i, SCRIPT_Q], script[i, SCRIPT_Q + 1], script[i, SCRIPT_Q + 2], script[i, SCRIPT_Q + 3],
    )  # fmt: skip
    body[i, BODY_Q], body[i, BODY_Q + 1], body[i, BODY_Q + 2], body[i, BODY_Q + 3] = x, y, z, w
    for k in range(3):
        body[i, BODY_OMEGA + k] = script[i, SCRIPT_RATE] * script[i, SCRIPT_AXIS + k]
