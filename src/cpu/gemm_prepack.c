/* gemm_prepack.c: packing an operand once for many products. SPDX-License-Identifier: MIT
 *
 * The panels of float and double are as deep as the operand, so that blocks of k of any depth can
 * begin anywhere in them. Those of other types are as deep as the blocks of k
 * (gr_gemm_mixed_whole). In a column-major problem the operands are exchanged (gemm.h), so its A
 * has panels as wide as those of B. */
#include "cpu/prepack.h"

#include "core/error.h"
#include "cpu/cpu.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

static char name_of(enum gradus_operand which)
{
    return which == GRADUS_A ? 'a' : 'b';
}

enum gradus_status gr_packed_check(const struct gradus_packed *packed, const struct gradus_gemm *g,
                                   enum gradus_operand which, const char *function,
                                   struct gradus_error *error)
{
    const char name = name_of(which), dimension = which == GRADUS_A ? 'm' : 'n';
    const int64_t size = which == GRADUS_A ? g->m : g->n;
    if (packed->which != which)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: packed_%c: found an operand packed as %c, wanted %c", function, name,
                       name_of(packed->which), name);
    if (packed->a_type != g->a_type || packed->b_type != g->b_type)
        return gr_fail(error, GRADUS_INVALID, "%s: packed_%c: packed for types %s %s, wanted %s %s",
                       function, name, gr_gemm_type_name(packed->a_type),
                       gr_gemm_type_name(packed->b_type), gr_gemm_type_name(g->a_type),
                       gr_gemm_type_name(g->b_type));
    if (packed->layout != g->layout)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: packed_%c: packed for the other layout than the problem's", function,
                       name);
    if (packed->size != size || packed->k != g->k)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: packed_%c: packed with %c %" PRId64 ", k %" PRId64
                       ", wanted %c %" PRId64 ", k %" PRId64,
                       function, name, dimension, packed->size, packed->k, dimension, size, g->k);
    return GRADUS_OK;
}

/* The problem without C and without the other operand, whose number of rows or columns is 0. */
static struct gradus_gemm half_of(const struct gradus_gemm *g, enum gradus_operand which)
{
    struct gradus_gemm half = {
        .a_type = g->a_type,
        .b_type = g->b_type,
        .c_type = g->c_type,
        .sum_type = g->sum_type,
        .layout = g->layout,
        .k = g->k,
    };
    if (which == GRADUS_A) {
        half.m = g->m, half.trans_a = g->trans_a, half.a = g->a, half.lda = g->lda;
    } else {
        half.n = g->n, half.trans_b = g->trans_b, half.b = g->b, half.ldb = g->ldb;
    }
    return half;
}

enum gradus_status gradus_pack(const struct gradus_gemm *gemm, enum gradus_operand which,
                               struct gradus_packed **packed, struct gradus_error *error)
{
    if (!packed)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_pack: packed: found a null pointer, wanted a place for it");
    *packed = NULL;
    enum gradus_status status = gr_gemm_validate_operand(gemm, which, "gradus_pack", error);
    if (status)
        return status;
    const struct gradus_gemm half = half_of(gemm, which);
    struct gr_product p;
    status = gr_gemm_prepare(&half, NULL, &p, error);
    if (!status && !p.driver->pack_whole)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "gradus_pack: %s is not packed beforehand",
                         gr_gemm_type_name(which == GRADUS_A ? gemm->a_type : gemm->b_type));
    if (status)
        return status;
    const bool as_b = (which == GRADUS_B) == (gemm->layout == GRADUS_ROW_MAJOR);
    const bool empty = p.k == 0 || (as_b ? p.n : p.m) == 0;
    const int64_t bytes = empty ? 0 : p.driver->pack_whole(&p, as_b, NULL);
    struct gradus_packed *made = calloc(1, sizeof *made);
    char *panels = bytes < 0 || bytes > PTRDIFF_MAX - 64
                       ? NULL
                       : aligned_alloc(64, (size_t)(bytes / 64 + 1) * 64);
    if (!made || !panels) {
        free(made);
        free(panels);
        return gr_fail_memory(error, "a packed operand", (uint64_t)bytes);
    }
    *made = (struct gradus_packed){
        .driver = p.driver,
        .ukr = p.ukr,
        .functions = p.functions,
        .which = which,
        .layout = gemm->layout,
        .a_type = gemm->a_type,
        .b_type = gemm->b_type,
        .size = which == GRADUS_A ? gemm->m : gemm->n,
        .k = gemm->k,
        .panels = panels,
    };
    if (!empty)
        p.driver->pack_whole(&p, as_b, panels);
    *packed = made;
    return GRADUS_OK;
}

void gradus_packed_free(struct gradus_packed *packed)
{
    if (!packed)
        return;
    free(packed->panels);
    free(packed);
}
