/* dtype.h: the element types of matrices, with their sizes and rounding errors, and the sets of
 * types that a GEMM combines. SPDX-License-Identifier: MIT */
#ifndef CORE_DTYPE_H
#define CORE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* X(enumerator, name in front matter and JSON, C type in a kernel, bytes, unit roundoff u = eps/2).
 * No file has elements of two of them, which are stored as float: TF32 is the precision of a
 * multiplication, and F22 that of the sums which Hopper's tensor cores make of products of 8-bit
 * numbers: 13 bits behind the point, the rest cut off (docs/tensor-cores.md). */
#define GR_DTYPE_LIST(X)                                                                           \
    X(GR_F64, "f64", "double", 8, 0x1p-53)                                                         \
    X(GR_F32, "f32", "float", 4, 0x1p-24)                                                          \
    X(GR_TF32, "tf32", "float", 4, 0x1p-11)                                                        \
    X(GR_F22, "f22", "float", 4, 0x1p-14)                                                          \
    X(GR_F16, "f16", "__half", 2, 0x1p-11)                                                         \
    X(GR_BF16, "bf16", "__nv_bfloat16", 2, 0x1p-8)                                                 \
    X(GR_E4M3, "e4m3", "__nv_fp8_e4m3", 1, 0x1p-4)                                                 \
    X(GR_E5M2, "e5m2", "__nv_fp8_e5m2", 1, 0x1p-3)                                                 \
    X(GR_S8, "s8", "signed char", 1, 0)                                                            \
    X(GR_U8, "u8", "unsigned char", 1, 0)                                                          \
    X(GR_S32, "s32", "int", 4, 0)

enum gr_dtype {
#define GR_DTYPE_ENUM(enumerator, name, ctype, bytes, u) enumerator,
    GR_DTYPE_LIST(GR_DTYPE_ENUM)
#undef GR_DTYPE_ENUM
        GR_DTYPE_COUNT
};

/* The element types of A, B and C and the type in which products are summed. A kernel file that
 * says `f32` alone means all four. */
struct gr_types {
    enum gr_dtype a, b, c, acc;
};

const char *gr_dtype_name(enum gr_dtype type);
const char *gr_dtype_ctype(enum gr_dtype type);
size_t gr_dtype_bytes(enum gr_dtype type);
/* 2u: the distance from 1 to the next number; 0 for integers. */
double gr_dtype_eps(enum gr_dtype type);
bool gr_dtype_parse(const char *name, enum gr_dtype *type);

struct gr_types gr_types_of(enum gr_dtype type);
bool gr_types_equal(struct gr_types x, struct gr_types y);
/* Parses the word that names the types of a GEMM by those of its inputs: "f32" and "f64" (all four
 * types the same), "bf16" and "f16" (C and sums in f32), "e4m3" and "e5m2" (C in f32, sums in f22),
 * "s8" (C and sums in s32) and "u8" (A; B is s8, C and sums are s32). Where C is narrower its type
 * follows: "bf16-bf16", "f16-f16", "e4m3-bf16", "e5m2-bf16". False for any other word. */
bool gr_types_parse(const char *word, struct gr_types *types);
/* The inverse: that word, or for other combinations of types the name of C's type. */
const char *gr_types_word(struct gr_types types);
/* One bit for each of those words, to be combined into sets. gr_types_bit gives 0 for other
 * combinations. */
enum {
    GR_BIT_F32 = 1,
    GR_BIT_F64 = 2,
    GR_BIT_BF16 = 4,
    GR_BIT_S8 = 8,
    GR_BIT_U8 = 16,
    GR_BIT_F16 = 32,
    GR_BIT_BF16_BF16 = 64,
    GR_BIT_F16_F16 = 128,
    GR_BIT_E4M3 = 256,
    GR_BIT_E5M2 = 512,
    GR_BIT_E4M3_BF16 = 1024,
    GR_BIT_E5M2_BF16 = 2048
};
unsigned gr_types_bit(struct gr_types types);
/* The words, for the table of an option. */
#define GR_TYPES_WORDS "f32|f64|bf16|f16|s8|u8|bf16-bf16|f16-f16|e4m3|e5m2|e4m3-bf16|e5m2-bf16"
/* "f32", or "A=bf16 B=bf16 C=f32 ACC=f32" where they differ. */
void gr_types_name(struct gr_types types, char *text, size_t size);

#endif
