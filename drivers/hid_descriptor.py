"""HID report descriptors: which value lies where in which report.

Start-up only. A device describes its reports by a small byte language (Device Class Definition for HID 1.11, section
6.2.2); force-feedback devices differ in ids, offsets, ranges and in arrays against bit masks, so all of that is read
from here and nothing is taken for granted.

    descriptor = parse(bytes)
    magnitude = descriptor.field("output", SET_CONSTANT_FORCE, MAGNITUDE)     # by the report's usage and the field's
    report = descriptor.blank(magnitude)                                      # the bytes of that report, id first
    magnitude.put(report, -100)

A usage is page << 16 | number. A field's `report_usage` is the logical collection it stands in (PID: one per report).
"""

from dataclasses import dataclass

from hapticd.errors import DeviceError

MOST_FIELDS = 4096  # a descriptor with more is broken or hostile
MOST_BITS = 8 * 4096  # of a report
KINDS = {8: "input", 9: "output", 11: "feature"}


@dataclass(frozen=True)
class Field:
    """One value (or one slot of an array) in a report."""

    kind: str  # input, output, feature
    report_id: int  # 0: reports have no id
    report_usage: int
    usages: tuple[int, ...]  # one for a variable; all that an array may name
    offset: int  # bits from the first byte behind the id
    size: int  # bits
    low: int  # logical
    high: int
    is_array: bool
    is_constant: bool
    parents: tuple[int, ...]  # usages of the collections around it, outermost first

    @property
    def usage(self) -> int:
        return self.usages[0] if self.usages else 0

    def put(self, report: bytearray, value: int) -> None:
        """Write a logical value; out of range is an error, since a device would take it for something else."""
        if not self.low <= value <= self.high:
            raise DeviceError(f"HID value {value} for usage {self.usage:#x}; allowed is {self.low} to {self.high}")
        start = self.offset + 8  # behind the id, which always comes first
        whole = int.from_bytes(report, "little")
        mask = (1 << self.size) - 1
        whole = whole & ~(mask << start) | (value & mask) << start
        report[:] = whole.to_bytes(len(report), "little")

    def get(self, report: bytes | bytearray) -> int:
        """Read the logical value, with its sign where the range has one."""
        value = int.from_bytes(report, "little") >> self.offset + 8 & (1 << self.size) - 1
        return value - (1 << self.size) if self.low < 0 and value >> self.size - 1 else value

    def index_of(self, usage: int) -> int:
        """The logical value by which an array names a usage."""
        return self.low + self.usages.index(usage)


@dataclass(frozen=True)
class Descriptor:
    fields: tuple[Field, ...]
    sizes: dict[tuple[str, int], int]  # bits of a report, without id
    numbered: bool

    def find(self, kind: str, report_usage: int | None, usage: int, parent: int | None = None) -> list[Field]:
        """All fields of that usage, in the order of the descriptor."""
        return [
            field
            for field in self.fields
            if field.kind == kind
            and (report_usage is None or report_usage in field.parents)
            and (parent is None or parent in field.parents)
            and usage in field.usages
        ]

    def field(self, kind: str, report_usage: int | None, usage: int) -> Field:
        """The first one, or a DeviceError that names what is missing."""
        found = self.find(kind, report_usage, usage)
        if not found:
            where = "" if report_usage is None else f" in the report {report_usage:#x}"
            raise DeviceError(f"the report descriptor has no {kind} field {usage:#x}{where}")
        return found[0]

    def length(self, kind: str, report_id: int) -> int:
        """Bytes of a report with its id in front (a zero where there are no ids, as hidraw wants it)."""
        return 1 + (self.sizes[kind, report_id] + 7) // 8

    def blank(self, field: Field) -> bytearray:
        """The report of that field with nothing set."""
        report = bytearray(self.length(field.kind, field.report_id))
        report[0] = field.report_id
        return report


def parse(data: bytes) -> Descriptor:
    """All fields of a descriptor; DeviceError where it is cut or broken."""
    reader = _Reader()
    at = 0
    while at < len(data):
        prefix = data[at]
        if prefix == 0xFE:  # long items carry nothing that is defined
            at += 3 + (data[at + 1] if at + 1 < len(data) else 0)
            continue
        size = (0, 1, 2, 4)[prefix & 3]
        payload = data[at + 1 : at + 1 + size]
        if len(payload) != size:
            raise DeviceError(f"the report descriptor ends inside an item at byte {at}")
        reader.item(prefix >> 2 & 3, prefix >> 4, payload)
        at += 1 + size
    if reader.collections:
        raise DeviceError("the report descriptor ends inside a collection")
    return Descriptor(tuple(reader.fields), dict(reader.sizes), reader.numbered)


class _Reader:
    """The item state tables of section 6.2.2: global, local, and the stack of collections."""

    def __init__(self) -> None:
        self.fields: list[Field] = []
        self.sizes: dict[tuple[str, int], int] = {}
        self.numbered = False
        self.page, self.low, self.high, self.size, self.count, self.report_id = 0, 0, 0, 0, 0, 0
        self.stack: list[tuple[int, ...]] = []
        self.collections: list[tuple[int, int]] = []  # kind, usage
        self.usages: list[int] = []
        self.first = 0

    def item(self, kind: int, tag: int, payload: bytes) -> None:
        if kind == 0:
            self.main(tag, int.from_bytes(payload, "little"))
        elif kind == 1:
            self.globals(tag, payload)
        elif kind == 2:
            self.locals(tag, payload)

    def main(self, tag: int, value: int) -> None:
        if tag in KINDS:
            self.add(KINDS[tag], value)
        elif tag == 10:
            self.collections.append((value, self.usages[0] if self.usages else 0))
        elif tag == 12:
            if not self.collections:
                raise DeviceError("the report descriptor closes a collection that is not open")
            self.collections.pop()
        self.usages, self.first = [], 0

    def globals(self, tag: int, payload: bytes) -> None:
        value = int.from_bytes(payload, "little")
        signed = int.from_bytes(payload, "little", signed=True)
        if tag == 0:
            self.page = value
        elif tag == 1:
            self.low = signed
        elif tag == 2:
            # a maximum below the minimum was meant without sign: FF for 255 after a minimum of 0
            self.high = signed if signed >= self.low else value
        elif tag == 7:
            self.size = value
        elif tag == 8:
            self.report_id, self.numbered = value, True
        elif tag == 9:
            self.count = value
        elif tag == 10:
            self.stack.append((self.page, self.low, self.high, self.size, self.count, self.report_id))
        elif tag == 11 and self.stack:
            self.page, self.low, self.high, self.size, self.count, self.report_id = self.stack.pop()

    def locals(self, tag: int, payload: bytes) -> None:
        value = int.from_bytes(payload, "little")
        usage = value if len(payload) == 4 else self.page << 16 | value
        if tag == 0:
            self.usages.append(usage)
        elif tag == 1:
            self.first = usage
        elif tag == 2 and self.first <= usage <= self.first + MOST_FIELDS:
            self.usages += range(self.first, usage + 1)

    def add(self, kind: str, flags: int) -> None:
        """The fields of one Input, Output or Feature item."""
        key = kind, self.report_id
        start = self.sizes.get(key, 0)
        end = start + self.size * self.count
        if end > MOST_BITS or len(self.fields) + self.count > MOST_FIELDS:
            raise DeviceError(f"the report descriptor's {kind} report {self.report_id} is larger than any device's")
        self.sizes[key] = end
        is_constant, is_array = bool(flags & 1), not flags & 2
        parents = tuple(usage for _, usage in self.collections)
        logical = [usage for collection, usage in self.collections if collection == 2]
        for k in range(self.count):
            # a variable takes its own usage, the last one going on for the rest; an array names any of them
            own = self.usages[min(k, len(self.usages) - 1)] if self.usages else 0
            usages = tuple(self.usages) if is_array else (own,)
            self.fields.append(
                Field(
                    kind, self.report_id, logical[0] if logical else 0, usages, start + k * self.size, self.size,
                    self.low, self.high, is_array, is_constant, parents,
                )
            )  # fmt: skip
