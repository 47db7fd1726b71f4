/* public_types.h: the words of --dtype that name types of the library's products.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PUBLIC_TYPES_H
#define CLI_PUBLIC_TYPES_H

#include <gradus/gradus.h>
#include <stdbool.h>

/* The words, for an option that takes one of them. */
#define GR_PUBLIC_TYPES "f32|f64|bf16|f16|s8|u8|bf16-bf16|f16-f16|e4m3|e5m2|e4m3-bf16|e5m2-bf16"

/* Initialises a product of the types that a word of GR_PUBLIC_TYPES names; null: f32. Returns the
 * word as it is stored. */
const char *gr_public_types_init(struct gradus_gemm *gemm, const char *word);

/* Whether only GPUs multiply the types. */
bool gr_public_types_need_gpu(const struct gradus_gemm *gemm);

#endif
