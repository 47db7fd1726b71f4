"""Runs nvdisasm on raw words and takes its text apart. SPDX-License-Identifier: MIT"""
import os
import re
import subprocess
import tempfile

STALL_1 = 1 << 105 | 7 << 110 | 7 << 113  # no barrier is set, none is waited for
CONTROL = ((1 << 23) - 1) << 105
NOP = 0x7918 | STALL_1
MESSAGE = re.compile(r"nvdisasm error\s*: (.*?) at address 0x([0-9a-f]+)")
LINE = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;")


def culprits(arch, words, first=0):
    """The words at which nvdisasm ends without naming them."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(b"".join(w.to_bytes(16, "little") for w in words))
        file.flush()
        if subprocess.run(["nvdisasm", "-b", arch, file.name], capture_output=True).returncode == 0:
            return []
    half = len(words) // 2  # it is more than one, or the culprit
    return [first] if len(words) == 1 else culprits(arch, words[:half], first) + culprits(arch, words[half:], first + half)


def disassemble(arch, words):
    """The text and the error of each word, word i at address 16 * i. Neither: nvdisasm prints
    nothing for it, which is a refusal, too."""
    words, texts, errors = list(words), [None] * len(words), [None] * len(words)
    if not words:
        return texts, errors
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        while True:
            file.seek(0)
            file.write(b"".join(w.to_bytes(16, "little") for w in words))
            file.flush()
            run = subprocess.run(["nvdisasm", "-b", arch, file.name], capture_output=True, text=True)
            found = [(m[1], int(m[2], 16) // 16) for m in map(MESSAGE.match, run.stderr.splitlines()) if m]
            if not found:
                bad = culprits(arch, words) if run.returncode != 0 else []
                if bad:
                    for i in bad:
                        errors[i], words[i] = "nvdisasm fails", NOP
                    continue
                break
            for text, i in found:
                errors[i], words[i] = text, NOP
    for m in LINE.finditer(run.stdout):
        i = int(m[1], 16) // 16
        if errors[i] is None:
            texts[i] = m[2]
    return texts, errors


SPACE = re.compile(r"\s+")
FLOAT = re.compile(r"[+-]?(INF|QNAN|SNAN|[0-9][0-9.]*(e[+-]\d+)?)$")
FLOAT_SUFFIX = re.compile(r"(.*?)\.([A-Z]\w*)$")
REGISTER = re.compile(r"(R|UR|P|UP)(\d+|Z|T)((?:\.[^\]\[]*)?)$")
KINDS = {"R": "R", "UR": "U", "P": "P", "UP": "Q"}


def number_of(text):
    return {"Z": 255, "T": 7}.get(text) if text in "ZT" else int(text)


def hex_of(text):
    return int(text.replace("-0x", "-", 1), 16) if text.startswith("-") else int(text, 16)


def suffixes(text):
    """Those of an operand; reuse is a flag of its own."""
    return tuple(s for s in text.split(".")[1:] if s != "reuse")


def parse_memory(parts, inner):
    """[R2.64+UR4+-0x10]: base, bx (its suffix), un, ux, value; of a constant, ub: a uniform base."""
    for piece in inner.split("+"):
        m = REGISTER.match(piece)
        if m and m[1] == "R":
            parts["base"], parts["bx"] = number_of(m[2]), m[3][1:]
        elif m and m[1] == "UR" and parts["kind"] == "C":
            parts["ub"] = number_of(m[2])
        elif m and m[1] == "UR":
            parts["un"], parts["ux"] = number_of(m[2]), m[3][1:]
        elif re.match(r"-?0x[0-9a-f]+$", piece):
            parts["value"] = hex_of(piece)
        else:
            parts["odd"] = piece
    return parts


def inner_is_zero(inner):
    """[RZ] is how it writes no register and no offset; [URZ] in LDCU."""
    return inner in ("RZ", "URZ")


def parse_operand(text):
    """A dict: kind; neg, abs, inv; n (the number); sfx; and the parts of an address."""
    op = {"neg": 0, "abs": 0, "inv": 0, "re": int(".reuse" in text)}
    core = text
    if core[0] in "~!":
        op["inv"], core = 1, core[1:]
    elif core[0] == "-" and not re.match(r"-(\d|INF|QNAN|SNAN)", core):
        op["neg"], core = 1, core[1:]
    if core[0] == "|":
        op["abs"] = 1
        core = core[1:].replace("|", "", 1)
    m = REGISTER.match(core)
    if m:
        op.update(kind=KINDS[m[1]], n=number_of(m[2]), sfx=suffixes(m[3]))
        return op
    m = re.match(r"(cx?)\[(?:0x([0-9a-f]+)|(UR\w+))\]\[(.*?)\](.*)$", core)
    if m:
        op.update(kind="C", ext=int(m[1] == "cx"), sfx=suffixes(m[5]))
        if m[2]:
            op["bank"] = int(m[2], 16)
        else:
            op["un"] = number_of(m[3][2:])
        return op if inner_is_zero(m[4]) and m[2] else parse_memory(op, m[4])
    m = re.match(r"(?:(g?desc)\[(UR\w+)\])?([a-z]*)(?:\[(.*)\])?(.*)$", core)
    if m and (m[1] or m[4] is not None):
        op.update(kind="A", sfx=suffixes(m[5]), attr=m[3] or "")
        if m[1]:
            op["ext"], op["de"] = int(m[1] == "gdesc"), number_of(m[2][2:])
        if m[4] == "RZ" and not m[1]:
            pass
        elif m[4] is not None:
            parse_memory(op, m[4])
        else:
            op["bare"] = 1
        return op
    if re.match(r"-?0x[0-9a-f]+$", text):
        op.update(kind="I", n=hex_of(text))
    elif text[0] == "{":
        op.update(kind="L", n=sum(1 << int(x) for x in text[1:-1].split(",") if x.strip()))
    elif FLOAT.match(text):
        op.update(kind="F", text=text, sfx=())
    elif FLOAT_SUFFIX.match(text) and FLOAT.match(FLOAT_SUFFIX.match(text)[1]):
        op.update(kind="F", text=FLOAT_SUFFIX.match(text)[1], sfx=(FLOAT_SUFFIX.match(text)[2],))
    else:
        op.update(kind="N", neg=0, abs=0, inv=0, re=0, name=text)
    return op


def parse(text):
    """(guard, [mnemonic, modifier…], [operand…])"""
    text = text.replace("] [", "][")
    guard = ""
    if text[0] == "@":
        guard, text = text[1:].split(" ", 1)
    head, _, rest = text.strip().partition(" ")
    ops = []
    for item in re.split(r",\s+(?![^{]*\})", rest.strip()) if rest.strip() else []:
        item = item.strip()
        m = re.match(r"(\S+)\s+(\S+)$", item)
        if m:
            ops += [m[1], m[2]]
        elif item:
            ops.append(SPACE.sub("", item))
    tokens = head.split(".")
    if tokens[0] == "IMAD" and len(tokens) > 1 and tokens[1] in ("MOV", "SHL", "IADD"):
        del tokens[1]  # what the product is used for, which the decoder finds by itself
    return guard, tokens, [parse_operand(o) for o in ops]
