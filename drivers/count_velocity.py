"""Encoder counts to a smooth rate: unwrapping, and the adaptive window that keeps the delay small.

Gets 16-bit counters from a driver's decode, gives counts per tick to the kinematics. At 1 kHz one count is 17 mm/s of
string: a plain difference would buzz in every damper. First-order adaptive windowing (Janabi-Sharifi, Hayward and Chen
2000, the best-fit form): the window grows backwards as long as the straight line between its ends stays within one
count of every sample between them, and the slope of the least-squares line over that window is the rate. Fast motion
gets a short window, rest a long one:

    window of k intervals      delay k T / 2      noise of uniform quantisation 0.29 sqrt(12 / (k (k+1) (k+2))) counts/T
    k = 1 (fast, accelerating) 0.5 ms             0.41 counts per tick
    k = 15 (steady)            7.5 ms             0.016 counts per tick
"""

from hapticd.kernel._jit import kernel, kernel_inline

WINDOW = 16  # samples kept per encoder: at most 7.5 ms of delay at 1 kHz, and then only for steady motion
NOISE = 1.0  # counts, by which a line through two quantised ends may be off


@kernel_inline
def unwrapped(raw, last):
    """`last` moved to the nearest count that agrees with the 16-bit counter `raw`."""
    step = (int(raw) - int(last)) & 0xFFFF
    if step >= 0x8000:
        step -= 0x10000
    return last + step


@kernel
def push_counts(counts, gap, history):
    """Put new counts in front of the history (n, WINDOW); a gap of lost samples is filled by the straight line."""
    n, window = history.shape
    fill = gap + 1 if gap + 1 < window else window
    for i in range(n):
        last = history[i, 0]
        for j in range(window - 1, fill - 1, -1):
            history[i, j] = history[i, j - fill]
        for j in range(fill):
            history[i, j] = counts[i] - (counts[i] - last) * j / (gap + 1)


@kernel
def count_rate(history, i):
    """Counts per tick of encoder i."""
    newest = history[i, 0]
    k = 1
    for end in range(2, history.shape[1]):
        slope = (newest - history[i, end]) / end
        for j in range(1, end):
            off = history[i, j] - (newest - slope * j)
            if off > NOISE or off < -NOISE:
                return fitted_slope(history, i, k)
        k = end
    return fitted_slope(history, i, k)


@kernel
def fitted_slope(history, i, k):
    """Least-squares slope over k intervals; for k = 1 the plain difference."""
    total = 0.0
    for j in range(k + 1):
        total += (0.5 * k - j) * history[i, j]
    return 12.0 * total / (k * (k + 1.0) * (k + 2.0))
