"""Faults of an emulated device, as words: on its standard input at once, or in a script at a tick.

    off                 silent from now on, the link stays open          on        all faults end
    stuck I             encoder I stands still                           wrong I N encoder I is off by N counts
    slow N              only every N-th answer is sent                   delayed N answers come N ticks late
    intermittent P      each answer is lost with probability P           duplicate every answer twice
    garbage N           N random bytes before the next answer            cut N     only N bytes of the next answer
    flip N              bit N of the next answer is turned               unplug    the link is closed
    shock X Y Z         the grip gets this velocity, m/s                 target X Y Z   where the hand wants to be, m
    grip 0|1            the hand lets go, or holds                       quit

Script: "TICK WORD ..; TICK WORD ..", once, or over and over with a period in ticks.
"""

import random


class Faults:
    """The words in force, and what they do to the stream of answers."""

    def __init__(self, script="", period=0):
        self.script = sorted((int(line.split()[0]), line.split()[1:]) for line in script.split(";") if line.strip())
        self.period = period
        self.random = random.Random(1)
        self.lost = 0  # answers that were not sent
        self.sent = 0
        self.clear()
        self.unplugged = False

    def clear(self):
        self.silent, self.every, self.late, self.loss, self.twice = False, 1, 0, 0.0, False
        self.stuck, self.offset = {}, {}
        self.once = []  # cut, flip, garbage: used up by one answer
        self.waiting = []

    def due(self, tick):
        """Words whose tick has come."""
        words = []
        while self.script and self.script[0][0] <= tick:
            at, word = self.script.pop(0)
            words.append(word)
            if self.period:
                self.script.append((at + self.period, word))
        return words

    def say(self, words, counts):
        """Take a word; True if it was one of these."""
        word, numbers = words[0], words[1:]
        if word == "off":
            self.silent = True
        elif word == "on":
            self.clear()
        elif word == "stuck":
            self.stuck[int(numbers[0])] = int(counts[int(numbers[0])])
        elif word == "wrong":
            self.offset[int(numbers[0])] = int(numbers[1])
        elif word == "slow":
            self.every = int(numbers[0])
        elif word == "delayed":
            self.late = int(numbers[0])
        elif word == "intermittent":
            self.loss = float(numbers[0])
        elif word == "duplicate":
            self.twice = True
        elif word in ("garbage", "cut", "flip"):
            self.once.append((word, int(numbers[0])))
        elif word == "unplug":
            self.unplugged = True
        else:
            return False
        return True

    def counts(self, true):
        """Encoder counts as they show."""
        shown = [int(count) for count in true]
        for i, count in self.stuck.items():
            shown[i] = count
        for i, step in self.offset.items():
            shown[i] += step
        return shown

    def answer(self, tick, data):
        """What goes out on the line in this tick instead of `data`."""
        if not data:
            return b""
        keep = not self.silent and tick % self.every == 0 and self.random.random() >= self.loss
        self.lost += not keep
        self.sent += keep
        data = data if keep else b""
        for word, number in self.once:
            if word == "garbage":
                data = self.random.randbytes(number) + data
            elif word == "cut":
                data = data[:number]
            elif word == "flip" and number // 8 < len(data):
                data = data[: number // 8] + bytes([data[number // 8] ^ 1 << number % 8]) + data[number // 8 + 1 :]
        self.once = []
        if self.twice:
            data = data + data
        if self.late:
            self.waiting.append(data)
            data = self.waiting.pop(0) if len(self.waiting) > self.late else b""
        return data
