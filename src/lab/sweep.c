/* sweep.c: kernels times problems. SPDX-License-Identifier: MIT */
#include "lab/sweep.h"

#include "base/error.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Moves the rows of `from` to the end of `to`. */
static enum gradus_status append_rows(struct gr_run *to, struct gr_run *from,
                                      struct gradus_error *error)
{
    for (int i = 0; i < from->row_count; i++) {
        struct gr_row *row = gr_run_add(to);
        if (!row)
            return gr_fail_memory(error, "a row", sizeof *row);
        *row = from->rows[i];
        from->rows[i] = (struct gr_row){0};
    }
    return GRADUS_OK;
}

/* A row for a kernel that cannot be asked this. */
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
    row->device = gr_strdup(s->options.device);
    row->problem = *problem;
    row->asked_m = problem->m;
    row->asked_n = problem->n;
    row->asked_k = problem->k;
    row->threads = gr_session_threads(s);
    row->simulated = s->backend->untimed;
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

/* The kernel's variant, with the parameters that are meant for it; with a single contestant all of
 * them are, so that a misspelt name is an error. */
static enum gradus_status make_variant(const struct gr_sweep *sweep, const struct gr_kernel *kernel,
                                       struct gr_types types, struct gr_variant *variant,
                                       struct gradus_error *error)
{
    enum gradus_status status =
        gr_variant_make(kernel, types, sweep->trans_a, sweep->trans_b, variant, error);
    for (int i = 0; i < sweep->param_count && status == GRADUS_OK; i++)
        if (sweep->contestant_count == 1 || has_param(kernel, sweep->params[i]))
            status = gr_variant_set(variant, sweep->params[i], error);
    return status;
}

static struct gr_types types_for(const struct gr_sweep *sweep, const struct gr_kernel *kernel)
{
    return sweep->types_given || kernel->type_count == 0 ? sweep->types : kernel->types[0];
}

/* As --trans has it. */
static const char *trans_name(const struct gr_sweep *sweep)
{
    static const char *const names[] = {"nn", "nt", "tn", "tt"};
    return names[2 * sweep->trans_a + sweep->trans_b];
}

static enum gradus_status measure_one(struct gr_session *s, const struct gr_sweep *sweep,
                                      const struct gr_contestant *contestant,
                                      const struct gr_size *size, int peer, struct gr_run *run,
                                      struct gradus_error *error)
{
    const struct gr_kernel *kernel = contestant->kernel;
    struct gr_types types = types_for(sweep, kernel);
    /* A matrix stored by columns is its transpose stored by rows. */
    struct gr_problem problem =
        gr_problem_dense(size->m, size->n, size->k, sweep->trans_a != kernel->col_major_a,
                         sweep->trans_b != kernel->col_major_b, types);
    struct gr_variant variant;
    char name[64];
    gr_size_name(size->m, size->n, size->k, name, sizeof name);
    bool files = s->options.inputs.a != NULL; /* they say the size */
    char *command = gr_printf("gradus %s%s%s --dtype %s --trans %s%s%s", contestant->command,
                              files ? "" : " --size ", files ? "" : name, gr_types_word(types),
                              trans_name(sweep), sweep->common, sweep->kernel_options);
    struct gradus_error why = {0};
    enum gradus_status status = make_variant(sweep, kernel, types, &variant, &why);
    if (status == GRADUS_OK && kernel->col_major_c)
        status = gr_fail(&why, GRADUS_UNSUPPORTED, "%s writes C by columns, which is not run",
                         kernel->name);
    if (status == GRADUS_UNSUPPORTED) {
        add_skip(s, kernel, &problem, command, why.text, run);
        status = GRADUS_OK;
    } else if (status != GRADUS_OK) {
        gr_fail(error, status, "%s", why.text);
    } else {
        struct gr_subject subject = {
            .variant = &variant, .problem = problem, .peer = peer, .command = command};
        gr_session_say(s, "%s %s", name, kernel->name);
        status = gr_measure_kernel(s, &subject, run, error);
    }
    gradus_error_clear(&why);
    free(command);
    return status;
}

static enum gradus_status measure_all(struct gr_session *s, const struct gr_sweep *sweep,
                                      const struct gr_size *size, int peer, struct gr_types types,
                                      struct gr_run *run, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < sweep->contestant_count && status == GRADUS_OK; i++) {
        const struct gr_contestant *contestant = &sweep->contestants[i];
        /* A peer of another type says nothing about this kernel. */
        bool same = gr_types_equal(types_for(sweep, contestant->kernel), types);
        status = measure_one(s, sweep, contestant, size, same ? peer : -1, run, error);
    }
    return status;
}

static enum gradus_status sweep_size(struct gr_session *s, const struct gr_sweep *sweep,
                                     const struct gr_size *size, struct gr_run *run,
                                     struct gradus_error *error)
{
    struct gr_types types =
        sweep->contestant_count ? types_for(sweep, sweep->contestants[0].kernel) : sweep->types;
    struct gr_problem problem =
        gr_problem_dense(size->m, size->n, size->k, sweep->trans_a, sweep->trans_b, types);
    if (sweep->field) {
        enum gradus_status status = gr_session_meet_peers(s, types, error);
        return status == GRADUS_OK ? measure_all(s, sweep, size, GR_ALL_PEERS, types, run, error)
                                   : status;
    }
    struct gr_run peers = {0};
    char name[64];
    int best = -1;
    gr_size_name(size->m, size->n, size->k, name, sizeof name);
    char *command = gr_printf("gradus bench --kernels none --size %s --dtype %s --trans %s%s", name,
                              gr_types_word(types), trans_name(sweep), sweep->common);
    enum gradus_status status = gr_measure_peers(s, &problem, command, &peers, &best, error);
    free(command);
    if (status == GRADUS_OK)
        status = measure_all(s, sweep, size, best, types, run, error);
    if (status == GRADUS_OK)
        status = append_rows(run, &peers, error);
    gr_run_free(&peers);
    return status;
}

enum gradus_status gr_sweep_run(struct gr_session *s, const struct gr_sweep *sweep,
                                struct gr_run *run, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < sweep->size_count && status == GRADUS_OK; i++)
        status = sweep_size(s, sweep, &sweep->sizes[i], run, error);
    return status;
}
