/* public_types.c: the words of --dtype that name types of the library's products.
 * SPDX-License-Identifier: MIT */
#include "cli/public_types.h"

#include <string.h>

static const struct {
    const char *word;
    enum gradus_type of_a, of_c;
} types[] = {{"f32", GRADUS_F32, GRADUS_F32},         {"f64", GRADUS_F64, GRADUS_F64},
             {"bf16", GRADUS_BF16, GRADUS_F32},       {"f16", GRADUS_F16, GRADUS_F32},
             {"s8", GRADUS_S8, GRADUS_S32},           {"u8", GRADUS_U8, GRADUS_S32},
             {"bf16-bf16", GRADUS_BF16, GRADUS_BF16}, {"f16-f16", GRADUS_F16, GRADUS_F16},
             {"e4m3", GRADUS_E4M3, GRADUS_F32},       {"e5m2", GRADUS_E5M2, GRADUS_F32},
             {"e4m3-bf16", GRADUS_E4M3, GRADUS_BF16}, {"e5m2-bf16", GRADUS_E5M2, GRADUS_BF16}};

const char *gr_public_types_init(struct gradus_gemm *gemm, const char *word)
{
    size_t i = 0;
    for (size_t t = 0; word && t < sizeof types / sizeof *types; t++)
        if (strcmp(types[t].word, word) == 0)
            i = t;
    gradus_gemm_init(gemm, types[i].of_a);
    gemm->c_type = types[i].of_c;
    return types[i].word;
}

bool gr_public_types_need_gpu(const struct gradus_gemm *gemm)
{
    return gemm->a_type == GRADUS_F16 || gemm->a_type == GRADUS_E4M3 || gemm->a_type == GRADUS_E5M2;
}
