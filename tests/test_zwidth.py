"""The stiffness that the emulated SPIDAR holds, against the linear bound of its damping and delay."""

import pytest

from hapticd.drivers.spidar import Spidar
from hapticd.errors import ConfigError
from hapticd.zwidth import Bench
from tests.drivers.test_spidar import Rig, options
from tests.emulators.process import Emulator


@pytest.mark.parametrize(("damping", "limit"), [(0.5, 334), (2.0, 1340)])
def test_limit_is_that_of_the_guarantees(tmp_path, damping, limit):
    """The table of guarantees, T = 1 ms, one sample of delay: 15 % below holds, 20 % above does not."""
    with Emulator("spidar", tmp_path, "--free", "--body", f"damping={damping}") as emulator:
        device = Spidar(options(port=emulator.path, simulated=True))
        bench = Bench(device, device.open(), 1e-3)
        try:
            assert bench.is_stable(0.85 * limit, 0.0, 0)
            assert not bench.is_stable(1.2 * limit, 0.0, 0)
        finally:
            device.close()


def test_hardware_is_refused():
    with pytest.raises(ConfigError, match="would hurt the hand"):
        Bench(Rig().device, -1, 1e-3)
