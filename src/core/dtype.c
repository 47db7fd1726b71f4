/* dtype.c: the table of element types and the words that name combinations of them.
 * SPDX-License-Identifier: MIT */
#include "core/dtype.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *ctype;
    size_t bytes;
    double u;
} table[] = {
#define ROW(enumerator, name, ctype, bytes, u) {name, ctype, bytes, u},
    GR_DTYPE_LIST(ROW)
#undef ROW
};

const char *gr_dtype_name(enum gr_dtype type)
{
    return table[type].name;
}

const char *gr_dtype_ctype(enum gr_dtype type)
{
    return table[type].ctype;
}

size_t gr_dtype_bytes(enum gr_dtype type)
{
    return table[type].bytes;
}

double gr_dtype_eps(enum gr_dtype type)
{
    return 2 * table[type].u;
}

bool gr_dtype_parse(const char *name, enum gr_dtype *type)
{
    for (int i = 0; i < GR_DTYPE_COUNT; i++) {
        if (strcmp(name, table[i].name) == 0) {
            *type = (enum gr_dtype)i;
            return true;
        }
    }
    return false;
}

struct gr_types gr_types_of(enum gr_dtype type)
{
    return (struct gr_types){type, type, type, type};
}

bool gr_types_equal(struct gr_types x, struct gr_types y)
{
    return x.a == y.a && x.b == y.b && x.c == y.c && x.acc == y.acc;
}

static const struct {
    const char *word;
    unsigned bit;
    struct gr_types types;
} products[] = {{"f32", GR_BIT_F32, {GR_F32, GR_F32, GR_F32, GR_F32}},
                {"f64", GR_BIT_F64, {GR_F64, GR_F64, GR_F64, GR_F64}},
                {"bf16", GR_BIT_BF16, {GR_BF16, GR_BF16, GR_F32, GR_F32}},
                {"f16", GR_BIT_F16, {GR_F16, GR_F16, GR_F32, GR_F32}},
                {"s8", GR_BIT_S8, {GR_S8, GR_S8, GR_S32, GR_S32}},
                {"u8", GR_BIT_U8, {GR_U8, GR_S8, GR_S32, GR_S32}},
                {"bf16-bf16", GR_BIT_BF16_BF16, {GR_BF16, GR_BF16, GR_BF16, GR_F32}},
                {"f16-f16", GR_BIT_F16_F16, {GR_F16, GR_F16, GR_F16, GR_F32}},
                {"e4m3", GR_BIT_E4M3, {GR_E4M3, GR_E4M3, GR_F32, GR_F22}},
                {"e5m2", GR_BIT_E5M2, {GR_E5M2, GR_E5M2, GR_F32, GR_F22}},
                {"e4m3-bf16", GR_BIT_E4M3_BF16, {GR_E4M3, GR_E4M3, GR_BF16, GR_F22}},
                {"e5m2-bf16", GR_BIT_E5M2_BF16, {GR_E5M2, GR_E5M2, GR_BF16, GR_F22}}};

bool gr_types_parse(const char *word, struct gr_types *types)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (strcmp(word, products[i].word) == 0) {
            *types = products[i].types;
            return true;
        }
    return false;
}

const char *gr_types_word(struct gr_types types)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (gr_types_equal(types, products[i].types))
            return products[i].word;
    return gr_dtype_name(types.c);
}

unsigned gr_types_bit(struct gr_types types)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (gr_types_equal(types, products[i].types))
            return products[i].bit;
    return 0;
}

void gr_types_name(struct gr_types types, char *text, size_t size)
{
    if (gr_types_equal(types, gr_types_of(types.a)))
        snprintf(text, size, "%s", gr_dtype_name(types.a));
    else
        snprintf(text, size, "A=%s B=%s C=%s ACC=%s", gr_dtype_name(types.a),
                 gr_dtype_name(types.b), gr_dtype_name(types.c), gr_dtype_name(types.acc));
}
