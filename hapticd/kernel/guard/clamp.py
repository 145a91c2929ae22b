"""The clamp after encode: every motor command in the output frame within its bounds, whatever the driver wrote.

Works on the bytes themselves, where the driver's capabilities say that the motors lie. A NaN becomes the motor's `off`.
The bytes of a checksum are not known here: a frame that had to be clamped may then be refused by the device, which is
the safe side.
"""

from hapticd.kernel._jit import kernel

# Kinds of Motor.kind, in the order of hapticd.device.MOTOR_KINDS.
KIND_I1, KIND_U1, KIND_I2, KIND_U2, KIND_I2BE, KIND_U2BE, KIND_I4, KIND_F4, KIND_F8 = range(9)

# Columns of a motor row.
MOTOR_OFFSET = 0
MOTOR_KIND = 1
MOTOR_LOW = 2
MOTOR_HIGH = 3
MOTOR_OFF = 4
MOTOR_SIZE = 5


@kernel
def clamp_motors(frame, count, motor, byte, single, double):
    """How many motors had to be clamped. byte (8,) u1 is scratch; single (2,) f4 and double (1,) f8 are views of it."""
    clamped = 0
    for i in range(motor.shape[0]):
        at, kind = int(motor[i, MOTOR_OFFSET]), int(motor[i, MOTOR_KIND])
        low, high, off = motor[i, MOTOR_LOW], motor[i, MOTOR_HIGH], motor[i, MOTOR_OFF]
        width = width_of(kind)
        if at + width > count:
            continue  # a shorter frame of this device: the motor is not in it
        for k in range(width):
            byte[k] = frame[at + width - 1 - k] if kind == KIND_I2BE or kind == KIND_U2BE else frame[at + k]
        value = value_of(kind, byte, single, double)
        if low <= value <= high:
            continue
        clamped += 1
        bounded = off
        if value < low:
            bounded = low
        elif value > high:
            bounded = high
        store(kind, bounded, byte, single, double)
        for k in range(width):
            frame[at + (width - 1 - k if kind == KIND_I2BE or kind == KIND_U2BE else k)] = byte[k]
    return clamped


@kernel
def width_of(kind):
    if kind == KIND_F8:
        return 8
    if kind == KIND_F4 or kind == KIND_I4:
        return 4
    return 1 if kind <= KIND_U1 else 2


@kernel
def value_of(kind, byte, single, double):
    """The number in the scratch bytes."""
    if kind == KIND_F8:
        return double[0]
    if kind == KIND_F4:
        return float(single[0])
    width = width_of(kind)
    whole = 0
    for k in range(width):
        whole += int(byte[k]) << (8 * k)
    signed = kind == KIND_I1 or kind == KIND_I2 or kind == KIND_I2BE or kind == KIND_I4
    if signed and whole >= 1 << (8 * width - 1):
        whole -= 1 << (8 * width)
    return float(whole)


@kernel
def store(kind, value, byte, single, double):
    """A number into the scratch bytes; bounds of whole-number motors are whole and fit, check_frames sees to it."""
    if kind == KIND_F8:
        double[0] = value
    elif kind == KIND_F4:
        single[0] = value
    else:
        whole = int(value)
        for k in range(width_of(kind)):
            byte[k] = (whole >> (8 * k)) & 0xFF
