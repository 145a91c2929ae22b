"""The run config: defaults that keep the guarantees, bounds that cannot be left."""

import dataclasses
from pathlib import Path

import pytest

from hapticd.config import Loop, RunConfig, Safety, load_config
from hapticd.errors import ConfigError
from hapticd.schema import read_text

DEVICE = '[device]\ndriver = "virtual"\n'


def test_defaults_are_the_guarantees() -> None:
    config = read_text(RunConfig, DEVICE)
    assert config.loop == Loop(
        rate_hz=1000, overrun_limit=20, overrun_forgive_ticks=100, gap_ramp_ms=5, gap_fault_ms=20, watchdog_ms=10
    )
    assert not config.device.arm_on_start
    assert config.safety.ramp_ms >= 200
    assert config.sockets.control == () and config.sockets.state == ("tcp://127.0.0.1:5570",)
    assert config.record.flush_ms <= 250


def test_the_default_slew_lets_the_stiffest_wall_through_at_the_highest_speed() -> None:
    safety = Safety(stiffness=4000.0, speed=0.5, force=10.0, torque=0.5)
    assert safety.slew_rate == 2000.0
    assert safety.torque_slew_rate == pytest.approx(100.0)
    assert Safety(slew=500.0).slew_rate == 500.0
    assert Safety(torque_slew=3.0).torque_slew_rate == 3.0


def test_configs_are_frozen() -> None:
    config = read_text(RunConfig, DEVICE)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.safety.force = 100.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "device is missing; needed is a table"),
        ("[device]\n", "driver is missing"),
        (DEVICE + "[loop]\nrate_hz = 99\n", "100 to 4000"),
        (DEVICE + "[loop]\nrate_hz = 4001\n", "100 to 4000"),
        (DEVICE + "[loop]\ngap_fault_ms = 4\n", "at least gap_ramp_ms = 5"),
        (DEVICE + "[loop]\nrate_hz = 200\n", "at least two ticks, 10"),
        (DEVICE + "[safety]\nramp_ms = 199\n", "200 to 10000"),
        (DEVICE + "[safety]\nforce = 0\n", "more than 0"),
        (DEVICE + "[safety]\nforce = 1e3\n", "at most 100"),
        (DEVICE + "[safety]\nspeed = 3\n", "at least speed = 3"),
        (DEVICE + "[safety]\nforce_continuous = 6\n", "at most force = 5"),
        (DEVICE + "[mount]\nq_xyzw = [1, 1, 0, 0]\n", "a vector of length 1"),
        (DEVICE + "[mount]\nmotion_scale = 0\n", "0.001 to 1000"),
        (DEVICE + '[sockets]\nstate = ["tcp://0.0.0.0:5570"]\n', "without `keys`"),
        (DEVICE + '[sockets]\nstate = ["tcp://127.0.0.1.example.org:5570"]\n', "without `keys`"),
        (DEVICE + '[sockets]\ncontrol = ["tcp://127.0.0.1:5571"]\n', "without `keys`"),
        (DEVICE + '[sockets]\nstate = ["udp://127.0.0.1:1"]\n', "tcp://ADDRESS:PORT"),
        (DEVICE + "[saftey]\nforce = 1\n", "did you mean 'safety'?"),
    ],
)
def test_what_breaks_a_guarantee_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_text(RunConfig, text)
    assert len(caught.value.problems) == 1
    assert message in str(caught.value)


def test_device_and_scene_can_be_files(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text('device = "device.toml"\nscene = "scene.toml"\n')
    (tmp_path / "device.toml").write_text('driver = "spidar"\nport = "/dev/ttyUSB0"\n')
    (tmp_path / "scene.toml").write_text("[[body]]\nname = 'floor'\n")
    config = load_config(tmp_path / "run.toml")
    assert config.device.driver == "spidar"
    assert config.device.options == {"port": "/dev/ttyUSB0"}
    assert config.scene == {"body": [{"name": "floor"}]}
    assert config.scene is not None and config.scene.document.name == str(tmp_path / "scene.toml")
