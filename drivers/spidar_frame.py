"""The tick's bytes of the serial motor boards: find the newest whole cycle in the stream, write the currents.

Called by the SPIDAR driver's decode and encode. The replies of one cycle follow each other: CURRENT of every board by
id, then BOARD_INFO of the first. The protocol has no checksum, but the headers and the seven bytes of BOARD_INFO are
known: a cycle counts only when all of them are in place (9 bytes for two boards, 8 for one), so a header value inside a
payload makes no false frame, and after a cut the next whole cycle is found. Zeros between replies are padding.

    | 30+id  pos pos .. vel vel .. | 31.. | 08+id model nTarget nMotor nCurrent nForce nTouch |
"""

from hapticd.kernel._jit import kernel

# Rows of the reply table (n_board, 3): header byte, reply length, motors.
REPLY_HEADER = 0
REPLY_LENGTH = 1
REPLY_MOTORS = 2

STRAY = 4  # zeros allowed between two replies


@kernel
def cycle_at(data, start, end, replies, info, stray):
    """Where the cycle that begins at `start` ends; -1: none begins here; -2: it may, but bytes are missing."""
    at = start
    for b in range(replies.shape[0]):
        at = skip_zeros(data, at, end, stray)
        if at >= end:
            return -2
        if data[at] != replies[b, REPLY_HEADER]:
            return -1
        at += replies[b, REPLY_LENGTH]
    at = skip_zeros(data, at, end, stray)
    for k in range(info.shape[0]):
        if at + k >= end:
            return -2
        if data[at + k] != info[k]:
            return -1
    return at + info.shape[0]


@kernel
def skip_zeros(data, at, end, stray):
    stop = at + stray
    while at < end and at < stop and data[at] == 0:
        at += 1
    return at


@kernel
def read_positions(data, start, end, replies, stray, raw):
    """The position words of the cycle at `start`, board after board, as 16-bit patterns."""
    at = start
    i = 0
    for b in range(replies.shape[0]):
        at = skip_zeros(data, at, end, stray)
        for k in range(replies[b, REPLY_MOTORS]):
            if i < raw.shape[0]:
                raw[i] = int(data[at + 1 + 2 * k]) | int(data[at + 2 + 2 * k]) << 8
                i += 1
        at += replies[b, REPLY_LENGTH]


@kernel
def newest_cycle(data, end, replies, info, raw):
    """Positions of the last whole cycle in data[:end]; returns (cycles found, first byte to keep, bytes skipped)."""
    found = 0
    skipped = 0
    at = 0
    keep = end
    while at < end:
        if data[at] != replies[0, REPLY_HEADER]:
            if data[at] != 0:
                skipped += 1
            at += 1
            continue
        stop = cycle_at(data, at, end, replies, info, STRAY)
        if stop == -2:
            if keep == end:
                keep = at  # the earliest start that more bytes may complete; what lies behind it may hold a whole cycle
            at += 1
        elif stop == -1:
            skipped += 1
            at += 1
        else:
            # A reply cut to a few bytes, followed by a whole cycle that has zeros in the right place, looks like a
            # cycle with padding; the whole one inside it is the true one.
            exact = at
            while exact < stop and cycle_at(data, exact, end, replies, info, 0) != stop:
                exact += 1
            if exact < stop:
                read_positions(data, exact, end, replies, 0, raw)
            else:
                read_positions(data, at, end, replies, STRAY, raw)
            found += 1
            at = stop
            keep = end
    return found, keep, skipped


@kernel
def append_bytes(raw, count, data, have):
    """New bytes behind the `have` kept ones; where they do not fit, the oldest go. Returns how many there are now."""
    room = data.shape[0]
    if count > room:
        have = 0
    elif have + count > room:
        drop = have + count - room
        for k in range(have - drop):
            data[k] = data[k + drop]
        have -= drop
    first = count - room if count > room else 0
    for k in range(first, count):
        data[have] = raw[k]
        have += 1
    return have


@kernel
def keep_from(data, keep, end):
    """Move the bytes from `keep` on to the front; how many."""
    for k in range(keep, end):
        data[k - keep] = data[k]
    return end - keep


@kernel
def write_currents(template, offsets, units, out):
    """The cycle's output frame: the template with every motor's 16-bit current filled in; its length."""
    for k in range(template.shape[0]):
        out[k] = template[k]
    for i in range(units.shape[0]):
        word = int(units[i]) & 0xFFFF
        out[offsets[i]] = word & 0xFF
        out[offsets[i] + 1] = word >> 8
    return template.shape[0]
