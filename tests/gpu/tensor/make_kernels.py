#!/usr/bin/env python3
"""make_kernels.py: writes the kernels around one instruction each that probe_tiles.cu includes. SPDX-License-Identifier: MIT"""

MMA = [  # name, instruction, registers of A, B, C, their letters
    ("mma_16816_f32_f16", "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "rrf"),
    ("mma_16816_f16_f16", "m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "rrr"),
    ("mma_1688_f32_f16", "m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "rrf"),
    ("mma_1688_f16_f16", "m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, "rrr"),
    ("mma_16816_f32_bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "rrf"),
    ("mma_1688_f32_bf16", "m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, "rrf"),
    ("mma_1688_f32_tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "rrf"),
    ("mma_1684_f32_tf32", "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, "rrf"),
    ("mma_16832_f32_e4m3", "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, "rrf"),
    ("mma_16832_f32_e5m2", "m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 2, 4, "rrf"),
    ("mma_16832_f16_e4m3", "m16n8k32.row.col.f16.e4m3.e4m3.f16", 4, 2, 2, "rrr"),
    ("mma_16832_s32_s8", "m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "rrr"),
    ("mma_16832_s32_u8", "m16n8k32.row.col.s32.u8.u8.s32", 4, 2, 4, "rrr"),
    ("mma_16832_sat_s8", "m16n8k32.row.col.satfinite.s32.s8.s8.s32", 4, 2, 4, "rrr"),
    ("mma_16816_s32_s8", "m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, "rrr"),
    ("mma_884_f64", "m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, "ddd"),
    ("mma_1684_f64", "m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, "ddd"),
    ("mma_1688_f64", "m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, "ddd"),
    ("mma_16816_f64", "m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, "ddd"),
    ("mma_168256_xor_b1", "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 4, "rrr"),
    ("mma_168256_and_b1", "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, "rrr"),
]
MMA.append(("mma_16816_f16_tiny",) + MMA[1][1:])
TYPES = {"r": "uint32_t", "f": "float", "d": "double"}

WGMMA = [  # name, types and shape, registers of the result, their letter, what follows the predicate
    ("wg_f32_f16", "m64n8k16.f32.f16.f16", 4, "f", ", 1, 1, 0, 0"),
    ("wg_f16_f16", "m64n8k16.f16.f16.f16", 2, "r", ", 1, 1, 0, 0"),
    ("wg_f32_bf16", "m64n8k16.f32.bf16.bf16", 4, "f", ", 1, 1, 0, 0"),
    ("wg_f32_tf32", "m64n8k8.f32.tf32.tf32", 4, "f", ", 1, 1"),
    ("wg_f32_e4m3", "m64n8k32.f32.e4m3.e4m3", 4, "f", ", 1, 1"),
    ("wg_f32_e5m2", "m64n8k32.f32.e5m2.e5m2", 4, "f", ", 1, 1"),
    ("wg_f32_e4m3_e5m2", "m64n8k32.f32.e4m3.e5m2", 4, "f", ", 1, 1"),
    ("wg_f16_e4m3", "m64n8k32.f16.e4m3.e4m3", 2, "r", ", 1, 1"),
    ("wg_f16_e5m2", "m64n8k32.f16.e5m2.e5m2", 2, "r", ", 1, 1"),
    ("wg_s32_s8", "m64n8k32.s32.s8.s8", 4, "r", ""),
    ("wg_s32_u8_s8", "m64n8k32.s32.u8.s8", 4, "r", ""),
    ("wg_sat_s8", "m64n8k32.s32.s8.s8.satfinite", 4, "r", ""),
    ("wg_and_b1", "m64n8k256.s32.b1.b1.and.popc", 4, "r", ""),
    ("wg_f32_f16_nega", "m64n8k16.f32.f16.f16", 4, "f", ", -1, 1, 0, 0"),
    ("wg_f32_f16_negab", "m64n8k16.f32.f16.f16", 4, "f", ", -1, -1, 0, 0"),
    ("wg_f32_f16_noc", "m64n8k16.f32.f16.f16", 4, "f", ", 1, 1, 0, 0"),
    ("wg_f16_f16_noc", "m64n8k16.f16.f16.f16", 2, "r", ", 1, 1, 0, 0"),
    ("wg_f32_e4m3_noc", "m64n8k32.f32.e4m3.e4m3", 4, "f", ", 1, 1"),
    ("wg_f32_f16_rs", "m64n8k16.f32.f16.f16", 4, "f", ", 1, 1, 0"),
    ("wg_f16_tiny", "m64n8k16.f16.f16.f16", 2, "r", ", 1, 1, 0, 0"),
    # For the maps of shared memory: wider, with the operands' majors in the name.
    ("map_f16_n32_k", "m64n32k16.f32.f16.f16", 16, "f", ", 1, 1, 0, 0"),
    ("map_f16_n32_a", "m64n32k16.f32.f16.f16", 16, "f", ", 1, 1, 1, 0"),
    ("map_f16_n64_k", "m64n64k16.f32.f16.f16", 32, "f", ", 1, 1, 0, 0"),
    ("map_f16_n64_b", "m64n64k16.f32.f16.f16", 32, "f", ", 1, 1, 0, 1"),
    ("map_f16_n256_k", "m64n256k16.f32.f16.f16", 128, "f", ", 1, 1, 0, 0"),
    ("map_f16_n256_b", "m64n256k16.f32.f16.f16", 128, "f", ", 1, 1, 0, 1"),
    ("map_tf32_n32_k", "m64n32k8.f32.tf32.tf32", 16, "f", ", 1, 1"),
    ("map_tf32_n64_k", "m64n64k8.f32.tf32.tf32", 32, "f", ", 1, 1"),
    ("map_u8_n32_k", "m64n32k32.s32.u8.u8", 16, "r", ""),
    ("map_u8_n64_k", "m64n64k32.s32.u8.u8", 32, "r", ""),
]


def names(first, count):
    return "{" + ", ".join(f"%{first + i}" for i in range(count)) + "}"


def mma(name, instruction, a, b, c, letters):
    ta, tb, tc = (TYPES[x] for x in letters)
    operation = "mma.sync.aligned." + instruction
    text = f"{operation} {names(0, c)}, {names(c, a)}, {names(c + a, b)}, {names(0, c)};"
    outs = ", ".join(f'"+{letters[2]}"(c[{i}])' for i in range(c))
    ins = ", ".join([f'"{letters[0]}"(a[{i}])' for i in range(a)] + [f'"{letters[1]}"(b[{i}])' for i in range(b)])
    print(f"""__global__ void {name}(const uint32_t *ga, const uint32_t *gb, const uint32_t *gc, uint32_t *gd)
{{
    {ta} a[{a}];
    {tb} b[{b}];
    {tc} c[{c}];
    size_t lane = blockIdx.x * 32ull + threadIdx.x;
    memcpy(a, ga + lane * (sizeof a / 4), sizeof a);
    memcpy(b, gb + lane * (sizeof b / 4), sizeof b);
    memcpy(c, gc + lane * (sizeof c / 4), sizeof c);
    asm volatile("{text}" : {outs} : {ins});
    memcpy(gd + lane * (sizeof c / 4), c, sizeof c);
}}
""")


def wgmma(name, types, count, letter, tail):
    # "NAME": f32 for "f": registers of the accumulator; then A's and B's descriptors and scale-d.
    rs = name.endswith("_rs")
    operands = names(0, count)
    first = names(count, 4) if rs else f"%{count}"
    width = 4 if rs else 1
    text = (f"{{.reg .pred p; setp.ne.b32 p, %{count + width + 1}, 0; wgmma.mma_async.sync.aligned.{types} "
            f"{operands}, {first}, %{count + width}, p{tail};}}")
    outs = ", ".join(f'"+{letter}"(c[{i}])' for i in range(count))
    ins = ", ".join(f'"r"(a[{i}])' for i in range(4)) if rs else '"l"(da)'
    load = "    uint32_t a[4];\n    memcpy(a, ga + thread * 4, sizeof a);\n" if rs else ""
    print(f"""__global__ void __launch_bounds__(128) {name}(const uint8_t *images, int bytes, uint64_t da, uint64_t db,
    int scale, const uint32_t *ga, const uint32_t *gc, uint32_t *gd)
{{
    {TYPES[letter]} c[{count}];
    size_t thread = blockIdx.x * 128ull + threadIdx.x;
{load}    memcpy(c, gc + thread * {count}, sizeof c);
    uint64_t base = load_image(images + (size_t)blockIdx.x * bytes, bytes) >> 4;
    da += base;
    db += base;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{text}" : {outs} : {ins}, "l"(db), "r"(scale) : "memory");
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    memcpy(gd + thread * {count}, c, sizeof c);
}}
""")


print("/* Written by make_kernels.py. */")
for entry in MMA:
    mma(*entry)
for entry in WGMMA:
    wgmma(*entry)
print("static const struct { const char *name; mma_kernel *kernel; } mma_kernels[] = {")
for entry in MMA:
    print(f'    {{"{entry[0]}", {entry[0]}}},')
print("};")
print("static const struct { const char *name; wgmma_kernel *kernel; int count; } wgmma_kernels[] = {")
for entry in WGMMA:
    print(f'    {{"{entry[0]}", {entry[0]}, {entry[2]}}},')
print("};")
