#!/usr/bin/env python3
"""make_npy.py DIR: the .npy files that the tests read, as NumPy writes them. SPDX-License-Identifier: MIT

Element (i, j) of a matrix is i - j / 4, and element i of a vector i - 1: exact in every type.
"""
import sys

import numpy as np
from numpy.lib import format as npy

folder = sys.argv[1]


def save(name, array, version=None):
    with open(f"{folder}/{name}.npy", "wb") as file:
        npy.write_array(file, array, version=version)


matrix = np.fromfunction(lambda i, j: i - j / 4, (3, 5))
for code in ("<f2", "<f4", "<f8", ">f2", ">f4", ">f8"):
    for order in "CF":
        name = {"<": "le", ">": "be"}[code[0]] + "_" + code[1:] + "_" + order.lower()
        save(name, matrix.astype(code).copy(order=order))
save("version2", matrix.astype("<f4"), (2, 0))
save("version3", matrix.astype("<f8"), (3, 0))
save("vector", (np.arange(5) - 1).astype("<f4"))
save("scalar", np.array(7, "<f8"))
save("empty_0x5", np.zeros((0, 5), "<f4"))
save("empty_5x0", np.zeros((5, 0), "<f4"))
save("empty_vector", np.zeros(0, "<f8"))
save("cube", np.zeros((2, 3, 4), "<f4"))
save("integers", np.arange(6).reshape(2, 3))
save("booleans", np.zeros((2, 2), bool))
save("complex", np.zeros((2, 2), "<c8"))
save("structured", np.zeros(3, [("x", "<f4"), ("y", "<f4")]))
save("text", np.array(["one", "two"]))
