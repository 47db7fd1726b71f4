/* sweep.c: measures kernels at several problems. SPDX-License-Identifier: MIT */
#include "measure/sweep.h"

#include "core/error.h"
#include "base/stop.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds a row for a kernel that does not support what was requested. */
static void add_skip(const struct gr_session *s, const struct gr_kernel *kernel,
                     const struct gr_problem *problem, const char *command, const char *why,
                     struct gr_run *run)
{
    struct gr_row *row = gr_run_add(run);
    if (!row)
        return;
    row->kernel = gr_strdup(kernel->name);
    row->title = gr_strdup(kernel->title ? kernel->title : kernel->name);
    row->path = gr_strdup(kernel->path);
    row->device = gr_strdup(s->options.device.text);
    row->problem = *problem;
    row->requested_m = problem->m;
    row->requested_n = problem->n;
    row->requested_k = problem->k;
    row->threads = gr_session_threads(s);
    row->callers = s->callers;
    row->simulated = s->backend->simulates;
    row->verdict = GR_SKIP;
    row->reason = gr_strdup(why);
    row->command = gr_strdup(command);
}

static bool has_param(const struct gr_kernel *kernel, const char *assignment)
{
    size_t length = strcspn(assignment, "=");
    for (int i = 0; i < kernel->param_count; i++)
        if (strlen(kernel->params[i].name.text) == length &&
            strncmp(kernel->params[i].name.text, assignment, length) == 0)
            return true;
    return false;
}

/* The transposes a kernel is run with; for the peers (kernel null), those of the only kernel. */
struct transposes {
    bool a, b;
};

static struct transposes trans_of(const struct gr_sweep *sweep, const struct gr_kernel *kernel)
{
    struct transposes t = {sweep->trans_a, sweep->trans_b};
    if (!kernel && sweep->kernel_count == 1)
        kernel = sweep->kernels[0].kernel;
    if (kernel)
        gr_kernel_trans(kernel, sweep->trans_given, &t.a, &t.b);
    return t;
}

static struct gr_types types_for(const struct gr_sweep *sweep, const struct gr_kernel *kernel)
{
    return sweep->types_given || kernel->type_count == 0 ? sweep->types : kernel->types[0];
}

/* Makes the kernel's variant with those of the given parameters that it has. If there is a
 * single kernel it must have all of them, so that a misspelt name is an error. */
static enum gradus_status make_variant(const struct gr_session *s, const struct gr_sweep *sweep,
                                       const struct gr_kernel *kernel,
                                       const struct gr_problem *problem, struct gr_variant *variant,
                                       struct gradus_error *error)
{
    const struct gr_tuned_entry *used;
    struct transposes t = trans_of(sweep, kernel);
    enum gradus_status status =
        gr_variant_make(kernel, types_for(sweep, kernel), t.a, t.b, variant, error);
    if (status == GRADUS_OK)
        gr_backend_suit(s->backend, s->found, variant);
    if (status == GRADUS_OK && sweep->tuned) { /* its lines have problems as they were requested */
        const struct gr_problem requested = gr_kernel_shown(kernel, problem);
        status =
            gr_tuned_apply(sweep->tuned, &requested, gr_session_threads(s), variant, &used, error);
    }
    for (int i = 0; i < sweep->param_count && status == GRADUS_OK; i++)
        if (sweep->kernel_count == 1 || has_param(kernel, sweep->params[i]))
            status = gr_variant_set(variant, sweep->params[i], error);
    return status;
}

/* As for --trans. */
static const char *trans_name(const struct gr_sweep *sweep, const struct gr_kernel *kernel)
{
    static const char *const names[] = {"nn", "nt", "tn", "tt"};
    struct transposes t = trans_of(sweep, kernel);
    return names[2 * t.a + t.b];
}

static struct gr_problem problem_for(const struct gr_sweep *sweep, const struct gr_kernel *kernel,
                                     const struct gr_size *size)
{
    struct transposes t = trans_of(sweep, kernel);
    return gr_kernel_problem(kernel, size->m, size->n, size->k, t.a, t.b, types_for(sweep, kernel));
}

/* The command that diagnoses a wrong row: `explain` simulates a GPU kernel, and `run` compiles C
 * with sanitizers. Null if there is none: a built-in rung in C has no file here. */
static char *diagnose(const struct gr_sweep *sweep, const struct gr_sweep_kernel *entry,
                      const struct gr_size *size)
{
    const char *rung = strstr(entry->command, "--kernels ");
    const char *what = rung ? rung + strlen("--kernels ") : strchr(entry->command, ' ') + 1;
    char name[64];
    gr_size_name(size->m, size->n, size->k, name, sizeof name);
    if (entry->kernel->language == GR_LANGUAGE_CUDA)
        return gr_printf("gradus explain %s %s%s", what, name, sweep->diagnose_options);
    return rung ? NULL
                : gr_printf("gradus run %s --size %s%s", what, name, sweep->diagnose_options);
}

static char *kernel_command(const struct gr_session *s, const struct gr_sweep *sweep,
                            const struct gr_sweep_kernel *entry, const struct gr_size *size)
{
    char name[64];
    gr_size_name(size->m, size->n, size->k, name, sizeof name);
    bool files = s->options.inputs.a != NULL; /* then the files give the size */
    return gr_printf("gradus %s%s%s --dtype %s --trans %s%s%s", entry->command,
                     files ? "" : " --size ", files ? "" : name,
                     gr_types_word(types_for(sweep, entry->kernel)),
                     trans_name(sweep, entry->kernel), sweep->common, sweep->kernel_options);
}

/* The first kernel that is not refused; null: there is none. */
static const struct gr_sweep_kernel *first_that_runs(const struct gr_sweep *sweep)
{
    for (int i = 0; i < sweep->kernel_count; i++)
        if (!sweep->kernels[i].refused)
            return &sweep->kernels[i];
    return NULL;
}

/* The element types of the peers' GEMMs. */
static struct gr_types field_types(const struct gr_sweep *sweep)
{
    const struct gr_sweep_kernel *first = first_that_runs(sweep);
    return first ? types_for(sweep, first->kernel) : sweep->types;
}

static char *peer_command(const struct gr_session *s, const struct gr_sweep *sweep, int peer,
                          const struct gr_size *size)
{
    char name[64];
    gr_size_name(size->m, size->n, size->k, name, sizeof name);
    return gr_printf("gradus bench --kernels none --size %s --dtype %s --trans %s%s --peer %s",
                     name, gr_types_word(field_types(sweep)), trans_name(sweep, NULL),
                     sweep->common, s->peers[peer].kind->name);
}

/* A missing peer has a row only if the user named it. */
static bool has_row(const struct gr_session *s, const struct gr_sweep *sweep, int peer)
{
    return !sweep->field && (!s->peers[peer].missing || s->options.peers != NULL);
}

/* ---- The plan. ---- */

/* A peer that rows may be timed against; null: none. */
static const char *some_peer(const struct gr_session *s)
{
    for (int i = 0; i < s->peer_count; i++)
        if (!s->peers[i].missing)
            return s->peers[i].kind->name;
    return NULL;
}

/* Takes ownership of the command. */
static struct gr_row *plan_row(const struct gr_session *s, const char *name, const char *title,
                               const struct gr_problem *problem, char *command, struct gr_run *plan)
{
    struct gr_row *row = gr_run_add(plan);
    if (!row) {
        free(command);
        return NULL;
    }
    const char *peer = s->options.verify_only ? NULL : some_peer(s);
    row->kernel = gr_strdup(name);
    row->title = gr_strdup(title ? title : name);
    row->device = gr_strdup(s->options.device.text);
    row->problem = *problem;
    row->requested_m = problem->m;
    row->requested_n = problem->n;
    row->requested_k = problem->k;
    row->callers = s->callers;
    row->simulated = s->backend->simulates;
    row->counts.known = s->counting;
    row->time_ns.n = !s->options.verify_only;
    row->command = command;
    snprintf(row->peer.name, sizeof row->peer.name, "%s", peer ? peer : "");
    return row;
}

static enum gradus_status plan_size(const struct gr_session *s, const struct gr_sweep *sweep,
                                    const struct gr_size *size, struct gr_run *plan)
{
    int first = plan->row_count;
    const struct transposes t = trans_of(sweep, NULL);
    const struct gr_problem problem =
        gr_problem_dense(size->m, size->n, size->k, t.a, t.b, field_types(sweep));
    for (int i = 0; i < sweep->kernel_count; i++) {
        const struct gr_kernel *kernel = sweep->kernels[i].kernel;
        struct gr_problem own = problem_for(sweep, kernel, size);
        own = gr_kernel_shown(kernel, &own);
        if (!plan_row(s, kernel->name, kernel->title, &own,
                      kernel_command(s, sweep, &sweep->kernels[i], size), plan))
            return GRADUS_NO_MEMORY;
    }
    for (int i = 0; i < s->peer_count; i++) {
        const struct gr_peer_kind *kind = s->peers[i].kind;
        if (!has_row(s, sweep, i))
            continue;
        struct gr_row *row =
            plan_row(s, kind->name, kind->title, &problem, peer_command(s, sweep, i, size), plan);
        if (!row)
            return GRADUS_NO_MEMORY;
        row->is_peer = true;
    }
    /* The session may belong to another part of the run, with another number of threads. */
    for (int i = first; i < plan->row_count; i++)
        plan->rows[i].threads = s->backend->memory ? 0 : sweep->threads;
    return GRADUS_OK;
}

enum gradus_status gr_sweep_plan(struct gr_session *s, const struct gr_sweep *sweep,
                                 struct gr_run *plan, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    if (sweep->size_count > 0)
        status = gr_session_open_peers(s, field_types(sweep), error);
    for (int i = 0; i < sweep->size_count && status == GRADUS_OK; i++)
        if (plan_size(s, sweep, &sweep->sizes[i], plan) != GRADUS_OK)
            status = gr_fail_memory(error, "the plan of a run", sizeof *plan->rows);
    return status;
}

/* ---- The run. ---- */

/* The progress of a sweep. */
struct progress {
    struct gr_session *session;
    const struct gr_sweep *sweep;
    const struct gr_follower *follower; /* never null */
    int index;                          /* in the plan: the index of the size's first row */
    int best;                           /* the peer that kernels are timed against; -1: none */
};

static void report_begin(const struct progress *c, int index)
{
    if (c->follower->begin)
        c->follower->begin(c->follower->context, index);
}

static void report_end(const struct progress *c, int index, const struct gr_run *run, bool kept)
{
    if (c->follower->end)
        c->follower->end(c->follower->context, index, &run->rows[run->row_count - 1], kept);
}

static void report_row(const struct progress *c, const struct gr_row *row,
                       const struct gr_run *aside)
{
    if (c->follower->row)
        c->follower->row(c->follower->context, row, aside);
}

static struct gr_row *find_kept(const struct gr_sweep *sweep, const char *command)
{
    for (int i = 0; sweep->kept && i < sweep->kept->row_count; i++) {
        struct gr_row *row = &sweep->kept->rows[i];
        if (row->command && strcmp(row->command, command) == 0)
            return row;
    }
    return NULL;
}

/* If an earlier run has this row, moves it to `run`. */
static bool take_kept(const struct progress *c, int index, const char *command, struct gr_run *run)
{
    struct gr_row *kept = find_kept(c->sweep, command);
    struct gr_row *row = kept ? gr_run_add(run) : NULL;
    if (!row)
        return false;
    *row = *kept;
    *kept = (struct gr_row){0};
    report_end(c, index, run, true);
    return true;
}

/* A row that was being measured when a stop was requested is unfinished, whatever its verdict
 * is. */
static enum gradus_status finish(const struct progress *c, int index, enum gradus_status status,
                                 int rows_before, struct gr_run *run, struct gradus_error *error)
{
    if (gr_stop_requested() || status != GRADUS_OK)
        while (run->row_count > rows_before)
            gr_run_drop(run);
    if (gr_stop_requested())
        return gr_fail(error, GRADUS_INTERRUPTED, "interrupted");
    if (status == GRADUS_OK)
        report_end(c, index, run, false);
    return status;
}

static enum gradus_status measure_one(const struct progress *c, const struct gr_sweep_kernel *entry,
                                      const struct gr_size *size, const char *command, int peer,
                                      struct gr_run *run, struct gradus_error *error)
{
    const struct gr_kernel *kernel = entry->kernel;
    struct gr_problem problem = problem_for(c->sweep, kernel, size);
    struct gr_variant variant;
    struct gradus_error why = {0};
    if (entry->refused) {
        add_skip(c->session, kernel, &problem, command, entry->refused, run);
        return GRADUS_OK;
    }
    enum gradus_status status =
        make_variant(c->session, c->sweep, kernel, &problem, &variant, &why);
    if (status == GRADUS_UNSUPPORTED) {
        problem = gr_kernel_shown(kernel, &problem);
        add_skip(c->session, kernel, &problem, command, why.text, run);
        status = GRADUS_OK;
    } else if (status != GRADUS_OK) {
        gr_fail(error, status, "%s", why.text);
    } else {
        char *looks = diagnose(c->sweep, entry, size);
        struct gr_measure_params params = {.variant = &variant,
                                           .problem = problem,
                                           .peer = peer,
                                           .command = command,
                                           .diagnose = looks};
        status = gr_measure_kernel(c->session, &params, run, error);
        free(looks);
        if (status == GRADUS_OK && entry->excuse && gr_row_is_bad(&run->rows[run->row_count - 1])) {
            problem = run->rows[run->row_count - 1].problem;
            gr_run_drop(run);
            add_skip(c->session, kernel, &problem, command, entry->excuse, run);
        }
    }
    gradus_error_clear(&why);
    return status;
}

/* Appends the kernel's row to `run`, either kept or measured. */
static enum gradus_status run_kernel(const struct progress *c, int number,
                                     const struct gr_size *size, struct gr_run *run,
                                     struct gradus_error *error)
{
    const struct gr_sweep_kernel *entry = &c->sweep->kernels[number];
    int index = c->index + number, before = run->row_count;
    char *command = kernel_command(c->session, c->sweep, entry, size);
    enum gradus_status status = GRADUS_OK;
    /* The time of a peer with other types cannot be compared with this kernel's. */
    bool same = gr_types_equal(types_for(c->sweep, entry->kernel), field_types(c->sweep));
    if (!take_kept(c, index, command, run)) {
        report_begin(c, index);
        status = measure_one(c, entry, size, command, same ? c->best : -1, run, error);
        status = finish(c, index, status, before, run, error);
    }
    free(command);
    return status;
}

static enum gradus_status run_kernels(const struct progress *c, const struct gr_size *size,
                                      const struct gr_run *peers, struct gr_run *run,
                                      struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < c->sweep->kernel_count && status == GRADUS_OK; i++) {
        status = run_kernel(c, i, size, run, error);
        if (status == GRADUS_OK)
            report_row(c, &run->rows[run->row_count - 1], peers);
    }
    return status;
}

static enum gradus_status run_peers(const struct progress *c, const struct gr_size *size,
                                    struct gr_run *peers, struct gradus_error *error)
{
    struct gr_session *s = c->session;
    const struct transposes t = trans_of(c->sweep, NULL);
    const struct gr_problem problem =
        gr_problem_dense(size->m, size->n, size->k, t.a, t.b, field_types(c->sweep));
    enum gradus_status status = GRADUS_OK;
    int index = c->index + c->sweep->kernel_count;
    for (int i = 0; i < s->peer_count && status == GRADUS_OK; i++) {
        if (!has_row(s, c->sweep, i))
            continue;
        char *command = peer_command(s, c->sweep, i, size);
        if (!take_kept(c, index, command, peers)) {
            int before = peers->row_count;
            report_begin(c, index);
            status = gr_measure_peer(s, &problem, i, c->best, command, peers, error);
            status = finish(c, index, status, before, peers, error);
        }
        free(command);
        index++;
    }
    return status;
}

/* The number of rows of the size that are still to be measured. *beside is the peer that the
 * others were timed against; -1: none. */
static int count_missing(const struct progress *c, const struct gr_size *size, int *against)
{
    const struct gr_session *s = c->session;
    int missing = 0;
    *against = -1;
    for (int i = 0; i < c->sweep->kernel_count + s->peer_count; i++) {
        int peer = i - c->sweep->kernel_count;
        if (peer >= 0 && !has_row(s, c->sweep, peer))
            continue;
        char *command = peer < 0 ? kernel_command(s, c->sweep, &c->sweep->kernels[i], size)
                                 : peer_command(s, c->sweep, peer, size);
        const struct gr_row *row = find_kept(c->sweep, command);
        missing += row == NULL;
        for (int j = 0; row && j < s->peer_count; j++)
            if (!s->peers[j].missing && strcmp(s->peers[j].kind->name, row->peer.name) == 0)
                *against = j;
        free(command);
    }
    return missing;
}

/* The precision that all kernels declare, if a peer has it too: then they are timed against that
 * peer. */
static const char *shared_math(const struct gr_session *s, const struct gr_sweep *sweep)
{
    const struct gr_sweep_kernel *first = first_that_runs(sweep);
    const char *math = first ? first->kernel->math : NULL;
    bool found = false;
    for (int i = 1; i < sweep->kernel_count && math; i++)
        if (!sweep->kernels[i].refused &&
            (!sweep->kernels[i].kernel->math || strcmp(sweep->kernels[i].kernel->math, math) != 0))
            math = NULL;
    for (int i = 0; i < s->peer_count && math; i++)
        found |= !s->peers[i].missing && s->peers[i].kind->math &&
                 strcmp(s->peers[i].kind->math, math) == 0;
    return found ? math : NULL;
}

static enum gradus_status sweep_size(struct progress *c, const struct gr_size *size,
                                     struct gr_run *run, struct gradus_error *error)
{
    struct gr_session *s = c->session;
    const struct gr_sweep *sweep = c->sweep;
    struct gr_types types = field_types(sweep);
    enum gradus_status status = gr_session_open_peers(s, types, error);
    struct gr_run peers = {0};
    c->best = sweep->field ? GR_ALL_PEERS : -1;
    s->field_math = shared_math(s, sweep);
    if (status == GRADUS_OK && !sweep->field) {
        struct gr_problem problem = gr_problem_dense(
            size->m, size->n, size->k, trans_of(sweep, NULL).a, trans_of(sweep, NULL).b, types);
        int against, missing = count_missing(c, size, &against);
        if (missing && against < 0)
            status = gr_compare_peers(s, &problem, &c->best, error);
        else
            c->best = against;
        if (status == GRADUS_OK)
            status = run_peers(c, size, &peers, error);
    }
    if (status == GRADUS_OK)
        status = run_kernels(c, size, &peers, run, error);
    for (int i = 0; i < peers.row_count; i++)
        report_row(c, &peers.rows[i], &peers);
    int rows = sweep->kernel_count;
    for (int i = 0; i < s->peer_count; i++)
        rows += has_row(s, sweep, i);
    c->index += rows;
    /* Also after an interruption, so that finished rows are not lost. */
    if (!gr_run_append(run, &peers) && status == GRADUS_OK)
        status = gr_fail_memory(error, "a row", sizeof *run->rows);
    gr_run_free(&peers);
    return status;
}

enum gradus_status gr_sweep_run(struct gr_session *s, const struct gr_sweep *sweep,
                                struct gr_run *run, struct gradus_error *error)
{
    static const struct gr_follower nobody = {0};
    struct progress progress = {.session = s,
                                .sweep = sweep,
                                .follower = s->options.follower ? s->options.follower : &nobody,
                                .index = sweep->first};
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < sweep->size_count && status == GRADUS_OK; i++)
        status = sweep_size(&progress, &sweep->sizes[i], run, error);
    if (gr_stop_requested() && status != GRADUS_OK)
        status = GRADUS_INTERRUPTED;
    return status;
}
