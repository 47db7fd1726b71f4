/* gemm.h: the description of one product inside the CPU's part of the library, and the functions
 * that the files gemm_*.c share. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_H
#define CPU_GEMM_H

#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/dispatch.h"
#include "cpu/ukr_table.h"
#include "cpu/workspace.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

/* A number of the type of sums. */
union gr_number {
    float f32;
    double f64;
    int32_t s32;
};

/* C = alpha * A * B + beta * C with a row-major C. Transposes and layouts are expressed by strides:
 * A[i,p] is at a + (i*a_row + p*a_col)*a_bytes, B[p,j] at b + (p*b_row + j*b_col)*b_bytes, and one
 * stride of each pair is 1. For a column-major problem, A and B, and m and n, have been
 * exchanged. */
struct gr_product {
    const struct gr_driver *driver;
    const struct ukr *ukr;
    const struct gr_isa_functions *functions; /* those of the micro-kernel's instruction set */
    enum gradus_type a_type, b_type, c_type, sum_type;
    int64_t bytes; /* bytes of an element of the sums; with f32 and f64, of every element */
    int64_t a_bytes, b_bytes, c_bytes;
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col, ldc;
    const char *a, *b;
    char *c;
    union gr_number alpha, beta;
    /* Operands that were packed beforehand, or null: panels of mr rows of A (nr columns of B), each
     * k steps deep. The steps from pc on of panel x begin at element (x*k + pc)*mr (nr). */
    const char *a_panels, *b_panels;
    /* The epilogue. The bias of element (i, j) is element i of `bias` with bias_row, else element
     * j. */
    bool finishes; /* whether there is an epilogue */
    const char *bias;
    bool bias_row;
    enum gradus_activation activation;
    int few_sums_log2;   /* 1 or 2: log2 of the number of blocks of k that few sums are computed in;
                            0: one block */
    int known_direction; /* 1 + its enum gr_direction, if that has been estimated already and C is
                            not divided; else 0 */
};

/* The code that multiplies operands of some types. A file src/cpu/driver_<name>.c defines
 * gr_driver_<name>; the build finds it by its name. */
struct gr_driver {
    /* The types that it accepts: bit 1 << GRADUS_F32 and so on. */
    unsigned a_types, b_types, c_types, sum_types;
    /* Chooses the micro-kernel at an ISA level (null: the level in use). Returns false if there is
     * none. */
    bool (*prepare)(struct gr_product *product, const char *isa);
    /* The largest number of threads that the product keeps busy; 1: only the caller's. */
    int (*threads_worth)(const struct gr_product *product);
    /* Computes the product on the caller's thread with a small part of the stack as its only
     * memory, if that is the fastest way. Otherwise it returns false and does nothing, and `run`
     * must compute it. */
    bool (*run_small)(const struct gr_product *product);
    /* Computes the product with the team and the buffer of `workspace`, which may be all zero. */
    void (*run)(const struct gr_product *product, struct gr_workspace *workspace);
    /* Bytes of buffer that `run` needs with this many threads; 0 if run_small computes the
     * product. */
    int64_t (*workspace_bytes)(const struct gr_product *product, int threads);
    /* Packs the whole of B (as_b) or A into `panels`, in the form of b_panels or a_panels; if
     * `panels` is null, nothing is packed. Returns the size in bytes, or -1 if it is too large for
     * memory. The size of the other operand is 0. A null function means that operands of these
     * types cannot be packed beforehand. */
    int64_t (*pack_whole)(const struct gr_product *product, bool as_b, char *panels);
    /* Describes which path run_small and run take with this many threads, and why: fills in path,
     * why, blocks and tasks. Null: the micro-kernel alone describes it. */
    void (*describe)(const struct gr_product *product, int threads, struct gr_dispatch *dispatch);
};

/* Null-terminated; the table is generated (cmake/floors.cmake). */
extern const struct gr_driver *const gr_driver_all[];

/* Returns the driver for the problem's types, or null if there is none or a type is unknown. */
const struct gr_driver *gr_driver_for(const struct gradus_gemm *gemm);
/* Writes the supported combinations of types of A, B, C and the sums: "f32 f32 f32 f32, …". */
enum { GR_DRIVER_LIST = 400 };
void gr_driver_list(char text[GR_DRIVER_LIST]);

/* Return INVALID for the first bad member of `gemm`; `function` is the function that the error
 * names. The first checks everything, the second everything except the addresses, the third only
 * the operand `which`. */
enum gradus_status gr_gemm_validate(const struct gradus_gemm *gemm, const char *function,
                                    struct gradus_error *error);
enum gradus_status gr_gemm_validate_sizes(const struct gradus_gemm *gemm, const char *function,
                                          struct gradus_error *error);
enum gradus_status gr_gemm_validate_operand(const struct gradus_gemm *gemm,
                                            enum gradus_operand which, const char *function,
                                            struct gradus_error *error);

/* Returns INVALID if C of an otherwise valid problem shares elements with A, B or the bias. */
enum gradus_status gr_gemm_validate_apart(const struct gradus_gemm *gemm, const char *function,
                                          struct gradus_error *error);

/* Fills *product from a valid problem. UNSUPPORTED: no driver multiplies these types. */
enum gradus_status gr_gemm_prepare(const struct gradus_gemm *gemm, const char *isa,
                                   struct gr_product *product, struct gradus_error *error);

/* Whether C is only scaled: k or alpha is 0. */
bool gr_gemm_is_scaling(const struct gr_product *product);

/* Computes a problem if it is valid, not too large and needs nothing beyond BLAS. Otherwise it
 * returns false and does nothing. */
bool gr_gemm_plainly(const struct gradus_gemm *gemm);

/* Computes a product that needs neither threads nor memory. Otherwise it returns false and does
 * nothing, and the driver's `run` must compute it. */
bool gr_gemm_easy(const struct gr_product *product);

/* Below this many multiply-adds, waking a second thread takes longer than it saves. */
#define GR_THREADS_PAY (80.0 * 80.0 * 80.0)

/* The multiply-adds of a product. */
static inline double gr_gemm_work(const struct gr_product *product)
{
    return (double)product->m * (double)product->n * (double)product->k;
}

/* Bytes of an element, and its name such as "f32"; 0 and "?" for an unknown type. */
int64_t gr_gemm_type_bytes(enum gradus_type type);
const char *gr_gemm_type_name(enum gradus_type type);

/* Computes C = beta * C and the epilogue, for products of all types that only scale C. */
void gr_gemm_scale(const struct gr_product *product);

/* Applies the epilogue, as gr_finish_fn (finish.h) describes. If product->finishes, each path calls
 * it after the last block of k, while the tile is in the cache. */
static inline void gr_gemm_finish(const struct gr_product *product, void *tile, int64_t ld,
                                  int64_t i, int64_t m, int64_t j, int64_t n)
{
    product->functions->finish(product, tile, ld, i, m, j, n);
}

/* Makes `entry` the micro-kernel of the product. Returns false if `entry` is null. */
static inline bool gr_gemm_use(struct gr_product *product, const struct gr_ukr_entry *entry)
{
    if (!entry)
        return false;
    product->ukr = entry->ukr;
    product->functions = gr_isa_functions(entry->isa);
    return true;
}

/* f32 and f64. */
bool gr_gemm_prepare_float(struct gr_product *product, enum gr_dtype type, const char *isa);
int gr_gemm_threads_worth(const struct gr_product *product);
bool gr_gemm_small(const struct gr_product *product);
void gr_gemm_describe(const struct gr_product *product, int threads, struct gr_dispatch *dispatch);
/* The dimension that vectors run along: n, as the rows of B and C do; m, as the columns of A and C
 * do; or k, as in dot products. Products that are neither small nor have few rows or columns run
 * along rows, and so do those with an operand that was packed beforehand. */
enum gr_direction { GR_ALONG_ROWS, GR_ALONG_COLUMNS, GR_ALONG_K };
enum gr_direction gr_gemm_direction(const struct gr_product *product);
/* The same for a product of at most GR_THREADS_PAY multiply-adds without packed operands. */
enum gr_direction gr_gemm_direction_of_small(const struct gr_product *product);
/* The estimate on which this choice is based, in cycles of a core that starts one vector
 * multiply-add per cycle. */
#define GR_GEMM_IMPOSSIBLE (INT64_MAX / 2)
int64_t gr_gemm_cycles(const struct gr_product *product, enum gr_direction direction);
/* The same for larger products, with figures that were measured on this kind of CPU, if there are
 * any. */
bool gr_gemm_has_figures(const struct gr_product *product);
/* Whether the CPU has AVX-512, which it may be restricted not to use. */
bool gr_gemm_may_have_avx512(void);
int64_t gr_gemm_large_cycles(const struct gr_product *product, enum gr_direction direction);

/* The vector multiply-adds (m * k / 2) that vectors along rows of n columns save where the columns
 * fill at most half of the last of several vectors (ukr_tile.h). */
int64_t gr_gemm_spared(const struct gr_product *product);
/* The last columns of C that are computed as a product of their own; 0: C is not divided. */
int64_t gr_gemm_tail_columns(const struct gr_product *product);
/* The product of columns j..j+n-1 of B and C. */
struct gr_product gr_gemm_columns_of(const struct gr_product *product, int64_t j, int64_t n);
/* Computes the product on one of the paths below, and the bytes of buffer that this path needs
 * (gemm_paths.c). */
void gr_gemm_float(const struct gr_product *product, struct gr_workspace *workspace);
int64_t gr_gemm_float_bytes(const struct gr_product *product, int threads);
/* A product with few sums is computed in several blocks of k side by side by one micro-kernel. The
 * first function returns few_sums_log2, the logarithm of the number of blocks, and the second the
 * steps of a block. */
int gr_gemm_find_few_sums(const struct gr_product *product);
static inline int64_t gr_few_sums_depth(int64_t k, int few_sums_log2)
{
    return (k + ((int64_t)1 << few_sums_log2) - 1) >> few_sums_log2;
}
/* The estimated cycles of these blocks side by side, for `rows` rows of `elements` elements. */
int64_t gr_gemm_few_sums_cycles(const struct gr_product *product, int64_t rows, int64_t elements);
/* Whether a product of this size is computed without packing, by one thread, in one block of k or
 * in the blocks of few sums. */
bool gr_gemm_is_small(const struct gr_product *product);
/* The number of steps of k (KC) whose sum is added to C at a time, on every path except
 * gemm_deep.c's. */
int64_t gr_gemm_depth(const struct gr_product *product);
/* The same where vectors run along rows or along columns. */
int64_t gr_gemm_depth_of_rows(const struct gr_product *product);
/* For few rows of C and a B that comes from memory: the steps of a part of k. The sum of each part
 * is computed separately, like a product of its own, and then added to C. Otherwise k. */
int64_t gr_gemm_part_steps(const struct gr_product *product);
/* C = beta * C + sum for m x n elements, without the epilogue; `ld` is the leading dimension of
 * `sum`. */
void gr_gemm_add(const struct gr_product *product, const union gr_number *beta, char *c,
                 int64_t ldc, const char *sum, int64_t ld, int64_t m, int64_t n);
/* Whether k is so short, and C so large, that writing C takes most of the time. The larger L2 is,
 * the longer k may be. */
static inline bool gr_gemm_is_short(const struct gr_product *p)
{
    enum { FEW_STEPS = 32, MORE_STEPS = 64, FAR_C_BYTES = 1 << 20 };
    if (p->k > MORE_STEPS || p->m * p->n * p->bytes <= FAR_C_BYTES)
        return false;
    return p->k <= FEW_STEPS || (p->ukr->lanes * p->bytes >= 32 && gr_cpu_has_large_l2());
}
/* Whether all columns of the rows of C in a tile are computed before the next rows, because B stays
 * in L2: for the reason above, or by measurement for vectors of 32 bytes. */
bool gr_gemm_is_row_by_row(const struct gr_product *product);
/* How few steps should write C (UKR_STORES_..., struct ukr_strided); 0: in any way. */
int gr_gemm_stores_wait(const struct gr_product *product);
/* The same for vectors along the columns of C: for a single column, whether A, in place, comes from
 * an L3 that is far. */
static inline int gr_gemm_column_waits(const struct gr_product *p)
{
    enum { FAR_A_BYTES = 1 << 20 };
    return p->n == 1 && p->a_row == 1 && p->m * p->k * p->bytes > FAR_A_BYTES &&
                   gr_cpu_has_large_l2()
               ? UKR_STORES_WAIT
               : 0;
}
static inline bool gr_gemm_is_writing(const struct gr_product *p)
{
    return gr_gemm_is_short(p) || gr_gemm_is_row_by_row(p);
}
/* Whether the panels of B are wide enough to be read from memory one at a time. Otherwise several
 * adjacent ones are read together. */
bool gr_gemm_has_wide_panels(const struct gr_product *product);
/* Whether B can be used without packing: reading it in place is as fast, for products of medium
 * size. */
bool gr_gemm_b_usable_unpacked(const struct gr_product *product);
/* Whether A is read in place while B is packed. */
bool gr_gemm_a_usable_in_place(const struct gr_product *product);
/* With vectors of 32 bytes, operands are read in place, some steps of k at a time, if C has few
 * rows (the first function) or the columns of A are contiguous (the second). */
bool gr_gemm_is_stepped_thin(const struct gr_product *product);
bool gr_gemm_is_stepped(const struct gr_product *product);
/* The steps of k of a transposed A and a B, both in place, of which L1 holds what a tile reads; k
 * if the CPU is of another kind than those for which this matters. */
int64_t gr_gemm_near_steps(const struct gr_product *product);
/* Reads the operands in place, `depth` steps of k at a time. `team` null: only the caller's
 * thread. */
void gr_gemm_unpacked(const struct gr_product *product, int64_t depth, struct gr_team *team);
/* The number of parts of the columns that are computed one after another. */
int64_t gr_gemm_unpacked_parts(const struct gr_product *product);
int64_t gr_gemm_unpacked_tasks(const struct gr_product *product, int threads);
/* The sizes of the copy of a transposed B, on the stack and in a buffer. */
enum { GR_TRANSPOSED_STACK_BYTES = 5 << 10, GR_TRANSPOSED_BYTES = 24 << 10 };
/* Whether panels of B are transposed on the stack. Where a panel would be a single vector wide, a
 * buffer has space for the tiles that multiply fastest, and only the smallest products take longer
 * with it. */
static inline bool gr_gemm_is_transposed_on_stack(const struct gr_product *p)
{
    const int64_t vector_bytes = p->k * p->ukr->lanes * p->bytes;
    if (vector_bytes > GR_TRANSPOSED_STACK_BYTES || gr_gemm_work(p) > GR_THREADS_PAY)
        return false;
    return 2 * vector_bytes <= GR_TRANSPOSED_STACK_BYTES || p->n <= p->ukr->lanes ||
           gr_gemm_work(p) <= GR_THREADS_PAY / 4;
}
/* For small products: the caller's thread transposes B. The first function says whether this path
 * is taken. The second uses the stack if the panel is small enough, else it returns false and does
 * nothing. The third uses the workspace; it returns false if there is no memory. */
bool gr_gemm_is_transposed(const struct gr_product *product);
bool gr_gemm_transposed_small(const struct gr_product *product);
/* The same if one panel on the stack holds all of B, described as for a micro-kernel: element j of
 * a row of B is b_step elements after the one before. Along columns, the arguments describe C' = B'
 * A'. */
bool gr_gemm_is_transposed_at_once(const struct gr_product *product);
void gr_gemm_transposed_at_once(enum gr_dtype type, enum gr_direction direction,
                                const struct ukr_strided *product, int few_sums_log2);
bool gr_gemm_transposed(const struct gr_product *product, struct gr_workspace *workspace);
int64_t gr_gemm_transposed_bytes(const struct gr_product *product);
int64_t gr_gemm_transposed_tasks(const struct gr_product *product, int threads);
/* For few rows of C: B is read in place. */
void gr_gemm_thin(const struct gr_product *product, struct gr_workspace *workspace);
int64_t gr_gemm_thin_bytes(const struct gr_product *product, int threads);
int64_t gr_gemm_thin_tasks(const struct gr_product *product, int threads);
/* For few rows of C and a B that was packed beforehand. */
void gr_gemm_streamed(const struct gr_product *product, struct gr_team *team);
int64_t gr_gemm_streamed_tasks(const struct gr_product *product, int threads);
/* One block of A has all rows, and B is packed during the multiplication. Returns false, and does
 * nothing, if there is no memory. */
bool gr_gemm_rows(const struct gr_product *product, struct gr_workspace *workspace);
int64_t gr_gemm_rows_bytes(const struct gr_product *product, int threads);
int64_t gr_gemm_rows_tasks(const struct gr_product *product, int threads);
/* Vectors along the columns of C, of which there are few. `team` null: only the caller's thread. */
bool gr_gemm_columns_fit(const struct gr_product *product);
int64_t gr_gemm_columns_strips(const struct gr_product *product); /* strips if A is transposed */
void gr_gemm_columns(const struct gr_product *product, struct gr_team *team);
void gr_gemm_columns_small(const struct gr_product *product); /* with little overhead */
/* Both operands are in place, described as C' = B' A', where B' has n rows, in one block of k or in
 * the blocks of few sums. A contiguous column of C is one row of C', which need not be written
 * transposed. */
static inline void gr_gemm_columns_in_place(const struct ukr *ukr, enum gr_dtype type,
                                            const struct ukr_strided *turned, int few_sums_log2)
{
    if (few_sums_log2)
        gr_ukr_for(ukr, type, turned->n)
            ->run_few_sums(turned, gr_few_sums_depth(turned->k, few_sums_log2), true);
    else if (turned->m == 1 && turned->ldc == 1)
        gr_ukr_for(ukr, type, turned->n)->run_strided(turned);
    else
        gr_ukr_for_columns(ukr, type, turned)->run_transposed(turned);
}
/* The same along rows. */
static inline void gr_gemm_rows_in_place(const struct ukr *u, const struct ukr_strided *product,
                                         int few_sums_log2)
{
    if (few_sums_log2)
        u->run_few_sums(product, gr_few_sums_depth(product->k, few_sums_log2), false);
    else
        u->run_strided(product);
}
int64_t gr_gemm_columns_tasks(const struct gr_product *product, int threads);
/* Vectors along k: dot products. gr_gemm_dots_small uses the stack alone, and returns false if the
 * copies do not fit there. gr_gemm_dots uses the workspace, and returns false if there is no
 * memory. In either case nothing has been done then. */
int64_t gr_gemm_dots_depth(const struct gr_product *product);
/* Whether both operands are read in place, in one block of k; whether B is the operand that is read
 * once while rows of A stay in a cache; and whether the rows of C are the columns of a tile. */
bool gr_gemm_dots_in_place(const struct gr_product *product);
bool gr_gemm_dots_exchanged(const struct gr_product *product);
bool gr_gemm_dots_turned(const struct gr_product *product);
bool gr_gemm_dots_small(const struct gr_product *product);
bool gr_gemm_dots_fit(const struct gr_product *product); /* on the stack */
/* The same if one operand is copied to the stack in one block of k and the other is in place. The
 * arguments are those of ukr_dots_fn, except for the operand whose elements along k are not
 * adjacent: its step is the distance between these, and its rows are adjacent. */
struct gr_dots {
    int64_t m, n, k;
    const void *alpha, *a;
    int64_t a_row, a_step;
    const void *b;
    int64_t b_row, b_step;
    const void *beta;
    void *c;
    int64_t c_row, c_col;
};
bool gr_gemm_dots_is_with_copy(const struct gr_product *product);
void gr_gemm_dots_with_copy(enum gr_dtype type, const struct gr_dots *dots);
bool gr_gemm_dots(const struct gr_product *product, struct gr_workspace *workspace);
int64_t gr_gemm_dots_bytes(const struct gr_product *product, int threads);
int64_t gr_gemm_dots_tasks(const struct gr_product *product, int threads);
/* A small C and a long k, which is divided among the threads. Returns false, and does nothing, if
 * there is no memory. */
bool gr_gemm_is_deep(const struct gr_product *product);
bool gr_gemm_deep(const struct gr_product *product, struct gr_workspace *workspace);
int64_t gr_gemm_deep_bytes(const struct gr_product *product, int threads);
int64_t gr_gemm_deep_tasks(const struct gr_product *product);
/* The five loops over packed blocks. */
void gr_gemm_packed(const struct gr_product *product, struct gr_workspace *workspace);
int64_t gr_gemm_packed_bytes(const struct gr_product *product, int threads);
int64_t gr_gemm_pack_whole(const struct gr_product *product, bool as_b, char *panels);
/* Fills in the blocks and tasks of this path. */
void gr_gemm_packed_describe(const struct gr_product *product, int threads,
                             struct gr_dispatch *dispatch);

#endif
