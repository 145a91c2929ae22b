"""What the friction laws of a patch share: gains of the stuck patch, its velocity, the stretch carried from last tick.

Gets the contact and the law's row of the last tick, gives numbers to `coulomb_area`, `coulomb_point`, `kikuuwe` and
`maxwell_slip`. Hasegawa 2003, 4.6, for the spring and damper; Kikuuwe and Fujimoto, (18), have the same two.
"""

from hapticd.kernel._jit import kernel_inline
from hapticd.kernel.force.patch import carried
from hapticd.kernel.layout import AREA, GAIN_STICK_DAMPING, GAIN_STICK_STIFFNESS
from hapticd.kernel.vector import cross


@kernel_inline
def stick_gains(contact, i, gain, g, spread):
    """(K, B) of the whole patch: spread over the area and summed again: per contact its share, see beside.py."""
    area = spread * contact[i, AREA]
    return area * gain[g, GAIN_STICK_STIFFNESS], area * gain[g, GAIN_STICK_DAMPING]


@kernel_inline
def pressure_velocity(motion, load):
    """Velocity of A against B at the centre of pressure, which is where the whole load is thought to rub."""
    sx, sy, sz = cross(motion[3], motion[4], motion[5], load[1], load[2], load[3])
    return motion[0] + sx, motion[1] + sy, motion[2] + sz


@kernel_inline
def carried_stretch(contact, law, i, j, motion, dt, kept):
    """The stretch of the last tick (columns j..j+2), as much of it as is kept, turned with the pair."""
    return carried(contact, law, i, motion[6] * dt, kept * law[i, j], kept * law[i, j + 1], kept * law[i, j + 2])
