"""How nvdisasm writes floating-point numbers. SPDX-License-Identifier: MIT"""
import math
import struct

SHAPES = {"F16": (5, 10), "BF16": (8, 7), "F32": (8, 23), "F64": (11, 52)}


def text(raw, kind):
    """Of the bits of a number; the low half of an F64 is zero."""
    if kind is None:
        return "?"
    if kind == "F64":
        raw <<= 32
    exponent_bits, fraction_bits = SHAPES[kind]
    sign = raw >> (exponent_bits + fraction_bits) & 1
    exponent = raw >> fraction_bits & (1 << exponent_bits) - 1
    fraction = raw & (1 << fraction_bits) - 1
    if exponent == (1 << exponent_bits) - 1:
        name = "INF" if not fraction else "QNAN" if fraction >> (fraction_bits - 1) else "SNAN"
        return "+-"[sign] + name
    value = struct.unpack("<d", struct.pack("<Q", raw))[0] if kind == "F64" else \
        math.ldexp(fraction + ((1 << fraction_bits) if exponent else 0),
                   max(exponent, 1) - (1 << exponent_bits - 1) + 1 - fraction_bits) * (-1 if sign else 1)
    if value == 0:
        return "-0.0" if sign else "0"
    return ("%.20e" if abs(value) >= 1e9 else "%.20g") % value


def same(a, b):
    """Equal, whatever the digits' number."""
    if a == b:
        return True
    try:
        return float(a) == float(b) and a[0] == b[0]
    except ValueError:
        return False
