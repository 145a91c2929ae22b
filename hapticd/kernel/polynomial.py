"""Our own elementary functions: + - * / and exact powers of two only, so the bits are the same on every CPU.

libm's exp picks FMA variants by CPU, so a recorded run would not replay bit for bit on another machine. Used by the
Stribeck term of the friction laws and by the scripts of kinematic bodies. Source: the usual range reduction and the
Taylor series.
"""

import numpy as np

from hapticd.kernel._jit import kernel_inline

# ln 2 in two parts: the first has 32 significant bits, so that k * LN2_HIGH is exact for every k used (10 bits), and
# the second carries the rest to 1e-26.
LN2_HIGH = 0.693147180369123816490
LN2_LOW = 1.90821492927058770002e-10
PER_LN2 = 1.44269504088896340736
LARGEST_EXPONENT = 1022  # 2**-1022 is the smallest normal number
DEGREE = 13
INVERSE_FACTORIAL = 1.0 / np.cumprod(np.maximum(np.arange(DEGREE + 1.0), 1.0))  # 1/n!; 13! is exact in a double
POWER_OF_HALF = np.ldexp(1.0, -np.arange(LARGEST_EXPONENT + 1))  # exact; ldexp only moves the exponent


@kernel_inline
def exp_negative(x):
    """exp(-x) for x >= 0, relative error below 4e-16; 0 where the result would be below 2.3e-308; NaN gives 0.

    x = k ln 2 + r with |r| <= 0.35, so exp(-x) = 2**-k exp(-r); the series cut after r**13 is off by less than 5e-18.
    """
    if not x < LARGEST_EXPONENT / PER_LN2:
        return 0.0
    k = int(x * PER_LN2 + 0.5)
    r = k * LN2_LOW - (x - k * LN2_HIGH)  # -r of the docstring; the inner difference is exact
    series = INVERSE_FACTORIAL[DEGREE]
    for n in range(DEGREE - 1, -1, -1):
        series = series * r + INVERSE_FACTORIAL[n]
    return series * POWER_OF_HALF[k]


TWO_PI = 2.0 * np.pi
SINE_TERMS = 11
# Taylor coefficients of sin(2 pi x) in odd powers of x, each from the one before: products and quotients only.
EVEN = np.arange(2.0, 2.0 * SINE_TERMS, 2.0)
SINE = np.cumprod(np.concatenate([[TWO_PI], -(TWO_PI * TWO_PI) / (EVEN * (EVEN + 1.0))]))


@kernel_inline
def sin_turn(x):
    """sin(2 pi x) for |x| < 2**52, off by less than 1e-15: series to x**21 on a quarter turn; cos is a quarter on."""
    r = x - np.floor(x + 0.5)  # exact: -1/2 .. 1/2
    if r > 0.25:
        r = 0.5 - r
    elif r < -0.25:
        r = -0.5 - r
    square = r * r
    series = SINE[SINE_TERMS - 1]
    for n in range(SINE_TERMS - 2, -1, -1):
        series = series * square + SINE[n]
    return series * r
