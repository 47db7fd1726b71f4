/* lane_functions.h: the functions that execute the frequent instructions, for one instruction set
 * of the CPU. The rare ones are in rare.h. SPDX-License-Identifier: MIT
 *
 * What a function reads of its step is at its definition: lanes_integer.h, lanes_float.h,
 * lanes_half.h. Those named _FLIPS, _SIGNS and _ANY take signs and carries of their operands; the
 * others are faster, and may only be used for operands without. */
#ifndef MACHINE_LANE_FUNCTIONS_H
#define MACHINE_LANE_FUNCTIONS_H

#include "machine/step.h"

/* clang-format off */
#define GR_LANE_LIST(X) \
    X(MOV, mov) X(MOV_PAIR, mov_pair) X(SEL, sel) X(SEL_PAIR, sel_pair) \
    X(IADD3, iadd3) X(IADD3_FLIPS, iadd3_flips) X(IADD3_ANY, iadd3_any) \
    X(IADD_PAIR, iadd_pair) \
    X(IMAD, imad) X(IMAD_ANY, imad_any) \
    X(IMAD_WIDE, imad_wide) X(IMAD_WIDE_U32, imad_wide_u32) X(IMAD_WIDE_ANY, imad_wide_any) X(IMAD_WIDE_SHIFT, imad_wide_shift) \
    X(LEA, lea) X(LEA_ANY, lea_any) X(LEA_HI_ANY, lea_hi_any) \
    X(LOP3, lop3) X(LOP3_AND, lop3_and) X(LOP3_OR, lop3_or) X(LOP3_XOR, lop3_xor) \
    X(LOP3_XOR3, lop3_xor3) X(LOP3_AND_OR, lop3_and_or) X(LOP3_NOT, lop3_not) \
    X(LOP3_TEST, lop3_test) \
    X(SHL, shl) X(SHR_U32, shr_u32) X(SHR_S32, shr_s32) X(SHF, shf) \
    X(PRMT, prmt) X(PRMT_FIXED, prmt_fixed) X(IMNMX, imnmx) X(IMNMX3, imnmx3) X(IABS, iabs) \
    X(SGXT, sgxt) X(BMSK, bmsk) X(BREV, brev) X(POPC, popc) X(FLO, flo) \
    X(IDP4, idp4) X(IDP2, idp2) X(ABSDIFF, absdiff) \
    X(ISETP, isetp) X(ISETP_ANY, isetp_any) X(ISETP_PAIR, isetp_pair) \
    X(FADD, fadd) X(FMUL, fmul) X(FFMA, ffma) \
    X(FADD_SIGNS, fadd_signs) X(FMUL_SIGNS, fmul_signs) X(FFMA_SIGNS, ffma_signs) \
    X(FADD_ANY, fadd_any) X(FMUL_ANY, fmul_any) X(FFMA_ANY, ffma_any) \
    X(FMNMX, fmnmx) X(FSEL, fsel) X(FSETP, fsetp) X(FSET, fset) \
    X(DADD, dadd) X(DMUL, dmul) X(DFMA, dfma) X(DSETP, dsetp) \
    X(HFMA2, hfma2) X(BFMA2, bfma2) X(HALF_TO_FLOAT, half_to_float) \
    X(PACK_HALF, pack_half) X(PACK_BFLOAT, pack_bfloat) \
    X(I2F_S32, i2f_s32) X(I2F_U32, i2f_u32) X(F2I_S32, f2i_s32)
/* clang-format on */

enum gr_lane_operation {
#define GR_LANE_ENUM(NAME, name) GR_LANE_##NAME,
    GR_LANE_LIST(GR_LANE_ENUM)
#undef GR_LANE_ENUM
        GR_LANE_COUNT
};

struct gr_lane_functions {
    gr_step_fn *run[GR_LANE_COUNT];
    /* `count` steps of FFMA that follow one another, executed by all lanes. */
    void (*ffma_sequence)(struct gr_warp *warp, const struct gr_step *steps, int count);
    /* Of accesses to memory: lanes_memory.h. */
    void (*addresses)(const struct gr_warp *warp, const struct gr_step *step, int at,
                      uint64_t *address);
    uint32_t (*strays)(const uint64_t *address, uint64_t odd, uint64_t lo, uint64_t last);
    uint32_t (*places)(const uint64_t *address, uint64_t odd, uint64_t lo, uint64_t last,
                       unsigned char *base, unsigned char **at);
    bool (*are_apart)(const uint64_t *address, const int64_t *offset);
    void (*read_words)(gr_lanes *d, unsigned char *const *at, int words);
    void (*write_words)(unsigned char *const *at, const gr_lanes *v, int words);
};

/* Those of this build, for each level of instruction sets; a null name ends the list. */
struct gr_lanes_level {
    const char *name;
    const struct gr_lane_functions *functions;
};
extern const struct gr_lanes_level gr_lanes_levels[];
/* Those of the level in use (cpu/isa.h). */
const struct gr_lane_functions *gr_lanes_in_use(void);

/* Comparisons, of step->kind: a set of what is true: less, equal, greater, unordered. */
enum {
    GR_COMPARE_LESS = 1,
    GR_COMPARE_EQUAL = 2,
    GR_COMPARE_GREATER = 4,
    GR_COMPARE_UNORDERED = 8
};

/* step->rounding of floating-point instructions. */
enum { GR_ROUND_NEAREST, GR_ROUND_DOWN, GR_ROUND_UP, GR_ROUND_ZERO };

/* Bits of step->flags; not every one has a meaning for every function. */
enum {
    GR_FLAG_UNSIGNED = 1 << 0, /* integers: else signed */
    GR_FLAG_HIGH = 1 << 1,     /* the upper word of a wide result */
    GR_FLAG_RIGHT = 1 << 2,    /* SHF: else left */
    GR_FLAG_WRAP = 1 << 3,     /* shift counts and widths: modulo, else clamped */
    GR_FLAG_WIDE = 1 << 4,     /* SHF: of 64 bits */
    GR_FLAG_SIGN = 1 << 5,     /* LEA.HI.X.SX32: the upper word is the sign */
    GR_FLAG_EXTENDED = 1 << 6, /* ISETP.EX: the lower words' comparison is p_in[1] */
    GR_FLAG_OR = 1 << 7,       /* how a predicate is joined with p_in[0]: else AND */
    GR_FLAG_XOR = 1 << 8,
    GR_FLAG_FTZ = 1 << 9, /* denormals are zero, in and out */
    GR_FLAG_SATURATE = 1 << 10,
    GR_FLAG_NAN = 1 << 11,        /* minimum and maximum: NaN wins */
    GR_FLAG_XORSIGN = 1 << 12,    /* minimum and maximum: the sign is that of the product */
    GR_FLAG_RELU = 1 << 13,       /* negative becomes zero */
    GR_FLAG_BFLOAT = 1 << 14,     /* packed: bf16, else f16 */
    GR_FLAG_FLOAT = 1 << 15,      /* HADD2.F32; FSET.BF: the result is a float */
    GR_FLAG_SHIFT = 1 << 16,      /* FLO.SH */
    GR_FLAG_UPPER = 1 << 17,      /* the upper bytes or half of an operand */
    GR_FLAG_UNSIGNED_B = 1 << 18, /* of the second operand */
    GR_FLAG_ADD = 1 << 19,        /* VIADDMNMX: the first two are added */
    GR_FLAG_PACKED = 1 << 20      /* MUFU: of a half */
};

#endif
