#!/usr/bin/env python3
"""bench_python.py: what a call of gradus.matmul takes beside NumPy's a @ b, and PyTorch's where it is, in small products, taken in
turns in one run. SPDX-License-Identifier: MIT

    PYTHONPATH=python python3 scripts/bench_python.py [SIZE…]     (8 16 32 64), after make build
"""
import sys
import time

import numpy as np

import gradus

try:
    import torch
except ImportError:
    torch = None

TURNS, CALLS = 201, 500


def timed(call):
    """Nanoseconds a call."""
    start = time.perf_counter_ns()
    for _ in range(CALLS):
        call()
    return (time.perf_counter_ns() - start) / CALLS


def row(label, theirs, ours, out):
    """Medians, and the middle half of the ratios of neighbours in time."""
    samples = [[timed(call) for call in (theirs, ours, out)] for _ in range(TURNS)]
    medians = [sorted(column)[TURNS // 2] for column in zip(*samples)]
    ratios = sorted(sample[1] / sample[0] for sample in samples)
    print(f"{label:22s} {medians[0]:8.0f} ns {medians[1]:8.0f} ns {medians[2]:8.0f} ns   {ratios[TURNS // 2]:.2f} "
          f"[{ratios[TURNS // 4]:.2f},{ratios[3 * TURNS // 4]:.2f}]")


def main():
    gradus.set_threads(1)
    print(f"{'':22s} {'a @ b':>11s} {'matmul(a,b)':>11s} {'with out':>11s}   matmul(a, b) / (a @ b)")
    for size in map(int, sys.argv[1:] or (8, 16, 32, 64)):
        for dtype in ("float32", "float64"):
            a, b, c = (np.ones((size, size), dtype) for _ in range(3))
            assert (gradus.matmul(a, b) == size).all()
            row(f"numpy {dtype} {size}", lambda: a @ b, lambda: gradus.matmul(a, b), lambda: gradus.matmul(a, b, out=c))
            if torch:
                x, y, z = (torch.from_numpy(m) for m in (a, b, c))
                row(f"torch {dtype} {size}", lambda: x @ y, lambda: gradus.matmul(x, y), lambda: gradus.matmul(x, y, out=z))


if __name__ == "__main__":
    main()
