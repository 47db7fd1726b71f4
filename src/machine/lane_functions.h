/* lane_functions.h: the functions that execute the frequent instructions, compiled for each
 * instruction set of the CPU. The functions of rare instructions are in rare.h.
 * SPDX-License-Identifier: MIT
 *
 * The definition of each function, in lanes_integer.h, lanes_float.h or lanes_half.h, describes
 * which members of the step it reads. Functions whose names end in _FLIPS, _SIGNS or _ANY handle
 * signs and carries of their operands. The others are faster, and may be used only for operands
 * without these. */
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
    /* Executes `count` consecutive steps of FFMA for all lanes. */
    void (*ffma_sequence)(struct gr_warp *warp, const struct gr_step *steps, int count);
    /* Functions for accesses to memory: see lanes_memory.h. */
    void (*addresses)(const struct gr_warp *warp, const struct gr_step *step, int at,
                      uint64_t *address);
    uint32_t (*strays)(const uint64_t *address, uint64_t odd, uint64_t lo, uint64_t last);
    uint32_t (*places)(const uint64_t *address, uint64_t odd, uint64_t lo, uint64_t last,
                       unsigned char *base, unsigned char **at);
    bool (*are_apart)(const uint64_t *address, const int64_t *offset);
    void (*read_words)(gr_lanes *d, unsigned char *const *at, int words);
    void (*write_words)(unsigned char *const *at, const gr_lanes *v, int words);
};

/* The functions in this build, for each level of instruction sets. A null name ends the list. */
struct gr_lanes_level {
    const char *name;
    const struct gr_lane_functions *functions;
};
extern const struct gr_lanes_level gr_lanes_levels[];
/* The functions for the level in use (cpu/isa.h). */
const struct gr_lane_functions *gr_lanes_in_use(void);

/* Comparisons in step->kind: the set of the outcomes for which the result is true. */
enum {
    GR_COMPARE_LESS = 1,
    GR_COMPARE_EQUAL = 2,
    GR_COMPARE_GREATER = 4,
    GR_COMPARE_UNORDERED = 8
};

/* Rounding modes of floating-point instructions, in step->rounding. */
enum { GR_ROUND_NEAREST, GR_ROUND_DOWN, GR_ROUND_UP, GR_ROUND_ZERO };

/* Bits of step->flags. Each function uses only some of them. */
enum {
    GR_FLAG_UNSIGNED = 1 << 0, /* integers; else signed */
    GR_FLAG_HIGH = 1 << 1,     /* the upper word of a wide result */
    GR_FLAG_RIGHT = 1 << 2,    /* SHF; else left */
    GR_FLAG_WRAP = 1 << 3,     /* shift counts and widths wrap around; else they are clamped */
    GR_FLAG_WIDE = 1 << 4,     /* SHF: of 64 bits */
    GR_FLAG_SIGN = 1 << 5,     /* LEA.HI.X.SX32: the upper word is the sign */
    GR_FLAG_EXTENDED = 1 << 6, /* ISETP.EX: p_in[1] is the comparison of the lower words */
    GR_FLAG_OR = 1 << 7,       /* the predicate is combined with p_in[0] by OR; else by AND */
    GR_FLAG_XOR = 1 << 8,
    GR_FLAG_FTZ = 1 << 9, /* denormals are flushed to zero, in operands and results */
    GR_FLAG_SATURATE = 1 << 10,
    GR_FLAG_NAN = 1 << 11, /* minimum and maximum: a NaN is the result */
    /* Minimum and maximum: the sign is that of the product of the operands. */
    GR_FLAG_XORSIGN = 1 << 12,
    GR_FLAG_RELU = 1 << 13,       /* a negative result becomes zero */
    GR_FLAG_BFLOAT = 1 << 14,     /* packed operands are bf16; else f16 */
    GR_FLAG_FLOAT = 1 << 15,      /* HADD2.F32; FSET.BF: the result is a float */
    GR_FLAG_SHIFT = 1 << 16,      /* FLO.SH */
    GR_FLAG_UPPER = 1 << 17,      /* the upper bytes or half of an operand */
    GR_FLAG_UNSIGNED_B = 1 << 18, /* the second operand is unsigned */
    GR_FLAG_ADD = 1 << 19,        /* VIADDMNMX: the first two operands are added */
    GR_FLAG_PACKED = 1 << 20      /* MUFU of a half */
};

#endif
