"""[[tower]] and [[pyramid]]: many equal boxes as bodies of a scene."""

from collections.abc import Iterator

from hapticd.scene.schema import Body, Box, Pyramid, Stack, Tower


def tower(stack: Tower) -> Iterator[Body]:
    """Single file, block1 at the foot; the boxes touch and do not overlap."""
    for i in range(stack.count):
        yield _block(stack, i, 0.0, (i + 0.5) * stack.size[2])


def pyramid(stack: Pyramid) -> Iterator[Body]:
    """The shortest lowest row that is enough, then rows one shorter each, until all blocks are used."""
    width = 1
    while width * (width + 1) // 2 < stack.count:
        width += 1
    pitch = stack.size[0] * (1.0 + stack.gap)
    used = 0
    for row in range(width):
        in_row = min(width - row, stack.count - used)
        # An incomplete top row stands in the middle, each block over a gap of the row below.
        first = (width - row - in_row) // 2
        for i in range(in_row):
            x = (first + i - 0.5 * (width - row - 1)) * pitch
            yield _block(stack, used + i, x, (row + 0.5) * stack.size[2])
        used += in_row


def _block(stack: Stack, i: int, x: float, z: float) -> Body:
    px, py, pz = stack.position
    return Body(
        name=f"{stack.name}{i + 1}",
        material=stack.material,
        shape=Box(type="box", size=stack.size),
        mass=stack.mass,
        position=(px + x, py, pz + z),
    )
