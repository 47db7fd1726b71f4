/* soak_ways.c: problems for each way through the library, and counts of those gone: the linker puts
 * a counter before each of the library's functions (--wrap), which the library itself knows nothing
 * of. SPDX-License-Identifier: MIT */
#include "soak/soak_ways.h"

#include "cpu/batch.h"
#include "cpu/cpu.h"
#include "cpu/dispatch.h"
#include "cpu/gemm.h"
#include "cpu/gemm_mixed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* With vectors of 64 bytes and less than 2 MB of L2, and with vectors of 32 bytes on such a CPU, B
 * is read down its rows for two rows of C, unless memory holds it. */
static bool reads_along_b(const struct ukr *u)
{
    const int64_t bytes = u->lanes * (strcmp(u->type, "f32") == 0 ? 4 : 8);
    return gr_cpu_has_large_l2() || bytes < 32 || (bytes == 32 && !gr_gemm_may_have_avx512());
}

/* With vectors of 32 bytes on such a CPU, B is packed by the five loops for few rows, too. */
static bool packs_by_rows(const struct ukr *u)
{
    const int64_t bytes = u->lanes * (strcmp(u->type, "f32") == 0 ? 4 : 8);
    return gr_cpu_has_large_l2() || bytes != 32 || !gr_gemm_may_have_avx512();
}

/* Sizes stand well inside what gemm_paths.c says of each way, at every level. */
static const struct soak_recipe of_floats[] = {
    {.way = "scaled", .m = 20, .n = 300, .k = 0, .small = true},
    {.way = "small", .m = 21, .n = 22, .k = 23, .small = true},
    {.way = "unpacked", .m = 160, .n = 100, .k = 90},
    {.way = "transposed on the stack", .m = 40, .n = 22, .k = 12, .trans_b = true, .small = true},
    {.way = "transposed in a buffer",
     .m = 130,
     .n = 40,
     .k = 90,
     .trans_b = true,
     .small = true,
     .at = "avx512"},
    {.way = "thin, one row", .m = 1, .n = 4200, .k = 130},
    {.way = "thin, two rows", .m = 2, .n = 2100, .k = 150, .with = reads_along_b},
    {.way = "thin, some rows", .m = 7, .n = 4300, .k = 60},
    {.way = "streamed", .m = 10, .n = 300, .k = 300, .packs_b = true},
    {.way = "rows", .m = 70, .n = 2100, .k = 110, .trans_b = true, .with = packs_by_rows},
    {.way = "rows, B packed on the way", .m = 120, .n = 2100, .k = 300, .with = packs_by_rows},
    {.way = "dots", .m = 300, .n = 3, .k = 700},
    {.way = "dots, exchanged", .m = 3, .n = 300, .k = 700, .trans_b = true},
    {.way = "deep", .m = 60, .n = 65, .k = 2100},
    {.way = "deep, packing", .m = 60, .n = 65, .k = 2100, .trans_a = true, .trans_b = true},
    {.way = "packed", .m = 330, .n = 600, .k = 330, .trans_b = true},
    {.way = "packed, B on the way", .m = 200, .n = 600, .k = 620},
    {.way = "packed before", .m = 100, .n = 110, .k = 120, .packs_a = true, .packs_b = true},
    {.way = "batch, side by side", .m = 30, .n = 31, .k = 32, .batch = 60},
    {.way = "batch, one by one", .m = 120, .n = 100, .k = 90, .batch = 3},
};

/* Rows of A can be read where they lie if the micro-kernel reads rows, and these as they are, not
 * widened. */
static bool reads_in_place(const struct ukr *u)
{
    return u->run_rows && strcmp(u->type, "s16");
}

static bool takes_in_place(const struct ukr *u)
{
    return u->run_in_place;
}

/* The smallest panels fit on the stack, as gemm_mixed.c has it: a line of each row behind a head,
 * and a line of each column. AMX's tiles are too large, unless an operand was packed before. */
static bool fits_on_stack(const struct ukr *u)
{
    enum { STACK_BYTES = 17 << 8, LINE_BYTES = 64 };
    return !u->run_strided && u->mr * (UKR_HEAD + LINE_BYTES) + u->nr * LINE_BYTES <= STACK_BYTES;
}

/* Operands become floats, of which fewer fit. */
static bool is_of_floats(const struct ukr *u)
{
    return u->run_strided;
}

static const struct soak_recipe of_short_types[] = {
    {.way = "scaled", .m = 20, .n = 300, .k = 0, .small = true},
    {.way = "small",
     .m = 9,
     .n = 9,
     .k = 17,
     .trans_b = true,
     .small = true,
     .wide_c = true, /* sums of a C of bf16 do not fit beside the panels */
     .with = fits_on_stack},
    {.way = "small", .m = 4, .n = 8, .k = 6, .trans_b = true, .small = true, .with = is_of_floats},
    {.way = "small, packed before", .m = 4, .n = 8, .k = 8, .small = true, .packs_b = true},
    {.way = "in place", .m = 5, .n = 3000, .k = 300, .wide_c = true, .with = takes_in_place},
    {.way = "in place",
     .m = 900,
     .n = 700,
     .k = 7,
     .trans_b = true,
     .wide_c = true,
     .with = takes_in_place},
    {.way = "in place, dots",
     .m = 3000,
     .n = 1,
     .k = 1100,
     .trans_b = true,
     .wide_c = true,
     .with = takes_in_place},
    {.way = "packed", .m = 150, .n = 140, .k = 150, .trans_a = true},
    {.way = "packed, A in place", .m = 150, .n = 150, .k = 152, .with = reads_in_place},
    {.way = "packed before", .m = 150, .n = 140, .k = 150, .packs_a = true, .packs_b = true},
    {.way = "batch, side by side", .m = 30, .n = 31, .k = 32, .batch = 60},
    {.way = "batch, one by one", .m = 150, .n = 140, .k = 150, .trans_a = true, .batch = 3},
};
enum {
    FLOATS = sizeof of_floats / sizeof *of_floats,
    SHORT = sizeof of_short_types / sizeof *of_short_types
};

static const enum gradus_type types[] = {GRADUS_F32, GRADUS_F64, GRADUS_BF16, GRADUS_S8, GRADUS_U8};
enum { TYPES = 5, MOST_WAYS = 24, MOST_LEVELS = 4 };

static const struct soak_recipe *recipe_at(int type, int i)
{
    const bool is_short = type >= 2;
    return i < (is_short ? SHORT : FLOATS) ? (is_short ? of_short_types : of_floats) + i : NULL;
}

static int level_index(const char *isa)
{
    for (int i = 0; gr_cpu_isa_at(i); i++)
        if (!strcmp(gr_cpu_isa_at(i), gr_cpu_isa_level(isa)))
            return i;
    return -1;
}

/* What the dispatch gives to a type at a level, which may be a micro-kernel of a lower one. */
static const struct ukr *ukr_of(int type, enum gradus_type b_type, int level)
{
    struct gradus_gemm g;
    struct gr_product p;
    gradus_gemm_init(&g, types[type]);
    g.b_type = b_type;
    if (gr_gemm_prepare(&g, gr_cpu_isa_at(level), &p, NULL) != GRADUS_OK)
        abort();
    return p.ukr;
}

/* Bytes of A may meet either kind in B: which is left to chance, so the way must be there with
 * both. */
static bool has_ukr_for(const struct soak_recipe *r, int type, int level)
{
    if (!r->with)
        return true;
    if (types[type] != GRADUS_S8 && types[type] != GRADUS_U8)
        return r->with(ukr_of(type, types[type], level));
    return r->with(ukr_of(type, GRADUS_S8, level)) && r->with(ukr_of(type, GRADUS_U8, level));
}

static bool goes_at(const struct soak_recipe *r, int type, int level)
{
    const char *isa = gr_cpu_isa_at(level);
    if (!gr_cpu_isa_runs(isa) || (r->at && strcmp(r->at, isa)) || !has_ukr_for(r, type, level))
        return false;
    return !(r->packs_a || r->packs_b) || !strcmp(isa, gr_cpu_isa());
}

/* Of each way at each level: with and without an epilogue, by one thread and by some. */
enum { VARIANTS = 4 };

static int variants_of(const struct soak_recipe *r)
{
    return r->small ? VARIANTS / 2 : VARIANTS;
}

bool soak_variant_of(int64_t number, struct soak_variant *v)
{
    for (int type = 0; type < TYPES; type++)
        for (int i = 0; recipe_at(type, i); i++)
            for (int level = 0; gr_cpu_isa_at(level); level++) {
                const struct soak_recipe *r = recipe_at(type, i);
                if (!goes_at(r, type, level))
                    continue;
                if (number >= variants_of(r)) {
                    number -= variants_of(r);
                    continue;
                }
                const char *isa = gr_cpu_isa_at(level);
                *v = (struct soak_variant){r, strcmp(isa, gr_cpu_isa()) ? isa : NULL, types[type],
                                           number & 1, number & 2 ? 3 : 1};
                return true;
            }
    return false;
}

int64_t soak_ways_problems(void)
{
    struct soak_variant v;
    int64_t count = 0;
    while (soak_variant_of(count, &v))
        count++;
    return count;
}

/* ---- counting ---- */

typedef _Atomic(int64_t) counter;
static counter (*counts)[MOST_WAYS][MOST_LEVELS][VARIANTS]; /* of a type */

void soak_ways_open(void)
{
    counts = mmap(NULL, sizeof *counts * TYPES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                  -1, 0);
    if (counts == MAP_FAILED)
        abort();
}

static bool paused;

void soak_ways_counted(bool counted)
{
    paused = !counted;
}

static int type_index(const struct gr_product *p)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i] == p->a_type)
            return i;
    return 0;
}

/* Ways that are not in the table count as nothing. */
static void count(const struct gr_product *p, const char *way, bool threads)
{
    const int type = type_index(p), level = level_index(p->ukr->isa);
    for (int i = 0; counts && !paused && level >= 0 && recipe_at(type, i); i++)
        if (!strcmp(recipe_at(type, i)->way, way))
            counts[type][i][level][(threads ? 2 : 0) + p->finishes]++;
}

static void print_way(int type, int way, int level, int variant, int64_t times)
{
    static const char *const names[] = {"f32", "f64", "bf16", "s8", "u8"};
    printf("%s %s at %s, %s%s: %lld products\n", names[type], recipe_at(type, way)->way,
           gr_cpu_isa_at(level), variant & 2 ? "threads" : "one thread",
           variant & 1 ? ", epilogue" : "", (long long)times);
}

/* A product counts at the level of its micro-kernel. */
static int counted_at(int type, int level)
{
    return level_index(ukr_of(type, types[type], level)->isa);
}

int soak_ways_unused(bool all)
{
    int unused = 0;
    for (int type = 0; type < TYPES; type++)
        for (int way = 0; recipe_at(type, way); way++)
            for (int level = 0; gr_cpu_isa_at(level); level++)
                for (int v = 0; v < variants_of(recipe_at(type, way)); v++) {
                    if (!goes_at(recipe_at(type, way), type, level))
                        continue;
                    const int64_t times = counts[type][way][counted_at(type, level)][v];
                    if (!times || all)
                        print_way(type, way, level, v, times);
                    unused += !times;
                }
    return unused;
}

/* A function of the library that does a product and can decline to. */
#define COUNT_IF_DONE(name, way)                                                                   \
    bool __real_##name(const struct gr_product *p);                                                \
    bool __wrap_##name(const struct gr_product *p);                                                \
    bool __wrap_##name(const struct gr_product *p)                                                 \
    {                                                                                              \
        const bool done = __real_##name(p);                                                        \
        if (done)                                                                                  \
            count(p, way, false);                                                                  \
        return done;                                                                               \
    }
/* One that gets a workspace, and a name for the way that depends on the product. */
#define COUNT_WITH_WORKSPACE(type, returns, name, way)                                             \
    type __real_##name(const struct gr_product *p, struct gr_workspace *workspace);                \
    type __wrap_##name(const struct gr_product *p, struct gr_workspace *workspace);                \
    type __wrap_##name(const struct gr_product *p, struct gr_workspace *workspace)                 \
    {                                                                                              \
        count(p, way, workspace->team);                                                            \
        returns __real_##name(p, workspace);                                                       \
    }
#define COUNT_WITH_TEAM(name, way)                                                                 \
    void __real_##name(const struct gr_product *p, struct gr_team *team);                          \
    void __wrap_##name(const struct gr_product *p, struct gr_team *team);                          \
    void __wrap_##name(const struct gr_product *p, struct gr_team *team)                           \
    {                                                                                              \
        count(p, way, team);                                                                       \
        __real_##name(p, team);                                                                    \
    }

static const char *packed_way(const struct gr_product *p)
{
    return p->a_panels && p->b_panels ? "packed before"
           : p->b_col == 1            ? "packed, B on the way"
                                      : "packed";
}

static const char *thin_way(const struct gr_product *p)
{
    return p->m == 1 ? "thin, one row" : p->m == 2 ? "thin, two rows" : "thin, some rows";
}

static const char *dots_way(const struct gr_product *p)
{
    return p->m < p->n ? "dots, exchanged" : "dots";
}

COUNT_IF_DONE(gr_gemm_transposed_small, "transposed on the stack")
COUNT_WITH_WORKSPACE(bool, return, gr_gemm_transposed, "transposed in a buffer")

void __real_gr_gemm_unpacked(const struct gr_product *p, int64_t depth, struct gr_team *team);
void __wrap_gr_gemm_unpacked(const struct gr_product *p, int64_t depth, struct gr_team *team);
void __wrap_gr_gemm_unpacked(const struct gr_product *p, int64_t depth, struct gr_team *team)
{
    count(p, "unpacked", team);
    __real_gr_gemm_unpacked(p, depth, team);
}

COUNT_WITH_TEAM(gr_gemm_streamed, "streamed")
COUNT_WITH_WORKSPACE(void, , gr_gemm_thin, thin_way(p))
COUNT_WITH_WORKSPACE(bool, return, gr_gemm_rows,
                     p->b_col == 1 ? "rows, B packed on the way" : "rows")
COUNT_WITH_WORKSPACE(bool, return, gr_gemm_dots, dots_way(p))
COUNT_WITH_WORKSPACE(bool, return, gr_gemm_deep, p->a_col == 1 ? "deep" : "deep, packing")
COUNT_WITH_WORKSPACE(void, , gr_gemm_packed, packed_way(p))

bool __real_gr_gemm_small(const struct gr_product *p);
bool __wrap_gr_gemm_small(const struct gr_product *p);
bool __wrap_gr_gemm_small(const struct gr_product *p)
{
    const bool is_small = gr_gemm_is_small(p), done = __real_gr_gemm_small(p);
    if (done && is_small)
        count(p, "small", false);
    return done;
}

void __real_gr_gemm_scale(const struct gr_product *p);
void __wrap_gr_gemm_scale(const struct gr_product *p);
void __wrap_gr_gemm_scale(const struct gr_product *p)
{
    count(p, "scaled", false);
    __real_gr_gemm_scale(p);
}

bool __real_gr_gemm_mixed_small(const struct gr_product *p, const struct gr_mixed *mixed);
bool __wrap_gr_gemm_mixed_small(const struct gr_product *p, const struct gr_mixed *mixed);
bool __wrap_gr_gemm_mixed_small(const struct gr_product *p, const struct gr_mixed *mixed)
{
    const bool done = __real_gr_gemm_mixed_small(p, mixed);
    if (done && !gr_gemm_is_in_place(p, mixed))
        count(p, p->a_panels || p->b_panels ? "small, packed before" : "small", false);
    return done;
}

bool __real_gr_gemm_in_place(const struct gr_product *p, const struct gr_mixed *mixed,
                             struct gr_team *team);
bool __wrap_gr_gemm_in_place(const struct gr_product *p, const struct gr_mixed *mixed,
                             struct gr_team *team);
bool __wrap_gr_gemm_in_place(const struct gr_product *p, const struct gr_mixed *mixed,
                             struct gr_team *team)
{
    const bool done = __real_gr_gemm_in_place(p, mixed, team);
    struct gr_dispatch dispatch = {0};
    const bool is_dots =
        done && gr_gemm_in_place_describe(p, mixed, &dispatch) && !strcmp(dispatch.path, "dots");
    if (done)
        count(p, is_dots ? "in place, dots" : "in place", team);
    return done;
}

void __real_gr_gemm_mixed(const struct gr_product *p, const struct gr_mixed *mixed,
                          struct gr_workspace *workspace);
void __wrap_gr_gemm_mixed(const struct gr_product *p, const struct gr_mixed *mixed,
                          struct gr_workspace *workspace);
void __wrap_gr_gemm_mixed(const struct gr_product *p, const struct gr_mixed *mixed,
                          struct gr_workspace *workspace)
{
    const bool in_place = !p->a_panels && mixed->a_in_place && mixed->a_in_place(p);
    if (gr_gemm_is_in_place(p, mixed)) {
        __real_gr_gemm_mixed(p, mixed, workspace);
        return;
    }
    count(p,
          p->a_panels && p->b_panels ? "packed before"
          : in_place                 ? "packed, A in place"
                                     : "packed",
          workspace->team);
    __real_gr_gemm_mixed(p, mixed, workspace);
}

void __real_gr_batch_run(const struct gradus_gemm *g, const struct gr_product *first);
void __wrap_gr_batch_run(const struct gradus_gemm *g, const struct gr_product *first);
void __wrap_gr_batch_run(const struct gradus_gemm *g, const struct gr_product *first)
{
    count(first, g->batch > 8 ? "batch, side by side" : "batch, one by one", g->threads != 1);
    __real_gr_batch_run(g, first);
}
