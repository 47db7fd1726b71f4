#!/usr/bin/env python3
"""data.py M N K KIND A.npy B.npy: float32 operands that are hard on a product (needs NumPy)."""
# SPDX-License-Identifier: MIT
import sys

import numpy as np

m, n, k = map(int, sys.argv[1:4])
kind = sys.argv[4]
random = np.random.default_rng(1)
a, b = random.uniform(-1, 1, (m, k)), random.uniform(-1, 1, (k, n))
half = k // 2
if kind == "normal":
    a, b = random.normal(size=(m, k)), random.normal(size=(k, n))
elif kind == "positive":
    a, b = abs(a), abs(b)
elif kind == "wide":  # exponents -40 to 40
    a *= 2.0 ** random.integers(-40, 41, (m, k))
    b *= 2.0 ** random.integers(-40, 41, (k, n))
elif kind == "opposite":  # exponents -100 to 100 of A, the opposite ones of B
    exponents = random.integers(-100, 101, k)
    a *= 2.0**exponents
    b *= 2.0 ** -exponents[:, None]
elif kind == "cancelling":  # the second half of a sum is the first but for 2^-12 of it
    a[:, half : 2 * half] = a[:, :half]
    b[half : 2 * half] = -b[:half] * (1 + 2.0**-12 * random.uniform(-1, 1, (half, n)))
elif kind == "denormal":  # A
    a *= 2.0**-130
    b *= 2.0**100
elif kind == "large":  # A up to the largest float
    a *= 2.0**127
    b *= 2.0**-20
elif kind == "infinite":  # two infinities in A, one in B, and a NaN
    a[1, 2], a[17, k - 1], b[3, 5], b[k - 1, n - 1] = np.inf, -np.inf, np.inf, np.nan
np.save(sys.argv[5], a.astype(np.float32))
np.save(sys.argv[6], b.astype(np.float32))
