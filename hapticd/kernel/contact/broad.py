"""Which pairs of parts may touch: boxes in the world, swept along one axis in columns.

    world_boxes    a box around every part, a little fattened
    find_pairs     all pairs whose boxes overlap, in rising order (a, b), a < b

The sweep goes along the axis on which the parts are spread most; across it lies a grid of columns, each with a list of
the parts that the sweep has met and not yet left. A part is compared with the lists of the columns it touches, so that
a tower, a field and a heap all cost about the same per part. Sorting starts from the order of the last call: between
two ticks hardly anything passes anything, so insertion sort is linear. The pairs come out in rising order whatever the
sweep's, so that forces are always summed in the same order. Kuroda 2002, chapter on broad phase, asks for the same by
a tree.
"""

import math

from hapticd.kernel._jit import kernel, kernel_inline
from hapticd.kernel.contact.relative import turn
from hapticd.kernel.layout import POSITION

GRID_SIDE = 32  # its square is layout.COLUMNS


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
def find_pairs(near, part_body, still, n_part):
    """Fill near.pair and return the number of pairs found; more than fit are counted and left out.

    still[body] is true for bodies that nothing moves: two of them make no pair, nor do parts of one body.
    """
    room = near.pair.shape[0] // 2
    x = widest_axis(near, n_part)
    sort(near.low, n_part, near.order, x)
    grid = columns(near, n_part, (x + 1) % 3, (x + 2) % 3)
    found = sweep(near, part_body, still, n_part, x, grid, room)
    arrange(near, n_part, min(found, room), room)
    return found


@kernel_inline
def spread(near, n_part, k):
    """(mean, standard deviation) of the middles of the boxes along axis k."""
    total = square = 0.0
    for i in range(n_part):
        x = 0.5 * (near.low[i, k] + near.high[i, k]) - near.low[0, k]
        total += x
        square += x * x
    mean = total / n_part
    return mean + near.low[0, k], math.sqrt(max(square / n_part - mean * mean, 0.0))


@kernel_inline
def widest_axis(near, n_part):
    widest = -1.0
    best = 0
    for k in range(3):
        _, deviation = spread(near, n_part, k)
        if deviation > widest:
            widest = deviation
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


@kernel
def columns(near, n_part, u, v):
    """(u, v, u0, v0, per_u, per_v, n_u, n_v): a grid over the two other axes with columns about two parts wide.

    Made coarser until every part finds room in the lists of all columns it touches; one column always does.
    """
    u0, per_u, n_u = axis_grid(near, n_part, u)
    v0, per_v, n_v = axis_grid(near, n_part, v)
    while n_u * n_v > 1:
        touched = 0
        for i in range(n_part):
            touched += (cell(near.high[i, u], u0, per_u, n_u) - cell(near.low[i, u], u0, per_u, n_u) + 1) * (
                cell(near.high[i, v], v0, per_v, n_v) - cell(near.low[i, v], v0, per_v, n_v) + 1
            )
        if touched <= near.entry.shape[0]:
            break
        n_u, n_v = (n_u + 1) // 2, (n_v + 1) // 2
        per_u, per_v = 0.5 * per_u, 0.5 * per_v
    for k in range(n_u * n_v):
        near.head[k] = -1
    return u, v, u0, v0, per_u, per_v, n_u, n_v


@kernel_inline
def axis_grid(near, n_part, k):
    """(start, columns per metre, columns): two deviations to either side of the mean; the rest is in the outer ones."""
    mean, deviation = spread(near, n_part, k)
    inverse = 0.0
    for i in range(n_part):
        inverse += 1.0 / max(near.high[i, k] - near.low[i, k], 1e-300)  # harmonic mean: one large floor hardly counts
    width = 2.0 * n_part / inverse
    n = max(1, min(GRID_SIDE, int(min(4.0 * deviation / width, 1e6))))
    return mean - 2.0 * deviation, 1.0 / width, n


@kernel_inline
def cell(x, start, per, n):
    return int(max(0.0, min(n - 1.0, (x - start) * per)))


@kernel_inline
def sweep(near, part_body, still, n_part, x, grid, room):
    """Overlapping pairs into near.pair, in the order of the sweep."""
    u, v, u0, v0, per_u, per_v, n_u, n_v = grid
    low, high, head, entry, pair = near.low, near.high, near.head, near.entry, near.pair
    found = used = 0
    for k in range(n_part):
        b = near.order[k]
        start = low[b, x]
        u1, u2 = cell(low[b, u], u0, per_u, n_u), cell(high[b, u], u0, per_u, n_u)
        v1, v2 = cell(low[b, v], v0, per_v, n_v), cell(high[b, v], v0, per_v, n_v)
        for i in range(u1, u2 + 1):
            for j in range(v1, v2 + 1):
                column = n_v * i + j
                last = -1
                e = head[column]
                while e >= 0:
                    a, following = entry[e, 0], entry[e, 1]
                    if high[a, x] < start:  # the sweep has left it
                        if last < 0:
                            head[column] = following
                        else:
                            entry[last, 1] = following
                        e = following
                        continue
                    last = e
                    e = following
                    if (
                        not (low[b, u] <= high[a, u])
                        & (low[a, u] <= high[b, u])
                        & (low[b, v] <= high[a, v])
                        & (low[a, v] <= high[b, v])
                    ):
                        continue
                    # Both may share several columns: the one with the lower corner of their overlap counts.
                    if i != cell(max(low[a, u], low[b, u]), u0, per_u, n_u):
                        continue
                    if j != cell(max(low[a, v], low[b, v]), v0, per_v, n_v):
                        continue
                    if part_body[a] == part_body[b] or (still[part_body[a]] and still[part_body[b]]):
                        continue
                    if found < room:
                        pair[found, 0] = min(a, b)
                        pair[found, 1] = max(a, b)
                    found += 1
                entry[used, 0], entry[used, 1] = b, head[column]
                head[column] = used
                used += 1
    return found


@kernel_inline
def arrange(near, n_part, found, room):
    """Rising order by two stable counting sorts: by b into the upper half, then by a back into the lower."""
    counting_sort(near.pair, near.count, n_part, found, 1, 0, room)
    counting_sort(near.pair, near.count, n_part, found, 0, room, 0)


@kernel_inline
def counting_sort(pair, count, n_part, found, key, source, target):
    for a in range(n_part + 1):
        count[a] = 0
    for k in range(source, source + found):
        count[pair[k, key] + 1] += 1
    for a in range(n_part):
        count[a + 1] += count[a]
    for k in range(source, source + found):
        at = target + count[pair[k, key]]
        count[pair[k, key]] += 1
        pair[at, 0], pair[at, 1] = pair[k, 0], pair[k, 1]
