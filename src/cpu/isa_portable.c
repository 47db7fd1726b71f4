/* isa_portable.c: the level that every CPU of the compiler's target can run.
 * SPDX-License-Identifier: MIT */
//@ cpu      any
//@ rank     0
//@ words    portable
#include "cpu/finish_rows.h"
#include "cpu/isa.h"

DEFINE_FINISH_ALL(gr_finish_portable)

static const struct gr_isa_functions functions = {
    .pack_f32 = gr_pack_f32_portable,
    .pack_f64 = gr_pack_f64_portable,
    .pack_bf16 = gr_pack_bf16_portable,
    .pack_short = &gr_short_packing_portable,
    .finish = gr_finish_portable,
};

const struct gr_isa gr_isa_portable = {.name = "portable", .functions = &functions};
