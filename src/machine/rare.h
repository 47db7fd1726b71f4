/* rare.h: functions for rare instructions. Unlike those of lane_functions.h, they are not compiled
 * for each instruction set of the CPU. SPDX-License-Identifier: MIT */
#ifndef MACHINE_RARE_H
#define MACHINE_RARE_H

#include "machine/lane_functions.h"

/* In rare_bits.c. step->bytes is the size of a packed part. */
gr_step_fn gr_rare_packed_add, gr_rare_extremes, gr_rare_byte_differences, gr_rare_prmt,
    gr_rare_plop3, gr_rare_p2r, gr_rare_r2p;

/* In rare_float.c. */
enum {
    GR_MUFU_COS,
    GR_MUFU_SIN,
    GR_MUFU_EX2,
    GR_MUFU_LG2,
    GR_MUFU_RCP,
    GR_MUFU_RSQ,
    GR_MUFU_RCP64H,
    GR_MUFU_RSQ64H,
    GR_MUFU_SQRT,
    GR_MUFU_TANH
};
gr_step_fn gr_rare_fchk, gr_rare_mufu, gr_rare_double_extreme;
/* Executes the gr_step_fn whose address is `value` for each word of pairs. */
gr_step_fn gr_rare_twice;

/* In rare_half.c. */
gr_step_fn gr_rare_half_extreme, gr_rare_half_test, gr_rare_half_set;

/* In rare_lanes.c. */
gr_step_fn gr_rare_vote, gr_rare_shfl, gr_rare_match, gr_rare_redux, gr_rare_r2ur, gr_rare_elect;

/* In rare_convert.c. */
gr_step_fn gr_rare_f2f, gr_rare_f2i, gr_rare_i2f, gr_rare_i2i, gr_rare_pack_integers, gr_rare_pack,
    gr_rare_repack;

#endif
