#!/usr/bin/env python3
"""Completes what probe.py found: each form's guard and its control bits. usage: finish.py OUT.pickle IN.pickle…
SPDX-License-Identifier: MIT"""
import pickle
import re
import sys

from learn import Learner
from nvdisasm import CONTROL, disassemble, parse

BATCH = 40000


def control_words(word):
    """One for each value of bits 105..109 and 122..124."""
    return [word & ~(31 << 105 | 7 << 122) | (v & 31) << 105 | v >> 5 << 122 for v in range(256)]


def barrier_words(word):
    """One for each value of bits 110..112, the barrier that is set when the result is there, and of bits 113..115."""
    return [word & ~(7 << first) | v << first for first in (110, 113) for v in range(8)]


PROBES = 256 + 3 + 16


def main():
    parts = [pickle.load(open(p, "rb")) for p in sys.argv[2:]]
    whole = dict(parts[0], rows=sum((p["rows"] for p in parts), []), silent=sum((p["silent"] for p in parts), []),
                 order=sum((p.get("order", []) for p in parts), []))
    arch = whole["arch"]
    words, owners = [], []
    for form, control, rows in whole["rows"]:
        for row in rows:
            learner = Learner(arch, whole["zero"], 3)
            learner.control = control
            for w in learner.sample(row.mask, row.match, 24):
                words.append(w)
                owners.append(row)
    texts = [t for s in range(0, len(words), BATCH) for t in disassemble(arch, words[s:s + BATCH])[0]]
    best = {}
    for w, row, t in zip(words, owners, texts):
        if t and (id(row) not in best or len(parse(t)[2]) > len(parse(best[id(row)][2])[2])):
            best[id(row)] = (row, w, t)
    words = []
    for row, w, t in best.values():
        words += control_words(w) + [w & ~0xF000, w & ~0xF000 | 0x8000, w | 0xF000] + barrier_words(w)
    texts = [t for s in range(0, len(words), BATCH) for t in disassemble(arch, words[s:s + BATCH])[0]]
    for i, (row, w, t) in enumerate(best.values()):
        part = texts[i * PROBES:(i + 1) * PROBES]
        row.opex = sum(1 << v for v in range(256) if part[v])
        row.guard = [g and re.match(r"(@!?[UPT0-9]+ )?", g)[0] for g in part[256:259]]
        row.barriers = [sum(1 << v for v in range(8) if part[259 + 8 * k + v]) for k in (0, 1)]
        row.reuse = {}
        for v in range(256):
            if part[v]:
                for k, op in enumerate(parse(part[v])[2]):
                    if op["re"]:
                        row.reuse.setdefault(k, set()).add(v)
        row.shown = len(parse(t)[2])
    pickle.dump(whole, open(sys.argv[1], "wb"))


if __name__ == "__main__":
    main()
