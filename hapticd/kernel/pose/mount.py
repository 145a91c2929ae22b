"""Between device and world: the device's place, motion and force scales, and the clutch.

    p_W = p_WD + s_p R_WD (p_D + c)      q_W = q_WD q_D q_c      v_W = s_p R_WD v_D      w_W = R_WD w_D
    f_D = s_f R_WD^T f_W                 t_D = (s_f / s_p) R_WD^T t_W

c and q_c are what the clutch has added up. The turn is not scaled; the torque has s_f / s_p, so that a lever arm in the
world is the same lever arm, 1 / s_p as long, in the hand, and the power of both scales alike. q_c is multiplied from
the right: then the angular velocity, and so the torque, needs no turning.
"""

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.guard.layout import (
    MEMORY_CLUTCH,
    MOUNT_CLUTCH,
    MOUNT_FORCE,
    MOUNT_MOTION,
    MOUNT_POSITION,
    MOUNT_Q,
    MOUNT_ROTATION,
    WORD_CLUTCHED,
    WORD_FRESH,
    WRENCH_WANTED,
    WRENCH_WORLD,
)
from hapticd.kernel.layout import (
    DEVICE_OMEGA,
    DEVICE_POSITION,
    DEVICE_Q,
    DEVICE_VELOCITY,
    SAMPLE_BUTTONS,
    SAMPLE_OMEGA,
    SAMPLE_POSITION,
    SAMPLE_Q,
    SAMPLE_VELOCITY,
)
from hapticd.kernel.vector import quaternion_product


@kernel_inline
def to_world(mount, x, y, z):
    """R_WD times a vector."""
    R = MOUNT_ROTATION
    return (
        mount[R] * x + mount[R + 1] * y + mount[R + 2] * z,
        mount[R + 3] * x + mount[R + 4] * y + mount[R + 5] * z,
        mount[R + 6] * x + mount[R + 7] * y + mount[R + 8] * z,
    )


@kernel_inline
def to_device(mount, x, y, z):
    """R_WD^T times a vector."""
    R = MOUNT_ROTATION
    return (
        mount[R] * x + mount[R + 3] * y + mount[R + 6] * z,
        mount[R + 1] * x + mount[R + 4] * y + mount[R + 7] * z,
        mount[R + 2] * x + mount[R + 5] * y + mount[R + 8] * z,
    )


@kernel
def place_pointer(safety, device):
    """The device row of State from the sample; a stale sample moves nothing, an engaged clutch only the hand."""
    mount, memory, word, sample = safety.mount, safety.memory, safety.word, safety.sample
    if not word[WORD_FRESH]:
        return
    pressed = (int(sample[SAMPLE_BUTTONS]) & int(mount[MOUNT_CLUTCH])) != 0
    if pressed or word[WORD_CLUTCHED]:
        hold_clutch(sample, mount, memory, device)
        for k in range(6):
            device[DEVICE_VELOCITY + k] = 0.0
        word[WORD_CLUTCHED] = 1 if pressed else 0
        return
    C, P, Q = MEMORY_CLUTCH, SAMPLE_POSITION, SAMPLE_Q
    x, y, z = to_world(mount, sample[P] + memory[C], sample[P + 1] + memory[C + 1], sample[P + 2] + memory[C + 2])
    s = mount[MOUNT_MOTION]
    device[DEVICE_POSITION] = mount[MOUNT_POSITION] + s * x
    device[DEVICE_POSITION + 1] = mount[MOUNT_POSITION + 1] + s * y
    device[DEVICE_POSITION + 2] = mount[MOUNT_POSITION + 2] + s * z
    ax, ay, az, aw = quaternion_product(
        mount[MOUNT_Q], mount[MOUNT_Q + 1], mount[MOUNT_Q + 2], mount[MOUNT_Q + 3],
        sample[Q], sample[Q + 1], sample[Q + 2], sample[Q + 3],
    )  # fmt: skip
    device[DEVICE_Q], device[DEVICE_Q + 1], device[DEVICE_Q + 2], device[DEVICE_Q + 3] = quaternion_product(
        ax, ay, az, aw, memory[C + 3], memory[C + 4], memory[C + 5], memory[C + 6]
    )
    V, W = SAMPLE_VELOCITY, SAMPLE_OMEGA
    x, y, z = to_world(mount, sample[V], sample[V + 1], sample[V + 2])
    device[DEVICE_VELOCITY], device[DEVICE_VELOCITY + 1], device[DEVICE_VELOCITY + 2] = s * x, s * y, s * z
    x, y, z = to_world(mount, sample[W], sample[W + 1], sample[W + 2])
    device[DEVICE_OMEGA], device[DEVICE_OMEGA + 1], device[DEVICE_OMEGA + 2] = x, y, z


@kernel_inline
def hold_clutch(sample, mount, memory, device):
    """c and q_c such that the hand's pose of this tick gives the pointer where it is: place_pointer solved for them."""
    C, P, Q = MEMORY_CLUTCH, SAMPLE_POSITION, SAMPLE_Q
    s = mount[MOUNT_MOTION]  # config: above zero
    x, y, z = to_device(
        mount,
        (device[DEVICE_POSITION] - mount[MOUNT_POSITION]) / s,
        (device[DEVICE_POSITION + 1] - mount[MOUNT_POSITION + 1]) / s,
        (device[DEVICE_POSITION + 2] - mount[MOUNT_POSITION + 2]) / s,
    )
    memory[C], memory[C + 1], memory[C + 2] = x - sample[P], y - sample[P + 1], z - sample[P + 2]
    ax, ay, az, aw = quaternion_product(
        mount[MOUNT_Q], mount[MOUNT_Q + 1], mount[MOUNT_Q + 2], mount[MOUNT_Q + 3],
        sample[Q], sample[Q + 1], sample[Q + 2], sample[Q + 3],
    )  # fmt: skip
    memory[C + 3], memory[C + 4], memory[C + 5], memory[C + 6] = quaternion_product(
        -ax, -ay, -az, aw, device[DEVICE_Q], device[DEVICE_Q + 1], device[DEVICE_Q + 2], device[DEVICE_Q + 3]
    )


@kernel
def wanted_wrench(safety, pointer_wrench):
    """The simulation's wrench on the pointer, as the hand is to feel it: rows WORLD and WANTED of Safety.wrench."""
    wrench, mount = safety.wrench, safety.mount
    for k in range(6):
        wrench[WRENCH_WORLD, k] = pointer_wrench[k]
    s_f = mount[MOUNT_FORCE]
    s_t = s_f / mount[MOUNT_MOTION]
    x, y, z = to_device(mount, pointer_wrench[0], pointer_wrench[1], pointer_wrench[2])
    wrench[WRENCH_WANTED, 0], wrench[WRENCH_WANTED, 1], wrench[WRENCH_WANTED, 2] = s_f * x, s_f * y, s_f * z
    x, y, z = to_device(mount, pointer_wrench[3], pointer_wrench[4], pointer_wrench[5])
    wrench[WRENCH_WANTED, 3], wrench[WRENCH_WANTED, 4], wrench[WRENCH_WANTED, 5] = s_t * x, s_t * y, s_t * z
