"""Samples that cannot be true: refused one by one, a fault when they come in a row.

Shared by the drivers of devices with encoders. Their memory rows begin with the cells below; the count of all refusals
lies where the driver says.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_REFUSED

# The first cells of a driver's memory row.
STARTED = 0
GAP = 1  # ticks since the last good sample
REFUSED_RUN = 2

REFUSALS = 3  # in a row make a fault


@kernel
def refuse(memory, total):
    """Count one more, also in the cell `total`; the sample code of it."""
    memory[GAP] += 1.0
    memory[REFUSED_RUN] += 1.0
    memory[total] += 1.0
    return SAMPLE_ENCODER if memory[REFUSED_RUN] >= REFUSALS else SAMPLE_REFUSED
