/* launch_trials.c: multiplies small matrices with suggested launches.
 * SPDX-License-Identifier: MIT */
#include "measure/launch_trials.h"

#include "core/clock.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/held.h"
#include "measure/trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* The sizes that are tried: small ones first, which most kernels support; then multiples of the
 * largest common tiles. */
static const struct gr_extent unequal[] = {{32, 64, 96}, {128, 256, 384}, {256, 512, 128}};
static const struct gr_extent equal[] = {{64, 64, 64}, {256, 256, 256}};
/* Sizes for a launch of one block: with a thread for each element, or for a tile of the tensor
 * cores. */
static const struct gr_extent blocks[] = {{16, 32, 24}, {32, 32, 32}, {16, 16, 16}};
static const struct gr_extent tiles[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 8, 16},
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

static int64_t used_ns(const struct rusage *u)
{
    return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000000LL +
           (u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000LL;
}

/* The processor time of this process, of its finished workers, and of the running worker. */
static int64_t cpu_ns(const struct gr_trials *s)
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

static bool has_time(const struct gr_trials *s)
{
    return gr_now_ns() < s->until_ns && cpu_ns(s) < s->until_cpu_ns;
}

static struct gr_types types_of(const struct gr_launch_search *s, const struct gr_kernel *k)
{
    return s->types_given || k->type_count == 0 ? s->types : k->types[0];
}

static const struct built *build(struct gr_trials *s, const struct gr_variant *variant)
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

static void free_builds(struct gr_trials *s)
{
    while (s->builds) {
        struct built *next = s->builds->next;
        s->session.backend->discard(&s->builds->artifact);
        free(s->builds->name);
        free(s->builds);
        s->builds = next;
    }
}

/* Are writes outside of the operands all that is wrong? Then the launch is the kernel's, and its
 * bounds are the fault. */
static bool only_strays(const struct gr_outcome *outcome)
{
    bool only = outcome->verdict == GR_WRONG && outcome->check.right;
    for (int i = 0; i < outcome->findings.count; i++)
        only &= outcome->findings.items[i].kind == GR_FIND_WROTE_OUTSIDE ||
                outcome->findings.items[i].severity != GR_SEVERITY_FAULT;
    return only;
}

/* Is C right? s->strays is set if something was written outside of it. `scaled`: uses an alpha and
 * a beta other than 1 and 0, of those that the kernel has, so that swapped arguments are detected.
 */
static bool try_product(struct gr_trials *s, const struct gr_variant *variant,
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
                                   .muted = true,
                                   .quick = true,
                                   .limit_ns = trial_limit_ns};
    struct gr_outcome outcome;
    struct gradus_error ignored = {0};
    const bool ran = gr_trial_run(&s->session, &trial, &outcome, &ignored) == GRADUS_OK;
    const bool strays = ran && only_strays(&outcome);
    const bool right = strays || (ran && outcome.verdict == GR_RIGHT);
    s->strays |= strays;
    s->adds_in_f16 |= gr_outcome_adds_in_f16(&outcome);
    gr_outcome_free(&outcome);
    gradus_error_clear(&ignored);
    return right;
}

/* A kernel whose operands are in arrays of fixed extents is tried at sizes that fit them, which *e
 * becomes. False: the suggestion is for squares, and these are none. */
static bool fit_arrays(const struct gr_kernel *k, const struct gr_suggestion *suggestion, int trans,
                       struct gr_extent *e)
{
    int64_t size[3];
    if (!gr_held_sizes(k, trans >= 2, trans % 2, size))
        return true;
    *e = (struct gr_extent){size[0], size[1], size[2]};
    return !suggestion->square || (e->m == e->n && e->n == e->k);
}

static bool is_right(struct gr_trials *s, struct gr_kernel *k,
                     const struct gr_suggestion *suggestion, struct gr_extent *at)
{
    struct gr_variant variant;
    struct gradus_error ignored = {0};
    int which = 0;
    while (which < 3 && !k->trans[which])
        which++;
    if (!fit_arrays(k, suggestion, which, at))
        return false;
    const struct gr_extent e = *at;
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
    s->strays = false;
    ok = ok && (!scaled || try_product(s, &variant, &b->artifact, true)) &&
         try_product(s, &variant, &b->artifact, false);
    gradus_error_clear(&ignored);
    if (ok && s->strays && !s->stray && !suggestion->guessed && !suggestion->invented) {
        s->stray = suggestion;
        s->stray_at = *at;
    }
    return ok && !s->strays;
}

struct gr_kernel *gr_trials_kernel(const struct gr_trials *s,
                                   const struct gr_suggestion *suggestion,
                                   struct gradus_error *error)
{
    struct gr_kernel *k = NULL;
    gr_kernel_read(s->wanted->path, suggestion->lines, &k, error);
    return k;
}

/* A kernel of halves may add in 16 bits, as tensor cores can: then the elements that are wrong for
 * a sum in 32 bits are those of such a sum. If it is right as such a kernel, the suggestion says
 * so.
 */
static struct gr_kernel *with_half_sums(struct gr_trials *s, const struct gr_kernel *k,
                                        struct gr_suggestion *suggestion, struct gr_extent *at)
{
    const struct gr_types halves = {GR_F16, GR_F16, GR_F16, GR_F32};
    struct gradus_error ignored = {0};
    struct gr_kernel *narrow = NULL;
    if (!s->adds_in_f16 || s->wanted->types_given || k->type_count != 1 ||
        !gr_types_equal(k->types[0], halves))
        return NULL;
    char *lines = gr_printf("type " GR_HALF_SUMS "\n%s", suggestion->lines);
    if (lines && gr_kernel_read(s->wanted->path, lines, &narrow, &ignored) == GRADUS_OK &&
        is_right(s, narrow, suggestion, at)) {
        char *before = suggestion->lines;
        suggestion->lines = lines;
        suggestion->half_sums = true;
        lines = before;
    } else {
        gr_kernel_free(narrow);
        narrow = NULL;
    }
    gradus_error_clear(&ignored);
    free(lines);
    return narrow;
}

/* Tries the suggestions [begin, end), which are of one kind, at one size, and returns the kernel
 * of the first that is correct. */
static struct gr_kernel *try_all(struct gr_trials *s, struct gr_suggestions *list, int begin,
                                 int end, struct gr_extent *at, const struct gr_suggestion **which)
{
    for (int i = begin; i < end && has_time(s); i++) {
        struct gradus_error ignored = {0};
        struct gr_kernel *k = gr_trials_kernel(s, &list->items[i], &ignored);
        gradus_error_clear(&ignored);
        s->tried++;
        s->adds_in_f16 = false;
        struct gr_kernel *found = k && is_right(s, k, &list->items[i], at) ? k : NULL;
        if (k && !found)
            found = with_half_sums(s, k, &list->items[i], at);
        if (found != k)
            gr_kernel_free(k);
        if (found) {
            *which = &list->items[i];
            return found;
        }
    }
    return NULL;
}

static struct gr_kernel *try_kind(struct gr_trials *s, struct gr_suggestions *list, int begin,
                                  int end, const struct gr_suggestion **which, struct gr_extent *at)
{
    bool square = list->items[begin].square;
    const struct gr_extent *extents = square ? equal : unequal;
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

/* Is the kernel given no size, and launched with one block? */
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
        if (strcmp(k->stanzas[0].grid.items[i].text, "1") != 0)
            return false;
    return !k->has_fixed_sizes && k->held_count == 0;
}

/* Adds a `require` line to the suggestion. Takes ownership of the expression. */
static void require(struct gr_suggestion *x, char *expression)
{
    char *lines = expression ? gr_printf("require %s\n%s", expression, x->lines) : NULL;
    char *shown = expression ? gr_printf("%s --require '%s'", x->shown, expression) : NULL;
    free(expression);
    if (lines && shown) {
        free(x->lines);
        free(x->shown);
        x->lines = lines;
        x->shown = shown;
        return;
    }
    free(lines);
    free(shown);
}

/* The kernel of the suggestion that was right, with the sizes that it is run at by default. */
static struct gr_kernel *with_sizes(const struct gr_trials *s, const struct gr_suggestion *x,
                                    const struct gr_extent *e)
{
    struct gradus_error ignored = {0};
    struct gr_kernel *k = gr_trials_kernel(s, x, &ignored);
    gradus_error_clear(&ignored);
    if (!k)
        return NULL;
    k->fixed_by_trial = true;
    memcpy(k->fixed, (int64_t[]){e->m, e->n, e->k}, sizeof k->fixed);
    return k;
}

/* Tries suggestions that are right at small sizes only. A kernel that is given sizes is tried where
 * its block is small enough, one that is given none at the sizes of a tile. */
static struct gr_kernel *try_small(struct gr_trials *s, struct gr_suggestions *list,
                                   const struct gr_suggestion **which, struct gr_extent *at)
{
    for (int i = 0; i < list->count && has_time(s); i++) {
        struct gradus_error ignored = {0};
        struct gr_suggestion *suggestion = &list->items[i];
        struct gr_kernel *k = gr_trials_kernel(s, suggestion, &ignored);
        const bool tile = k && has_one_tile(k), grows = k && block_grows(suggestion);
        const struct gr_extent *extents = tile ? tiles : blocks;
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
            if (tile)
                require(suggestion,
                        gr_printf("M==%" PRId64 " && N==%" PRId64 " && K==%" PRId64,
                                  k->mirrored ? at->n : at->m, k->mirrored ? at->m : at->n, at->k));
            gr_kernel_free(k);
            *which = suggestion;
            return with_sizes(s, suggestion, at);
        }
        gr_kernel_free(k);
    }
    return NULL;
}

/* The dimension that has one element where the kernel multiplies a matrix and a vector: it is given
 * the sizes of the matrix alone. 0: it is none such. */
static char vector_dimension(const struct gr_kernel *k)
{
    const struct gr_signature *takes = &k->stanzas[0].signature;
    bool told[3] = {false};
    for (int i = 0; i < takes->count; i++) {
        const enum gr_role role = takes->parameters[i].role;
        if (role == GR_ROLE_M || role == GR_ROLE_N || role == GR_ROLE_K)
            told[role - GR_ROLE_M] = true;
        if (role >= GR_ROLE_LDA && role <= GR_ROLE_LDC)
            return 0;
    }
    return !told[2] || k->mirrored ? 0 : told[0] && !told[1] ? 'N' : told[1] && !told[0] ? 'M' : 0;
}

/* The suggestion for a matrix and a vector, and the kernel with the sizes that it is run at. */
static struct gr_kernel *take_vector(const struct gr_trials *s, struct gr_suggestion *x,
                                     char dimension)
{
    const int64_t side = 1024; /* of the matrix, if no size is asked for */
    require(x, gr_printf("%c==1", dimension));
    return with_sizes(
        s, x, &(struct gr_extent){dimension == 'M' ? 1 : side, dimension == 'N' ? 1 : side, side});
}

/* Tries suggestions for the product of a matrix and a vector. The last one is one that is right but
 * for what it writes outside. */
static struct gr_kernel *try_vectors(struct gr_trials *s, struct gr_suggestions *list,
                                     const struct gr_suggestion **which, struct gr_extent *at)
{
    struct gr_suggestion *stray = NULL;
    char stray_dimension = 0;
    for (int i = 0; i < list->count && has_time(s); i++) {
        struct gradus_error ignored = {0};
        struct gr_suggestion *x = &list->items[i];
        struct gr_kernel *k = x->square ? NULL : gr_trials_kernel(s, x, &ignored);
        const char dimension = k ? vector_dimension(k) : 0;
        *at = dimension == 'N' ? (struct gr_extent){48, 1, 80} : (struct gr_extent){1, 48, 80};
        const bool right = dimension && is_right(s, k, x, at);
        s->tried += dimension != 0;
        gr_kernel_free(k);
        gradus_error_clear(&ignored);
        if (dimension && s->stray == x && !stray) {
            stray = x;
            stray_dimension = dimension;
        }
        if (!right)
            continue;
        *which = x;
        return take_vector(s, x, dimension);
    }
    s->took_stray = stray != NULL;
    if (!stray)
        return NULL;
    *which = stray;
    *at = s->stray_at;
    return take_vector(s, stray, stray_dimension);
}

/* The kernel as the project launches it, where that computes the product and writes outside of it;
 * null: there is none such. */
static struct gr_kernel *take_stray(struct gr_trials *s, const struct gr_suggestion **which,
                                    struct gr_extent *at)
{
    struct gradus_error ignored = {0};
    struct gr_kernel *k = s->stray ? gr_trials_kernel(s, s->stray, &ignored) : NULL;
    gradus_error_clear(&ignored);
    s->took_stray = k != NULL;
    if (k) {
        *which = s->stray;
        *at = s->stray_at;
    }
    return k;
}

struct gr_kernel *gr_trials_find(struct gr_trials *s, struct gr_suggestions *list,
                                 const struct gr_suggestion **which, struct gr_extent *at)
{
    struct gr_kernel *k = NULL;
    s->until_ns = gr_now_ns() + wall_limit_ns;
    s->until_cpu_ns = cpu_ns(s) + (s->wanted->limit_ns ? s->wanted->limit_ns
                                   : s->wanted->brief  ? brief_limit_ns
                                                       : all_limit_ns);
    for (int begin = 0, end; begin < list->count && !k; begin = end) {
        end = begin + 1;
        while (end < list->count && list->items[end].square == list->items[begin].square)
            end++;
        gr_session_report(&s->session, "%s: finding out how it is launched", s->wanted->path);
        k = try_kind(s, list, begin, end, which, at);
    }
    k = k ? k : try_small(s, list, which, at);
    k = k ? k : s->stray ? take_stray(s, which, at) : NULL;
    return k ? k : try_vectors(s, list, which, at);
}

/* Does a line of the suggestion, "grid N/32, M/32", name a size? */
static bool names_size(const struct gr_suggestion *suggestion, const char *word)
{
    const char *line = strstr(suggestion->lines, word);
    const size_t length = line ? strcspn(line, "\n") : 0;
    for (size_t i = strlen(word); i < length; i++)
        if (strchr("MNKl", line[i]))
            return true;
    return length == 0;
}

bool gr_trials_grows(struct gr_trials *s, struct gr_kernel *k,
                     const struct gr_suggestion *suggestion)
{
    struct gr_extent large = {1040, 1056, 16}, large_square = {384, 384, 384};
    struct gr_extent at = suggestion->square ? large_square : large;
    if (k->language != GR_LANGUAGE_CUDA || k->has_fixed_sizes || k->fixed_by_trial ||
        k->held_count > 0 || has_one_tile(k) || names_size(suggestion, "grid ") ||
        names_size(suggestion, "block ") ||
        (!suggestion->square && strstr(suggestion->lines, "require ")))
        return true;
    s->until_cpu_ns = cpu_ns(s) + brief_limit_ns;
    return is_right(s, k, suggestion, &at);
}

/* Is there a GPU but no compiler for it? */
bool gr_trials_lack_compiler(const struct gr_trials *s)
{
    bool nothing = s->builds != NULL;
    for (const struct built *b = s->builds; b; b = b->next)
        nothing &= b->status == GRADUS_UNSUPPORTED;
    return nothing;
}

void gr_trials_close(struct gr_trials *s)
{
    free_builds(s);
    gr_session_close(&s->session);
    s->session = (struct gr_session){0};
    s->tried = 0;
}
