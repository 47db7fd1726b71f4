/* preset.c: predefined sweeps. SPDX-License-Identifier: MIT */
#include "cli/preset.h"

#include "core/error.h"
#include "cpu/cpu.h"
#include "measure/random_sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of threads of a preset, unless --threads is given. */
enum thread_counts { ONE, ONE_AND_TWO, DOUBLING, ALL };

struct preset {
    const char *name;
    const char *sizes;      /* with neither A nor B transposed; null: drawn at random */
    const char *transposed; /* with one of them or both transposed */
    const char *types;      /* separated by commas */
    int64_t budget_ns;      /* for the samples of a row */
    enum thread_counts threads;
};

static const struct preset presets[] = {
    {"sweep",
     "16,24,32,48,64,96,128,192,256,384,512,768,1000,1024,1536,2048,3072,4096,"
     "127,255,511,1023,2047,"
     "4096x8x4096,8x4096x4096,1x4096x4096,4096x1x4096,64x64x8192,4096x4096x64,16x16x65536,"
     "128x4096x4096,32x11008x4096",
     "64,127,256,512,1000,1024,2048", "f32,f64", 1200000000, ONE_AND_TWO},
    {"sweep-quick",
     "16,32,64,128,256,512,1000,127,511,2048x8x2048,8x2048x2048,1x2048x2048,2048x1x2048,64x64x4096",
     "64,127,512", "f32,f64", 300000000, ONE_AND_TWO},
    {"narrow", "256,384,512,768,1000,1024,1536,2048,255,511,1023,64x64x8192,128x4096x4096",
     "256,1000", "bf16,s8,u8", 1200000000, ONE_AND_TWO},
    {"threads",
     "1x4096x4096,8x4096x4096,64x64x8192,128x4096x4096,32x11008x4096,"
     "400,512,768,1000,1024,1500,2048,4096",
     "", "f32,f64", 1200000000, ALL},
    {"scaling", "4096", "", "f32,f64", 1200000000, DOUBLING},
    {"random", NULL, NULL, "f32,f64,bf16,s8,u8", 200000000, ONE},
};

/* The number of random products, without --count. */
enum { RANDOM_COUNT = 160 };

/* A sweep includes its large sizes even on a slow machine, which may take a second for each
 * GEMM. */
static const int64_t patience_ns = 240LL * 1000000000;

/* The sizes of the run that have one of the four transposes, 2 * trans_a + trans_b. */
struct range {
    int first, count;
};

static const struct preset *find_preset(const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}

static bool is_requested(const struct gr_measuring *m, int transposes)
{
    return !gr_args_get(m->args, "trans") ||
           (m->trans_a == transposes / 2 && m->trans_b == transposes % 2);
}

/* Adds a part of the run for each of the transposes. */
static void add_parts(struct gr_measuring *m, int threads, struct gr_types types,
                      const struct range ranges[4])
{
    for (int t = 0; t < 4; t++)
        if (ranges[t].count && is_requested(m, t))
            m->parts[m->part_count++] = (struct gr_part){.threads = threads,
                                                         .types = types,
                                                         .trans_a = t / 2,
                                                         .trans_b = t % 2,
                                                         .sizes = m->sizes + ranges[t].first,
                                                         .size_count = ranges[t].count};
}

/* Sets the numbers of threads, as far as the process may use so many. */
static void choose_threads(struct gr_measuring *m, enum thread_counts counts)
{
    const int allowed = gr_cpu_threads_allowed();
    const int most = counts == DOUBLING ? allowed : counts == ONE_AND_TWO ? 2 : 1;
    if (gr_args_get(m->args, "threads") || counts == ALL)
        return;
    m->thread_count = 0;
    for (int threads = 1; threads <= most && threads <= allowed; threads *= 2)
        m->threads[m->thread_count++] = threads;
}

static enum gradus_status list_sizes(const struct preset *preset, struct gr_measuring *m,
                                     struct range ranges[4], struct gradus_error *error)
{
    enum gradus_status status = gr_sizes_parse(preset->sizes, &m->sizes, &m->size_count, error);
    const int plain = m->size_count;
    if (status == GRADUS_OK && *preset->transposed)
        status = gr_sizes_parse(preset->transposed, &m->sizes, &m->size_count, error);
    ranges[0] = (struct range){0, plain};
    for (int t = 1; t < 4; t++)
        ranges[t] = (struct range){plain, m->size_count - plain};
    return status;
}

/* With --trans, all products have these transposes. */
static int transposes_of(const struct gr_measuring *m, const struct gr_random_size *drawn)
{
    return gr_args_get(m->args, "trans") ? 2 * m->trans_a + m->trans_b
                                         : 2 * drawn->trans_a + drawn->trans_b;
}

static enum gradus_status draw_sizes(struct gr_measuring *m, struct range ranges[4],
                                     struct gradus_error *error)
{
    const char *wanted = gr_args_get(m->args, "count");
    int64_t count = RANDOM_COUNT;
    enum gradus_status status =
        wanted ? gr_measuring_integer("count", wanted, 1, GR_MOST_RANDOM_SIZES, &count, error)
               : GRADUS_OK;
    if (status != GRADUS_OK)
        return status;
    struct gr_random_size *drawn = calloc((size_t)count, sizeof *drawn);
    struct gr_size *sizes = calloc((size_t)count, sizeof *sizes);
    if (!drawn || !sizes) {
        free(drawn);
        free(sizes);
        return gr_fail_memory(error, "random sizes", (size_t)count * sizeof *drawn);
    }
    gr_random_sizes_draw(m->options.seed, (int)count, drawn);
    free(m->sizes);
    m->sizes = sizes;
    for (int t = 0; t < 4; t++) {
        ranges[t].first = m->size_count;
        for (int i = 0; i < (int)count; i++)
            if (transposes_of(m, &drawn[i]) == t)
                m->sizes[m->size_count++] = drawn[i].size;
        ranges[t].count = m->size_count - ranges[t].first;
    }
    free(drawn);
    return GRADUS_OK;
}

/* Without --dtype, random products have the library's two main types. */
static bool has_type(const struct preset *preset, const struct gr_measuring *m,
                     struct gr_types types)
{
    if (m->types_given)
        return gr_types_equal(types, m->types);
    return preset->sizes || types.a == GR_F32 || types.a == GR_F64;
}

enum gradus_status gr_preset_apply(const char *name, struct gr_measuring *m,
                                   struct gradus_error *error)
{
    enum { MOST_TYPES = 8 };
    struct range ranges[4];
    const struct preset *preset = find_preset(name);
    if (!preset)
        return gr_fail(error, GRADUS_INVALID, "--preset '%s': wanted " GR_PRESET_WORDS, name);
    if (gr_args_get(m->args, "size") || gr_args_get(m->args, "sizes"))
        return gr_fail(error, GRADUS_INVALID, "--preset and --size exclude each other");
    if (preset->sizes && gr_args_get(m->args, "count"))
        return gr_fail(error, GRADUS_INVALID,
                       "--count goes with --preset random only, found --preset %s", name);
    m->size_count = 0;
    enum gradus_status status =
        preset->sizes ? list_sizes(preset, m, ranges, error) : draw_sizes(m, ranges, error);
    if (status != GRADUS_OK)
        return status;
    choose_threads(m, preset->threads);
    m->parts = calloc((size_t)m->thread_count * MOST_TYPES * 4, sizeof *m->parts);
    if (!m->parts)
        return gr_fail_memory(error, "a sweep", 0);
    for (int i = 0; i < m->thread_count; i++) {
        for (const char *word = preset->types; *word; word += strspn(word, ",")) {
            char type[8];
            struct gr_types types;
            size_t length = strcspn(word, ",");
            snprintf(type, sizeof type, "%.*s", (int)length, word);
            word += length;
            if (gr_types_parse(type, &types) && has_type(preset, m, types))
                add_parts(m, m->threads[i], types, ranges);
        }
    }
    m->types_given = true; /* each part has its types */
    m->field = true;
    m->by_work = !preset->sizes;
    if (m->by_work && m->options.cache == GR_CACHE_BY_SIZE)
        m->options.cache = GR_CACHE_WARM; /* so that a ratio depends only on the product */
    m->options.no_shapes = true;
    m->options.budget_ns = preset->budget_ns;
    if (!gr_args_get(m->args, "time-limit"))
        m->options.time_limit_ns = patience_ns;
    return m->part_count ? GRADUS_OK
                         : gr_fail(error, GRADUS_INVALID, "--preset %s has no --dtype %s", name,
                                   gr_types_word(m->types));
}
