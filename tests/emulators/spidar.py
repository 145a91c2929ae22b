"""An emulated SPIDAR: boards on a pseudo terminal, the grip's physics and a hand behind them.

    python -m tests.emulators.spidar --link /tmp/hapticd-spidar --geometry configs/device/spidar_g6_x3r.toml

The grip moves by one period in every cycle of commands (`--clock ticks`, the default: exact on a busy machine), or with
real time (`--clock wall`). Words on standard input and scripts: see faults.py.
"""

import argparse
import struct
import time
import tomllib
from pathlib import Path

import numpy as np

from tests.emulators.faults import Faults
from tests.emulators.frame_log import FrameLog
from tests.emulators.pty_device import PtyDevice
from tests.emulators.spidar_board import Board, Line
from tests.emulators.string_plant import Body, StringPlant

FULL_PWM_MODEL = 7
# For the mount of configs/spidar_emulated.toml: down on the left tower, drag its top, up; down to the floor, drag, up.
HAND = """500 target -0.01 0 0; 1500 target -0.01 -0.006 0; 2500 target -0.01 -0.006 0.002; 3500 target 0 0.002 0;
4500 target 0 -0.02 0; 5500 target 0.004 -0.02 0.002; 6500 target 0 0 0"""
HAND_PERIOD = 8000  # ticks
UNITS_PER_VOLT = 4096 / 3.3


class Spidar(PtyDevice):
    def __init__(self, arguments):
        self.faults = Faults(arguments.script or HAND * arguments.busy, HAND_PERIOD * arguments.busy)
        geometry = tomllib.loads(Path(arguments.geometry).read_text())["geometry"]
        self.plant = plant_of(geometry, arguments)
        self.volts = np.array(geometry["volts_per_newton"])
        models = [int(model) for model in arguments.models.split(",")]
        boards = [Board(int(i), m, arguments.generation) for i, m in zip(arguments.ids.split(","), models, strict=True)]
        self.line = Line(boards, self.sense, self.act)
        self.last_board = max(self.line.boards)
        self.period, self.wall = 1.0 / arguments.rate, arguments.clock == "wall"
        self.tick, self.then = 0, time.monotonic()
        self.motion = np.load(arguments.motion) if arguments.motion else None
        self.log = FrameLog(arguments.log)
        super().__init__(self.faults, arguments.link)

    def receive(self, data):
        answers = self.line.feed(data)
        answers = self.faults.answer(self.tick, answers)
        if answers:
            self.log.add(self.tick, "tx", answers)
        return answers

    def sense(self):
        """The boards read their encoders; each answer shows this moment."""
        shown = self.faults.counts(self.plant.counts())
        for board in self.line.boards.values():
            board.positions, shown = (shown + [0] * board.n_motor)[: board.n_motor], shown[board.n_motor :]

    def act(self, board, frame):
        if frame[0] >> 3 != 6:
            return
        self.log.add(self.tick, "rx", frame)
        if board.id == self.last_board:
            self.cycle()

    def cycle(self):
        """All boards have new currents: the strings pull, and time goes on."""
        units = np.array([units for board in self.line.boards.values() for units in clipped(board)], float)
        n = len(self.volts)
        self.plant.tension[:] = np.maximum(0.0, units[:n] / UNITS_PER_VOLT / self.volts)
        now = time.monotonic()
        if self.motion is not None:
            self.plant.place(self.motion[min(self.tick, len(self.motion) - 1)])
        else:
            self.plant.advance(min(now - self.then, 0.1) if self.wall else self.period)
        self.then = now
        self.tick += 1
        for words in self.faults.due(self.tick):
            self.word(words)
        pose = struct.pack("<13d", *self.plant.p, *self.plant.q, *self.plant.v, *self.plant.w)
        self.log.add(self.tick, "pose", pose)

    def word(self, words):
        if self.faults.say(words, self.plant.counts()):
            pass
        elif words[0] == "target":
            self.plant.target[:] = [float(x) for x in words[1:4]]
        elif words[0] == "shock":
            self.plant.v[:] = [float(x) for x in words[1:4]]
        elif words[0] == "grip":
            self.plant.body.held = words[1] == "1"
        else:
            return super().word(words)
        self.log.note(self.tick, " ".join(words))
        return None


def clipped(board):
    """Currents as the power stage takes them."""
    limit = 1024 if board.model == FULL_PWM_MODEL else 4095
    return [max(-limit, min(limit, current)) for current in board.currents]


def plant_of(geometry, arguments):
    angle = np.radians(geometry.get("turn_y_deg", 0.0))
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    body = Body(held=not arguments.free)
    for name, value in (pair.split("=") for pair in arguments.body):
        setattr(body, name, float(value))
    n = len(geometry["exits_m"])
    start = (np.arange(n) * 7919 + arguments.start) % 65536  # any power-up counters
    exits, knots = np.array(geometry["exits_m"]) @ turn.T, np.array(geometry["knots_m"]) @ turn.T
    return StringPlant(exits, knots, geometry["metres_per_pulse"], geometry["n_dof"] == 6, body, start)


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--geometry", default="configs/device/spidar_g6_x3r.toml")
    parser.add_argument("--models", default="5,5", help="board models: 1-6, 7 is the 8-motor board")
    parser.add_argument("--ids", default="0,1")
    parser.add_argument("--generation", default="old", choices=["old", "new"])
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--clock", default="ticks", choices=["ticks", "wall"])
    parser.add_argument("--start", type=int, default=12345, help="counter of the first encoder at power-up")
    parser.add_argument("--free", action="store_true", help="no hand holds the grip")
    parser.add_argument("--body", nargs="*", default=[], metavar="NAME=NUMBER", help="mass, damping ...")
    parser.add_argument("--motion", default="", help="a rig moves the grip: .npy, p q v w in every cycle's row")
    parser.add_argument("--script", default="")
    parser.add_argument("--busy", action="store_true", help="a hand that works on the six blocks, over and over")
    parser.add_argument("--link", default="")
    parser.add_argument("--log", default="")
    return parser.parse_args(arguments)


def main():
    device = Spidar(parse())
    try:
        device.serve()
    finally:
        device.log.note(device.tick, f"lost {device.faults.lost} collisions {device.line.collisions}")
        device.log.close()
        device.unplug()


if __name__ == "__main__":
    main()
