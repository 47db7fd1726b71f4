# matrices.py NAME ROWS COLS DTYPE ORDER SEED …: writes NAME.npy with small whole numbers, of which every sum is exact, and
# needs no NumPy. SPDX-License-Identifier: MIT
import random
import struct
import sys

words = sys.argv[1:]
for i in range(0, len(words), 6):
    name, rows, cols, dtype, order, seed = words[i:i + 6]
    generator = random.Random(int(seed))
    values = [float(generator.randint(-8, 8)) for _ in range(int(rows) * int(cols))]
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s, %s), }" % (dtype, order == "F", rows, cols)
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    kind = dtype[0] + "%d%s" % (len(values), "f" if dtype[1:] == "f4" else "d")
    with open(name + ".npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
        file.write(struct.pack(kind, *values))
