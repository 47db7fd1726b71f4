/* pblas_check.c: checks arguments in the order and with the codes of PBLAS (PB_Cchkmat).
 * SPDX-License-Identifier: MIT */
#include "pblas/pblas_check.h"

#include "dist/dist_layout.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

/* The entries of a descriptor of DTYPE 2, by which all are counted. */
enum { DTYPE, CTXT, M, N, IMB, INB, MB, NB, RSRC, CSRC, LLD };
enum { PLAIN = 1, WITH_FIRST = 2, SCALE = 100, NOTHING = 100 * SCALE };
/* The places of arguments; a matrix's indices are the two before its descriptor. */
enum { TRANS_A = 1, TRANS_B, SIZE_M, SIZE_N, SIZE_K, DESC_A = 10, DESC_B = 14, DESC_C = 19 };

/* The first wrong argument, SCALE times its place, and the entry's place added. */
struct verdict {
    int code;
    char *text;
};

__attribute__((format(printf, 3, 4))) static void object(struct verdict *v, int code,
                                                         const char *format, ...)
{
    va_list list;
    if (code >= v->code)
        return;
    v->code = code;
    va_start(list, format);
    vsnprintf(v->text, GR_PBLAS_TEXT, format, list);
    va_end(list);
}

/* One matrix: its letter, its sizes and their places among the arguments. */
struct subject {
    char name;
    int rows, row_place, cols, col_place, place;
    const struct gr_pblas_matrix *matrix;
};

static int entry(const int *desc, int which)
{
    return desc[desc[DTYPE] == PLAIN && which >= MB ? which - 2 : which];
}

static void check_entries(struct verdict *v, const struct subject *s,
                          const struct gr_pblas_grid *grid)
{
    static const char *const all_names[] = {"IMB", "INB", "MB", "NB", "RSRC", "CSRC"};
    static const char *const plain_names[] = {"MB", "NB", "MB", "NB", "RSRC", "CSRC"};
    const int *const desc = s->matrix->desc; /* PBLAS calls MB of a plain one IMB in its code */
    const char *const *const names = desc[DTYPE] == PLAIN ? plain_names : all_names;
    const int code = s->place * SCALE + 1, sides[2] = {grid->rows, grid->cols};
    for (int i = IMB; i <= NB; i++)
        if (entry(desc, i) < 1)
            object(v, code + i, "DESC%c: %s: found %d, wanted 1 or more", s->name, names[i - IMB],
                   entry(desc, i));
    for (int i = RSRC; i <= CSRC; i++)
        if (entry(desc, i) < -1 || entry(desc, i) >= sides[i - RSRC])
            object(v, code + i, "DESC%c: %s: found %d, wanted -1 to %d", s->name, names[i - IMB],
                   entry(desc, i), sides[i - RSRC] - 1);
}

/* The array's sizes, and that the submatrix is in it. */
static void check_array(struct verdict *v, const struct subject *s)
{
    const int *const desc = s->matrix->desc;
    const int code = s->place * SCALE + 1, least = s->rows != 0 && s->cols != 0;
    const int sizes[2] = {s->rows, s->cols}, first[2] = {*s->matrix->i, *s->matrix->j};
    for (int x = 0; x < 2; x++)
        if (entry(desc, M + x) < least)
            object(v, code + M + x, "DESC%c: %c: found %d, wanted %d or more", s->name, "MN"[x],
                   entry(desc, M + x), least);
    if (!least || entry(desc, M) < 1 || entry(desc, N) < 1)
        return;
    for (int x = 0; x < 2; x++)
        if ((long long)first[x] - 1 + sizes[x] > entry(desc, M + x))
            object(v, (s->place - 2 + x) * SCALE, "%c%c: found %d and %d more, wanted at most %d",
                   "IJ"[x], s -> name, first[x], sizes[x], entry(desc, M + x));
}

/* The rank's rows must fit, if it has columns; PBLAS asks that only where all else is right. */
static void check_lld(struct verdict *v, const struct subject *s, const struct gr_pblas_grid *grid)
{
    const int lld = entry(s->matrix->desc, LLD), code = s->place * SCALE + 1 + LLD;
    struct gr_dist_layout layout;
    if (s->rows == 0 || s->cols == 0) {
        if (lld < 1)
            object(v, code, "DESC%c: LLD: found %d, wanted 1 or more", s->name, lld);
        return;
    }
    if (v->code != NOTHING)
        return;
    if (lld < 1) {
        object(v, code, "DESC%c: LLD: found %d, wanted 1 or more", s->name, lld);
        return;
    }
    if (gr_dist_layout_from_desc(s->matrix->desc, grid->rows, grid->cols, &layout, NULL) !=
        GRADUS_OK)
        return;
    const int64_t rank = (int64_t)grid->row * grid->cols + grid->col;
    const long long rows = gr_dist_local_size(&layout, rank, GR_DIST_ROWS);
    if (lld < rows && gr_dist_local_size(&layout, rank, GR_DIST_COLS) > 0)
        object(v, code, "DESC%c: LLD: found %d, wanted %lld or more", s->name, lld, rows);
}

static void check_matrix(struct verdict *v, const struct subject *s,
                         const struct gr_pblas_grid *grid)
{
    const int *const desc = s->matrix->desc;
    const int code = s->place * SCALE + 1;
    if (s->rows < 0)
        object(v, s->row_place * SCALE, "%c: found %d rows, wanted 0 or more", s->name, s->rows);
    if (s->cols < 0)
        object(v, s->col_place * SCALE, "%c: found %d columns, wanted 0 or more", s->name, s->cols);
    if (*s->matrix->i < 1)
        object(v, (s->place - 2) * SCALE, "I%c: found %d, wanted 1 or more", s->name,
               *s->matrix->i);
    if (*s->matrix->j < 1)
        object(v, (s->place - 1) * SCALE, "J%c: found %d, wanted 1 or more", s->name,
               *s->matrix->j);
    if (desc[DTYPE] != PLAIN && desc[DTYPE] != WITH_FIRST) {
        object(v, code + DTYPE, "DESC%c: DTYPE: found %d, wanted 1 or 2", s->name, desc[DTYPE]);
        return;
    }
    if (desc[CTXT] != grid->context) {
        object(v, code + CTXT, "DESC%c: CTXT: found %d, wanted DESCA's %d", s->name, desc[CTXT],
               grid->context);
        return;
    }
    check_entries(v, s, grid);
    check_array(v, s);
    check_lld(v, s, grid);
}

int gr_pblas_trans(const char *letter)
{
    const int c = toupper((unsigned char)*letter);
    return c == 'N' ? 0 : c == 'T' || c == 'C' ? 1 : -1;
}

int gr_pblas_check(const struct gr_pblas_call *call, const struct gr_pblas_grid *grid,
                   char text[GR_PBLAS_TEXT])
{
    struct verdict v = {NOTHING, text};
    const int m = *call->m, n = *call->n, k = *call->k;
    const int ta = gr_pblas_trans(call->trans_a), tb = gr_pblas_trans(call->trans_b);
    const struct subject a = ta == 0
                                 ? (struct subject){'A', m, SIZE_M, k, SIZE_K, DESC_A, &call->a}
                                 : (struct subject){'A', k, SIZE_K, m, SIZE_M, DESC_A, &call->a};
    const struct subject b = tb == 0
                                 ? (struct subject){'B', k, SIZE_K, n, SIZE_N, DESC_B, &call->b}
                                 : (struct subject){'B', n, SIZE_N, k, SIZE_K, DESC_B, &call->b};
    const struct subject c = {'C', m, SIZE_M, n, SIZE_N, DESC_C, &call->c};
    text[0] = 0;
    if (grid->rows < 0) {
        object(&v, DESC_A * SCALE + 1 + CTXT, "DESCA: CTXT: found %d, of which this process is not",
               grid->context);
    } else {
        if (ta < 0)
            object(&v, TRANS_A * SCALE, "TRANSA: found '%c', wanted N, T or C", *call->trans_a);
        if (tb < 0)
            object(&v, TRANS_B * SCALE, "TRANSB: found '%c', wanted N, T or C", *call->trans_b);
        check_matrix(&v, &a, grid);
        check_matrix(&v, &b, grid);
        check_matrix(&v, &c, grid);
    }
    return v.code == NOTHING ? 0 : v.code % SCALE == 0 ? -(v.code / SCALE) : -v.code;
}
