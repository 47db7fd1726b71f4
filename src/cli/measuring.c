/* measuring.c: the options, the session and the output of the measuring verbs.
 * SPDX-License-Identifier: MIT */
#include "cli/device_arg.h"
#include "cli/measuring.h"

#include "core/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cli/repeated.h"
#include "cli/duration.h"
#include "cli/resume.h"
#include "cli/signals.h"
#include "base/text.h"
#include "cpu/cpu.h"
#include "explain/device_file.h"
#include "probe/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns all values of a repeatable option as a null-terminated array. */
static const char **values_of(const struct gr_args *args, const char *name, int *count)
{
    const char **values = NULL;
    for (*count = 0; gr_args_get_at(args, name, *count); ++*count)
        ;
    values = calloc((size_t)*count + 1, sizeof *values);
    for (int i = 0; values && i < *count; i++)
        values[i] = gr_args_get_at(args, name, i);
    return values;
}

enum gradus_status gr_measuring_number(const char *option, const char *text, double least,
                                       double most, double *value, struct gradus_error *error)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    if (errno || end == text || *end || !(*value >= least && *value <= most))
        return gr_fail(error, GRADUS_INVALID, "--%s '%s': wanted a number from %g to %g", option,
                       text, least, most);
    return GRADUS_OK;
}

enum gradus_status gr_measuring_integer(const char *option, const char *text, int64_t least,
                                        int64_t most, int64_t *value, struct gradus_error *error)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (errno || end == text || *end || *value < least || *value > most)
        return gr_fail(error, GRADUS_INVALID,
                       "--%s '%s': wanted a whole number from %" PRId64 " to %" PRId64, option,
                       text, least, most);
    return GRADUS_OK;
}

static const char *const size_options[] = {"size", "sizes"};

/* The sizes of a kernel that is not a GEMM are given to its `size` lines. */
bool gr_is_named_size(const char *text)
{
    return strchr(text, '=') != NULL;
}

static enum gradus_status read_sizes(const struct gr_args *args, const char *default_sizes,
                                     struct gr_measuring *m, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int s = 0; s < 2; s++)
        for (int i = 0; gr_args_get_at(args, size_options[s], i) && status == GRADUS_OK; i++)
            if (!gr_is_named_size(gr_args_get_at(args, size_options[s], i)))
                status = gr_sizes_parse(gr_args_get_at(args, size_options[s], i), &m->sizes,
                                        &m->size_count, error);
    if (status == GRADUS_OK && m->size_count == 0)
        status = gr_sizes_parse(default_sizes, &m->sizes, &m->size_count, error);
    return status;
}

/* Reads "4", or a list separated by commas. Without the option, takes all threads that are
 * allowed. */
static enum gradus_status read_threads(const struct gr_args *args, struct gr_measuring *m,
                                       struct gradus_error *error)
{
    char *copy = gr_strdup(gr_args_get(args, "threads")), *rest = copy, *word;
    enum gradus_status status = GRADUS_OK;
    int64_t threads = 0;
    while (status == GRADUS_OK && (word = strsep(&rest, ",")) != NULL) {
        status = m->thread_count < GR_MAX_THREAD_COUNTS
                     ? gr_measuring_integer("threads", word, 1, 1024, &threads, error)
                     : gr_fail(error, GRADUS_INVALID, "--threads: more than %d numbers",
                               GR_MAX_THREAD_COUNTS);
        if (status == GRADUS_OK)
            m->threads[m->thread_count++] = (int)threads;
    }
    free(copy);
    if (status == GRADUS_OK && m->thread_count == 0)
        m->threads[m->thread_count++] = gr_cpu_threads_default();
    m->options.threads = m->threads[0];
    return status;
}

static enum gradus_status read_numbers(const struct gr_args *args, struct gr_measuring *m,
                                       struct gradus_error *error)
{
    struct gr_options *o = &m->options;
    enum gradus_status status = read_threads(args, m, error);
    int64_t integer;
    double seconds;
    if (status == GRADUS_OK && gr_args_get(args, "seed")) {
        status = gr_measuring_integer("seed", gr_args_get(args, "seed"), 0, INT64_MAX / 4, &integer,
                                      error);
        o->seed = (uint64_t)integer;
    }
    if (status == GRADUS_OK && gr_args_get(args, "time-limit")) {
        status = gr_measuring_number("time-limit", gr_args_get(args, "time-limit"), 0.01, 86400,
                                     &seconds, error);
        o->time_limit_ns = (int64_t)(seconds * 1e9);
    }
    const char *stop = gr_args_get(args, "stop-after");
    if (status == GRADUS_OK && stop && !gr_duration_parse(stop, &m->stop_after_ns))
        status = gr_fail(error, GRADUS_INVALID,
                         "--stop-after '%.80s': wanted a time, as 90s, 10m or 2h30m", stop);
    return status;
}

static enum gradus_status read_peers(const struct gr_args *args, struct gr_measuring *m,
                                     struct gradus_error *error)
{
    int count;
    m->peers = values_of(args, "peer", &count);
    if (!m->peers)
        return gr_fail_memory(error, "options", 0);
    if (count == 0)
        return GRADUS_OK;
    bool none = false;
    for (int i = 0; i < count; i++)
        none |= strcmp(m->peers[i], "none") == 0;
    if (none && count > 1)
        return gr_fail(error, GRADUS_INVALID, "--peer none goes with no other --peer");
    m->options.peers = m->peers;
    m->options.peer_count = none ? 0 : count;
    return GRADUS_OK;
}

enum gradus_status gr_measuring_read(const struct gr_args *args, const char *default_sizes,
                                     struct gr_measuring *m, struct gradus_error *error)
{
    *m = (struct gr_measuring){.args = args, .options = gr_options_default()};
    struct gr_options *o = &m->options;
    const char *dtype = gr_args_get(args, "dtype");
    const char *trans = gr_args_get(args, "trans"), *fill = gr_args_get(args, "fill");
    m->types = gr_types_of(GR_F32);
    if (dtype)
        gr_types_parse(dtype, &m->types);
    m->types_given = dtype != NULL;
    m->trans_given = trans != NULL;
    m->trans_a = trans && trans[0] == 't';
    m->trans_b = trans && trans[1] == 't';
    if (fill)
        gr_fill_parse(fill, &o->fill);
    o->strict = gr_args_get(args, "strict") != NULL;
    o->verify_only = gr_args_get(args, "verify-only") != NULL;
    o->no_shapes = gr_args_get(args, "shapes") && strcmp(gr_args_get(args, "shapes"), "no") == 0;
    bool warm = gr_args_get(args, "warm") != NULL, cold = gr_args_get(args, "cold") != NULL;
    if (warm && cold)
        return gr_fail(error, GRADUS_INVALID, "--warm and --cold exclude each other");
    o->cache = warm ? GR_CACHE_WARM : cold ? GR_CACHE_COLD : GR_CACHE_BY_SIZE;
    int defines;
    m->params = values_of(args, "param", &m->param_count);
    m->defines = values_of(args, "define", &defines);
    enum gradus_status status = gr_device_arg(args, &o->device, error);
    o->build.engine = gr_engine_of(args); /* `explain` accepts it with any device */
    if (status == GRADUS_OK)
        status = read_numbers(args, m, error);
    if (status == GRADUS_OK)
        status = read_peers(args, m, error);
    if (status == GRADUS_OK)
        status = read_sizes(args, default_sizes, m, error);
    if (status != GRADUS_OK)
        return status;
    if (gr_args_get(args, "tuned"))
        status = gr_tuned_read(gr_args_get(args, "tuned"), &m->tuned, error);
    if (status != GRADUS_OK)
        return status;
    m->kernel_options = gr_repeated_kernel(args);
    m->diagnose_options = gr_repeated_diagnose(args, &o->device);
    return status;
}

void gr_measuring_free(struct gr_measuring *m)
{
    for (int i = 0; i < m->kernel_count; i++) {
        free(m->kernels[i].command);
        free(m->kernels[i].function);
        free(m->kernels[i].refused);
        free(m->kernels[i].excuse);
    }
    free(m->kernels);
    free(m->sizes);
    free(m->params);
    free(m->peers);
    free(m->defines);
    free(m->parts);
    free(m->kernel_options);
    gr_run_free(&m->plan);
    gr_tuned_free(&m->tuned);
    gr_recording_free(&m->recording);
    gr_kernel_chapters_close(&m->chapters);
    free(m->diagnose_options);
    *m = (struct gr_measuring){0};
}

enum gradus_status gr_measuring_add(struct gr_measuring *m, const struct gr_kernel *kernel,
                                    const char *command, struct gradus_error *error)
{
    size_t bytes = (size_t)(m->kernel_count + 1) * sizeof *m->kernels;
    struct gr_sweep_kernel *grown = realloc(m->kernels, bytes);
    if (!grown)
        return gr_fail_memory(error, "kernels", bytes);
    m->kernels = grown;
    grown[m->kernel_count++] =
        (struct gr_sweep_kernel){.kernel = kernel, .command = gr_strdup(command)};
    return GRADUS_OK;
}

/* Describes the machine, its ceilings, and the run's options. */
static enum gradus_status describe(const struct gr_measuring *m, const struct gr_session *session,
                                   struct gr_run *run, struct gradus_error *error)
{
    struct gr_environment *e = &run->environment;
    enum gradus_status status = gr_probe_environment(e, error);
    e->fill = gr_strdup(gr_fill_name(m->options.fill));
    e->seed = m->options.seed;
    e->command = gr_strdup(m->args->command);
    bool on_cpu = session->about.memory_bytes == 0;
    int most = 0;
    for (int i = 0; i < m->thread_count; i++)
        most = m->threads[i] > most ? m->threads[i] : most;
    if (status == GRADUS_OK && on_cpu && !m->options.verify_only)
        status = gr_probe_ceilings(GR_CEILINGS_CHECKED, most * session->callers, &e->ceilings,
                                   &e->ceiling_count, error);
    gr_device_file_roofs(&session->options.device, session->about.name, e);
    return status;
}

/* The roofline in the report of a GPU is drawn at the largest size, for which the simulator counts
 * the traffic. */
static void ask_traffic(struct gr_measuring *m)
{
    const struct gr_device_ref *device = &m->options.device;
    if (!gr_args_get(m->args, "report") || gr_device_is_host(device) ||
        gr_device_is_simulated(device) || m->options.verify_only)
        return;
    for (int i = 0; i < m->part_count; i++)
        for (int j = 0; j < m->parts[i].size_count; j++) {
            const struct gr_size *s = &m->parts[i].sizes[j];
            double flops = 2.0 * (double)s->m * (double)s->n * (double)s->k;
            m->options.traffic_flops = fmax(m->options.traffic_flops, flops);
        }
}

/* Checks that the folder of the report can be created, without creating it: the folder or its
 * nearest existing parent must be writable. */
static enum gradus_status check_folder(const char *path, struct gradus_error *error)
{
    if (!*path)
        return gr_fail(error, GRADUS_INVALID, "--report '': wanted the name of a folder");
    char *folder = gr_strdup(path);
    struct stat found = {0};
    while (folder && stat(folder, &found) != 0 && errno == ENOENT && strcmp(folder, ".") != 0) {
        char *slash = strrchr(folder, '/');
        if (slash)
            slash[slash == folder] = 0; /* the parent of "/x" is "/" */
        else
            strcpy(folder, ".");
    }
    enum gradus_status status = GRADUS_OK;
    if (!folder)
        status = gr_fail_memory(error, "a path", strlen(path));
    else if (!S_ISDIR(found.st_mode))
        status = gr_fail(error, GRADUS_IO, "--report %s: %s is not a folder", path, folder);
    else if (access(folder, W_OK | X_OK) != 0)
        status = gr_fail(error, GRADUS_IO, "--report %s: %s: %s", path, folder, strerror(errno));
    free(folder);
    return status;
}

static struct gr_sweep sweep_of(const struct gr_measuring *m, const struct gr_part *part,
                                const char *common, int first, struct gr_run *kept)
{
    return (struct gr_sweep){.kernels = m->kernels,
                             .kernel_count = m->kernel_count,
                             .sizes = part->sizes,
                             .size_count = part->size_count,
                             .types = part->types,
                             .types_given = m->types_given,
                             .trans_a = part->trans_a,
                             .trans_b = part->trans_b,
                             .trans_given = m->trans_given,
                             .field = m->field,
                             .params = m->params,
                             .param_count = m->param_count,
                             .tuned = m->tuned.path ? &m->tuned : NULL,
                             .common = common ? common : "",
                             .kernel_options = m->kernel_options ? m->kernel_options : "",
                             .diagnose_options = m->diagnose_options ? m->diagnose_options : "",
                             .threads = part->threads,
                             .first = first,
                             .kept = kept};
}

/* Plans all rows of the run, and finds those that an earlier run has measured. */
static enum gradus_status make_plan(struct gr_measuring *m, struct gr_session *session,
                                    struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < m->part_count && status == GRADUS_OK; i++) {
        struct gr_part *part = &m->parts[i];
        char *common = gr_repeated_common(m->args, &m->options, part->threads);
        struct gr_sweep sweep = sweep_of(m, part, common, 0, NULL);
        part->first = m->plan.row_count;
        status = gr_sweep_plan(session, &sweep, &m->plan, error);
        free(common);
    }
    return status;
}

static enum gradus_status run_part(const struct gr_measuring *m, const struct gr_part *part,
                                   struct gr_session *session, struct gr_run *kept,
                                   struct gr_run *run, struct gradus_error *error)
{
    char *common = gr_repeated_common(m->args, &m->options, part->threads);
    struct gr_sweep sweep = sweep_of(m, part, common, part->first, kept);
    enum gradus_status status = gr_sweep_run(session, &sweep, run, error);
    free(common);
    return status;
}

/* Makes the parts if the verb has not defined them. */
static enum gradus_status make_parts(struct gr_measuring *m, struct gradus_error *error)
{
    if (m->parts)
        return GRADUS_OK;
    m->parts = calloc((size_t)m->thread_count, sizeof *m->parts);
    if (!m->parts)
        return gr_fail_memory(error, "the numbers of threads", 0);
    for (; m->part_count < m->thread_count; m->part_count++)
        m->parts[m->part_count] = (struct gr_part){.threads = m->threads[m->part_count],
                                                   .types = m->types,
                                                   .trans_a = m->trans_a,
                                                   .trans_b = m->trans_b,
                                                   .sizes = m->sizes,
                                                   .size_count = m->size_count};
    return GRADUS_OK;
}

static void close_session(struct gr_session *session, struct gr_run *run)
{
    gr_session_raise_ceilings(session, &run->environment);
    free(run->environment.gpu);
    run->environment.gpu = gr_session_device(session);
    gr_session_close(session);
}

static void begin_recording(struct gr_measuring *m, const struct gr_session *session,
                            const struct gr_run *run)
{
    const bool on_cpu = session->about.memory_bytes == 0;
    gr_recording_begin(&m->recording, m->args, run, on_cpu ? NULL : session->about.name, m->kernels,
                       m->kernel_count);
    m->following.recording = &m->recording;
}

/* Values that were tuned on another device may be slow on this one. */
static enum gradus_status check_tuned(const struct gr_measuring *m,
                                      const struct gr_session *session, struct gradus_error *error)
{
    const char *here = m->recording.run.machine, *there = m->tuned.device;
    if (session->backend->simulates)
        here = session->about.name;
    if (there && here && strcmp(here, there) != 0)
        return gr_fail(error, GRADUS_INVALID,
                       "--tuned %s: its values are of %.80s, and this is %.80s: gradus tune -o "
                       "makes a file for it",
                       m->tuned.path, there, here);
    return GRADUS_OK;
}

/* Before the first part: plans the rows, describes the machine, and takes rows of an earlier
 * run. */
static enum gradus_status prepare(struct gr_measuring *m, struct gr_session *session,
                                  const struct gr_run *kept, struct gr_run *run,
                                  struct gradus_error *error)
{
    const char *resume = gr_args_get(m->args, "resume");
    enum gradus_status status = make_plan(m, session, error);
    run->planned = status == GRADUS_OK ? m->plan.row_count : 0;
    if (status == GRADUS_OK) {
        gr_session_report(session, "measuring this machine's ceilings");
        status = describe(m, session, run, error);
    }
    if (status == GRADUS_OK && resume)
        status = gr_resume_check(m, resume, kept, &run->environment, &m->plan, session->about.name,
                                 error);
    if (status == GRADUS_OK) {
        begin_recording(m, session, run);
        status = check_tuned(m, session, error);
    }
    if (status == GRADUS_OK) {
        m->following.follower.plan(&m->following, &m->plan);
    }
    return status;
}

/* If each product is compared with all libraries in one line, a requested library that is missing
 * has no row to report it, so a note does. It is known after the first products were measured. */
static void note_missing(const struct gr_measuring *m, const struct gr_session *session)
{
    for (int i = 0; i < session->peer_count && m->field && m->options.peer_count > 0; i++)
        if (session->peers[i].missing)
            gr_cli_note("%s", session->peers[i].why);
}

/* Rows without a peer have no share of one. The run says why, unless the user wanted it so. */
static void note_absence(const struct gr_measuring *m, const struct gr_session *session,
                         struct gr_run *run)
{
    int found = 0;
    for (int i = 0; i < session->peer_count; i++)
        found += !session->peers[i].missing;
    run->found_no_peer |= !m->options.peers && session->peer_count > 0 && !found;
}

/* Consecutive parts with the same types and number of threads share a session. */
static enum gradus_status run_parts(struct gr_measuring *m, struct gr_run *kept, struct gr_run *run,
                                    struct gradus_error *error)
{
    struct gr_session session;
    bool open = false;
    enum gradus_status status = GRADUS_OK;
    ask_traffic(m);
    for (int i = 0; i < m->part_count && status == GRADUS_OK; i++) {
        const struct gr_part *part = &m->parts[i];
        bool fresh = i == 0 || part->threads != part[-1].threads ||
                     !gr_types_equal(part->types, part[-1].types);
        if (fresh && open)
            close_session(&session, run);
        m->options.threads = part->threads;
        if (fresh) {
            status = gr_session_open(&m->options, &session, error);
            open = status == GRADUS_OK;
        }
        if (status == GRADUS_OK && i == 0)
            status = prepare(m, &session, kept, run, error);
        if (status == GRADUS_OK)
            status = run_part(m, part, &session, kept, run, error);
        if (status == GRADUS_OK && i == 0)
            note_missing(m, &session);
        if (status == GRADUS_OK)
            note_absence(m, &session, run);
    }
    if (open)
        close_session(&session, run);
    return status;
}

/* Returns what ended a run early, for its JSON. */
static char *name_stop(const struct gr_measuring *m)
{
    int signal = gr_stop_requested();
    return signal == SIGALRM ? gr_printf("--stop-after %s", gr_args_get(m->args, "stop-after"))
                             : gr_printf("SIG%s", sigabbrev_np(signal));
}

/* Prepares the chapters of the report. */
static void open_chapters(struct gr_measuring *m, const char *report)
{
    gr_kernel_chapters_open(&m->chapters, report);
    for (int i = 0; i < m->kernel_count; i++)
        if (!m->kernels[i].refused)
            gr_kernel_chapters_add(&m->chapters, m->kernels[i].kernel,
                                   gr_args_get(m->args, "kernel-dir"));
    m->following.chapters = &m->chapters;
}

/* Only GEMMs have verdicts and peers. Another kernel has no reference, and its sizes have names. */
static enum gradus_status check_kernels(const struct gr_measuring *m, const char *verb,
                                        struct gradus_error *error)
{
    for (int i = 0; i < m->kernel_count; i++)
        if (gr_kernel_has_workload(m->kernels[i].kernel))
            return gr_kernel_refuse_workload(m->kernels[i].kernel, verb, error);
    for (size_t s = 0; s < sizeof size_options / sizeof *size_options; s++)
        for (int i = 0; gr_args_get_at(m->args, size_options[s], i); i++)
            if (gr_is_named_size(gr_args_get_at(m->args, size_options[s], i)))
                return gr_fail(error, GRADUS_INVALID,
                               "--%s: found '%s', which is for a kernel that is no GEMM, wanted "
                               "1024 or MxNxK",
                               size_options[s], gr_args_get_at(m->args, size_options[s], i));
    return GRADUS_OK;
}

enum gradus_status gr_measuring_run(struct gr_measuring *m, const char *title, struct gr_run *run,
                                    struct gradus_error *error)
{
    const char *report = gr_args_get(m->args, "report"), *format = gr_args_get(m->args, "format");
    const char *resume = gr_args_get(m->args, "resume");
    struct gr_run kept = {0};
    *run = (struct gr_run){.title = gr_strdup(title), .sweep = m->field, .by_work = m->by_work};
    gr_signals_defer();
    if (m->stop_after_ns)
        gr_signals_stop_after(m->stop_after_ns);
    /* A report folder that cannot be created is reported before the measurements, which take
     * minutes. */
    enum gradus_status status =
        gr_engine_arg(m->args, &m->options.device, &m->options.build.engine, error);
    if (status == GRADUS_OK)
        status =
            gr_reorder_ffma_arg(m->args, &m->options.device, &m->options.build.reorder_ffma, error);
    if (status == GRADUS_OK)
        status = check_kernels(m, title, error);
    if (status == GRADUS_OK && report)
        status = check_folder(report, error);
    if (status == GRADUS_OK && resume)
        status = gr_resume_read(resume, &kept, error);
    if (status == GRADUS_OK)
        status = make_parts(m, error);
    if (status == GRADUS_OK) {
        const struct gr_estimate_terms terms = {.time_limit_ns = m->options.time_limit_ns,
                                                .budget_ns = m->options.budget_ns,
                                                .verify_only = m->options.verify_only};
        gr_following_begin(&m->following, run, gr_format_find(format ? format : "table"), &terms);
        m->options.follower = &m->following.follower;
        if (report && !m->field)
            open_chapters(m, report);
        status = run_parts(m, &kept, run, error);
        gr_following_pause(&m->following);
        gr_recording_end(&m->recording, &run->environment);
    }
    bool requested = status == GRADUS_INTERRUPTED && gr_stop_requested();
    if (requested || (status != GRADUS_OK && run->row_count > 0)) {
        run->stopped = requested ? name_stop(m) : gr_strdup(error->text);
        m->failed = requested ? GRADUS_OK : status;
        gradus_error_clear(error);
        status = run->stopped ? GRADUS_OK : gr_fail_memory(error, "a run", 0);
    }
    if (status != GRADUS_OK)
        gr_following_abandon(&m->following);
    gr_run_free(&kept);
    return status;
}
