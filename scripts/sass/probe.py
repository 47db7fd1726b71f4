#!/usr/bin/env python3
"""Asks nvdisasm what the words of an architecture mean, and keeps the forms that it finds. Where those of another
architecture (KNOWN) hold, it does not look for them again.
usage: probe.py SM90a OUT.pickle PART/PARTS [KNOWN.pickle…]     1/2: the first half of the opcodes
SPDX-License-Identifier: MIT"""
import collections
import os
import pickle
import random
import re
import sys
import time

from emit import row_text
from learn import FREE, Learner
from nvdisasm import CONTROL, STALL_1, disassemble

CLASS = re.compile(r"Opclass '([^']*)'.*table '([^']*)'")
CONTROLS = [STALL_1, 0 | 7 << 110 | 7 << 113, 5 << 105 | 7 << 110 | 7 << 113, 0x15 << 105 | 7 << 110 | 7 << 113,
            0x10 << 105 | 7 << 110 | 7 << 113]
BATCH = 40000
# Forms of textures and surfaces are kept where another architecture's hold, but not looked for: no rung uses them.
# ALD and AST: two of its own forms fit some words, and nvdisasm ends.
FATAL = {"SM75": (0x321, 0x322)}
# CCTL: what it does says which operands it has, so that each operation is a form.
ALONE = {op: (87, 88, 89, 90) for op in (0x98F, 0x990)}
GRAPHICS = ("tex_", "tld_", "tld4_", "tmml_", "txd_", "txq_", "footprint_", "sust_", "suld_", "suatom_", "sured_", "suquery_",
            "isberd", "isbewr", "ald_", "ast_", "al2p_", "out_", "ipa_", "pixld_", "ldtram_", "rtt_")


def classes(arch, words):
    """The name that nvdisasm has for the form of each word, which it says where the control bits are wrong."""
    names = [None] * len(words)
    for wrong in (0x1E07FF << 105, 0x15E07E0 << 105, 0x1FE0FE0 << 105, 0x1807EF << 105):
        todo = [i for i, n in enumerate(names) if n is None]
        if not todo:
            break
        _, errors = disassemble(arch, [words[i] & ~CONTROL | (wrong & CONTROL) for i in todo])
        for i, e in zip(todo, errors):
            m = CLASS.match(e or "")
            if m:
                names[i] = m[1]
            elif e and "Unrecognized" in e:
                names[i] = ""
    return [n or "" for n in names]


def sparse(rng, word):
    """With few of bits 72..104 set: most forms leave most of them clear."""
    few = rng.getrandbits(33) & rng.getrandbits(33) & rng.getrandbits(33)
    return word & ~(((1 << 33) - 1) << 72) | few << 72 | word & 1 << 91


def find_forms(arch, opcodes):
    """[(mask, match, name)], in the order in which they are to be tried."""
    rng = random.Random(1)
    words = []
    for op in opcodes:
        for b in (0, 1):
            for _ in range(12):
                word = rng.getrandbits(128) & ~0xFFFF & ~(1 << 91) | op | 0x7000 | b << 91
                words += [word, sparse(rng, word) & ~(1 << 91) | b << 91]
    seen = collections.defaultdict(set)
    for start in range(0, len(words), BATCH):
        part = words[start:start + BATCH]
        for w, n in zip(part, classes(arch, part)):
            seen[w & 0xFFF, w >> 91 & 1].add(n)
    seen = {key: names for key, names in seen.items() if names != {""}}
    more = [rng.getrandbits(128) & ~0xFFFF & ~(1 << 91) | op | 0x7000 | b << 91 for (op, b), names in seen.items()
            for _ in range(1200 if "" in names else 300 if len(names) > 1 else 90)]
    for w in list(more[::3]):  # some with fields that are all ones or all zeros
        for first, width in ((64, 8), (32, 8), (24, 8), (72, 4), (16, 8), (84, 3), (81, 3)):
            r = rng.random()
            if r < 0.15:
                w |= ((1 << width) - 1) << first
            elif r < 0.3:
                w &= ~(((1 << width) - 1) << first)
        more.append(w)
    more += [sparse(rng, w) & ~(1 << 91) | w & 1 << 91 for w in more[::2]]
    by = collections.defaultdict(lambda: collections.defaultdict(list))
    for start in range(0, len(more), BATCH):
        part = more[start:start + BATCH]
        for w, n in zip(part, classes(arch, part)):
            by[w & 0xFFF, w >> 91 & 1][n].append(w)
    by = {key: groups for key, groups in by.items() if set(groups) != {""}}
    needed = sharpen(arch, by)
    forms = []
    for (op, b), groups in sorted(by.items()):
        forms += order(groups, needed, 0xFFF | 1 << 91, op | b << 91)
    return forms


def same_bits(words):
    same = ((1 << 105) - (1 << 16)) & ~(1 << 91)
    for w in words:
        same &= ~(w ^ words[0])
    return same


def sharpen(arch, by):
    """{(opcode, bit 91, form): the bits without which a word is not of that form}. It also adds words to the groups."""
    tests = []
    for key, groups in by.items():
        if len(groups) > 1:
            for name, words in groups.items():
                if name:
                    same = same_bits(words)
                    tests += [(key, name, b, w ^ 1 << b) for w in words[:6] for b in FREE if same >> b & 1]
    free = collections.defaultdict(int)
    found = []
    for start in range(0, len(tests), BATCH):
        part = tests[start:start + BATCH]
        found += classes(arch, [t[3] for t in part])
    for (key, name, b, w), n in zip(tests, found):
        by[key][n].append(w)
        if n == name:
            free[key + (name,)] |= 1 << b
    return free


def order(groups, free, mask, match):
    """First a form whose pattern fits no word of the others; without one, each half of a bit's values by itself."""
    key = (match & 0xFFF, match >> 91 & 1)
    groups = {n: w for n, w in groups.items() if w}
    for b in ALONE.get(key[0], ()):
        if not mask >> b & 1:
            return [f for v in (0, 1) for f in order({n: [x for x in w if x >> b & 1 == v] for n, w in groups.items()},
                                                     free, mask | 1 << b, match | v << b)]
    named = {n: w for n, w in groups.items() if n}
    if not named:
        return []
    if len(groups) == 1:
        return [(mask, match, next(iter(named)))]
    out, left = [], dict(named)
    while left:
        patterns = []
        for n, w in left.items():
            same = same_bits(w) & ~free[key + (n,)] & ~mask
            others = [x for m, v in left.items() if m != n for x in v]
            if not any(x & same == w[0] & same for x in others):
                patterns.append((-bin(same).count("1"), n, same, w[0] & same))
        if not patterns:
            break
        _, n, same, value = min(patterns)
        out.append((mask | same, match | value, n))
        del left[n]
    if not left:
        return out
    best = None
    for b in FREE:
        if not mask >> b & 1:
            shares = [sum(x >> b & 1 for x in w) / len(w) for w in left.values()]
            gain = max(shares) - min(shares)
            if best is None or gain > best[0]:
                best = (gain, b)
    if not best or best[0] < 0.2 or bin(mask).count("1") > 24:
        print("no order", hex(match & 0xFFF), {n: len(w) for n, w in left.items()})
        return out + [(mask, match, max(left, key=lambda n: len(left[n])))]
    for v in (0, 1):
        half = {n: [x for x in w if x >> best[1] & 1 == v] for n, w in groups.items() if n in left or not n}
        if any(half.get(n) for n in left):
            out += order(half, free, mask | 1 << best[1], match | v << best[1])
    return out


def run_all(arch, learners):
    """Runs them side by side, so that each call of nvdisasm has the words of many."""
    pending, results = {}, []
    for key, g in learners:
        try:
            pending[key] = (g, next(g))
        except StopIteration as stop:
            results.append((key, stop.value))
    end = time.monotonic() + float(os.environ.get("PROBE_SECONDS", "1e9"))
    rounds = 0
    while pending and time.monotonic() < end:
        rounds += 1
        if rounds % 20 == 0:
            print(rounds, "calls,", len(pending), "forms left", flush=True)
        batch, total = [], 0
        for key, (g, words) in pending.items():
            batch.append(key)
            total += len(words)
            if total > BATCH:
                break
        flat = [w for key in batch for w in pending[key][1]]
        texts, errors = disassemble(arch, flat)
        at = 0
        for key in batch:
            g, words = pending.pop(key)
            n = len(words)
            answer = [(texts[i], errors[i], 16 * i) for i in range(at, at + n)]
            at += n
            try:
                pending[key] = (g, g.send(answer))
            except StopIteration as stop:
                results.append((key, stop.value))
            except Exception as error:  # one form's trouble is not the others'
                print("LOST", key, repr(error), flush=True)
                results.append((key, []))
    for key in pending:
        print("LATE", key, flush=True)
    return results + [(key, []) for key in pending]


def pick_control(arch, forms, zero):
    """Control bits that each form takes."""
    out = {}
    for control in CONTROLS:
        todo = [f for f in forms if f not in out]
        words, owner = [], []
        for f in todo:
            learner = Learner(arch, zero, 7)
            learner.control = control
            for w in learner.sample(f[0], f[1], 12):
                words.append(w)
                owner.append(f)
        texts, errors = disassemble(arch, words)
        for f, t in zip(owner, texts):
            if t:
                out[f] = control
    return out


def main():
    arch, path = sys.argv[1], sys.argv[2]
    part, parts = map(int, sys.argv[3].split("/"))
    opcodes = [op for op in range(4096) if (op >> 1) % parts == part - 1 and op not in FATAL.get(arch, ())]
    if "PROBE_OPCODES" in os.environ:
        opcodes = [int(x, 0) for x in os.environ["PROBE_OPCODES"].split()]
    known = collections.defaultdict(list)
    for name in sys.argv[4:]:
        for f, _, rows in pickle.load(open(name, "rb"))["rows"]:
            if rows and len(rows) <= 4 and not any(r.bad and r.bad[0] for r in rows) and all(map(can_be_written, rows)):
                known[f[1] & 0xFFF, f[1] >> 91 & 1, f[2]].append(rows)
    zero = 63 if int(re.sub(r"\D", "", arch)) < 100 else 255
    forms = find_forms(arch, opcodes)
    controls = pick_control(arch, forms, zero)
    print(arch, len(forms), "forms,", len(controls), "that are printed", flush=True)
    learners, generators = [], []
    groups, earlier = collections.defaultdict(list), {}
    for f in forms:
        key = (f[1] & 0xFFF, f[1] >> 91 & 1)
        earlier[f] = list(groups[key])
        groups[key].append(f)
    for i, f in enumerate(forms):
        if f in controls:
            learner = Learner(arch, zero, i)
            learner.control = controls[f]
            learner.exclude = [(m, v) for m, v, _ in earlier[f]]
            learners.append(learner)
            generators.append((i, whole(learner, f, known[f[1] & 0xFFF, f[1] >> 91 & 1, f[2]])))
    results = run_all(arch, generators)
    rows = [(forms[i], controls[forms[i]], r) for i, r in sorted(results, key=lambda x: x[0]) if r]
    learned = {f for f, _, r in rows if r}
    silent = [f for f in forms if f not in learned]
    trouble = [t for learner in learners for t in learner.trouble]
    for t in trouble:
        print("TROUBLE", *t[:3], str(t[3])[:600] if t[3] else "")
    print(len(trouble), "troubles", sum(len(r) for _, _, r in rows), "rows")
    pickle.dump({"arch": arch, "zero": zero, "rows": rows, "silent": silent, "order": forms}, open(path, "wb"))


def can_be_written(row):
    try:
        return row_text(row) != ""
    except (ValueError, KeyError, AttributeError):
        return False


def whole(learner, form, known):
    for rows in known:
        good = True
        for row in rows:
            bad = yield from learner.verify(row)
            good = good and not bad[0]
            if not good:
                break
        if good:
            return rows
    if form[2].startswith(GRAPHICS):
        return []
    rows = yield from learner.learn(*form)
    return rows


if __name__ == "__main__":
    main()
