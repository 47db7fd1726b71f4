/* preset.c: sweeps that have a name. SPDX-License-Identifier: MIT */
#include "cli/preset.h"

#include "core/error.h"
#include "cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct preset {
    const char *name;
    const char *sizes;      /* with neither of A and B transposed */
    const char *transposed; /* with either, and with both */
    const char *types;      /* words, with commas */
    int64_t budget_ns;      /* for the samples of a row */
    bool doubling; /* on 1, 2, 4, … threads up to all that are allowed, not on one and two */
};

static const struct preset presets[] = {
    {"sweep",
     "16,24,32,48,64,96,128,192,256,384,512,768,1000,1024,1536,2048,3072,4096,"
     "127,255,511,1023,2047,"
     "4096x8x4096,8x4096x4096,1x4096x4096,4096x1x4096,64x64x8192,4096x4096x64,16x16x65536,"
     "128x4096x4096,32x11008x4096",
     "64,127,256,512,1000,1024,2048", "f32,f64", 1200000000, false},
    {"sweep-quick",
     "16,32,64,128,256,512,1000,127,511,2048x8x2048,8x2048x2048,1x2048x2048,2048x1x2048,64x64x4096",
     "64,127,512", "f32,f64", 300000000, false},
    {"narrow", "256,384,512,768,1000,1024,1536,2048,255,511,1023,64x64x8192,128x4096x4096",
     "256,1000", "bf16,s8,u8", 1200000000, false},
    {"scaling", "4096", "", "f32,f64", 1200000000, true},
};

/* Whoever asks for a sweep wants its large sizes, also from a machine that takes a second each. */
static const int64_t patience_ns = 240LL * 1000000000;

static const struct preset *find_preset(const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}

/* All four transposes of one type and number of threads, or the one that was requested. */
static void add_parts(struct gr_measuring *m, int threads, struct gr_types types,
                      const struct gr_size *sizes, int plain, int count)
{
    const char *requested = gr_args_get(m->args, "trans");
    for (int t = 0; t < 4; t++) {
        bool trans_a = t / 2, trans_b = t % 2;
        if (t && plain == count)
            break;
        if (requested && (trans_a != m->trans_a || trans_b != m->trans_b))
            continue;
        m->parts[m->part_count++] = (struct gr_part){.threads = threads,
                                                     .types = types,
                                                     .trans_a = trans_a,
                                                     .trans_b = trans_b,
                                                     .sizes = t ? sizes + plain : sizes,
                                                     .size_count = t ? count - plain : plain};
    }
}

/* As far as there are so many. */
static void choose_threads(struct gr_measuring *m, bool doubling)
{
    int most = gr_cpu_threads_allowed();
    if (gr_args_get(m->args, "threads"))
        return;
    m->thread_count = 0;
    for (int threads = 1; threads <= (doubling ? most : 2) && threads <= most; threads *= 2)
        m->threads[m->thread_count++] = threads;
}

enum gradus_status gr_preset_apply(const char *name, struct gr_measuring *m,
                                   struct gradus_error *error)
{
    enum { MOST_TYPES = 8 };
    const struct preset *preset = find_preset(name);
    if (!preset)
        return gr_fail(error, GRADUS_INVALID, "--preset '%s': wanted " GR_PRESET_WORDS, name);
    if (gr_args_get(m->args, "size") || gr_args_get(m->args, "sizes"))
        return gr_fail(error, GRADUS_INVALID, "--preset and --size exclude each other");
    m->size_count = 0;
    enum gradus_status status = gr_sizes_parse(preset->sizes, &m->sizes, &m->size_count, error);
    int plain = m->size_count;
    if (status == GRADUS_OK && *preset->transposed)
        status = gr_sizes_parse(preset->transposed, &m->sizes, &m->size_count, error);
    if (status != GRADUS_OK)
        return status;
    choose_threads(m, preset->doubling);
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
            if (gr_types_parse(type, &types) &&
                (!m->types_given || gr_types_equal(types, m->types)))
                add_parts(m, m->threads[i], types, m->sizes, plain, m->size_count);
        }
    }
    m->types_given = true; /* of each part */
    m->field = true;
    m->options.no_shapes = true;
    m->options.budget_ns = preset->budget_ns;
    if (!gr_args_get(m->args, "time-limit"))
        m->options.time_limit_ns = patience_ns;
    return m->part_count ? GRADUS_OK
                         : gr_fail(error, GRADUS_INVALID, "--preset %s has no --dtype %s", name,
                                   gr_types_word(m->types));
}
