/* counting.c: translates the options of explain to options of run and ladder.
 * SPDX-License-Identifier: MIT */
#include "cli/counting.h"

#include "core/error.h"
#include "base/spawn.h"
#include "base/str.h"
#include "catalog/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
    const char **items;
    int count; /* counts words even if there is no room for them */
};

static void add(struct words *w, const char *word)
{
    if (w->count < GR_COUNTING_WORDS)
        w->items[w->count] = word;
    w->count++;
}

static void add_option(struct words *w, const char *name, const char *value)
{
    add(w, name);
    add(w, value);
}

/* Repeats options as they were given, because the verbs have the same ones. */
static void repeat(const struct gr_args *args, struct words *w)
{
    static const char *const names[][2] = {
        {"param", "--param"}, {"kernel", "--kernel"},   {"grid", "--grid"},
        {"block", "--block"}, {"smem", "--smem"},       {"cluster", "--cluster"},
        {"args", "--args"},   {"work", "--work"},       {"define", "--define"},
        {"flags", "--flags"}, {"require", "--require"}, {"kernel-dir", "--kernel-dir"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int j = 0; gr_args_get_at(args, names[i][0], j); j++)
            add_option(w, names[i][1], gr_args_get_at(args, names[i][0], j));
}

enum gradus_status gr_counting_command(const struct gr_args *args, const struct gr_kernel *kernel,
                                       const struct gr_problem *p, const char *device,
                                       char self[4096], char size[64],
                                       const char *words[GR_COUNTING_WORDS + 1],
                                       struct gradus_error *error)
{
    struct words w = {.items = words};
    const char *requested = gr_args_get(args, "device");
    /* The real path, since /proc/self/exe would be the profiler there. */
    char *file = gr_spawn_self_file();
    if (!file)
        return gr_fail(error, GRADUS_IO,
                       "counters: the file of this program is not known, since "
                       "/proc is not there");
    snprintf(self, 4096, "%s", file);
    free(file);
    gr_size_name(p->m, p->n, p->k, size, 64);
    add(&w, self);
    if (kernel->number >= 0 && !strchr(args->operands[0], '/') &&
        !gr_is_cuda_path(args->operands[0])) {
        add(&w, "ladder");
        add_option(&w, "--kernels", kernel->name);
    } else {
        add(&w, "run");
        add(&w, args->operands[0]);
    }
    add_option(&w, "--device", requested ? requested : device);
    add_option(&w, "--size", size);
    add_option(&w, "--dtype", gr_types_word(p->types));
    add_option(&w, "--trans", gr_problem_trans(p));
    add_option(&w, "--peer", "none");
    add(&w, "--verify-only");
    add_option(&w, "--shapes", "no");
    add_option(&w, "--time-limit",
               /* The profiler runs each launch several times, and the size must not be reduced
                * because of the time. */
               "600");
    repeat(args, &w);
    if (w.count > GR_COUNTING_WORDS)
        return gr_fail(error, GRADUS_INVALID, "explain --counters: more than %d words",
                       GR_COUNTING_WORDS);
    words[w.count] = NULL;
    return GRADUS_OK;
}
