"""The reports of a USB force-feedback device (HID PID class 1.0), built from its descriptor.

Used by the HID PID driver. Finds what the class names by usage and builds the bytes for: device control (an index or a
bit mask, as the descriptor says), gain, creating an effect, a constant force with a fixed direction, its magnitude,
start and stop. Everything that a tick needs is built once.
"""

from dataclasses import dataclass

from hapticd.errors import DeviceError

from .hid_descriptor import Descriptor, Field

PID = 0x0F << 16
SET_EFFECT, BLOCK_INDEX, EFFECT_TYPE, CONSTANT_FORCE = PID | 0x21, PID | 0x22, PID | 0x25, PID | 0x26
DURATION, GAIN, AXES_ENABLE, DIRECTION_ENABLE, DIRECTION = (
    PID | 0x50, PID | 0x52, PID | 0x55, PID | 0x56, PID | 0x57
)  # fmt: skip
MAGNITUDE, SET_CONSTANT_FORCE = PID | 0x70, PID | 0x73
OPERATION, OPERATION_KIND, START, STOP, LOOPS = PID | 0x77, PID | 0x78, PID | 0x79, PID | 0x7B, PID | 0x7C
DEVICE_GAIN_REPORT, DEVICE_GAIN, TRIGGER_BUTTON = PID | 0x7D, PID | 0x7E, PID | 0x53
BLOCK_LOAD, LOAD_STATUS, LOAD_SUCCESS, LOAD_FULL = PID | 0x89, PID | 0x8B, PID | 0x8C, PID | 0x8D
BLOCK_FREE, CONTROL, CREATE = PID | 0x90, PID | 0x96, PID | 0xAB
ENABLE, DISABLE, STOP_ALL, RESET = PID | 0x97, PID | 0x98, PID | 0x99, PID | 0x9A
SAFETY_SWITCH, ACTUATOR_POWER = PID | 0xA4, PID | 0xA6
AXIS_X, AXIS_Y = 0x10030, 0x10031
NO_BUTTON = 255  # trigger button: none


@dataclass(frozen=True)
class Report:
    """Bytes to send; where a field may change, its place."""

    data: bytes
    field: Field | None = None


class PidReports:
    """All reports of one device."""

    def __init__(self, descriptor: Descriptor) -> None:
        self.descriptor = descriptor
        self.magnitude = descriptor.field("output", SET_CONSTANT_FORCE, MAGNITUDE)
        if self.magnitude.size != 16 or self.magnitude.offset % 8:
            raise DeviceError(f"constant-force magnitude of {self.magnitude.size} bits at bit {self.magnitude.offset}")

    def control(self, usage: int) -> bytes:
        """Device control by index (array) or bit mask (one bit per usage)."""
        field = self.descriptor.field("output", None, usage)
        report = self.descriptor.blank(field)
        field.put(report, field.index_of(usage) if field.is_array else 1)
        return bytes(report)

    def gain(self) -> bytes:
        return self._one("output", DEVICE_GAIN_REPORT, DEVICE_GAIN, None)

    def create(self) -> bytes:
        """Feature: make room for a constant-force effect."""
        field = self.descriptor.field("feature", CREATE, CONSTANT_FORCE)
        report = self.descriptor.blank(field)
        field.put(report, field.index_of(CONSTANT_FORCE))
        return bytes(report)

    @property
    def block_load_id(self) -> int:
        return self.descriptor.field("feature", BLOCK_LOAD, BLOCK_INDEX).report_id

    @property
    def block_load_length(self) -> int:
        return self.descriptor.length("feature", self.block_load_id)

    def loaded_block(self, reply: bytes) -> int | None:
        """The block that the device gave, None while it is not ready; DeviceError when its memory is full."""
        status = self.descriptor.field("feature", BLOCK_LOAD, LOAD_SUCCESS)
        if len(reply) < self.block_load_length or reply[0] != status.report_id:
            return None
        value = status.get(reply)
        if LOAD_FULL in status.usages and value == status.index_of(LOAD_FULL):
            raise DeviceError("the device has no room for another effect; unplug it, or close what else uses it")
        index = self.descriptor.field("feature", BLOCK_LOAD, BLOCK_INDEX)
        return index.get(reply) if value == status.index_of(LOAD_SUCCESS) else None

    def effect(self, block: int, direction_deg: float) -> bytes:
        """Set Effect: a constant force for ever, at full gain, in a fixed direction."""
        index = self.descriptor.field("output", SET_EFFECT, BLOCK_INDEX)
        report = self.descriptor.blank(index)
        index.put(report, block)
        kind = self.descriptor.field("output", SET_EFFECT, CONSTANT_FORCE)
        kind.put(report, kind.index_of(CONSTANT_FORCE))
        for usage in (DURATION, GAIN):  # the largest duration means for ever
            field = self.descriptor.field("output", SET_EFFECT, usage)
            field.put(report, field.high)
        for field in self.descriptor.find("output", SET_EFFECT, TRIGGER_BUTTON):
            field.put(report, min(NO_BUTTON, field.high))
        self.descriptor.field("output", SET_EFFECT, DIRECTION_ENABLE).put(report, 1)
        for field in self._inside(SET_EFFECT, AXES_ENABLE):
            field.put(report, 1)
        direction = self._inside(SET_EFFECT, DIRECTION)
        if not direction:
            raise DeviceError("the report descriptor has no direction of an effect")
        first = direction[0]
        first.put(report, round(first.low + direction_deg % 360 / 360 * (first.high - first.low)))
        return bytes(report)

    def constant(self, block: int) -> Report:
        """Set Constant Force with magnitude zero; the place of the magnitude is what a tick fills."""
        index = self.descriptor.field("output", SET_CONSTANT_FORCE, BLOCK_INDEX)
        report = self.descriptor.blank(index)
        index.put(report, block)
        return Report(bytes(report), self.magnitude)

    def operation(self, block: int, usage: int) -> bytes:
        index = self.descriptor.field("output", OPERATION, BLOCK_INDEX)
        report = self.descriptor.blank(index)
        index.put(report, block)
        kind = self.descriptor.field("output", OPERATION, usage)
        kind.put(report, kind.index_of(usage))
        self.descriptor.field("output", OPERATION, LOOPS).put(report, 1)
        return bytes(report)

    def free(self, block: int) -> bytes:
        return self._one("output", BLOCK_FREE, BLOCK_INDEX, block)

    def _one(self, kind: str, report_usage: int, usage: int, value: int | None) -> bytes:
        field = self.descriptor.field(kind, report_usage, usage)
        report = self.descriptor.blank(field)
        field.put(report, field.high if value is None else value)
        return bytes(report)

    def _inside(self, report_usage: int, parent: int) -> list[Field]:
        """The variable fields inside an inner collection of a report."""
        return [
            field
            for field in self.descriptor.fields
            if field.kind == "output"
            and report_usage in field.parents
            and parent in field.parents
            and not field.is_constant
        ]
