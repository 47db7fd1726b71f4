/* gemm_types.c: the element types of the public interface. SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

static const struct {
    int64_t bytes;
    const char *name;
} types[] = {
    [GRADUS_F32] = {4, "f32"}, [GRADUS_F64] = {8, "f64"},   [GRADUS_BF16] = {2, "bf16"},
    [GRADUS_S8] = {1, "s8"},   [GRADUS_U8] = {1, "u8"},     [GRADUS_S32] = {4, "s32"},
    [GRADUS_F16] = {2, "f16"}, [GRADUS_E4M3] = {1, "e4m3"}, [GRADUS_E5M2] = {1, "e5m2"},
};

static bool known(enum gradus_type type)
{
    return (unsigned)type < sizeof types / sizeof *types;
}

int64_t gr_gemm_type_bytes(enum gradus_type type)
{
    return known(type) ? types[type].bytes : 0;
}

const char *gr_gemm_type_name(enum gradus_type type)
{
    return known(type) ? types[type].name : "?";
}
