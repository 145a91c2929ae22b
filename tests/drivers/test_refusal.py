"""Refused samples: the third in a row is a fault, a good one between them forgives, the total goes on."""

import numpy as np
import pytest

from hapticd.drivers import hapi_tick, hid_pid, string_device
from hapticd.drivers.refusal import GAP, REFUSED_RUN, STARTED, refuse
from hapticd.kernel.status import SAMPLE_ENCODER, SAMPLE_REFUSED

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("driver", [hapi_tick, hid_pid, string_device])
def test_third_refusal_in_a_row_is_a_fault(driver):
    memory = np.zeros(driver.MEMORY_SIZE)
    assert [refuse(memory, driver.REFUSED) for _ in range(3)] == [SAMPLE_REFUSED, SAMPLE_REFUSED, SAMPLE_ENCODER]
    assert memory[GAP] == memory[REFUSED_RUN] == memory[driver.REFUSED] == 3 and memory.sum() == 9
    memory[REFUSED_RUN] = 0.0  # a good sample came
    assert refuse(memory, driver.REFUSED) == SAMPLE_REFUSED and memory[driver.REFUSED] == 4


@pytest.mark.parametrize("driver", [hapi_tick, hid_pid, string_device])
def test_drivers_keep_their_other_cells_apart(driver):
    assert driver.REFUSED not in (STARTED, GAP, REFUSED_RUN) and driver.REFUSED < driver.MEMORY_SIZE
