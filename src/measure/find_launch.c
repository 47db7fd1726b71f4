/* find_launch.c: tries the launches that a project suggests. SPDX-License-Identifier: MIT */
#include "measure/find_launch.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/held.h"
#include "catalog/roles.h"
#include "source/project.h"
#include "launches/suggest.h"
#include "measure/trial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct extent {
    int64_t m, n, k;
};

/* The sizes that are tried: small ones first, which most kernels support; then multiples of the
 * largest common tiles. */
static const struct extent unequal[] = {{32, 64, 96}, {128, 256, 384}, {256, 512, 128}};
static const struct extent equal[] = {{64, 64, 64}, {256, 256, 256}};
/* Sizes for a launch of one block: with a thread for each element, or for a tile of the tensor
 * cores. */
static const struct extent blocks[] = {{16, 32, 24}, {32, 32, 32}, {16, 16, 16}};
static const struct extent tiles[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 8, 16},
                                      {16, 8, 8},   {8, 8, 4},   {32, 32, 32}};
static const int64_t trial_limit_ns = 5LL * 1000000000;
/* The limits for all trials together. Processor time is the main one, because a busy machine
 * completes fewer trials in the same wall time and the result must not depend on that. Wall time
 * is for kernels that do not terminate. */
static const int64_t all_limit_ns = 25LL * 1000000000, brief_limit_ns = 8LL * 1000000000;
static const int64_t wall_limit_ns = 75LL * 1000000000;
/* At larger sizes, where a trial takes longer, only the most likely suggestions are tried. */
enum { MOST_LARGE = 48 };

/* A build that several suggestions share because they differ only in the arguments. */
struct built {
    struct gr_artifact artifact;
    char *name; /* of the kernel, with its template arguments */
    struct gr_types types;
    enum gradus_status status;
    struct built *next;
};

struct search {
    const struct gr_launch_search *wanted;
    struct gr_session session;
    struct built *builds;
    int64_t until_ns, until_cpu_ns; /* limits of wall time and of processor time */
    int tried;
};

static int64_t used_ns(const struct rusage *u)
{
    return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000000LL +
           (u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000LL;
}

/* The processor time of this process, of its finished workers, and of the running worker. */
static int64_t cpu_ns(const struct search *s)
{
    struct rusage self, ended;
    struct timespec running = {0};
    clockid_t clock;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &ended);
    if (s->session.child.pid > 0 && clock_getcpuclockid(s->session.child.pid, &clock) == 0)
        clock_gettime(clock, &running);
    return used_ns(&self) + used_ns(&ended) + running.tv_sec * 1000000000LL + running.tv_nsec;
}

static bool has_time(const struct search *s)
{
    return gr_now_ns() < s->until_ns && cpu_ns(s) < s->until_cpu_ns;
}

static struct gr_types types_of(const struct gr_launch_search *s, const struct gr_kernel *k)
{
    return s->types_given || k->type_count == 0 ? s->types : k->types[0];
}

static const struct built *build(struct search *s, const struct gr_variant *variant)
{
    const char *name = variant->kernel->stanzas[0].kernel.text;
    /* The arguments of a C kernel are a part of its build. */
    const bool shared = variant->kernel->language == GR_LANGUAGE_CUDA;
    for (const struct built *b = s->builds; b && shared; b = b->next)
        if (strcmp(b->name, name ? name : "") == 0 && gr_types_equal(b->types, variant->types))
            return b;
    struct built *b = calloc(1, sizeof *b);
    struct gradus_error ignored = {0};
    if (!b)
        return NULL;
    *b = (struct built){.name = gr_strdup(name ? name : ""),
                        .types = variant->types,
                        .artifact.pending = -1,
                        .next = s->builds};
    b->status = s->session.backend->prepare(s->session.found, variant, &s->session.options.build,
                                            &b->artifact, &ignored);
    gradus_error_clear(&ignored);
    s->builds = b;
    return b;
}

static void free_builds(struct search *s)
{
    while (s->builds) {
        struct built *next = s->builds->next;
        s->session.backend->discard(&s->builds->artifact);
        free(s->builds->name);
        free(s->builds);
        s->builds = next;
    }
}

/* `scaled`: uses an alpha and a beta other than 1 and 0, of those that the kernel has, so that
 * swapped arguments are detected. */
static bool try_product(struct search *s, const struct gr_variant *variant,
                        const struct gr_artifact *artifact, bool scaled)
{
    const struct gr_candidate candidate = {.variant = variant, .artifact = artifact};
    struct gr_scales scales = gr_scales_distinct(s->session.pairs[0].problem.types.acc);
    const struct gr_signature *takes = &variant->kernel->stanzas[0].signature;
    const struct gr_trial trial = {.candidate = candidate,
                                   .pair = &s->session.pairs[0],
                                   .alpha = scaled && takes->has_alpha ? scales.alpha : 1,
                                   .beta = scaled && takes->has_beta ? scales.beta : 0,
                                   .c_start = GR_C_FINITE,
                                   .quick = true,
                                   .limit_ns = trial_limit_ns};
    struct gr_outcome outcome;
    struct gradus_error ignored = {0};
    bool right = gr_trial_run(&s->session, &trial, &outcome, &ignored) == GRADUS_OK &&
                 outcome.verdict == GR_RIGHT;
    gr_outcome_free(&outcome);
    gradus_error_clear(&ignored);
    return right;
}

/* A kernel whose operands are in arrays of fixed extents is tried at sizes that fit them, which *e
 * becomes. False: the suggestion is for squares, and these are none. */
static bool fit_arrays(const struct gr_kernel *k, const struct gr_suggestion *suggestion, int trans,
                       struct extent *e)
{
    int64_t size[3];
    if (!gr_held_sizes(k, trans >= 2, trans % 2, size))
        return true;
    *e = (struct extent){size[0], size[1], size[2]};
    return !suggestion->square || (e->m == e->n && e->n == e->k);
}

static bool is_right(struct search *s, struct gr_kernel *k, const struct gr_suggestion *suggestion,
                     struct extent *at)
{
    struct gr_variant variant;
    struct gradus_error ignored = {0};
    int which = 0;
    while (which < 3 && !k->trans[which])
        which++;
    if (!fit_arrays(k, suggestion, which, at))
        return false;
    const struct extent e = *at;
    bool ok = gr_variant_make(k, types_of(s->wanted, k), which >= 2, which % 2, &variant,
                              &ignored) == GRADUS_OK;
    if (ok)
        gr_backend_suit(s->session.backend, s->session.found, &variant);
    for (int i = 0; ok && i < s->wanted->param_count; i++)
        gr_variant_set(&variant, s->wanted->params[i], &ignored);
    struct gr_problem problem = gr_kernel_problem(k, e.m, e.n, e.k, which >= 2, which % 2,
                                                  ok ? variant.types : gr_types_of(GR_F32));
    const struct built *b = ok ? build(s, &variant) : NULL;
    ok = b && b->status == GRADUS_OK &&
         gr_session_pairs(&s->session, &problem, k->math, &ignored) == GRADUS_OK;
    bool scaled = k->stanzas[0].signature.has_alpha || k->stanzas[0].signature.has_beta;
    ok = ok && (!scaled || try_product(s, &variant, &b->artifact, true)) &&
         try_product(s, &variant, &b->artifact, false);
    gradus_error_clear(&ignored);
    return ok;
}

static struct gr_kernel *kernel_of(const struct search *s, const struct gr_suggestion *suggestion,
                                   struct gradus_error *error)
{
    struct gr_kernel *k = NULL;
    gr_kernel_read(s->wanted->path, suggestion->lines, &k, error);
    return k;
}

/* Tries the suggestions [begin, end), which are of one kind, at one size, and returns the kernel
 * of the first that is correct. */
static struct gr_kernel *try_all(struct search *s, const struct gr_suggestions *list, int begin,
                                 int end, struct extent *at, const struct gr_suggestion **which)
{
    for (int i = begin; i < end && has_time(s); i++) {
        struct gradus_error ignored = {0};
        struct gr_kernel *k = kernel_of(s, &list->items[i], &ignored);
        gradus_error_clear(&ignored);
        s->tried++;
        if (k && is_right(s, k, &list->items[i], at)) {
            *which = &list->items[i];
            return k;
        }
        gr_kernel_free(k);
    }
    return NULL;
}

static struct gr_kernel *try_kind(struct search *s, const struct gr_suggestions *list, int begin,
                                  int end, const struct gr_suggestion **which, struct extent *at)
{
    bool square = list->items[begin].square;
    const struct extent *extents = square ? equal : unequal;
    int count =
        square ? (int)(sizeof equal / sizeof *equal) : (int)(sizeof unequal / sizeof *unequal);
    struct gr_kernel *k = NULL;
    for (int e = 0; e < count && !k; e++) {
        int last = e > 0 && end - begin > MOST_LARGE ? begin + MOST_LARGE : end;
        *at = extents[e];
        k = try_all(s, list, begin, last, at, which);
    }
    return k;
}

/* Does the block's number of threads grow with the sizes, as in `--block 'N, N'`? */
static bool block_grows(const struct gr_suggestion *suggestion)
{
    const char *block = strstr(suggestion->lines, "block ");
    const size_t length = block ? strcspn(block, "\n") : 0;
    for (size_t i = strlen("block "); i < length; i++)
        if (strchr("MNK", block[i]))
            return true;
    return false;
}

/* Is the kernel given no size, and launched with a fixed number of blocks? */
static bool has_one_tile(const struct gr_kernel *k)
{
    const struct gr_signature *takes = &k->stanzas[0].signature;
    for (int i = 0; i < takes->count; i++) {
        const enum gr_role role = takes->parameters[i].role;
        if (role == GR_ROLE_M || role == GR_ROLE_N || role == GR_ROLE_K ||
            (role >= GR_ROLE_LDA && role <= GR_ROLE_LDC))
            return false;
    }
    for (int i = 0; i < k->stanzas[0].grid.count; i++)
        if (strpbrk(k->stanzas[0].grid.items[i].text, "MNK"))
            return false;
    return !k->has_fixed_sizes && k->held_count == 0;
}

/* Tries suggestions that are right at small sizes only. A kernel that is given sizes is tried where
 * its block is small enough, one that is given none at the sizes of a tile. */
static struct gr_kernel *try_small(struct search *s, const struct gr_suggestions *list,
                                   const struct gr_suggestion **which, struct extent *at)
{
    for (int i = 0; i < list->count && has_time(s); i++) {
        struct gradus_error ignored = {0};
        const struct gr_suggestion *suggestion = &list->items[i];
        struct gr_kernel *k = kernel_of(s, suggestion, &ignored);
        const bool tile = k && has_one_tile(k), grows = k && block_grows(suggestion);
        const struct extent *extents = tile ? tiles : blocks;
        const size_t count = tile    ? sizeof tiles / sizeof *tiles
                             : grows ? sizeof blocks / sizeof *blocks
                                     : 0;
        gradus_error_clear(&ignored);
        for (size_t e = 0; e < count && has_time(s); e++) {
            *at = extents[e];
            const bool equal_sizes = at->m == at->n && at->n == at->k;
            if (tile ? suggestion->square && !equal_sizes : suggestion->square != equal_sizes)
                continue;
            s->tried += e == 0;
            if (!is_right(s, k, suggestion, at))
                continue;
            k->fixed_by_trial = true;
            k->has_fixed_sizes |= tile;
            memcpy(k->fixed, (int64_t[]){at->m, at->n, at->k}, sizeof k->fixed);
            *which = suggestion;
            return k;
        }
        gr_kernel_free(k);
    }
    return NULL;
}

static struct gr_kernel *find(struct search *s, const struct gr_suggestions *list,
                              const struct gr_suggestion **which, struct extent *at)
{
    struct gr_kernel *k = NULL;
    s->until_ns = gr_now_ns() + wall_limit_ns;
    s->until_cpu_ns = cpu_ns(s) + (s->wanted->brief ? brief_limit_ns : all_limit_ns);
    for (int begin = 0, end; begin < list->count && !k; begin = end) {
        end = begin + 1;
        while (end < list->count && list->items[end].square == list->items[begin].square)
            end++;
        gr_session_report(&s->session, "%s: finding out how it is launched", s->wanted->path);
        k = try_kind(s, list, begin, end, which, at);
    }
    return k ? k : try_small(s, list, which, at);
}

static char *reported(const struct gr_suggestion *suggestion, const struct extent *at, int tried)
{
    char size[64];
    struct gr_str out = {0};
    if (!at && suggestion->guessed)
        gr_str_add(&out, "launch unknown: give --grid and --block; ");
    gr_str_add(&out, *suggestion->origin ? suggestion->origin : "arguments found by trial");
    if (!at && suggestion->guessed) {
        gr_str_printf(&out, ", none of %d guesses gave a right result, and what follows is of %s",
                      tried, suggestion->shown);
    } else if (at) {
        gr_size_name(at->m, at->n, at->k, size, sizeof size);
        gr_str_printf(&out, ": %s (right at %s%s)", suggestion->shown, size,
                      suggestion->zero ? "; it adds to C, which is zeroed before" : "");
    } else {
        gr_str_printf(&out, ": %s (not confirmed: none of %d ways to launch it was right)",
                      suggestion->shown, tried);
    }
    return out.text;
}

/* The most likely suggestion that can be parsed at all; the verdict of that one is reported. */
static struct gr_kernel *likeliest(struct search *s, const struct gr_suggestions *list,
                                   const struct gr_suggestion **which, struct gradus_error *error)
{
    for (int i = 0; i < list->count; i++) {
        struct gr_kernel *k;
        gradus_error_clear(error);
        if ((k = kernel_of(s, &list->items[i], error))) {
            *which = &list->items[i];
            return k;
        }
    }
    return NULL;
}

/* Is there a GPU but no compiler for it? */
static bool builds_nothing(const struct search *s)
{
    bool nothing = s->builds != NULL;
    for (const struct built *b = s->builds; b; b = b->next)
        nothing &= b->status == GRADUS_UNSUPPORTED;
    return nothing;
}

static void close_search(struct search *s)
{
    free_builds(s);
    gr_session_close(&s->session);
    s->session = (struct gr_session){0};
    s->tried = 0;
}

/* Without a GPU or without its compiler, the trials run on the simulator: `explain` needs
 * neither, and `run` reports the lack later. */
static enum gradus_status search_launch(const struct gr_launch_search *wanted,
                                        const struct gr_suggestions *list,
                                        struct gr_kernel **kernel, bool *is_confirmed,
                                        struct gradus_error *error)
{
    struct search s = {.wanted = wanted};
    struct gr_options options = *wanted->options;
    const char *const none[] = {NULL};
    options.verify_only = true;
    options.peers = none;
    options.peer_count = 0;
    options.inputs = (struct gr_inputs){0};
    const struct gr_suggestion *which = NULL;
    struct extent at;
    struct gr_kernel *k = NULL;
    enum gradus_status status = gr_session_open(&options, &s.session, error);
    if (status == GRADUS_OK)
        k = find(&s, list, &which, &at);
    if (status == GRADUS_OK && builds_nothing(&s)) {
        close_search(&s);
        status = GRADUS_UNSUPPORTED;
    }
    if (status == GRADUS_UNSUPPORTED) {
        gradus_error_clear(error);
        status = gr_device_ref_parse("sim", &options.device, error);
        if (status == GRADUS_OK)
            status = gr_session_open(&options, &s.session, error);
        k = status == GRADUS_OK ? find(&s, list, &which, &at) : NULL;
    }
    if (status != GRADUS_OK)
        return status;
    bool confirmed = k != NULL;
    if (!k)
        k = likeliest(&s, list, &which, error);
    if (k)
        k->launch_origin = reported(which, confirmed ? &at : NULL, s.tried);
    if (k)
        k->launch_guessed = !confirmed && which->guessed;
    *is_confirmed = confirmed;
    close_search(&s);
    *kernel = k;
    return k ? GRADUS_OK : GRADUS_INVALID;
}

static bool is_launchable(const struct gr_kernel *k)
{
    bool is = true;
    for (int i = 0; i < k->stanza_count; i++)
        is &= k->stanzas[i].grid.count && k->stanzas[i].block.count;
    return is || k->language != GR_LANGUAGE_CUDA;
}

/* The row has the name of the file that was given. */
static void take_found(const char *path, struct gr_kernel *found, struct gr_kernel **kernel)
{
    const char *base = gr_path_base(path), *dot = strchr(base, '.');
    char *name = gr_strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    if (name) {
        free(found->name);
        found->name = name;
    }
    gr_kernel_free(*kernel);
    *kernel = found;
}

/* A header that needs definitions from the files that include it is read as a part of one of
 * them. *kernel is null if it cannot be read by itself. */
static void search_where_included(const struct gr_launch_search *wanted, struct gr_kernel **kernel)
{
    enum { MOST_INCLUDERS = 3 };
    struct gr_project project = gr_project_of(wanted->path);
    const struct gr_kernel *k = *kernel;
    char *real = realpath(wanted->path, NULL);
    char *quoted = gr_printf("%s\"", gr_path_base(wanted->path));
    struct gr_str extra = {0};
    if (k && (!k->stanzas[0].kernel.text || !strstr(wanted->extra, "kernel ")))
        gr_str_printf(&extra, "kernel %s\n", k->stanzas[0].signature.name);
    gr_str_add(&extra, wanted->extra);
    bool confirmed = false;
    for (int i = 0, tried = 0;
         real && quoted && i < gr_project_list(&project) && tried < MOST_INCLUDERS; i++) {
        struct gradus_error ignored = {0};
        struct gr_suggestions list = {0};
        struct gr_kernel *found = NULL;
        char *text = NULL;
        size_t length;
        struct gr_launch_search other = *wanted;
        other.path = project.paths[i];
        other.extra = gr_str_text(&extra);
        bool includes = strcmp(real, project.paths[i]) != 0 &&
                        gr_file_read(project.paths[i], &text, &length, &ignored) == GRADUS_OK &&
                        strstr(text, quoted) != NULL;
        tried += includes;
        if (includes && gr_suggest(other.path, other.extra, &list, &ignored) == GRADUS_OK)
            search_launch(&other, &list, &found, &confirmed, &ignored);
        if (confirmed) {
            take_found(wanted->path, found, kernel);
        } else {
            gr_kernel_free(found);
        }
        gr_suggestions_free(&list);
        gradus_error_clear(&ignored);
        free(text);
        if (confirmed)
            break;
    }
    gr_str_free(&extra);
    gr_project_free(&project);
    free(quoted);
    free(real);
}

/* The arguments that the kernel gets now, as an `args` line. */
static void write_args(const struct gr_kernel *k, struct gr_str *out)
{
    const struct gr_signature *s = &k->stanzas[0].signature;
    gr_str_add(out, "args ");
    for (int i = 0; i < s->count; i++) {
        const struct gr_parameter *p = &s->parameters[i];
        const enum gr_role role = k->mirrored ? gr_role_mirrored(p->role) : p->role;
        const char *name = p->name; /* of a `work` or `arg` line */
        for (int r = 0; r < GR_ROLE_NAMES; r++)
            if (gr_role_names[r].role == role)
                name = gr_role_names[r].name;
        gr_str_printf(out, "%s%s", i ? ", " : "", name);
    }
    gr_str_add(out, "\n");
}

/* Does the file have lines of front matter? Without a `trans` line among them it supports nn
 * only. */
static bool says_trans(const struct gr_launch_search *wanted)
{
    struct gr_kernel *k = NULL;
    struct gradus_error ignored = {0};
    bool says = gr_kernel_open(wanted->path, wanted->extra, &k, &ignored) == GRADUS_OK &&
                (k->trans_declared || k->has_front_matter);
    gr_kernel_free(k);
    gradus_error_clear(&ignored);
    return says;
}

/* For a C kernel that cannot be read because its parameters have other names: what is found by
 * trial counts only if it is right. Otherwise the reader's message says what is missing. */
static enum gradus_status find_call(const struct gr_launch_search *wanted,
                                    enum gradus_status status, struct gr_kernel **kernel,
                                    struct gradus_error *error)
{
    struct gr_suggestions list = {0};
    struct gradus_error ignored = {0};
    struct gr_kernel *found = NULL;
    bool confirmed = false;
    if (status != GRADUS_INVALID)
        return status;
    if (gr_suggest(wanted->path, wanted->extra, &list, &ignored) == GRADUS_OK && list.count)
        search_launch(wanted, &list, &found, &confirmed, &ignored);
    gr_suggestions_free(&list);
    gradus_error_clear(&ignored);
    if (!confirmed) {
        gr_kernel_free(found);
        return status;
    }
    gradus_error_clear(error);
    *kernel = found;
    return GRADUS_OK;
}

char *gr_call_advise(const struct gr_kernel *k, const struct gr_options *options,
                     struct gr_types types)
{
    struct gr_str extra = {0};
    struct gr_suggestions list = {0};
    struct gradus_error ignored = {0};
    struct gr_kernel *found = NULL;
    bool confirmed = false;
    char *advice = NULL;
    if (k->language != GR_LANGUAGE_C || k->built_in || k->stanza_count != 1)
        return NULL;
    gr_str_add(&extra, k->extra ? k->extra : "");
    if (k->stanzas[0].args.count == 0)
        write_args(k, &extra);
    const struct gr_launch_search wanted = {.path = k->path,
                                            .extra = gr_str_text(&extra),
                                            .options = options,
                                            .types = types,
                                            .types_given = true,
                                            .brief = true};
    if (gr_suggest(k->path, wanted.extra, &list, &ignored) == GRADUS_OK && list.count)
        search_launch(&wanted, &list, &found, &confirmed, &ignored);
    for (int i = 0; confirmed && i < list.count; i++)
        if (strcmp(found->extra, list.items[i].lines) == 0 && list.items[i].shown &&
            *list.items[i].shown)
            advice = gr_strdup(list.items[i].shown);
    gr_kernel_free(found);
    gr_suggestions_free(&list);
    gradus_error_clear(&ignored);
    gr_str_free(&extra);
    return advice;
}

enum gradus_status gr_launch_find(const struct gr_launch_search *wanted, struct gr_kernel **kernel,
                                  struct gradus_error *error)
{
    struct gr_suggestions list = {0};
    struct gradus_error why = {0};
    struct gr_launch_search requested = *wanted;
    struct gr_str extra = {0};
    gr_str_add(&extra, wanted->extra ? wanted->extra : "");
    if (wanted->trans && !says_trans(wanted))
        gr_str_printf(&extra, "trans %s\n", wanted->trans);
    requested.extra = gr_str_text(&extra);
    enum gradus_status status = gr_kernel_read(requested.path, requested.extra, kernel, error);
    bool done = status == GRADUS_OK && is_launchable(*kernel);
    if (!done && gr_is_c_path(requested.path)) {
        done = true;
        status = find_call(&requested, status, kernel, error);
    }
    if (!done && gr_suggest(requested.path, requested.extra, &list, &why) == GRADUS_OK &&
        list.count) {
        gr_kernel_free(*kernel);
        gradus_error_clear(error);
        bool confirmed = false;
        status = search_launch(&requested, &list, kernel, &confirmed, error);
        if (status == GRADUS_OK && !confirmed)
            search_where_included(&requested, kernel);
    }
    if (!done && status != GRADUS_OK && why.status == GRADUS_INVALID) {
        *kernel = NULL;
        search_where_included(&requested, kernel);
        if (*kernel) {
            gradus_error_clear(error);
            status = GRADUS_OK;
        }
    }
    if (!done && status != GRADUS_OK && why.status == GRADUS_INVALID &&
        strstr(why.text, " by value "))
        gr_fail(error, status = GRADUS_INVALID, "%s",
                why.text); /* a problem that no `args` line can fix */
    gr_str_free(&extra);
    gradus_error_clear(&why);
    if (!done)
        gr_suggestions_free(&list);
    if (status == GRADUS_OK && (status = gr_after_check(*kernel, error)) != GRADUS_OK) {
        gr_kernel_free(*kernel);
        *kernel = NULL;
    }
    return status;
}
