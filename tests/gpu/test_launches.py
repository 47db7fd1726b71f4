#!/usr/bin/env python3
"""test_launches.py GRADUS FAKES SOURCE cuda|hip fake|real: every kernel of kernels/gpu and tests/kernels is
launched on the vendor's fake driver, and each launch that it wrote down (grid, block, shared memory, cluster,
every argument's bytes) must be what the kernel's front matter says, read here a second time. The compiler
is the stand-in, or a real one (NVRTC; hipRTC or clang) where one is found: then the sizes of the arguments are those of the
machine code. SPDX-License-Identifier: MIT"""
import glob
import itertools
import os
import re
import struct
import subprocess
import sys
import tempfile

program, fakes, source, vendor, compiler = sys.argv[1:]
H200 = {"SMS": 132, "SMEM_MAX": 232448, "WARP": 32, "CC": 90, "OCC": 1}
MI210 = {"SMS": 104, "SMEM_MAX": 65536, "WARP": 64, "CC": 0, "OCC": 1}
DEVICE = H200 if vendor == "cuda" else MI210
DRIVERS = {"cuda": ("GRADUS_CUDA_DRIVER", "libfake_driver.so"), "hip": ("GRADUS_HIP_DRIVER", "libfake_hip.so")}
COMPILERS = {"cuda": ("GRADUS_NVRTC", "libfake_nvrtc.so"), "hip": ("GRADUS_HIPRTC", "libfake_hiprtc.so")}
PROBLEM = (1024, 512, 320)  # its quarters, verified as well, still have an even number of tiles
ALPHA, BETA = 1.5, 0.5  # what `gradus run` verifies with
FORMATS = {"int": "<i", "long long": "<q", "unsigned": "<I", "float": "<f", "double": "<d"}
SWIZZLES = {"swizzle32": 1, "swizzle64": 2, "swizzle128": 3}


GLOBAL = r"__global__ void\s*(?:__launch_bounds__\((?:[^()]|\([^()]*\))*\))?\s*(\w+)\(([^)]*)\)"


def split(text):
    """At the commas outside of any brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


class Names(dict):
    """The names of an expression; what another expression defines is worked out when it is asked for."""

    def __init__(self, numbers, kernel):
        super().__init__(numbers)
        self.definitions, self.choices, self.least = kernel.definitions, kernel.choices, kernel.least
        self.update(cdiv=lambda a, b: -(-a // b), min=min, max=max,
                    clamp=lambda x, low, high: max(low, min(x, high)),
                    aligned=lambda operand, bytes: True, A=None, B=None, C=None)  # operands begin at whole pages

    def __missing__(self, name):
        if name == "ldc":  # the first launch packs an operand, and is not told; rows are not padded yet
            return self["N"]
        if name in self.choices:
            self.update(self.choose())
            return self[name]
        return self.value(self.definitions[name])

    def choose(self):
        """Of all combinations that with the least cost; of equal ones the first."""
        combinations = [dict(zip(self.choices, values)) for values in itertools.product(*self.choices.values())]
        return min(combinations, key=lambda chosen: Names({**self, **chosen}, self).value(self.least))

    def value(self, expression):
        python = expression.replace("/", "//").replace("&&", " and ").replace("||", " or ")
        return int(eval(re.sub(r"!(?!=)", " not ", python).strip(), {"__builtins__": {}}, self))


class Stanza:
    """The name is that of the `kernel` line, with its template arguments; the function's is without."""

    def __init__(self, name):
        self.name, self.lines = name.replace(" ", ""), {}
        self.function, *arguments = re.findall(r"[\w:]+", name)
        mangled = "".join("L%sE" % {"true": "b1", "false": "b0"}.get(word, "i" + word) for word in arguments)
        faked = "".join("_" + word for word in arguments)
        self.symbol = r"_Z\d+%s|(?:fake_|)%s" % ((self.function + "I" + mangled + "E", self.function + faked + "_")
                                               if arguments else (self.function,) * 2)


def leading_dimensions(output):
    """Of the problem that was asked for, whose rows are not padded; "1024x512x320: f32 nt, warm" says the transposes."""
    m, n, k = PROBLEM
    found = re.search(r"^%dx%dx%d: .*? ([nt])([nt])," % PROBLEM, output, re.M)
    a, b = found.groups() if found else "nn"
    return {"lda": k if a == "n" else m, "ldb": n if b == "n" else k, "ldc": n}


def transposes(output):
    """As the macros TA and TB say them."""
    found = re.search(r"^%dx%dx%d: .*? ([nt])([nt])," % PROBLEM, output, re.M)
    a, b = found.groups() if found else "nn"
    return {"TA": int(a == "t"), "TB": int(b == "t")}


def element_bytes(text):
    """Of A, in the first of the file's types, which is the one that runs if none is asked for."""
    return bytes_of(re.search(r"^//@ type +(?:A=)?(\w+)", text, re.M))


def result_bytes(text):
    """Of C, which is of the type of A if the line does not say it."""
    return bytes_of(re.search(r"^//@ type +(?:A=\w+ +B=\w+ +C=)?(\w+)", text, re.M))


def bytes_of(found):
    return {"f64": 8, "f16": 2, "bf16": 2, "e4m3": 1, "e5m2": 1, "s8": 1, "u8": 1}.get(found and found.group(1), 4)


class Kernel:
    """What the //@ lines and the parameter lists of a file say."""

    def __init__(self, path, output):
        self.text = open(path).read()
        self.leading = leading_dimensions(output)
        self.formats = dict(FORMATS, T="<d" if re.search(r"^//@ type +f64", self.text, re.M) else "<f")
        self.params, self.definitions, self.maps, self.choices, self.least = {}, {}, {}, {}, None
        globals_found = re.findall(GLOBAL, self.text)
        self.signatures = {name: split(parameters) for name, parameters in globals_found}
        stanza = Stanza(globals_found[0][0])
        self.stanzas = {}
        for word, rest in re.findall(r"^//@ (\w+) +(.*)$", self.text, re.M):
            if word == "kernel":
                stanza = Stanza(rest)
            elif word == "param":
                for part in split(rest):
                    self.params[part.split()[0]] = int(part.split()[1])
            elif word in ("let", "arg"):
                for part in split(rest):
                    name, expression = part.split("=", 1)
                    self.definitions[name.strip()] = expression
            elif word == "choose":
                for part in split(rest):
                    name, values = re.match(r"(\w+) \{(.*)\}", part).groups()
                    self.choices[name] = [int(value) for value in values.split(",")]
            elif word == "least":
                self.least = rest
            elif word == "map":
                for part in split(rest):
                    found = re.match(r"(\w+) = (\w)\[([^]]*)\](.*)", part)
                    name, operand, box, more = found.groups()
                    swizzle = max([SWIZZLES.get(word, 0) for word in more.split()], default=0)
                    self.maps[name] = (operand, split(box), swizzle, "by_address" in more.split())
            elif word in ("grid", "block", "smem", "cluster", "when", "args"):
                stanza.lines[word] = rest
            self.stanzas[stanza.name] = stanza
        self.stanzas = {name: s for name, s in self.stanzas.items() if "grid" in s.lines}


ELEMENT_BYTES = {0: 1, 6: 2, 8: 8, 9: 2}  # of a CUtensorMapDataType; the others have 4
LINE = re.compile(r"(\S+) grid (\S+) block (\S+) smem (\d+) cluster (\S+) args ?(.*)")


def wanted_numbers(names, expressions):
    values = [names.value(e) for e in split(expressions)]
    return ",".join(str(v) for v in (values + [1] * 3)[:3])


def stanza_of(kernel, symbol):
    """The symbol continues with the parameters' types, or with template arguments that the line gives by other names: of
    several names the longest."""
    stanzas = kernel.stanzas.items()
    named = ([name for name, stanza in stanzas if re.match(stanza.symbol, symbol)] or
             [name for name, stanza in stanzas if re.match(r"(_Z\d+|fake_|)%s" % stanza.function, symbol)])
    return kernel.stanzas[max(named, key=len)] if named else None


def check_map(kernel, name, data, names, say):
    """The stand-in's tensor map: type, rank, swizzle, address, the length and the box of each dimension; last the stride."""
    operand, box, swizzle, by_address = kernel.maps[name]
    words = struct.unpack("<16Q", data)
    found = (words[1], words[2], words[5], words[7])
    wanted = (4 if by_address else 2, swizzle, names.value(box[1]), names.value(box[0]))
    if found != wanted:
        say("%s: rank, swizzle and box %s, wanted %s" % (name, found, wanted))
    if by_address and (words[3], words[8:12]) != (0, (1 << 31, 1, 1 << 22, 1)):
        say("%s: address %d and dimensions %s, wanted those of any address" % (name, words[3], words[8:12]))


def check_launch(kernel, line, numbers, pointers, launched, say):
    symbol, grid, block, smem, cluster, arguments = LINE.match(line).groups()
    stanza = stanza_of(kernel, symbol)
    if not stanza:
        return say("no kernel of the file is %s" % symbol)
    given = [bytes.fromhex(a) for a in arguments.split()]
    declared = [p.split("=")[0] for p in kernel.signatures[stanza.function]]
    types = [re.sub(r"\b(const|__restrict__|__grid_constant__)\b", "", p).strip() for p in declared]
    pairs = [re.match(r"(.*?)(\w+)$", t, re.S).groups() for t in types]
    roles = split(stanza.lines["args"]) if "args" in stanza.lines else [name for _, name in pairs]
    if len(given) != len(roles):
        return say("%d arguments, wanted %d" % (len(given), len(roles)))
    for (kind, _), role, data in zip(pairs, roles, given):
        if role in ("M", "N", "K", "lda", "ldb", "ldc") and "*" not in kind:
            numbers[role] = struct.unpack("<i", data)[0]
        elif kernel.maps.get(role, " ")[0] in "AB":
            words = struct.unpack("<16Q", data)
            numbers["ld" + kernel.maps[role][0].lower()] = words[15] // ELEMENT_BYTES.get(words[0], 4)
            if kernel.maps[role][0] == "A":
                numbers["K"] = words[6 if numbers["TA"] else 4]
    asked = tuple(numbers.get(name) for name in "MNK") == PROBLEM
    if asked:
        launched.append(symbol)
        for name, wanted in kernel.leading.items():
            if name in roles and numbers[name] != wanted:
                say("%s is %d, wanted %d" % (name, numbers[name], wanted))
    names = Names(numbers, kernel)
    for what, found in (("grid", grid), ("block", block), ("cluster", cluster)):
        wanted = wanted_numbers(names, stanza.lines[what]) if what in stanza.lines else "0,0,0"
        if what != "cluster" and wanted.startswith("0"):
            say("%s: nothing wanted" % what)
        if what == "cluster" and wanted == "1,1,1":  # a cluster of one block is launched as none
            wanted = "0,0,0"
        if found != wanted:
            say("%s %s, wanted %s" % (what, found, wanted))
    wanted_smem = names.value(stanza.lines.get("smem", "0"))
    if int(smem) != wanted_smem:
        say("smem %s, wanted %d" % (smem, wanted_smem))
    for (kind, _), role, data in zip(pairs, roles, given):
        kind = kind.strip()
        if kind.endswith("*"):
            if len(data) != 8 or not any(data):
                say("%s: no address" % role)
            if pointers.setdefault(role, data) != data:
                say("%s: another address than the kernel before got" % role)
        elif role in kernel.maps:
            check_map(kernel, role, data, names, say)
        elif role in ("alpha", "beta"):
            if asked and data != struct.pack(kernel.formats[kind], ALPHA if role == "alpha" else BETA):
                say("%s is %s" % (role, data.hex()))
        elif data != struct.pack(kernel.formats[kind], names.value(role)):
            say("%s is %s, wanted %s" % (role, data.hex(), names.value(role)))


def run(path, folder):
    log = os.path.join(folder, "log")
    environment = dict(os.environ, GRADUS_FAKE_LOG=log)
    if compiler == "fake":
        environment["XDG_CACHE_HOME"] = folder
    for (variable, file), used in ((DRIVERS[vendor], True), (COMPILERS[vendor], compiler == "fake")):
        environment.pop(variable, None)
        if used:
            environment[variable] = os.path.join(fakes, file)
    if os.path.exists(log):
        os.remove(log)
    command = [program, "run", path, "--device", vendor, "--size", "%dx%dx%d" % PROBLEM, "--verify-only"]
    said = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    output = said.stdout + said.stderr
    return open(log).read().splitlines() if os.path.exists(log) else [], output


def says_how_to_launch(text):
    """Files without front matter need flags; a C by columns is refused."""
    launchable = re.search(r"^//@ grid", text, re.M) and not re.search(r"^//@ layout .*\bC col", text, re.M)
    return launchable and not (is_amds(text) if vendor == "cuda" else is_nvidias(text))


def is_amds(text):
    return re.search(r"^//@ arch .*\bgfx", text, re.M)


def is_nvidias(text):
    """Its `arch` line, clusters, tensor maps or PTX exclude AMD's GPUs."""
    return re.search(r"^//@ (arch .*sm_|cluster|map)|\basm\b|nvcuda|cuda/|cooperative_groups", text, re.M)


def takes_operands(kernel, stanza, numbers):
    """Is it the first kernel of a product? The first of those that are launched, or one that reads A itself."""
    signature = re.search(r"\b%s\s*\(([^)]*)\)" % stanza.function, kernel.text)
    launched = launched_stanzas(kernel, numbers)
    first = stanza.name == [name for name in kernel.stanzas if name in launched][0]
    return first or bool(signature and re.search(r"\bA\b", signature.group(1)))


def launched_stanzas(kernel, numbers):
    """Those whose `when` holds for the problem that was asked for."""
    names = Names(dict(numbers, M=PROBLEM[0], N=PROBLEM[1], K=PROBLEM[2], **kernel.leading), kernel)
    return {name for name, stanza in kernel.stanzas.items() if names.value(stanza.lines.get("when", "1"))}


def main():
    failures = launches = 0
    paths = [path for path in sorted(glob.glob(source + "/kernels/gpu/*.cu") + glob.glob(source + "/tests/kernels/*.cu"))
             if says_how_to_launch(open(path).read())]
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            lines, output = run(path, folder)
            if compiler == "real" and re.search("no (CUDA|AMD) compiler|no clang", output):
                print("skip: no compiler was found")
                return 77
            kernel, numbers, pointers, launched, wrong = Kernel(path, output), dict(DEVICE), {}, [], []
            numbers.update(kernel.params, T_BYTES=element_bytes(kernel.text), C_BYTES=result_bytes(kernel.text), **transposes(output))
            seen = set()
            for line in lines:
                stanza = stanza_of(kernel, line.split()[0])
                if stanza and takes_operands(kernel, stanza, numbers):
                    pointers = {}  # a new product: the operands lie elsewhere
                seen.add(stanza.name if stanza else None)
                check_launch(kernel, line, numbers, pointers, launched,
                             lambda text, line=line: wrong.append("%s\n    %s" % (text, line)))
            wanted = launched_stanzas(kernel, numbers)
            if not wanted <= seen <= set(kernel.stanzas):
                wrong.append("launched %s, wanted %s\n%s" % (seen, wanted, output))
            if not launched:
                wrong.append("the problem that was asked for was not launched")
            launches += len(lines)
            failures += bool(wrong)
            print("%s %s: %d launches" % ("FAIL" if wrong else "pass", os.path.relpath(path, source), len(lines)))
            for text in wrong[:8]:
                print("  " + text)
    print("%d launches, %d of %d kernels are not launched as their front matter says" % (launches, failures, len(paths)))
    return 1 if failures or not launches else 0


sys.exit(main())
