"""Finds the fields of a form of an opcode from what nvdisasm says of words that differ in a few bits.
A learner is a generator: it yields lists of words and is sent [(text, error, address)] for each.
SPDX-License-Identifier: MIT"""
import collections
import random

import floats
from nvdisasm import CONTROL, STALL_1, parse

REUSE = [122, 123, 124, 125]
FREE = [b for b in range(16, 105)]
FIELDS = [(16, 8), (24, 8), (32, 8), (64, 8), (81, 3), (84, 3), (87, 3), (87, 4), (77, 3), (77, 4), (68, 3), (68, 4),
          (40, 24), (38, 16), (32, 32), (24, 6), (32, 6), (64, 6), (16, 6), (54, 5), (72, 3), (90, 1), (40, 10)]
NUMBERS = ("n", "base", "un", "ub", "de", "bank", "value")
TABLES = ("neg", "abs", "inv", "re", "sfx", "bx", "ux", "ext", "name", "attr")


def gather(word, bits):
    value = 0
    for i, b in enumerate(bits):
        value |= (word >> b & 1) << i
    return value


def scatter(word, bits, value):
    for i, b in enumerate(bits):
        word = word & ~(1 << b) | (value >> i & 1) << b
    return word


class Cannot(Exception):
    """What kept a form from being learned; `bit`: where to split it."""

    def __init__(self, why, bits=()):
        super().__init__(why)
        self.bits = list(bits)


class Op:
    """An operand: numbers {attr: ({bit: weight}, constant)}, tables {attr: (bits, {value: what})}, and when it is there."""

    def __init__(self, kind):
        self.kind, self.numbers, self.tables = kind, {}, {}
        self.when = None      # (True: there if the bits match, False: absent if they do; mask; match)
        self.parts = {}       # the same for base and un of an address
        self.formats = None   # a float's: (bits, {value: format})

    def value(self, word, zero):
        """What the operand's text says."""
        if self.when and ((word & self.when[1]) == self.when[2]) != self.when[0]:
            return None
        out = {"kind": self.kind}
        for a, (weights, constant) in self.numbers.items():
            if a in self.parts and ((word & self.parts[a][1]) == self.parts[a][2]) != self.parts[a][0]:
                continue
            n = constant + sum(w for b, w in weights.items() if word >> b & 1)
            if (a in ("un", "ub", "de") or self.kind == "U" and a == "n") and n == zero:
                n = 255
            out[a] = n
        for a, (bits, values) in self.tables.items():
            if a == "bx" and "base" not in out or a == "ux" and ("un" not in out or self.kind == "C"):
                continue
            out[a] = values.get(gather(word, bits), "?")
        if self.kind == "F":
            bits, values = self.formats
            out["text"] = floats.text(gather(word, self.raw), values.get(gather(word, bits)))
        return out


class Row:
    def __init__(self, mask, match, name):
        self.mask, self.match, self.name = mask, match, name
        self.head, self.ops, self.valid, self.opex = [], [], None, None
        self.guard, self.bad = None, None

    def predict(self, word, zero):
        """(head, ops), or None for a refusal."""
        if self.valid and gather(word, self.valid[0]) not in self.valid[1]:
            return None
        head = []
        for bits, values in self.head:
            tokens = values.get(gather(word, bits))
            if tokens is None:
                return None
            head += tokens
        ops = [o.value(word, zero) for o in self.ops]
        return head, [o for o in ops if o]


def invalid(text):
    return "INVALID" in text or "???" in text


def clean(op, rel=None):
    """The parts of a parsed operand that are compared."""
    out = {k: v for k, v in op.items() if v is not None and k not in ("odd", "bare")}
    if rel is not None and op["kind"] == "I":
        out["kind"], out["n"] = "T", op["n"] - rel
    if out["kind"] == "A" and "value" not in out or out["kind"] == "C" and "value" not in out:
        out["value"] = 0
    if out["kind"] == "C":
        out.pop("ux", None)
    return out


class Learner:
    def __init__(self, arch, zero, seed):
        self.arch, self.zero = arch, zero
        self.random = random.Random(seed)
        self.trouble = []
        self.exclude = []  # (mask, match) of the forms of the opcode that come before

    def sample(self, mask, match, count, biased=True):
        out = []
        for _ in range(20 * count):
            if len(out) == count:
                break
            w = self.random.getrandbits(128)
            if biased:
                for first, width in FIELDS:
                    if self.random.random() < 0.12:
                        ones = ((1 << width) - 1) << first
                        w = w | ones if self.random.random() < 0.6 else w & ~ones
            w = w & ~CONTROL & ~0xF000 | self.control | 0x7000
            w = w & ~mask | match
            if not self.excluded(w):
                out.append(w)
        return out

    def excluded(self, word):
        return any(word & mask == match for mask, match in self.exclude)

    def ask(self, words):
        """[(head, ops, address) or None]"""
        answers = yield words
        return [None if t is None else parse(t)[1:] + (a,) for t, e, a in answers]

    def learn(self, mask, match, name, depth=0):
        """The rows of the form whose words have `match` in `mask`."""
        row = Row(mask, match, name)
        try:
            yield from self.fill(row)
            row.bad = yield from self.verify(row)
            if row.bad and row.bad[0] > 0:
                raise Cannot("%d of %d words differ" % row.bad[:2], row.bad[2])
        except (Cannot, IndexError, KeyError, ValueError, TypeError) as error:
            cannot = error if isinstance(error, Cannot) else Cannot(repr(error))
            bits = [b for b in cannot.bits if not mask >> b & 1]
            if depth < 3 and bits:
                rows = []
                for v in (0, 1):
                    rows += yield from self.learn(mask | 1 << bits[0], match | v << bits[0], name, depth + 1)
                return rows
            self.trouble.append((name, hex(match & 0xFFF), str(cannot), row.bad))
            return [row] if row.ops or row.head else []
        return [row] if row.head else []

    def fill(self, row):
        mask, match = row.mask, row.match
        words = self.sample(mask, match, 500)
        self.rel = None
        parsed = yield from self.ask(words)
        known = [(w, p) for w, p in zip(words, parsed) if p]
        if not known:
            return
        most = max(len(p[1]) for w, p in known)
        shapes = collections.Counter(tuple(o["kind"] for o in p[1]) for w, p in known if len(p[1]) == most)
        self.check_shapes(shapes, known, most, mask)
        kinds = shapes.most_common(1)[0][0]
        full = [w for w, p in known if tuple(o["kind"] for o in p[1]) == kinds]
        full.sort(key=lambda w: self.dull(dict(known)[w]))
        bases = full[:6]
        effects = yield from self.flip(row, bases, kinds, mask)
        yield from self.heads(row, bases, effects, mask)
        row.ops = []
        for k, kind in enumerate(kinds):
            op = yield from self.operand(k, kind, bases, effects)
            row.ops.append(op)
        if len(known) < len(words) or effects["invalid"]:
            yield from self.validity(row, bases[0], effects, mask)
        yield from self.presence(row, known, mask)

    def dull(self, p):
        """How many parts of a word's text are at a value that hides something."""
        return sum(1 for o in p[1] for a in NUMBERS if o.get(a) in (255, 7)) * 3 + \
            sum(invalid(t) for t in p[0]) + sum(invalid(str(o.get("name"))) for o in p[1]) - len(p[0])/8 + \
            3 * sum(1 for o in p[1] if o["kind"] == "A" and ("base" not in o and "un" not in o)) - \
            sum(1 for o in p[1] if o["kind"] == "A" and "un" in o) - \
            sum(1 for o in p[1] if o["kind"] == "A" and "base" in o) - sum(1 for o in p[1] if o.get("ub", 255) != 255)

    def check_shapes(self, shapes, known, most, mask):
        """Operands of two kinds in one place: a bit says which."""
        if len(shapes) < 2:
            return
        first = shapes.most_common(1)[0][0]
        here = [w for w, p in known if len(p[1]) == most and tuple(o["kind"] for o in p[1]) == first]
        other = [w for w, p in known if len(p[1]) == most and tuple(o["kind"] for o in p[1]) != first]
        best = None
        for b in FREE:
            if mask >> b & 1:
                continue
            x = sum(w >> b & 1 for w in here) / len(here)
            y = sum(w >> b & 1 for w in other) / len(other)
            if best is None or abs(x - y) > best[0]:
                best = (abs(x - y), b)
        raise Cannot("operands of several kinds %s" % dict(shapes), [best[1]] if best else [])

    def flip(self, row, bases, kinds, mask):
        """Which bits change what."""
        free = [b for b in FREE if not mask >> b & 1] + REUSE
        words = []
        for w in bases:
            words += [w, w] + [w ^ 1 << b for b in free]
        parsed = yield from self.ask(words)
        size = len(free) + 2
        effects = {"head": set(), "invalid": set(), "shape": set(), "op": [collections.defaultdict(set) for _ in kinds],
                   "number": [collections.defaultdict(dict) for _ in kinds], "rel": [False] * len(kinds), "single": {},
                   "constant": [dict() for _ in kinds]}
        for i, base in enumerate(bases):
            part = parsed[i * size:(i + 1) * size]
            p, q = part[0], part[1]
            if not p:
                continue
            for k in range(len(kinds)):
                if kinds[k] == "I" and q[1][k]["n"] - p[1][k]["n"] == q[2] - p[2]:
                    effects["rel"][k] = True
            ops = [clean(o, p[2] if effects["rel"][k] else None) for k, o in enumerate(p[1])]
            for b, r in zip(free, part[2:]):
                effects["single"][base, b] = r
                if self.excluded(base ^ 1 << b):
                    continue
                if not r:
                    if b < 105:
                        effects["invalid"].add(b)
                    continue
                if r[0] != p[0]:
                    effects["head"].add(b)
                if tuple(o["kind"] for o in r[1]) != kinds:
                    effects["shape"].add(b)
                    continue
                for k, o in enumerate(r[1]):
                    self.compare(ops[k], clean(o, r[2] if effects["rel"][k] else None), base, b, k, effects)
            effects.setdefault("ops", {})[base] = ops
        return effects

    def compare(self, old, new, base, b, k, effects):
        for a in set(old) | set(new):
            if old.get(a) == new.get(a):
                continue
            effects["op"][k][a].add(b)
            if a in NUMBERS and a in old and a in new and old[a] != 255 and new[a] != 255:
                weight = (new[a] - old[a]) * (-1 if base >> b & 1 else 1)
                effects["number"][k][a].setdefault(b, collections.Counter())[weight] += 1

    def operand(self, k, kind, bases, effects):
        op = Op("T" if effects["rel"][k] else kind)
        bits_of = effects["op"][k]
        ops = effects["ops"]
        for a in NUMBERS:
            holders = [w for w in bases if w in ops and a in ops[w][k]]
            if not holders:
                continue
            flat = {b: ws.most_common(1)[0][0] for b, ws in effects["number"][k].get(a, {}).items()}
            fine = [w for w in holders if ops[w][k][a] != 255] or holders
            constants = collections.Counter(ops[w][k][a] - sum(x for b, x in flat.items() if w >> b & 1) for w in fine)
            constant = constants.most_common(1)[0][0]
            op.numbers[a] = (flat, constant)
        for a in TABLES:
            holders = [w for w in bases if w in ops and a in ops[w][k]]
            if not holders:
                continue
            bits = sorted(bits_of.get(a, ()))
            if len(bits) > 10:
                raise Cannot("operand %d: %s depends on %d bits" % (k, a, len(bits)), sorted(effects["head"] & set(bits)) or bits[-1:])
            w = holders[0]
            values = {}
            if not bits:
                values[0] = ops[w][k][a]
            else:
                for w in holders[:3]:
                    parsed = yield from self.ask([scatter(w, bits, v) for v in range(1 << len(bits))])
                    for v, p in enumerate(parsed):
                        if p and len(p[1]) == len(effects["op"]) and v not in values and a in p[1][k]:
                            values[v] = p[1][k][a]
            op.tables[a] = (bits, values)
        if kind == "F":
            yield from self.float_format(op, k, bits_of, bases, effects)
        return op

    def float_format(self, op, k, bits_of, bases, effects):
        raw = sorted(b for b in bits_of["text"] if 32 <= b < 64)
        lo, hi = raw[0], raw[-1]
        op.raw = list(range(lo if hi - lo < 20 else 32, (lo if hi - lo < 20 else 32) + (16 if hi - lo < 20 else 32)))
        if hi - lo < 20:
            start = 32 if lo < 48 else 48
            op.raw = list(range(start, start + 16))
        others = sorted((effects["head"] & bits_of["text"]) - set(op.raw))
        values = {}
        words = [scatter(w, others, v) for v in range(1 << len(others)) for w in bases]
        parsed = yield from self.ask(words)
        for w, p in zip(words, parsed):
            if p and len(p[1]) > k and p[1][k]["kind"] == "F":
                v = gather(w, others)
                for f in ("F16", "BF16") if len(op.raw) == 16 else ("F32", "F64"):
                    if floats.same(floats.text(gather(w, op.raw), f), p[1][k]["text"]):
                        values.setdefault(v, f)
        op.formats = (others, values)

    def heads(self, row, bases, effects, mask):
        bits = sorted(effects["head"])
        single = effects["single"]
        parent = {b: b for b in bits}

        def root(b):
            while parent[b] != b:
                b = parent[b]
            return b
        tests = [(w, i, j) for w in bases[:4] for n, i in enumerate(bits) for j in bits[n + 1:]]
        parsed = yield from self.ask([w ^ 1 << i ^ 1 << j for w, i, j in tests])
        plain = yield from self.ask(bases)
        plain = dict(zip(bases, plain))
        degree = collections.Counter()
        for (w, i, j), both in zip(tests, parsed):
            if root(i) == root(j) and len(bits) < 12:
                continue
            if not self.independent(plain[w], single.get((w, i)), single.get((w, j)), both):
                degree[i] += 1
                degree[j] += 1
                parent[root(i)] = root(j)
        clusters = collections.defaultdict(list)
        for b in bits:
            clusters[root(b)].append(b)
        for c in clusters.values():
            if len(c) > 11:
                raise Cannot("a modifier depends on %d bits" % len(c), [max(c, key=lambda b: degree[b])])
        row.head = yield from self.compose(sorted(clusters.values()), [w for w in bases if plain[w]])

    @staticmethod
    def independent(base, one, other, both):
        if not one or not other or not both:
            return not both and (not one or not other) or not one and not other
        h, x, y, z = base[0], one[0], other[0], both[0]
        if x == h:
            return z == y
        if y == h:
            return z == x

        def edit(a, b):
            p = 0
            while p < min(len(a), len(b)) and a[p] == b[p]:
                p += 1
            s = 0
            while s < min(len(a), len(b)) - p and a[-1 - s] == b[-1 - s]:
                s += 1
            return p, len(a) - s, b[p:len(b) - s]
        e, f = edit(h, x), edit(h, y)
        if e[:2] > f[:2]:
            e, f = f, e
        if e[1] > f[0]:
            return False
        return z == h[:e[0]] + e[2] + h[e[1]:f[0]] + f[2] + h[f[1]:]

    def compose(self, clusters, bases):
        """The slots in their order. A base where every cluster says something shows the order."""
        base = bases[0]
        found = []
        for turn in (0, 1):
            found = []
            for c in clusters:
                parsed = yield from self.ask([scatter(base, c, v) for v in range(1 << len(c))])
                lists = {v: p[0] for v, p in enumerate(parsed) if p}
                every = list(lists.values())
                p = 0
                while all(len(x) > p for x in every) and len({x[p] for x in every}) == 1:
                    p += 1
                s = 0
                while all(len(x) - p > s for x in every) and len({x[-1 - s] for x in every}) == 1:
                    s += 1
                middle = {v: x[p:len(x) - s] for v, x in lists.items()}
                found.append((p, s, c, middle))
                if turn == 0:
                    others = [t for x in every for t in x[:p] + x[len(x) - s:]]
                    good = [v for v, m in middle.items() if m and not any(t in others or invalid(t) for t in m)] or \
                           [v for v, m in middle.items() if m]
                    if good:
                        base = scatter(base, c, self.random.choice(good))
        parsed = yield from self.ask([base])
        text = parsed[0][0]
        slots, at = [], 0
        for p, s, c, middle in sorted(found, key=lambda f: (f[0], -f[1])):
            if p < at:
                raise Cannot("the order of modifiers is not clear", [max(c)])
            for t in text[at:p]:
                slots.append(([], {0: [t]}))
            slots.append((c, middle))
            at = len(text) - s
        for t in text[at:]:
            slots.append(([], {0: [t]}))
        return slots

    def validity(self, row, base, effects, mask):
        bits = sorted(effects["invalid"])
        if not bits:
            words = self.sample(mask, row.match, 300)
            parsed = yield from self.ask(words)
            good, bad = [w for w, p in zip(words, parsed) if p], [w for w, p in zip(words, parsed) if not p]
            if not bad:
                return
            same = (1 << 105) - (1 << 16)
            for w in bad:
                same &= ~(w ^ bad[0])
            bits = [b for b in FREE if same >> b & 1 and not mask >> b & 1]
        if len(bits) > 12:
            raise Cannot("validity depends on %d bits" % len(bits), bits[-1:])
        parsed = yield from self.ask([scatter(base, bits, v) for v in range(1 << len(bits))])
        row.valid = (bits, {v for v, p in enumerate(parsed) if p})

    def presence(self, row, known, mask):
        gone = [[] for _ in row.ops]
        there = [[] for _ in row.ops]
        parts = collections.defaultdict(lambda: ([], []))
        for w, p in known:
            rel = p[2]
            if len(p[1]) == len(row.ops):
                for k, o in enumerate(row.ops):
                    there[k].append(w)
                    self.part_presence(parts, k, o, p[1][k], w)
                continue
            want = [o.value(w, self.zero) for o in row.ops]
            got = [clean(o) for o in p[1]]
            ways = self.align(want, got, rel)
            sure = set(ways[0]) if ways else set()
            for k in range(len(row.ops)):
                inside = [k in x for x in ways]
                if ways and all(inside):
                    there[k].append(w)
                    self.part_presence(parts, k, row.ops[k], p[1][ways[0].index(k)], w)
                elif ways and not any(inside):
                    gone[k].append(w)
        for k, o in enumerate(row.ops):
            if gone[k]:
                o.when = yield from self.pattern(gone[k], there[k], row, lambda p, n=len(row.ops): p and len(p[1]), mask)
        for (k, a), (yes, no) in parts.items():
            if no:
                row.ops[k].parts[a] = yield from self.pattern(no, yes, row, None, mask)

    @staticmethod
    def part_presence(parts, k, o, got, w):
        for a in ("base", "un", "ub"):
            if a in o.numbers and o.kind in "AC":
                parts[k, a][0 if a in got else 1].append(w)

    def align(self, want, got, rel):
        ways = []

        def walk(k, g, taken):
            if len(ways) > 6:
                return
            if g == len(got):
                ways.append(taken)
                return
            if k == len(want) or len(want) - k < len(got) - g:
                return
            w = want[k]
            o = got[g]
            if w and w["kind"] == "T" and o["kind"] == "I":
                o = dict(o, kind="T", n=o["n"] - rel)
            if w and self.agrees(w, o):
                walk(k + 1, g + 1, taken + [k])
            walk(k + 1, g, taken)
        walk(0, 0, [])
        return ways

    @staticmethod
    def agrees(w, o):
        if w["kind"] != o["kind"]:
            return False
        if w["kind"] == "F":
            return floats.same(w["text"], o["text"])
        return all(o.get(a) is None or w.get(a) in (o[a], "?") for a in w if a not in ("bx", "ux"))

    def pattern(self, gone, there, row, count, mask):
        """(False, mask, match): absent if the bits match; (True, …): there if they do."""
        for polarity, inside, outside in ((False, gone, there), (True, there, gone)):
            if not inside:
                continue
            same = ((1 << 105) - (1 << 16)) & ~mask
            for w in inside:
                same &= ~(w ^ inside[0])
            match = inside[0] & same
            if any(w & same == match for w in outside):
                continue
            # Bits that are the same by chance: without them, the pattern still fits none of the others.
            bits = [b for b in FREE if same >> b & 1]
            needed = same
            if len(bits) > 1:
                parsed = yield from self.ask([inside[0]] + [inside[0] ^ 1 << b for b in bits])
                first = parsed[0]
                for b, p in zip(bits, parsed[1:]):
                    if p and first and [o["kind"] for o in p[1]] == [o["kind"] for o in first[1]] and \
                            [set(o) for o in p[1]] == [set(o) for o in first[1]]:
                        needed &= ~(1 << b)
            if needed and not any(w & needed == match & needed for w in outside):
                return polarity, needed, match & needed
            return polarity, same, match
        bits = []
        for b in FREE:
            if not mask >> b & 1 and gone and there:
                x = sum(w >> b & 1 for w in gone) / len(gone)
                y = sum(w >> b & 1 for w in there) / len(there)
                bits.append((abs(x - y), b))
        raise Cannot("no rule for when an operand is there", [max(bits)[1]] if bits else [])

    def verify(self, row):
        if not row.head:
            return 0, 0, []
        words = self.sample(row.mask, row.match, 150) + self.sample(row.mask, row.match, 100, False)
        parsed = yield from self.ask(words)
        wrong, right, examples = [], [], []
        for w, p in zip(words, parsed):
            mine = row.predict(w, self.zero)
            if self.same(row, mine, p):
                right.append(w)
            else:
                wrong.append(w)
                examples.append((hex(w), mine, p))
        best = []
        if wrong:
            scores = []
            for b in FREE:
                if not row.mask >> b & 1:
                    x = sum(w >> b & 1 for w in wrong) / len(wrong)
                    y = sum(w >> b & 1 for w in right) / max(1, len(right))
                    scores.append((abs(x - y), b))
            scores.sort(reverse=True)
            if scores and scores[0][0] > 0.35:
                best = [scores[0][1]]
        return len(wrong), len(words), best, examples[:2]

    def same(self, row, mine, p):
        if mine is None or p is None:
            return mine is None and p is None
        if mine[0] != p[0] or len(mine[1]) != len(p[1]):
            return False
        for w, o in zip(mine[1], p[1]):
            o = clean(o, p[2] if w["kind"] == "T" else None)
            if w["kind"] == "F" and o["kind"] == "F":
                if not floats.same(w["text"], o["text"]) or w.get("sfx", ()) != o["sfx"]:
                    return False
                continue
            for a in set(w) | set(o):
                if w.get(a) != o.get(a) and not (a in ("bx", "ux") and not w.get(a) and not o.get(a)):
                    return False
        return True
