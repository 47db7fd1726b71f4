/* measure.c: measures one row. SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include "core/error.h"
#include "backend/compile.h"
#include "base/str.h"
#include "emit/missing_headers.h"
#include "measure/find_launch.h"
#include "measure/fit.h"
#include "measure/timing.h"
#include "measure/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_shape(const struct gr_problem *p, const struct gr_problem *q)
{
    return p->m == q->m && p->n == q->n && p->k == q->k;
}

/* Moves the outcome of a run into its row. */
static void put_outcome(struct gr_row *row, struct gr_outcome *o)
{
    row->verdict = o->verdict;
    if (o->verdict != GR_RIGHT)
        row->reason = gr_strdup(o->reason);
    row->worst = o->check.worst;
    if (*o->check.checked_by)
        row->checked_by = gr_strdup(o->check.checked_by);
    for (int i = 0; i < o->findings.count; i++)
        gr_findings_copy(&row->findings, &o->findings.items[i]);
}

/* A rate above what the machine can do: noise if it is a little above, and GEMMs that were not
 * computed if it is far above, because no kernel can skip half of the operations. */
static bool is_impossible(struct gr_row *row, double gflops, double ceiling)
{
    const double noise = 1.05, beyond_doubt = 2;
    if (ceiling <= 0 || gflops <= noise * ceiling)
        return false;
    bool replayed = gflops > beyond_doubt * ceiling;
    char *text = gr_printf("%.1f GFLOP/s is above the ceiling of %.1f measured in this run: %s",
                           gflops, ceiling,
                           replayed ? "the products were not computed again for each sample"
                                    : "the measurement is in error, or fewer than 2mnk operations "
                                      "were done");
    gr_findings_add(&row->findings, GR_FIND_MEASUREMENT, 0, "%s", text ? text : "");
    if (replayed) {
        row->verdict = GR_WRONG;
        free(row->reason);
        row->reason = text;
    } else {
        free(text);
    }
    return replayed;
}

/* The libraries that a row is timed against. */
struct field {
    struct gr_candidate peers[GR_MAX_PEERS];
    int count;
    bool several; /* the row lists each of them */
};

static struct gr_peer_result about(const struct gr_session *s, const struct gr_candidate *peer,
                                   double gflops)
{
    struct gr_peer_result result = s->peers[peer->peer].about;
    result.gflops = gflops;
    return result;
}

/* The operations of one product of each caller. */
static double flops_of_all(const struct gr_session *s, const struct gr_row *row)
{
    return gr_problem_flops(&row->problem) * s->callers;
}

static void put_peers(const struct gr_session *s, struct gr_row *row,
                      const struct gr_timing *timing, const struct field *field)
{
    double flops = flops_of_all(s, row), least = 0;
    if (field->several)
        row->competitors = calloc(GR_MAX_PEERS, sizeof *row->competitors);
    for (int i = 0; i < field->count; i++) {
        double ns = timing->peers[i].time_ns.median;
        if (timing->peers[i].time_ns.n == 0 || ns <= 0)
            continue;
        struct gr_peer_result peer = about(s, &field->peers[i], flops / ns);
        if (row->competitors)
            row->competitors[row->competitor_count++] =
                (struct gr_competitor){peer, timing->peers[i].speedup};
        /* The ratios of adjacent samples are compared, because disturbances affect both samples
         * alike. */
        double ratio = timing->peers[i].speedup.median;
        if (least > 0 && ratio >= least)
            continue;
        least = ratio;
        row->peer = peer;
        row->speedup = timing->peers[i].speedup;
    }
}

static void put_timing(const struct gr_session *s, struct gr_row *row,
                       const struct gr_timing *timing, const struct field *field)
{
    double flops = flops_of_all(s, row), median_ns = timing->time_ns.median;
    /* The ceiling is measured for plain arithmetic. Other arithmetic has no measured ceiling. */
    const enum gr_dtype type = gr_backend_burst_type(s->backend, row->problem.types);
    bool plain = !*s->pairs_math && row->problem.types.a == type;
    row->cold = timing->cold;
    if (plain && timing->time_ns.n && median_ns > 0 &&
        is_impossible(row, flops / median_ns, s->fma_gflops[type]))
        return;
    row->time_ns = timing->time_ns;
    if (timing->time_ns.n == 0 || median_ns <= 0)
        return;
    row->gflops = flops / median_ns;
    row->disturbed = timing->disturbed;
    if (plain && timing->fma_gflops > 0)
        row->peak_fraction = row->gflops / timing->fma_gflops;
    put_peers(s, row, timing, field);
}

static struct gr_row *start_row(struct gr_session *s, const struct gr_problem *problem,
                                const char *name, const char *title, const char *command,
                                struct gr_run *run)
{
    struct gr_row *row = gr_run_add(run);
    if (!row)
        return NULL;
    row->kernel = gr_strdup(name);
    row->title = gr_strdup(title ? title : name);
    row->device = gr_strdup(s->options.device.text);
    row->simulated = s->backend->simulates;
    row->problem = *problem;
    row->problem.alpha = 1;
    row->problem.beta = 0;
    row->requested_m = problem->m;
    row->requested_n = problem->n;
    row->requested_k = problem->k;
    row->threads = gr_session_threads(s);
    row->callers = s->callers;
    row->command = gr_strdup(command);
    return row;
}

/* If the message begins with the verdict's name, that is not repeated. */
static void fail_row(struct gr_row *row, enum gr_verdict verdict, const struct gradus_error *error)
{
    static const char skip[] = "skip: ";
    row->verdict = verdict;
    row->reason = gr_strdup(error->text + (gr_starts_with(error->text, skip) ? strlen(skip) : 0));
    if (error->log) {
        row->log = gr_strdup(error->log);
        gr_findings_add(&row->findings, GR_FIND_COMPILER, 0, "%s", error->text);
    }
}

/* Is a row with that verdict traced? On the simulator wrong rows are, and correct ones if counts
 * are wanted or the kernel is not built-in. */
static bool is_traced(const struct gr_session *session, const struct gr_candidate *candidate,
                      enum gr_verdict verdict)
{
    const struct gr_variant *variant = candidate->variant;
    if (!session->backend->simulates || !variant)
        return false;
    if (verdict == GR_RIGHT)
        return session->counting || !variant->kernel->built_in;
    return verdict == GR_WRONG || verdict == GR_CRASH;
}

/* Verifies at the requested shape and at others, then times. */
static enum gradus_status verify_and_time(struct gr_session *s,
                                          const struct gr_candidate *candidate,
                                          const struct field *field, bool shapes,
                                          struct gr_row *row, struct gradus_error *error)
{
    struct gr_outcome outcome = {0};
    struct gr_timing timing = {0};
    gr_session_report(s, "verifying");
    enum gradus_status status = gr_verify(s, candidate, &outcome, error);
    if (status == GRADUS_OK && outcome.verdict == GR_RIGHT && shapes)
        status = gr_verify_shapes(s, candidate, &outcome, error);
    if (status == GRADUS_OK && outcome.verdict == GR_RIGHT && !s->options.verify_only &&
        gr_problem_flops(&row->problem) > 0) {
        gr_session_report(s, "timing");
        struct gr_timing_params params = gr_timing_params_of(s, candidate);
        params.peers = field->peers;
        params.peer_count = field->count;
        status = gr_time(s, &params, &timing, &outcome, error);
    }
    if (status == GRADUS_OK) {
        put_outcome(row, &outcome);
        if (outcome.verdict == GR_RIGHT)
            put_timing(s, row, &timing, field);
    }
    const struct gr_row_tracing tracing = gr_session_tracing(s);
    if (status == GRADUS_OK && is_traced(s, candidate, row->verdict))
        status = gr_row_trace(&tracing, candidate->variant, row, error);
    else if (status == GRADUS_OK && row->verdict == GR_RIGHT && candidate->variant &&
             s->options.traffic_flops > 0 &&
             gr_problem_flops(&row->problem) >= s->options.traffic_flops)
        status = gr_row_trace_traffic(&tracing, candidate->variant, row, error);
    gr_outcome_free(&outcome);
    return status;
}

/* On the simulator the row already has its faults. */
static void put_diagnose(const struct gr_session *s, const struct gr_measure_params *params,
                         struct gr_row *row)
{
    bool wrong = row->verdict == GR_WRONG || row->verdict == GR_CRASH ||
                 row->verdict == GR_TIMEOUT || row->verdict == GR_EXIT;
    bool elsewhere = params->variant->kernel->language == GR_LANGUAGE_CUDA &&
                     gr_findings_has(&row->findings, GR_FIND_SHAPE);
    bool reported = s->backend->simulates && row->verdict == GR_WRONG;
    for (int i = 0; i < row->findings.count && s->backend->simulates; i++)
        reported |= row->findings.items[i].line > 0;
    if ((wrong || elsewhere) && !reported && params->diagnose)
        row->diagnose = gr_strdup(params->diagnose);
}

/* Is it the same library file as another peer of the session? The installed library may already
 * be the fastest variant. */
static bool is_same_library(const struct gr_session *s, int peer)
{
    const struct gr_peer_result *x = &s->peers[peer].about;
    for (int i = 0; i < peer; i++) {
        const struct gr_peer_result *y = &s->peers[i].about;
        size_t stem = strcspn(x->name, "-");
        if (!s->peers[i].missing && strncmp(x->name, y->name, stem) == 0 &&
            strcmp(x->version, y->version) == 0 && strcmp(x->core, y->core) == 0 && *x->core)
            return true;
    }
    return false;
}

/* Why a peer has no row and is in no comparison at this problem; null: it takes part. */
static const char *absence_of(const struct gr_session *s, int peer,
                              const struct gr_problem *problem)
{
    const struct gr_session_peer *x = &s->peers[peer];
    return x->missing ? x->why : gr_peer_kind_refuses(x->kind, problem);
}

/* Is it one of the peers that kernels are timed against? Others have another precision. */
static bool takes_part(const struct gr_session *s, int peer, const struct gr_problem *problem)
{
    const char *math = s->peers[peer].kind->math, *wanted = s->field_math;
    return !absence_of(s, peer, problem) &&
           (math ? wanted && strcmp(math, wanted) == 0 : wanted == NULL);
}

static struct field field_of(const struct gr_session *s, int peer, const struct gr_problem *problem)
{
    struct field field = {.several = peer == GR_ALL_PEERS};
    if (peer >= 0 && !absence_of(s, peer, problem))
        field.peers[field.count++] = (struct gr_candidate){.peer = peer};
    for (int i = 0; field.several && i < s->peer_count; i++)
        if (takes_part(s, i, problem) && !is_same_library(s, i))
            field.peers[field.count++] = (struct gr_candidate){.peer = i};
    return field;
}

/* Chooses a size that fits the time limit, then verifies and times at that size. */
static enum gradus_status measure_built(struct gr_session *s,
                                        const struct gr_measure_params *params,
                                        const struct gr_candidate *candidate, struct gr_row *row,
                                        struct gradus_error *error)
{
    struct gr_outcome outcome = {0};
    struct gr_problem fitted;
    enum gradus_status status = gr_fit(s, candidate, &params->problem, &fitted, &outcome, error);
    if (status != GRADUS_OK || outcome.verdict != GR_RIGHT) {
        if (status == GRADUS_OK)
            put_outcome(row, &outcome);
        gr_outcome_free(&outcome);
        return status;
    }
    gr_outcome_free(&outcome);
    row->problem = fitted;
    if (!same_shape(&fitted, &params->problem)) {
        char requested[64], size[64];
        gr_kernel_size_name(candidate->variant->kernel, &params->problem, requested,
                            sizeof requested);
        gr_kernel_size_name(candidate->variant->kernel, &fitted, size, sizeof size);
        gr_findings_add(
            &row->findings, GR_FIND_CAPPED, 0,
            "%s at %s: %s would take longer than the time limit of %.3g s allows (--time-limit)",
            s->options.verify_only ? "verified" : "verified and timed", size, requested,
            (double)s->options.time_limit_ns * 1e-9);
    }
    const struct gr_kernel *kernel = candidate->variant->kernel;
    if (kernel->implied_alpha1_beta0)
        gr_findings_add(&row->findings, GR_FIND_IMPLIED, 0,
                        "has no alpha and beta: alpha==1 && beta==0 is implied");
    if (kernel->only_size)
        gr_findings_add(&row->findings, GR_FIND_IMPLIED, 0,
                        "its only size is '%s': M==N && N==K is implied; //@ require M==N && N==K "
                        "says so",
                        kernel->only_size);
    if (kernel->zero_c && !s->backend->simulates)
        gr_findings_add(&row->findings, GR_FIND_NOTE, 0,
                        "C is set to zero before each product, in the time that is measured");
    status = gr_session_pairs(s, &fitted, kernel->math, error);
    struct field field = field_of(s, params->peer, &fitted);
    if (status == GRADUS_OK)
        status = verify_and_time(s, candidate, &field, !s->options.no_shapes, row, error);
    return status;
}

static void describe_build(struct gr_row *row, const struct gr_variant *variant,
                           const struct gr_artifact *artifact)
{
    char parameters[128];
    gr_variant_name(variant, parameters, sizeof parameters);
    row->variant =
        gr_printf("%s%s%s", artifact->isa, *artifact->isa && *parameters ? " " : "", parameters);
    row->flags = gr_strdup(artifact->flags);
    if (variant->kernel->launch_origin && !variant->kernel->launch_guessed)
        gr_findings_add(&row->findings, GR_FIND_NOTE, 0, "%s", variant->kernel->launch_origin);
    if (*artifact->notes)
        gr_findings_add(&row->findings, GR_FIND_NOTE, 0, "%s", artifact->notes);
}

/* If the launch was guessed, the outcome is no verdict on the kernel: the row says which options to
 * give. */
static void tell_guess(const struct gr_kernel *kernel, struct gr_row *row)
{
    if (!kernel->launch_guessed || !kernel->launch_origin)
        return;
    struct gr_findings kept = {0};
    const bool fails = row->verdict != GR_RIGHT && row->verdict != GR_SKIP &&
                       row->verdict != GR_REFUSED && row->verdict != GR_NO_COMPILE;
    for (int i = 0; i < row->findings.count; i++)
        if (!fails || row->findings.items[i].severity > GR_SEVERITY_WARNING)
            gr_findings_copy(&kept, &row->findings.items[i]);
    if (!fails && row->verdict != GR_NO_COMPILE) /* then no guess could have been right */
        gr_findings_add(&kept, GR_FIND_NOTE, 0, "%s", kernel->launch_origin);
    gr_findings_free(&row->findings);
    row->findings = kept;
    if (!fails)
        return;
    free(row->reason);
    row->reason = gr_strdup(kernel->launch_origin);
    row->verdict = GR_SKIP;
}

/* The sizes that are in the file of a kernel that is given none: those at which it is right, or
 * else those of its macros. */
static void put_fixed_sizes(const struct gr_kernel *k, struct gr_row *row)
{
    const bool right = row->verdict == GR_RIGHT;
    const int64_t m = k->mirrored ? row->problem.n : row->problem.m,
                  n = k->mirrored ? row->problem.m : row->problem.n,
                  sizes[] = {right ? m : k->fixed[0], right ? n : k->fixed[1],
                             right ? row->problem.k : k->fixed[2]};
    char require[120] = "M==… && N==… && K==…", name[64] = "…";
    if (!right && row->verdict != GR_WRONG && row->verdict != GR_CRASH)
        return;
    if (sizes[0] && sizes[1] && sizes[2]) {
        gr_size_name(sizes[0], sizes[1], sizes[2], name, sizeof name);
        snprintf(require, sizeof require, "M==%" PRId64 " && N==%" PRId64 " && K==%" PRId64,
                 sizes[0], sizes[1], sizes[2]);
    }
    gr_findings_add(
        &row->findings, GR_FIND_CALLED_OTHERWISE, 0,
        "is given none of M, N and K, so that its sizes are those in its file: run it with "
        "--size %s, and say so: //@ require %s",
        name, require);
}

/* A kernel in C is called as its file says: what it says may be wrong, and not the kernel. */
static void put_call_advice(struct gr_session *s, const struct gr_variant *variant,
                            struct gr_row *row)
{
    if (variant->kernel->has_fixed_sizes && variant->kernel->language == GR_LANGUAGE_C) {
        put_fixed_sizes(variant->kernel, row);
        return;
    }
    if ((row->verdict != GR_WRONG && row->verdict != GR_CRASH) || s->options.inputs.a ||
        variant->kernel->language != GR_LANGUAGE_C || variant->kernel->built_in ||
        gr_findings_has(&row->findings, GR_FIND_ADDS_TO_C) ||
        gr_findings_has(&row->findings, GR_FIND_UNREPEATABLE))
        return;
    gr_session_report(s, "looking for another way to call it");
    char *options = gr_call_advise(variant->kernel, &s->options, variant->types, NULL);
    if (options)
        gr_findings_add(&row->findings, GR_FIND_CALLED_OTHERWISE, 0,
                        "right at small sizes with %s; if that is meant, give it, or write it as "
                        "`//@` lines",
                        options);
    free(options);
}

/* A wrong kernel's compiler may have seen why. */
static void put_warning(const struct gr_session *s, const struct gr_variant *variant,
                        struct gr_row *row)
{
    int line = 0;
    if ((row->verdict != GR_WRONG && row->verdict != GR_CRASH) ||
        variant->kernel->language != GR_LANGUAGE_C || variant->kernel->built_in)
        return;
    char *text = gr_compile_warning(variant, &s->options.build, &line);
    if (text)
        gr_findings_add(&row->findings, GR_FIND_NOTE, line, "the compiler warns: %s", text);
    free(text);
}

enum gradus_status gr_measure_kernel(struct gr_session *s, const struct gr_measure_params *params,
                                     struct gr_run *run, struct gradus_error *error)
{
    const struct gr_kernel *kernel = params->variant->kernel;
    struct gr_row *row =
        start_row(s, &params->problem, kernel->name, kernel->title, params->command, run);
    if (!row)
        return gr_fail_memory(error, "a row", sizeof *row);
    const struct gr_problem requested = gr_kernel_shown(kernel, &params->problem);
    row->requested_m = requested.m;
    row->requested_n = requested.n;
    row->path = gr_strdup(kernel->path);
    gr_session_report(s, "building");
    struct gr_artifact artifact = {.pending = -1};
    struct gradus_error why = {0};
    enum gradus_status status =
        s->backend->prepare(s->found, params->variant, &s->options.build, &artifact, &why);
    if (status == GRADUS_OK) {
        describe_build(row, params->variant, &artifact);
        struct gr_candidate candidate = {.variant = params->variant, .artifact = &artifact};
        status = measure_built(s, params, &candidate, row, &why);
    }
    s->backend->discard(&artifact);
    if (status == GRADUS_OK)
        put_call_advice(s, params->variant, row);
    if (status == GRADUS_OK)
        put_warning(s, params->variant, row);
    if (status == GRADUS_OK)
        put_diagnose(s, params, row);
    if (status == GRADUS_COMPILE) {
        gr_missing_headers_tell(kernel, s->options.build.flags, &why);
        fail_row(row, GR_NO_COMPILE, &why);
    } else if (status == GRADUS_UNSUPPORTED)
        fail_row(row, GR_SKIP, &why);
    else if (status == GRADUS_LAUNCH || status == GRADUS_TIMED_OUT || status == GRADUS_CRASHED)
        fail_row(row, GR_FAILED, &why);
    else if (status != GRADUS_OK) {
        gradus_error_clear(error);
        *error = why;
        return status;
    }
    tell_guess(kernel, row);
    row->problem = gr_kernel_shown(kernel, &row->problem);
    gradus_error_clear(&why);
    return GRADUS_OK;
}

/* Times the available peers briefly against each other. */
static enum gradus_status find_fastest(struct gr_session *s, const struct gr_problem *problem,
                                       int *best, struct gradus_error *error)
{
    double least = 0;
    *best = -1;
    for (int i = 0; i < s->peer_count; i++) {
        if (!takes_part(s, i, problem))
            continue;
        struct gr_candidate candidate = {.peer = i};
        struct gr_outcome outcome = {.verdict = GR_RIGHT};
        struct gr_timing timing;
        struct gr_timing_params params = gr_timing_params_of(s, &candidate);
        params.budget_ns /= 4;
        gr_session_report(s, "racing %s", s->peers[i].kind->name);
        enum gradus_status status = gr_time(s, &params, &timing, &outcome, error);
        bool timed = outcome.verdict == GR_RIGHT && timing.time_ns.n > 0;
        gr_outcome_free(&outcome);
        if (status != GRADUS_OK)
            return status;
        if (timed && (*best < 0 || timing.time_ns.median < least)) {
            *best = i;
            least = timing.time_ns.median;
        }
    }
    return GRADUS_OK;
}

enum gradus_status gr_compare_peers(struct gr_session *s, const struct gr_problem *problem,
                                    int *best, struct gradus_error *error)
{
    *best = -1;
    enum gradus_status status = gr_session_open_peers(s, problem->types, error);
    if (status == GRADUS_OK)
        status = gr_session_pairs(s, problem, s->field_math, error);
    if (status == GRADUS_OK && !s->options.verify_only)
        status = find_fastest(s, problem, best, error);
    return status;
}

enum gradus_status gr_measure_peer(struct gr_session *s, const struct gr_problem *problem, int peer,
                                   int best, const char *command, struct gr_run *run,
                                   struct gradus_error *error)
{
    const struct gr_peer_kind *kind = s->peers[peer].kind;
    struct gr_row *row = start_row(s, problem, kind->name, kind->title, command, run);
    if (!row)
        return gr_fail_memory(error, "a row", sizeof *row);
    row->is_peer = true;
    const char *absence = absence_of(s, peer, problem);
    if (absence) { /* requested by name, so its absence is reported */
        row->verdict = GR_SKIP;
        row->reason = gr_strdup(absence);
        return GRADUS_OK;
    }
    row->variant = gr_strdup(s->peers[peer].about.core);
    row->flags = gr_printf("version %s", s->peers[peer].about.version);
    struct gr_candidate candidate = {.peer = peer};
    struct field fastest = field_of(s, best != peer ? best : -1, problem);
    enum gradus_status status = gr_session_pairs(s, problem, kind->math, error);
    if (status == GRADUS_OK)
        status = verify_and_time(s, &candidate, &fastest, false, row, error);
    /* The row of the fastest peer also has its version, core type and threads. */
    if (status == GRADUS_OK && best == peer) {
        row->peer = s->peers[peer].about;
        row->peer.gflops = row->gflops;
    }
    return status;
}
