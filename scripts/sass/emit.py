#!/usr/bin/env python3
"""Writes the table of forms in C from what finish.py has left. usage: emit.py FOLDER CC=IN.pickle…
SPDX-License-Identifier: MIT"""
import collections
import copy
import pickle
import re
import sys

from learn import invalid

LETTERS = {"R": 8, "U": 6, "P": 3, "Q": 3}
words, lists, controls = set(), [], []


def ranges(bits):
    """[(first, width)] of bits, the lowest part of a value first."""
    out = []
    for b in bits:
        if out and out[-1][0] + out[-1][1] == b:
            out[-1][1] += 1
        else:
            out.append([b, 1])
    return out


def bits_text(bits):
    return "_".join(str(f) if n == 1 else "%dw%d" % (f, n) for f, n in ranges(bits))


def condition(mask, match, sign="="):
    bits = [b for b in range(128) if mask >> b & 1]
    value = sum((match >> b & 1) << i for i, b in enumerate(bits))
    return bits_text(bits) + sign + "%x" % value


def complete(weights, constant, row):
    """With the bits of a number that are the same in all words of the form."""
    if len(weights) < 2 or not row:
        return weights, constant
    weights = dict(weights)
    order = sorted(weights)
    for a, b in zip(order, order[1:]):
        if b - a > 1 and abs(weights[b]) == abs(weights[a]) << (b - a):
            for c in range(a + 1, b):
                weights[c] = weights[a] << (c - a)
                constant -= weights[c] * (row.match >> c & 1)
    return weights, constant


def number_text(weights, constant, row=None):
    weights, constant = complete(weights, constant, row)
    if not weights:
        return "=%d" % constant
    order = sorted(weights, key=lambda b: abs(weights[b]))
    values = [weights[b] for b in order]
    scale = abs(values[0])
    if [abs(v) for v in values] != [scale << i for i in range(len(values))]:
        raise ValueError("not a number: %s" % weights)
    negative = [v < 0 for v in values]
    text = bits_text(order)
    if all(negative) and len(values) > 1 or negative == [True] and constant == scale:
        text = "~" + text
        constant -= scale * ((1 << len(values)) - 1)
    elif negative[-1] and not any(negative[:-1]):
        text += "s"
    elif any(negative):
        raise ValueError("odd signs: %s" % weights)
    if scale != 1:
        text += "*%d" % scale
    if constant:
        text += "+%d" % constant
    return text


def shrink(bits, values):
    """Without the bits that the value does not depend on. `values` has what is known."""
    bits, values = list(bits), dict(values)
    i = 0
    while i < len(bits):
        low = {}
        for v, x in values.items():
            rest = v & ((1 << i) - 1) | v >> (i + 1) << i
            if low.setdefault(rest, x) != x:
                break
        else:
            bits.pop(i)
            values = low
            continue
        i += 1
    return bits, values


def list_text(items):
    while items and items[-1] == "!":
        items.pop()
    text = "|".join(items)
    if len(text) > 40:
        if text not in lists:
            lists.append(text)
        return "$%d" % lists.index(text)
    return text


def choice_text(bits, values, name=str):
    items = []
    for v in range(1 << len(bits)):
        x = values.get(v)
        items.append("!" if x is None or invalid(str(x)) else name(x))
    return bits_text(bits) + ":" + list_text(items)


def dotted(tokens):
    words.update(tokens)
    return ".".join(tokens)


def operand_text(op, reuse, row):
    kind = op.kind
    attrs, letter = [], kind
    when = lambda w: ("?" if w[0] else "^") + condition(w[1], w[2])
    if kind == "N":
        bits, values = shrink(*op.tables["name"])
        if op.when:  # where it is not there
            values = {v: values.get(v, "") for v in range(1 << len(bits))}
        words.update(v for v in values.values() if v and not invalid(v))
        letter += choice_text(bits, values) if bits else ":" + values[0]
    elif kind == "F":
        letter += bits_text(op.raw)
        bits, values = shrink(*op.formats)
        words.update(values.values())
        attrs.append("f" + (choice_text(bits, values) if bits else ":" + values[0]))
    elif kind in "CA":
        for a, n in (("b", "bank"), ("d", "de"), ("a", "base"), ("g", "ub"), ("u", "un"), ("v", "value")):
            if n in op.numbers:
                weights, constant = op.numbers[n]
                if n == "value" and not weights and constant == 0:
                    continue
                attrs.append(a + number_text(weights, constant, row) + (when(op.parts[n]) if n in op.parts else ""))
    else:
        letter += number_text(*op.numbers["n"], row)
    for a, (bits, values) in op.tables.items():
        bits, values = shrink(bits, values)
        only = values.get(0) if not bits else None
        if a in ("neg", "abs", "inv"):
            sign = {"neg": "-", "abs": "|", "inv": "~"}[a]
            if bits or only:
                simple = values.get(0) == 0 and all(values.get(v) == 1 for v in range(1, 1 << len(bits)))
                attrs.append(sign + ("" if not bits else bits_text(bits) if simple else choice_text(bits, values)))
        elif a == "sfx":
            if bits:
                attrs.append("/" + choice_text(bits, values, dotted))
            elif only:
                attrs.append("." + dotted(only))
        elif a == "bx" and (bits or only):
            words.update(v for v in values.values())
            attrs.append("y" + (choice_text(bits, values) if bits else ":" + only))
        elif a == "ux" and (bits or only):
            raise ValueError("a suffix of a uniform register")
        elif a == "ext" and only:
            attrs.append("x")
        elif a == "attr" and only:
            words.add(only)
            attrs.append("n:" + only)
        elif a == "ext" and bits:
            raise ValueError("ext by bits")
    if reuse is not None:
        attrs.append("r%d" % reuse)
    if op.when:
        attrs.append(when(op.when))
    return ",".join([letter] + attrs)


def row_text(row):
    items = []
    for bits, values in row.head:
        bits, values = shrink(bits, {v: (tuple(x) if x is not None else None) for v, x in values.items()})
        if bits:
            for v in range(1 << len(bits)):
                values.setdefault(v, None)
            items.append("/" + choice_text(bits, {v: x if x is None or not invalid(" ".join(x)) else None
                                                  for v, x in values.items()}, dotted))
        elif values.get(0):
            if invalid(" ".join(values[0])):
                return "!"
            items += ["." + dotted([t]) for t in values[0]]
    if row.valid:
        bits, allowed = row.valid
        bits, values = shrink(bits, {v: v in allowed for v in range(1 << len(bits))})
        if bits:
            items.append("/" + bits_text(bits) + ":" + list_text(["" if values[v] else "!" for v in range(1 << len(bits))]))
    if not items or items[0][0] != ".":
        raise ValueError("no mnemonic: %s" % items)
    items[0] = items[0][1:]
    for k, op in enumerate(row.ops):
        reuse = None
        if k in row.reuse:
            for j in range(3):
                good = {v for v in range(256) if row.opex >> v & 1 and 17 <= v & 31 <= 27 and v >> (5 + j) & 1}
                if row.reuse[k] == good:
                    reuse = j
            if len(row.reuse[k]) == bin(row.opex).count("1") and len(op.tables["re"][0]) == 1:
                reuse = op.tables["re"][0][0]  # a bit of its own
            if reuse is None:
                raise ValueError("odd reuse")
        items.append(operand_text(op, reuse, row))
    return " ".join(items)


MOST_CONDITIONS = 18  # bits that say which form is meant: with more, it was learned from too few words
EMPTY = re.compile(r" /[0-9w_]+:(?= |$)")
CONSTANT = re.compile(r" C[^ ]*,x")
BANK_TWICE = re.compile(r" C,b[^ ]*,u")
# A bit that the form has, and that no word in which it was learned has set: with it the instruction is another.
UNSEEN = {"I2F /74:U64|S64 /78w2:|RM|RP|RZ R16w8 R32w8": "/75:|!"}


# Forms of which nvdisasm calls words invalid that have one of the values which emit.py takes for no modifier.
INVALID = ("MOVM", "LDSM", "HSET2", "HSETP2")


def check_form(text):
    """Raises ValueError for a form that was learned wrong."""
    if text.split()[0] in INVALID and EMPTY.search(text):
        raise ValueError("nvdisasm calls a modifier of it invalid")
    if text.split()[0] == "OMMA":
        raise ValueError("not every operand's reuse bit is known")
    if BANK_TWICE.search(text):
        raise ValueError("its constant has a bank and a bank's descriptor")
    if text.split()[0] in ("LDCU", "CCTL") and CONSTANT.search(text) and ",g" not in text:
        raise ValueError("its constant's uniform register was not told from the bank's descriptor")


OPERATIONS = "PF1|PF2|WB|IV|!|RS|!|!|!|PML2|DML2|RML2"
ALL_LINES = {4: "IVALL", 6: "IVALLP", 7: "WBALL", 8: "WBALLP"}


def cctl(cc, learned):
    """The rows of CCTL, [(control, guard, text)]: what it does says which operands it has, and the learner takes bits of
    the register for a part of that. The controls are those of the rows that it learned."""
    def control_of(word):
        return next(c for c, _, text in learned if word in text and not text.endswith("!"))
    with_address = control_of(".PF1 A" if cc > 75 else ".RS A")
    without = max((c for c, _, text in learned if "ALL" in text), key=lambda c: bin(controls[c][0]).count("1"))
    rows = []
    for value, name in ALL_LINES.items():
        bits = [*range(24, 32)] + [72] * (cc == 75) + [80] + [*range(87, 92)]
        match = 255 << 24 | value << 87
        rows.append((without, condition(sum(1 << b for b in bits), match) + " CCTL /78w2:|U|C|I ." + name))
    name = " CCTL /72:|E /78w3:|U|C|I "
    for where, value, address in (("24w8_", "ff", "A,v32w32"), ("", "", "A,a24w8,v32w32s")):
        def at(bits, high):
            return "=" + where + bits + "=%x" % (int(value or "0", 16) | high << len(value) * 4)
        if cc in (89, 100, 120):
            rows.append((control_of("QFAULT"), at("76_87w5", 1 | 1 << 1) + name + ".PF2 .QFAULT P81w3 " + address))
            rows.append((with_address, at("87w5", 11) + name + ".RML2 " + address + " I73w3,^73w3=0"))
        operations = OPERATIONS[:OPERATIONS.index("|!|!|!|P")] if cc == 75 else OPERATIONS
        rows.append((with_address, at("91", 0) + name + "/87w4:" + operations + " " + address))
    return [(control, "P", text if text[0] == "=" else "=" + text) for control, text in rows]


LONGEST = 3500  # of a list: a C string has at most 4095 characters


def halves(row):
    """The row, or one for each value of a bit where a list would be too long."""
    for n, (bits, values) in enumerate(row.head):
        if len(bits) > 6 and sum(len(".".join(x)) + 1 for x in values.values() if x) > LONGEST:
            out = []
            for v in (0, 1):
                half = copy.copy(row)
                top = len(bits) - 1
                half.mask, half.match = row.mask | 1 << bits[top], row.match | v << bits[top]
                half.head = list(row.head)
                half.head[n] = (bits[:top], {k & (1 << top) - 1: x for k, x in values.items() if k >> top == v})
                out += halves(half)
            return out
    return [row]


def arch_rows(cc, whole):
    """{opcode: [(control, guard, text)]} in order, of compute capability `cc`."""
    out, problems = [], []
    entries = [(f, rows) for f, _, rows in whole["rows"]] + [(f, None) for f in whole["silent"]]
    done = {}
    for f, rows in entries:
        lines = []
        for row in [h for r in rows or [] for h in halves(r)]:
            if bin(row.mask).count("1") > 12 + MOST_CONDITIONS:
                problems.append((row.name, "it was seen in too few words"))
                continue
            conditions = "".join("=" + condition(row.mask & ~0xFFF, row.match) + " " if row.mask & ~0xFFF else "")
            try:
                if row.bad and row.bad[0]:
                    raise ValueError("%d of %d words differ" % row.bad[:2])
                if not getattr(row, "guard", None) or row.opex is None:
                    raise ValueError("no word of it is printed")
                text = row_text(row)
                if text.split()[0] in ("MOVM", "LDSM") and " .16 " in text:
                    text = text.replace(" /75w2: ", " /75w2:|!|!|! ")  # of the others it is not known whether they are valid
                check_form(text)
            except (ValueError, KeyError, AttributeError) as error:
                problems.append((row.name, repr(error)))
                text = "!"
            if text == "!":
                lines.append((0, "P", conditions + "!"))
                continue
            barriers = tuple(row.barriers)
            if text.startswith("CCTL") and ("ALL" in text or not re.search(r" [ACPU]\b|,[av]", text)):
                barriers = (1 << 7, 1 << 7)  # which it may set depends on its modifiers: none is certain
            control = (row.opex,) + barriers
            if control not in controls:
                controls.append(control)
            if not row.guard:
                    raise ValueError("no word of it is printed")
            guard = "!" if row.guard[0] is None else "-" if not row.guard[0] else "U" if "U" in row.guard[0] else "P"
            if text.startswith(("WARPGROUP .DEPBAR", "WARPGROUP .WAIT")):
                text += " /116w6:"  # it waits for no barrier: nvdisasm refuses one that does
            if text in UNSEEN:
                text += " " + UNSEEN[text]
            lines.append((controls.index(control), guard, conditions + text))
        if not lines and bin(f[0]).count("1") <= 12 + MOST_CONDITIONS:
            lines.append((0, "P", ("=" + condition(f[0] & ~0xFFF, f[1]) + " " if f[0] & ~0xFFF else "") + "!"))
        done[f] = lines
    order = whole.get("order") or sorted(done, key=lambda f: (f[1] & 0xFFF, f[1] >> 91 & 1, -bin(f[0]).count("1")))
    for f in order:
        for line in done[f]:
            out.append((f[1] & 0xFFF,) + line)
    groups = collections.defaultdict(list)
    for r in out:
        groups[r[0]].append(r[1:])
    for p in problems:
        print("left out", *p)
    if groups[0x98F]:
        groups[0x98F] = cctl(cc, groups[0x98F])
    # What refuses at the end of an opcode says nothing.
    for op, g in groups.items():
        while g and g[-1][2].split()[-1] == "!":
            g.pop()
    return {op: g for op, g in groups.items() if g}


def merge(per_arch):
    """One list of (arch bits, row) for an opcode, in an order that fits every architecture's."""
    after = collections.defaultdict(set)
    where = collections.defaultdict(int)
    for i, rows in per_arch:
        for r in rows:
            where[r] |= 1 << i
        for a, b in zip(rows, rows[1:]):
            if a != b:
                after[a].add(b)
    out, state = [], {}

    def visit(r):
        if state.get(r) == 1:
            raise RecursionError
        if r in state:
            return
        state[r] = 1
        for n in sorted(after[r], reverse=True):
            visit(n)
        state[r] = 2
        out.append(r)
    try:
        for _, rows in reversed(per_arch):
            for r in reversed(rows):
                visit(r)
        return [(where[r], r) for r in reversed(out)]
    except RecursionError:
        return [(1 << i, r) for i, rows in per_arch for r in rows]


HEAD = """/* %s: %s
 * Written by scripts/sass/emit.py. SPDX-License-Identifier: MIT */
#include "code/forms.h"

/* clang-format off */
"""


SPLIT = re.compile(r"^=31_91=0 (.*)\ba24w7\b(.*)$")
PART = re.compile(r"^=(2[4-9]w\d|2[4-9]|3[01]|30w2|_)+_91=[0-9a-f]+ (.*)\ba24w\d\+\d+(.*)$")
REFUSED = re.compile(r"^=[0-9w_]+_91=[0-9a-f]+ !$")


def join_split(rows):
    """The address register of a form, in bits 24 to 31, may have been learned in parts, by its upper bits, of which some
    parts were not met. It is one field: the parts become one row."""
    out = []
    joined = None
    for row in rows:
        where, (control, guard, text) = row
        part = PART.match(text)
        if joined and ((part and (part.group(2), part.group(3)) == joined) or REFUSED.match(text)):
            continue
        joined = None
        first = SPLIT.match(text)
        if first:
            joined = (first.group(1), first.group(2))
            text = "=91=0 %sa24w8%s" % joined
        out.append((where, (control, guard, text)))
    return out


def main():
    folder = sys.argv[1]
    archs = []
    for a in sys.argv[2:]:
        cc, path = a.split("=")
        archs.append((int(cc), arch_rows(int(cc), pickle.load(open(path, "rb")))))
    by = collections.defaultdict(list)
    for i, (cc, groups) in enumerate(archs):
        for op, rows in groups.items():
            by[op].append((i, rows))
    with open(folder + "/forms.c", "w") as f:
        f.write(HEAD % ("forms.c", "the forms of NVIDIA's opcodes; forms.h says how they are written."))
        f.write("const uint8_t gr_form_cc[] = {%s, 0};\n\n" % ", ".join(str(cc) for cc, _ in archs))
        f.write("const struct gr_form gr_forms[] = {\n")
        for op in sorted(by):
            for where, (control, guard, text) in join_split(merge(by[op])):
                f.write('    {0x%03x, 0x%x, %d, \'%s\', "%s"},\n' % (op, where, control, guard, text))
        f.write("};\n\nconst size_t gr_form_count = sizeof gr_forms / sizeof *gr_forms;\n")
    with open(folder + "/form_words.c", "w") as f:
        f.write(HEAD % ("form_words.c", "the words and lists of the forms of NVIDIA's opcodes, and their control bits."))
        f.write("const char *const gr_form_words[] = {\n")
        for w in sorted(words | {"F16", "BF16", "F32", "F64"}):
            f.write('    "%s",\n' % w)
        f.write("};\n\nconst size_t gr_form_word_count = sizeof gr_form_words / sizeof *gr_form_words;\n\n")
        f.write("const char *const gr_form_lists[] = {\n")
        for i, text in enumerate(lists):
            f.write('    /* %d */ "%s",\n' % (i, text))
        f.write("};\n\nconst struct gr_form_control gr_form_controls[] = {\n")
        for c, write, read in controls:
            f.write("    {{%s}, 0x%02x, 0x%02x},\n" % (", ".join("0x%016x" % (c >> 64 * i & (1 << 64) - 1) for i in range(4)), write, read))
        f.write("};\n")


if __name__ == "__main__":
    main()
