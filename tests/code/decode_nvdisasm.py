"""decode_nvdisasm.py DECODE_RAW ROOT: see decode_nvdisasm.sh. SPDX-License-Identifier: MIT"""
import collections
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

PROGRAM, ROOT = sys.argv[1], sys.argv[2]
sys.path.insert(0, ROOT + "/scripts/sass")
from nvdisasm import disassemble  # noqa: E402

NAMES = {75: "SM75", 80: "SM80", 86: "SM86", 89: "SM89", 90: "SM90a", 100: "SM100a", 120: "SM120a"}
BATCH = 40000
EXECUTABLE, PROGBITS = 4, 1
SOURCES = ["tests/code/instructions.cu"]


def read_cubin(path, words):
    """Adds its instructions to words[compute capability]."""
    data = open(path, "rb").read()
    if data[:4] != b"\x7fELF" or struct.unpack_from("<H", data, 18)[0] != 190:
        return
    flags = struct.unpack_from("<I", data, 48)[0]
    cc = flags >> 8 & 0xFF if data[8] >= 8 else flags & 0xFF
    table, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    for at in range(table, table + 64 * count, 64):
        kind, section_flags = struct.unpack_from("<IQ", data, at + 4)
        offset, size = struct.unpack_from("<QQ", data, at + 24)
        if section_flags & EXECUTABLE and kind == PROGBITS:
            for i in range(offset, offset + size - 15, 16):
                words[cc].add(int.from_bytes(data[i:i + 16], "little"))


def compile_sources(folder):
    compiler = shutil.which("nvcc")
    for cc in NAMES if compiler else ():
        arch = NAMES[cc].lower().replace("sm", "sm_")
        for i, source in enumerate(SOURCES):
            subprocess.run([compiler, "-cubin", "-arch", arch, "-w", "-o", "%s/%d_%s.cubin" % (folder, i, arch),
                            "%s/%s" % (ROOT, source)], capture_output=True)


def plain(text):
    """As gr_decoded_text writes it; ? for a refusal, and what has a field without a meaning is one."""
    if text is None or "INVALID" in text or "???" in text:
        return "?"
    return re.sub(r"\s+", " ", text.replace("] [", "][")).replace(" ,", ",").strip()


def ours(cc, words):
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(w.to_bytes(16, "little") for w in words))
        file.flush()
        return subprocess.run([PROGRAM, str(cc), file.name], capture_output=True, text=True).stdout.split("\n")[:-1]


def compare(cc, words, what):
    """How many are read as something else, or read where nvdisasm refuses them. What the decoder refuses is safe, since nothing of it runs; the count is shown."""
    counts, shown = collections.Counter(), 0
    for start in range(0, len(words), BATCH):
        part = words[start:start + BATCH]
        theirs, mine = [plain(t) for t in disassemble(NAMES[cc], part)[0]], ours(cc, part)
        assert len(mine) == len(part)
        for word, a, b in zip(part, theirs, mine):
            kind = "equal" if a == b != "?" else "refused by both" if a == b else \
                "refused by the decoder" if b == "?" else "accepted by the decoder" if a == "?" else "different"
            counts[kind] += 1
            if kind in ("different", "accepted by the decoder") and shown < 20:
                shown += 1
                print("sm_%d %032x\n  nvdisasm %s\n  decoder  %s" % (cc, word, a, b))
    print("sm_%d, %s: %s" % (cc, what, ", ".join("%d %s" % (n, k) for k, n in sorted(counts.items()))))
    return counts["different"] + counts["accepted by the decoder"]


def mutate(rng, words, count):
    """Half of them of any word, half with every opcode as often."""
    out, by = [], collections.defaultdict(list)
    for word in words:
        by[word & 0xFFF].append(word)
    opcodes = sorted(by)
    for i in range(count):
        word = rng.choice(words if i % 2 else by[rng.choice(opcodes)])
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            word ^= 1 << rng.randrange(128)
        out.append(word)
    return out


def main():
    words = collections.defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        places = os.environ.get("DECODE_CUBINS", "").split()
        if not places:
            compile_sources(folder)
            places = [folder]
        for place in places:
            paths = [place] if os.path.isfile(place) else \
                [os.path.join(d, f) for d, _, files in os.walk(place) for f in files if f.endswith(".cubin")]
            for path in paths:
                read_cubin(path, words)
    if not words:
        print("skip: no cubins: nvcc is missing, and DECODE_CUBINS names none")
        return 77
    wrong, count = 0, int(os.environ.get("DECODE_WORDS", "20000"))
    rng = random.Random(int(os.environ.get("DECODE_SEED", "1")))
    for cc in sorted(set(words) & set(NAMES)):
        known = sorted(words[cc])
        wrong += compare(cc, known, "instructions")
        wrong += compare(cc, mutate(rng, known, count // len(words)), "mutated words")
    return 1 if wrong else 0


sys.exit(main())
