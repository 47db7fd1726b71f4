/* pblas_products.c: pdgemm_ and psgemm_ against sums of whole numbers, which are exact, on grids of
 * 1 to all processes; and mistakes of one process, one a run. SPDX-License-Identifier: MIT
 *
 *     mpirun -n P pblas_products products TRIALS | descriptor | sizes | offset | memory | grid |
 *         right
 *
 * pblas.sh compiles it with the mpicc of the MPI that ScaLAPACK belongs to. */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern void Cblacs_pinfo(int *rank, int *size);
extern void Cblacs_get(int context, int what, int *value);
extern void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
extern void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
extern void Cblacs_gridexit(int context);
extern void Cblacs_exit(int stay);
extern void Cigsum2d(int context, const char *scope, const char *top, int m, int n, int *a, int lda,
                     int row, int col);
#define GEMM(name, real)                                                                           \
    extern void name(const char *, const char *, const int *, const int *, const int *,            \
                     const real *, const real *, const int *, const int *, const int *,            \
                     const real *, const int *, const int *, const int *, const real *, real *,    \
                     const int *, const int *, const int *);
GEMM(pdgemm_, double)
GEMM(psgemm_, float)

static uint64_t state = 22; /* the same numbers on all processes */

static int draw(int from, int to)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (int)((state >> 33) % (uint64_t)(to - from + 1));
}

enum { M = 2, N, IMB, INB, MB, NB, RSRC, CSRC, LLD, ENTRIES };

/* An array over the grid, and the submatrix of it that is multiplied. */
struct matrix {
    int desc[ENTRIES]; /* DTYPE 2 */
    int plain[9];      /* DTYPE 1, where the first blocks are like the others */
    bool with_first;
    int i, j;             /* from 1 */
    int kind;             /* which numbers it holds */
    int rows, cols;       /* of this process */
    int *row_of, *col_of; /* their global indices */
    double *values;       /* of the local array, LLD x cols + 1 */
    void *local;          /* the same in the type of the product */
};

struct grid {
    int context, rows, cols, row, col;
};

/* The elements of an array, by their global indices from 0. */
static double number(int kind, int i, int j)
{
    uint32_t x = (uint32_t)(i * 7919 + j * 104729 + kind * 1299709);
    x ^= x >> 13;
    x *= 0x5bd1e995u;
    x ^= x >> 15;
    return (double)(int)(x % 9) - 4;
}

/* The global indices of what this process has along an axis, and how many there are. */
static int indices(const struct matrix *x, int axis, int me, int parts, int **list)
{
    const int first = x->desc[IMB + axis], block = x->desc[MB + axis], from = x->desc[RSRC + axis];
    int count = 0;
    *list = malloc(sizeof **list * (size_t)(x->desc[M + axis] + 1));
    for (int g = 0; g < x->desc[M + axis]; g++) {
        const int number_of = g < first ? 0 : 1 + (g - first) / block;
        if (from < 0 || (from + number_of) % parts == me)
            (*list)[count++] = g;
    }
    return count;
}

static void fill(struct matrix *x, const struct grid *g, bool single)
{
    x->rows = indices(x, 0, g->row, g->rows, &x->row_of);
    x->cols = indices(x, 1, g->col, g->cols, &x->col_of);
    const int lld = (x->rows > 1 ? x->rows : 1) + draw(0, 3);
    const size_t size = (size_t)lld * (size_t)x->cols + 1;
    x->desc[LLD] = lld;
    x->values = malloc(size * sizeof *x->values);
    x->local = malloc(size * sizeof *x->values);
    for (size_t e = 0; e < size; e++)
        x->values[e] = 777; /* between the columns */
    for (int c = 0; c < x->cols; c++)
        for (int r = 0; r < x->rows; r++)
            x->values[c * lld + r] = number(x->kind, x->row_of[r], x->col_of[c]);
    for (size_t e = 0; e < size; e++)
        if (single)
            ((float *)x->local)[e] = (float)x->values[e];
        else
            ((double *)x->local)[e] = x->values[e];
}

static struct matrix make(const struct grid *g, int rows, int cols, int kind, bool replicate)
{
    struct matrix x = {.kind = kind, .with_first = draw(0, 1) == 1};
    const int sizes[2] = {rows, cols}, sides[2] = {g->rows, g->cols};
    x.i = draw(1, 9), x.j = draw(1, 9);
    x.desc[0] = 2, x.desc[1] = g->context;
    for (int a = 0; a < 2; a++) {
        x.desc[M + a] = (a ? x.j : x.i) - 1 + sizes[a] + draw(0, 5);
        x.desc[M + a] += x.desc[M + a] == 0;
        x.desc[MB + a] = draw(1, 9);
        x.desc[IMB + a] = x.with_first ? draw(1, 12) : x.desc[MB + a];
        x.desc[RSRC + a] = replicate && draw(0, 2) == 0 ? -1 : draw(0, sides[a] - 1);
    }
    return x;
}

static const int *desc_of(struct matrix *x)
{
    if (x->with_first)
        return x->desc;
    memcpy(x->plain,
           (int[9]){1, x->desc[1], x->desc[M], x->desc[N], x->desc[MB], x->desc[NB], x->desc[RSRC],
                    x->desc[CSRC], x->desc[LLD]},
           sizeof x->plain);
    return x->plain;
}

struct product {
    char trans_a, trans_b;
    int m, n, k;
    double alpha, beta;
    struct matrix a, b, c;
    bool single;
};

static void run(struct product *p)
{
    const float alpha = (float)p->alpha, beta = (float)p->beta;
    if (p->single)
        psgemm_(&p->trans_a, &p->trans_b, &p->m, &p->n, &p->k, &alpha, p->a.local, &p->a.i, &p->a.j,
                desc_of(&p->a), p->b.local, &p->b.i, &p->b.j, desc_of(&p->b), &beta, p->c.local,
                &p->c.i, &p->c.j, desc_of(&p->c));
    else
        pdgemm_(&p->trans_a, &p->trans_b, &p->m, &p->n, &p->k, &p->alpha, p->a.local, &p->a.i,
                &p->a.j, desc_of(&p->a), p->b.local, &p->b.i, &p->b.j, desc_of(&p->b), &p->beta,
                p->c.local, &p->c.i, &p->c.j, desc_of(&p->c));
}

static bool transposed(char letter)
{
    return letter != 'N' && letter != 'n';
}

/* What C(i, j), counted from 0 in the submatrix, must be. */
static double wanted(const struct product *p, int i, int j, double before)
{
    double sum = 0;
    for (int l = 0; l < p->k && p->alpha != 0; l++) {
        const bool ta = transposed(p->trans_a), tb = transposed(p->trans_b);
        sum += number(p->a.kind, p->a.i - 1 + (ta ? l : i), p->a.j - 1 + (ta ? i : l)) *
               number(p->b.kind, p->b.i - 1 + (tb ? j : l), p->b.j - 1 + (tb ? l : j));
    }
    return p->alpha * sum + (p->beta == 0 ? 0 : p->beta * before);
}

static double get(const struct product *p, int e)
{
    return p->single ? (double)((const float *)p->c.local)[e] : ((const double *)p->c.local)[e];
}

/* How many elements of this process's C, or between its columns, are wrong. */
static int compare(const struct product *p, const struct grid *g)
{
    const struct matrix *const c = &p->c;
    const int lld = c->desc[LLD];
    int wrong = 0;
    for (int e = 0; e < lld * c->cols + 1; e++) {
        const int r = e % lld, col = e / lld;
        double want = c->values[e];
        if (col < c->cols && r < c->rows) {
            const int i = c->row_of[r] - (c->i - 1), j = c->col_of[col] - (c->j - 1);
            if (i >= 0 && i < p->m && j >= 0 && j < p->n)
                want = wanted(p, i, j, want);
        }
        const double found = get(p, e);
        if (found == want || (isnan(found) && isnan(want)))
            continue;
        if (wrong++ == 0)
            printf("%c%c %dx%dx%d alpha %g beta %g on %dx%d, at %d,%d: found %g, wanted %g\n",
                   p->trans_a, p->trans_b, p->m, p->n, p->k, p->alpha, p->beta, g->rows, g->cols, r,
                   col, found, want);
    }
    return wrong;
}

/* With beta 0 nothing of C may be read. */
static void spoil(struct product *p)
{
    for (int e = 0; e < p->c.desc[LLD] * p->c.cols + 1; e++) {
        p->c.values[e] = NAN;
        if (p->single)
            ((float *)p->c.local)[e] = NAN;
        else
            ((double *)p->c.local)[e] = NAN;
    }
}

static struct product draw_product(const struct grid *g)
{
    struct product p = {.single = draw(0, 1) == 1};
    p.trans_a = "NTCnt"[draw(0, 4)], p.trans_b = "NTCnt"[draw(0, 4)];
    p.m = draw(0, 5) ? draw(1, 40) : draw(0, 2);
    p.n = draw(0, 5) ? draw(1, 40) : draw(0, 2);
    p.k = draw(0, 5) ? draw(1, 40) : draw(0, 2);
    p.alpha = (double[]){1, -2, 3, 0}[draw(0, 7) % 4], p.beta = (double[]){0, 1, -1}[draw(0, 2)];
    const bool ta = transposed(p.trans_a), tb = transposed(p.trans_b);
    p.a = make(g, ta ? p.k : p.m, ta ? p.m : p.k, 1, true);
    p.b = make(g, tb ? p.n : p.k, tb ? p.k : p.n, 2, true);
    p.c = make(g, p.m, p.n, 3, draw(0, 3) == 0);
    return p;
}

static void fill_all(struct product *p, const struct grid *g)
{
    const uint64_t before = state; /* what a process draws of its own must not change the others' */
    state += (uint64_t)(g->row * 64 + g->col) * 977;
    fill(&p->a, g, p->single);
    fill(&p->b, g, p->single);
    fill(&p->c, g, p->single);
    state = before;
}

static void free_all(struct product *p)
{
    struct matrix *const all[] = {&p->a, &p->b, &p->c};
    for (int x = 0; x < 3; x++) {
        free(all[x]->row_of);
        free(all[x]->col_of);
        free(all[x]->values);
        free(all[x]->local);
    }
}

static struct grid make_grid(int rows, int cols, bool by_cols)
{
    struct grid g;
    Cblacs_get(-1, 0, &g.context);
    Cblacs_gridinit(&g.context, by_cols ? "Col" : "Row", rows, cols);
    g.row = g.col = -1;
    Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
    return g;
}

/* Several products on each of many grids, which come and go. */
static int products(int trials, int size)
{
    int wrong = 0;
    for (int t = 0; t < trials; t++) {
        const int rows = draw(1, size), cols = draw(1, size / rows);
        const struct grid g = make_grid(rows, cols, draw(0, 1) == 1);
        const bool inside = g.row >= 0 && g.row < rows && g.col >= 0 && g.col < cols;
        const struct grid drawn = inside ? g : (struct grid){.rows = rows, .cols = cols};
        for (int i = 0; i < 3; i++) {
            struct product p = draw_product(&drawn);
            if (!inside)
                continue;
            fill_all(&p, &g);
            if (p.beta == 0)
                spoil(&p);
            run(&p);
            wrong += compare(&p, &g);
            free_all(&p);
        }
        if (inside)
            Cblacs_gridexit(g.context);
    }
    return wrong;
}

/* A product of n x n x n whose matrices have blocks of 7. */
static struct product square(const struct grid *g, int n)
{
    struct product p = {.trans_a = 'N', .trans_b = 'N', .m = n, .n = n, .k = n, .alpha = 1};
    struct matrix *const all[] = {&p.a, &p.b, &p.c};
    for (int x = 0; x < 3; x++) {
        *all[x] = make(g, n, n, 1 + x, false);
        all[x]->with_first = false;
        for (int a = 0; a < 2; a++)
            all[x]->desc[IMB + a] = all[x]->desc[MB + a] = 7;
    }
    fill_all(&p, g);
    return p;
}

/* 4 MB more than the process has already: enough for MPI, too little for the product. */
static void limit_memory(void)
{
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *const statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%lu", &pages) != 1)
        abort();
    fclose(statm);
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (4 << 20);
    setrlimit(RLIMIT_AS, &limit);
}

/* A product that is right, and then one of which the last process has something else. */
static void mistake(const char *what, int rank, int size)
{
    const struct grid g = make_grid(1, size, false);
    struct product right = square(&g, 30), p = square(&g, strcmp(what, "memory") ? 30 : 900);
    run(&right);
    if (rank < size - 1)
        ;
    else if (strcmp(what, "descriptor") == 0)
        p.b.desc[MB] = 0;
    else if (strcmp(what, "sizes") == 0)
        p.n = 29;
    else if (strcmp(what, "offset") == 0)
        p.c.i = p.c.i > 1 ? p.c.i - 1 : p.c.i + 1;
    else if (strcmp(what, "grid") == 0)
        p.a.desc[1] = 77;
    else if (strcmp(what, "memory") == 0)
        limit_memory();
    run(&p);
    printf("rank %d came back\n", rank);
}

/* The functions that are called are those of libgradus-pblas. */
static int foreign(void)
{
    static const char *const names[] = {"pdgemm_", "psgemm_"};
    Dl_info info = {0};
    int count = 0;
    for (int i = 0; i < 2; i++)
        if (!dladdr(dlsym(RTLD_DEFAULT, names[i]), &info) ||
            !strstr(info.dli_fname, "libgradus-pblas"))
            count++;
    if (count)
        printf("pdgemm_ or psgemm_ is of %s\n", info.dli_fname);
    return count;
}

int main(int argc, char **argv)
{
    int rank, size, wrong;
    if (argc < 2)
        return 2;
    Cblacs_pinfo(&rank, &size);
    wrong = foreign();
    if (strcmp(argv[1], "products") != 0)
        mistake(argv[1], rank, size);
    else if (argc > 2)
        wrong += products(atoi(argv[2]), size);
    const struct grid all = make_grid(1, size, false);
    Cigsum2d(all.context, "All", " ", 1, 1, &wrong, 1, -1, -1);
    if (rank == 0 && wrong)
        printf("%d elements are wrong\n", wrong);
    Cblacs_exit(0);
    return wrong != 0;
}
