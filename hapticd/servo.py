"""The servo: one process, one thread, one loop. Wait, read, decode, step, encode, clamp, write, push.

Gets an open device from the supervisor by fork, works on the shared memory of ring.py, and owns nothing else. The loop
allocates nothing that stays and raises nothing of its own; what may raise is the device's descriptor (gone) and a
plug-in's decode or encode: either is a fault, `off` goes out, and words come later. What Python itself still does in a
tick: short-lived integers and views from its free lists, no garbage collection.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hapticd.areas import KEEP, Arena, Live
from hapticd.clock import Clock
from hapticd.control import ARENA, LEAVE, NEWEST, READY, SERVO_BEAT, STOP
from hapticd.device import Device
from hapticd.kernel._jit import entry
from hapticd.kernel.guard import gather as gathering
from hapticd.kernel.guard import layout as g
from hapticd.kernel.guard.gather import gather
from hapticd.kernel.guard.states import (
    CAUSE_DRIVER,
    CAUSE_LINK_LOST,
    CAUSE_START,
    CAUSE_SUPERVISOR,
    COMMAND_ARM,
    COMMAND_CLEAR,
    COMMAND_SCENE,
    FAULT,
    IDLE,
    LIMITED_MOTOR,
)
from hapticd.kernel.layout import Solid, State, Work
from hapticd.kernel.status import SAMPLE_NONE
from hapticd.kernel.swap import renew
from hapticd.kernel.tick import finish_tick, servo_tick
from hapticd.link import Link
from hapticd.ring import Ring
from hapticd.safety import MotorClamp
from hapticd.words import CAUSES

# How the servo ends.
LEFT = 0  # asked to
LINK_LOST = 3
ORPHANED = 4  # the supervisor is gone

OFF_FRAMES = 3  # sent before the end: one may be lost
ARMING_SAMPLES = 20  # good samples before a device that arms on start does so
ARMING_PAUSE = 7  # ticks between two attempts; odd, so that a device that answers every other time is met


@dataclass(frozen=True)
class Rules:
    """What the loop goes by, beside the guard's limits."""

    period_ns: int
    still_ticks: int  # without a sign of life of the supervisor: fault
    snapshot_ticks: int
    arm_on_start: bool = False


class Servo:
    """All arrays of the loop; `run` is the loop."""

    def __init__(self, ring: Ring, device: Device, link: Link, rules: Rules, scratch: tuple[Work, Solid]) -> None:
        self.ring, self.device, self.link, self.rules = ring, device, link, rules
        self.live = Live(ring.memory)
        self.arenas = [Arena.of(ring.memory, k) for k in range(2)]
        self.work, self.solid = scratch
        self.state, self.safety = self.live.state, self.live.safety
        self.clock = Clock(rules.period_ns)
        self.clamp = MotorClamp(device.capabilities)
        self.slots = ring.views()
        self.raw = np.zeros(device.capabilities.input_size, np.uint8)
        self.out = np.zeros(device.capabilities.output_size, np.uint8)
        self.inputs = g.Inputs(
            np.zeros(g.INPUT_SIZE, np.int64), np.zeros((g.COMMANDS_PER_TICK, g.COMMAND_SIZE)), self.live.sample
        )
        self.inputs.word[g.INPUT_SCENE] = ring.control[ARENA, 0]  # not 0 after a lost link
        self.seen = np.zeros(gathering.SEEN_SIZE, np.int64)
        self.seen[gathering.STILL_LIMIT] = rules.still_ticks
        self.seen[gathering.SEEN_STOP] = ring.control[STOP, 0]
        self.sent = self.safety.wrench[g.WRENCH_SENT]
        self.rendered = self.safety.wrench[g.WRENCH_RENDERED]
        self.off = np.frombuffer(device.off, np.uint8)
        self.rest = np.frombuffer(device.rest, np.uint8)
        self.events = int(ring.servo_journal.sequence.max())
        self.arming = rules.arm_on_start
        self.arming_wait = 0  # ticks until the next attempt
        self.stop = 0  # a cause that the shell has seen: the link or the driver
        self.silent = 0  # off frames sent at the end

        # What the kernels of a tick work on, behind the model; all of it stays where it is.
        self.world = (self.state, self.work, self.solid, self.inputs, self.safety, self.slots)
        model = self.arenas[0].model
        self.gather = entry(gather, ring.control, ring.mailbox.rows, self.seen, self.inputs)
        self.tick = entry(servo_tick, model, *self.world, 0)
        self.finish = entry(finish_tick, model, *self.world, 0, self.raw, self.out)

    def warm_up(self) -> None:
        """Every kernel of the loop once, on arrays that are then put back: the first tick compiles nothing."""
        kept = [(array, array.copy()) for array in _arrays((self.state, self.safety, self.inputs, self.device.state))]
        marks = self.ring.control.copy()
        model, arena = self.arenas[0].model, self.arenas[0]
        self.device.decode(self.raw, 0, self.inputs.sample)
        self.gather(self.ring.control, self.ring.mailbox.rows, self.seen, self.inputs)
        self.safety.word[g.WORD_TICK] = 0
        self.tick(model, *self.world, 0)
        self.device.encode(np.zeros(6), self.out, self.rendered)
        self.clamp(self.out, len(self.out))
        self.finish(model, *self.world, 0, self.raw, self.out)
        renew(self.state, arena.start, self.work, arena.carry_body, arena.carry_part, 1, self.safety, 1)
        for array, copy in kept:
            array[...] = copy
        self.ring.control[...] = marks

    def run(self) -> int:
        """The loop; returns how it ended."""
        clock, inputs, slots, world = self.clock, self.inputs, self.slots, self.world
        control, word, times = self.ring.control, inputs.word, slots.time
        guard, sequence, now = self.safety.word, slots.sequence, time.monotonic_ns
        tick = self.ring.newest() + 1
        guard[g.WORD_TICK] = tick
        self.live.snapshot(tick - 1, int(word[g.INPUT_SCENE]), self.device.state)  # where an exact replay begins
        control[READY, 0] = 1
        clock.start()
        while True:
            word[g.INPUT_GAP] = clock.wait()
            i = tick % self.ring.count
            sequence[i] = 2 * tick + 1
            times[i, g.TIME_DUE], times[i, g.TIME_WOKE] = clock.due, clock.woke
            self.read_sample(times, i)
            self.gather(control, self.ring.mailbox.rows, self.seen, inputs)
            if self.arming or word[g.INPUT_RENEW]:
                self.prepare()
            model = self.arenas[word[g.INPUT_SCENE]].model
            mode = self.tick(model, *world, i)
            times[i, g.TIME_STEPPED] = now()
            self.write_frame(mode, times, i)
            self.finish(model, *world, i, self.raw, self.out)
            sequence[i] = 2 * tick + 2
            if tick % self.rules.snapshot_ticks == 0:
                self.live.snapshot(tick, int(word[g.INPUT_SCENE]), self.device.state)
            tick += 1
            control[NEWEST, 0] = tick
            control[SERVO_BEAT, 0] += 1
            if guard[g.WORD_EVENTS]:
                self.tell(tick - 1)
            if mode <= IDLE and (end := self.end()) is not None:
                return end

    def read_sample(self, times: NDArray[np.int64], i: int) -> None:
        """Bytes of the device into the newest sample. A lost link or a raising driver ends the force in this tick."""
        word, count, code = self.inputs.word, 0, SAMPLE_NONE
        try:
            count = self.link.read(self.raw)
            times[i, g.TIME_READ] = time.monotonic_ns()
            code = self.device.decode(self.raw, count, self.inputs.sample)
        except OSError as error:
            self.complain(CAUSE_LINK_LOST, error)
        except Exception as error:
            self.complain(CAUSE_DRIVER, error)
        word[g.INPUT_RAW], word[g.INPUT_CODE], word[g.INPUT_STOP] = count, code, self.stop
        if self.stop == CAUSE_DRIVER:
            self.stop = 0  # it may do better in the next tick, but FAULT stays
        times[i, g.TIME_DECODED] = time.monotonic_ns()

    def write_frame(self, mode: int, times: NDArray[np.int64], i: int) -> None:
        """The wrench as bytes, every motor within its bounds; `off` in FAULT and at the end, `rest` in IDLE."""
        if mode > IDLE:
            count = self.encode()
        else:
            frame = self.off if mode == FAULT or self.ring.control[LEAVE, 0] else self.rest
            count = len(frame)
            self.out[:count] = frame
            self.rendered[:] = 0.0
        self.safety.word[g.WORD_SENT] = count
        times[i, g.TIME_ENCODED] = time.monotonic_ns()
        if self.stop != CAUSE_LINK_LOST:
            try:
                self.link.write(self.out, count)
            except OSError as error:
                self.complain(CAUSE_LINK_LOST, error)
        times[i, g.TIME_WRITTEN] = time.monotonic_ns()

    def encode(self) -> int:
        try:
            count = self.device.encode(self.sent, self.out, self.rendered)
            if self.clamp(self.out, count):
                self.safety.word[g.WORD_LIMITS] |= 1 << LIMITED_MOTOR
            return count
        except Exception as error:
            self.complain(CAUSE_DRIVER, error)
        self.out[: len(self.off)] = self.off
        self.rendered[:] = 0.0
        return len(self.off)

    def complain(self, cause: int, error: Exception) -> None:
        """The first words about a fault of the shell; the guard latches it in this tick or the next."""
        if self.stop == 0 and self.safety.word[g.WORD_MODE] != FAULT:
            text = "".join(traceback.format_exception(error))
            os.write(2, f"servo: {CAUSES[cause]}: {text}".encode())
        self.stop = cause

    def prepare(self) -> None:
        """What happens in few ticks: arming on start, and a scene that begins anew."""
        word = self.inputs.word
        if self.arming:
            self.arm_on_start()
        if word[g.INPUT_RENEW]:
            renew_scene(self.arenas, self.inputs, self.state, self.work, self.safety)
            self.ring.control[ARENA, 0] = word[g.INPUT_SCENE]

    def arm_on_start(self) -> None:
        """Clear and arm once samples come; tried again, because a tick without a sample refuses it. Given up when
        anything else has happened to the mode: another fault, a person's command.
        """
        guard, word = self.safety.word, self.inputs.word
        self.arming = bool(guard[g.WORD_MODE] == FAULT and guard[g.WORD_CAUSE] == CAUSE_START)
        self.arming_wait -= 1
        if not self.arming or self.arming_wait > 0 or guard[g.WORD_SAMPLES] < ARMING_SAMPLES or word[g.INPUT_COMMANDS]:
            return
        self.arming_wait = ARMING_PAUSE
        for k, code in enumerate((COMMAND_CLEAR, COMMAND_ARM)):
            self.inputs.command[k] = 0.0
            self.inputs.command[k, g.COMMAND_CODE] = code
        word[g.INPUT_COMMANDS] = 2

    def tell(self, tick: int) -> None:
        """Events of this tick into the journal."""
        at, rows = time.monotonic_ns(), self.safety.event
        for k in range(self.safety.word[g.WORD_EVENTS]):
            row = rows[k]
            event = (at, tick, int(row[g.EVENT_KIND]), int(row[g.EVENT_CODE]), row[g.EVENT_VALUE :], b"")
            self.ring.servo_journal.write(self.events, event)
            self.events += 1

    def end(self) -> int | None:
        """Whether to go, and how: only without force, and after the device was told to be off."""
        if self.stop == CAUSE_LINK_LOST:
            return LINK_LOST
        orphaned = self.inputs.word[g.INPUT_STOP] == CAUSE_SUPERVISOR
        if not orphaned and not self.ring.control[LEAVE, 0]:
            return None
        self.silent += 1
        if self.silent < OFF_FRAMES:
            return None
        return ORPHANED if orphaned else LEFT


def renew_scene(arenas: list[Arena], inputs: g.Inputs, state: State, work: Work, safety: g.Safety) -> None:
    """Put the scene of Inputs in place before its tick; an arena that holds none changes nothing."""
    word = inputs.word
    arena = arenas[word[g.INPUT_SCENE]]
    if not arena.generation:
        word[g.INPUT_SCENE] ^= 1
        word[g.INPUT_RENEW] = 0
        return
    flips = inputs.command[word[g.INPUT_COMMANDS] - 1, g.COMMAND_CODE] == COMMAND_SCENE
    keep = int(flips and arena.word[KEEP])
    renew(state, arena.start, work, arena.carry_body, arena.carry_part, keep, safety, arena.generation)


def _arrays(tree: Any) -> Iterator[NDArray[Any]]:
    if isinstance(tree, np.ndarray):
        yield tree
        return
    for item in tree:
        yield from _arrays(item)
