"""Which pairs of parts may touch: boxes in the world, sorted and swept along one axis.

    world_boxes    a box around every part, a little fattened
    find_pairs     all pairs whose boxes overlap, in rising order (a, b), a < b

Sorting starts from the order of the last call: between two ticks hardly anything passes anything, so insertion sort is linear.
The axis is the one along which the parts are spread most. A sweep compares what overlaps along that axis, so a heap of n
parts costs about n^(5/3) box tests of a nanosecond each, a row or a tower n. The pairs come out in rising order whatever
the sweep's, so that forces are always summed in the same order.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.relative import turn
from hapticd.kernel.layout import POSITION


@kernel
def world_boxes(box, part_body, X_W, n_part, margin, low, high):
    """low and high (n_part, 3): the box around each part's own box, fattened by `margin`, in the world."""
    for i in range(n_part):
        j = part_body[i]
        x, y, z = turn(X_W, j, box[i, 0], box[i, 1], box[i, 2])
        centre = x, y, z
        for k in range(3):
            reach = margin + (
                math.fabs(X_W[j, 3 * k]) * box[i, 3]
                + math.fabs(X_W[j, 3 * k + 1]) * box[i, 4]
                + math.fabs(X_W[j, 3 * k + 2]) * box[i, 5]
            )
            middle = centre[k] + X_W[j, POSITION + k]
            low[i, k] = middle - reach
            high[i, k] = middle + reach


@kernel
def find_pairs(low, high, part_body, still, n_part, order, count, pair):
    """Fill pair (n, 2) and return the number of pairs found; more than fit are counted and left out.

    still[body] is true for bodies that nothing moves: two of them make no pair, nor do parts of one body. order (n_part,) is
    a permutation, kept between calls; count (n_part + 1,) and the upper half of `pair` are scratch.
    """
    best = widest_axis(low, high, n_part)
    sort(low, n_part, order, best)
    room = pair.shape[0] // 2
    found = sweep(low, high, part_body, still, n_part, order, best, pair, room)
    arrange(min(found, room), n_part, count, pair, room)
    return found


@kernel_inline
def widest_axis(low, high, n_part):
    """The axis along which the middles of the boxes vary most."""
    widest = -1.0
    best = 0
    for k in range(3):
        total = square = 0.0
        for i in range(n_part):
            x = 0.5 * (low[i, k] + high[i, k]) - low[0, k]
            total += x
            square += x * x
        spread = square - total * total / n_part
        if spread > widest:
            widest = spread
            best = k
    return best


@kernel_inline
def sort(low, n_part, order, axis):
    """Insertion sort of `order` by the lower end along the axis; equal ends by number."""
    for i in range(1, n_part):
        this = order[i]
        key = low[this, axis]
        j = i - 1
        while j >= 0 and (low[order[j], axis] > key or (low[order[j], axis] == key and order[j] > this)):
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = this


@kernel_inline
def sweep(low, high, part_body, still, n_part, order, axis, pair, room):
    """Overlapping pairs into the upper half of `pair`, in the order of the sweep."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    found = 0
    for i in range(n_part):
        a = order[i]
        end = high[a, axis]
        for j in range(i + 1, n_part):
            b = order[j]
            if low[b, axis] > end:
                break
            if low[b, u] > high[a, u] or low[a, u] > high[b, u] or low[b, v] > high[a, v] or low[a, v] > high[b, v]:
                continue
            if part_body[a] == part_body[b] or (still[part_body[a]] and still[part_body[b]]):
                continue
            if found < room:
                pair[room + found, 0] = min(a, b)
                pair[room + found, 1] = max(a, b)
            found += 1
    return found


@kernel_inline
def arrange(found, n_part, count, pair, room):
    """Counting sort by a from the upper half to the lower, then insertion sort by b within each a."""
    for a in range(n_part + 1):
        count[a] = 0
    for k in range(found):
        count[pair[room + k, 0] + 1] += 1
    for a in range(n_part):
        count[a + 1] += count[a]
    for k in range(found):
        a, b = pair[room + k, 0], pair[room + k, 1]
        at = count[a]
        count[a] += 1
        while at > 0 and pair[at - 1, 0] == a and pair[at - 1, 1] > b:
            pair[at, 1] = pair[at - 1, 1]
            at -= 1
        pair[at, 0], pair[at, 1] = a, b
