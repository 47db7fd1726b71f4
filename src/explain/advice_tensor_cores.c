/* advice_tensor_cores.c: f16 or bf16 multiplied without tensor cores.
 *
 * The rule reports a kernel if A and B have 16-bit elements (or the file says `math tf32`), the
 * device has tensor cores for that type (f16 from sm_70, bf16 and tf32 from sm_80), and the
 * machine code has multiply-adds but no tensor-core instructions; without a compiler the source
 * is searched for them. For f32 without `math tf32` nothing is reported, because tensor cores
 * would round the operands to 10 mantissa bits. Saves: half of the arithmetic's bound. That is a
 * conservative figure: from sm_70 on tensor cores are at least 2 and mostly 8 to 16 times as
 * fast as plain arithmetic.
 * SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

#include <string.h>

enum { FIRST_CC = 70, FIRST_BF16_CC = 80 };

static bool wants(const struct gr_analysis_input *s, int64_t cc)
{
    enum gr_dtype type = s->problem->types.a;
    const char *math = s->variant->kernel->math;
    if (type != s->problem->types.b)
        return false;
    return (type == GR_F16 && cc >= FIRST_CC) || (type == GR_BF16 && cc >= FIRST_BF16_CC) ||
           (type == GR_F32 && math && strcmp(math, "tf32") == 0 && cc >= FIRST_BF16_CC);
}

static bool uses_them(const struct gr_analysis_input *s, const struct gr_explanation *sections)
{
    double count = 0;
    if (gr_advice_fact(s, sections, "code.mma", &count))
        return count > 0;
    return gr_source_uses_tensor_cores(s->variant->kernel->source);
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    if (!gr_input_multiplies(s) || !wants(s, s->device->cc) || uses_them(s, sections))
        return;
    struct gr_bounds b = gr_bounds_of(s, sections);
    double now = gr_bounds_floor(&b);
    b.compute /= 2;
    b.issue /= 2;
    struct gr_trace_site kernel = {.line = s->stanza->signature.line};
    struct gr_gain gain = {0, 0, NULL, now - gr_bounds_floor(&b)};
    bool tf32 = s->problem->types.a == GR_F32;
    gr_advise(findings, GR_FIND_TENSOR_CORES, &kernel, &gain,
              "the operands are %s, which the tensor cores of this device multiply, but the kernel "
              "uses plain multiply-adds; let a warp multiply 16 x 8 x %d tiles with mma.sync (or "
              "nvcuda::wmma), which sums in f32",
              tf32 ? "f32 of which tf32's 10 bits are enough" : gr_dtype_name(s->problem->types.a),
              tf32 ? 8 : 16);
}

const struct gr_advice gr_advice_tensor_cores = {
    .name = "tensor_cores",
    .kind = GR_FIND_TENSOR_CORES,
    .reports = "16-bit operands (or `math tf32`) are multiplied by plain multiply-adds",
    .needs = "launch or code",
    .look = look,
};
