/* tensor_burst.c: writes the burst kernels of tensor cores.
 *
 * An mma.sync of 16 x 8 x 16 is 64 FMAs per thread of a warp, a wgmma of 64 x 256 x 16 is 2048 per
 * thread of a warpgroup, and of 8-bit numbers, 64 x 256 x 32, twice as many from the same bytes.
 * The operands have random bits, since zeros need less power and let the clock rise; their signs
 * differ, so that the sums stay finite. SPDX-License-Identifier: MIT */
#include "backend/tensor_burst.h"

#include <string.h>

enum { WGMMA_SUMS = 128, FIRST_WITH_MMA = 80, HOPPER = 90 };

/* Two or four elements with magnitudes of about 1 and random signs. */
static const char random_text[] =
    "__device__ unsigned bits(unsigned x)\n"
    "{\n"
    "    x = (x + 1) * 2654435761u;\n"
    "    x = (x ^ x >> 15) * 2246822519u;\n"
    "    return ((x ^ x >> 13) & RANDOM * 65537u) | EXPONENT * 65537u;\n"
    "}\n";

static const char mma_text[] =
    "extern \"C\" __global__ void __launch_bounds__(256) burst(int steps, float seed, float *out)\n"
    "{\n"
    "    float c[16][4] = {};\n"
    "    unsigned a[4], b[2];\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        a[i] = bits(threadIdx.x * 6 + i);\n"
    "    for (int i = 0; i < 2; i++)\n"
    "        b[i] = bits(threadIdx.x * 6 + 4 + i);\n"
    "    for (int s = 0; s < steps; s += 8)\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < 16; i++)\n"
    "            asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.\" TYPE \".\" TYPE \".f32 "
    "\"\n"
    "                         \"{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};\"\n"
    "                         : \"+f\"(c[i][0]), \"+f\"(c[i][1]), \"+f\"(c[i][2]), "
    "\"+f\"(c[i][3])\n"
    "                         : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), "
    "\"r\"(b[1]));\n"
    "    float sum = 0;\n"
    "    for (int i = 0; i < 64; i++)\n"
    "        sum += c[i / 4][i % 4];\n"
    "    if (sum == seed + 12345)\n"
    "        out[threadIdx.x] = sum;\n"
    "}\n";

/* A and B are in shared memory without a swizzle: 8 x 8 matrices of 128 bytes one after the other,
 * 128 bytes apart along k and 256 along the rows. The four products of a group take the same
 * operands. */
static void write_wgmma(struct gr_str *text)
{
    gr_str_add(
        text,
        "__device__ unsigned long long described(const void *p)\n"
        "{\n"
        "    const unsigned at = (unsigned)__cvta_generic_to_shared(p);\n"
        "    return (unsigned long long)(at >> 4) | 8ull << 16 | 16ull << 32;\n"
        "}\n"
        "extern \"C\" __global__ void __launch_bounds__(256)\n"
        "    burst(int steps, float seed, float *out)\n"
        "{\n"
        "    __shared__ __align__(128) unsigned a[64 * 16 / 2], b[256 * 16 / 2];\n"
        "    for (int i = threadIdx.x; i < 64 * 16 / 2; i += 256)\n"
        "        a[i] = bits(i);\n"
        "    for (int i = threadIdx.x; i < 256 * 16 / 2; i += 256)\n"
        "        b[i] = bits(i + 4096);\n"
        "    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n"
        "    __syncthreads();\n"
        "    const unsigned long long at_a = described(a), at_b = described(b);\n"
        "    float c[128];\n"
        "    for (int i = 0; i < 128; i++)\n"
        "        c[i] = 0;\n"
        "    for (int s = 0; s < steps; s += 64) {\n"
        "        asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n"
        "#pragma unroll\n"
        "        for (int u = 0; u < 64 / K; u++)\n"
        "            asm volatile(\"wgmma.mma_async.sync.aligned.m64n256k\" DEPTH \".f32.\" TYPE "
        "\".\" TYPE \" {");
    for (int i = 0; i < WGMMA_SUMS; i++)
        gr_str_printf(text, "%%%d%s", i, i < WGMMA_SUMS - 1 ? "," : "}, ");
    gr_str_add(text, "%128, %129, 1, 1, 1\" ACROSS \";\"\n                         : ");
    for (int i = 0; i < WGMMA_SUMS; i++)
        gr_str_printf(text, "\"+f\"(c[%d])%s", i, i < WGMMA_SUMS - 1 ? "," : "\n");
    gr_str_add(text, "                         : \"l\"(at_a), \"l\"(at_b));\n"
                     "        asm volatile(\"wgmma.commit_group.sync.aligned;\\n\"\n"
                     "                     \"wgmma.wait_group.sync.aligned 0;\" ::: \"memory\");\n"
                     "    }\n"
                     "    float sum = 0;\n"
                     "    for (int i = 0; i < 128; i++)\n"
                     "        sum += c[i];\n"
                     "    if (sum == seed + 12345)\n"
                     "        out[threadIdx.x] = sum;\n"
                     "}\n");
}

/* How random elements are made: the bits that vary, and those that are set. */
static const struct {
    enum gr_dtype type;
    unsigned random, exponent;
    int k; /* of one instruction */
} elements[] = {{GR_F16, 0x83ff, 0x3800, 16},
                {GR_BF16, 0x80ff, 0x3f00, 16},
                {GR_E4M3, 0x8f8f, 0x3030, 32},
                {GR_E5M2, 0x8787, 0x3838, 32}};

bool gr_tensor_burst_write(const struct gr_gpu_device *device, enum gr_dtype type,
                           struct gr_str *text)
{
    enum { KINDS = sizeof elements / sizeof *elements };
    int i = 0;
    while (i < KINDS && elements[i].type != type)
        i++;
    const bool hopper = device->cc == HOPPER;
    if (i == KINDS || strncmp(device->arch, "sm_", 3) != 0 || device->cc < FIRST_WITH_MMA ||
        (elements[i].k != 16 && !hopper))
        return false;
    gr_str_printf(text,
                  "#define TYPE \"%s\"\n#define RANDOM 0x%xu\n#define EXPONENT 0x%xu\n"
                  "#define K %d\n#define DEPTH \"%d\"\n#define ACROSS \"%s\"\n%s",
                  gr_dtype_name(type), elements[i].random, elements[i].exponent, elements[i].k,
                  elements[i].k, elements[i].k == 16 ? ", 0, 0" : "", random_text);
    if (hopper)
        write_wgmma(text);
    else
        gr_str_add(text, mma_text);
    return true;
}
