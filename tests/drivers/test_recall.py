"""What a driver's open found out goes through a log as JSON and makes an equal driver, without a device."""

import json

import numpy as np
import pytest

from hapticd.drivers.spidar import Spidar
from hapticd.drivers.virtual import Virtual
from hapticd.errors import ConfigError
from tests.drivers.test_spidar import Rig, options
from tests.oracle.grip import random_pose


def test_spidar_is_as_after_its_open():
    rig, random = Rig(), np.random.default_rng(4)
    other = Spidar(options(simulated=True))
    other.recall(json.loads(json.dumps(rig.device.learnt())))
    assert other.off == rig.device.off and other.rest == rig.device.rest and other.panic == rig.device.panic
    assert other.capabilities.motors == rig.device.capabilities.motors
    ours, theirs = np.zeros((2, 18))
    out, rendered = np.zeros((2, other.capabilities.output_size), np.uint8), np.zeros((2, 6))
    pose = random_pose(random, 0.02, 0.2)
    data = np.frombuffer(rig.frame(rig.counts(pose)), np.uint8)
    for _ in range(20):
        for device, sample, frame, given in (
            (rig.device, theirs, out[0], rendered[0]),
            (other, ours, out[1], rendered[1]),
        ):
            device.decode(data.copy(), len(data), sample)
            device.encode(np.array([1.0, -0.5, 2.0, 0.01, 0.0, -0.02]), frame, given)
        assert np.array_equal(ours, theirs) and np.array_equal(*out) and np.array_equal(*rendered)
    assert np.array_equal(other.state, rig.device.state)


def test_a_driver_that_learns_nothing_refuses_what_it_cannot_recall():
    device = Virtual({})
    assert device.learnt() == {}
    device.recall({})
    with pytest.raises(ConfigError, match="recall"):
        device.recall({"boards": []})
