/* verb_tune.c: gradus tune: finds the fastest values of a kernel's parameters.
 * SPDX-License-Identifier: MIT */
#include "cli/measuring.h"
#include "cli/repeated.h"
#include "cli/progress_line.h"
#include "cli/rungs.h"
#include "cli/signals.h"
#include "cli/style.h"
#include "cli/tune_library.h"

#include "core/error.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/str.h"
#include "base/text.h"
#include "explain/device_file.h"
#include "measure/tune.h"
#include "measure/tuned_table.h"
#include "probe/probe.h"
#include "report/tune_text.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct gr_option options[] = {
    {"output", 'o', "FILE", false, "write the values that were found, for --tuned"},
    {"device", 0, GR_METAVAR_DEVICE, false, "where to run (default: cpu)"},
    GR_OPTION_ENGINE,
    {"size", 0, "SIZE", true, "1024, MxNxK, a list or FIRST:LAST:xFACTOR (default: 512)"},
    {"dtype", 0, GR_TYPES_WORDS, false, "of the inputs, then of C (default: the kernel's first)"},
    {"trans", 0, "nn|nt|tn|tt", false, "which of A and B are stored transposed"},
    {"threads", 0, "N", false, "threads of the kernels (default: all allowed)"},
    {"param", 0, "NAME=VALUE", true, "keep a parameter at this value"},
    {"time-limit", 0, "SECONDS", false, "for a kernel at a size (default: 120)"},
    {"fill", 0, "uniform|normal|integer|wide|positive|ones", false, "what A and B hold"},
    {"seed", 0, "N", false, "of the random numbers (default: 1)"},
    {"warm", 0, NULL, false, "operands stay in the caches (default up to 512)"},
    {"cold", 0, NULL, false, "operands rotate through twice the last cache"},
    {"strict", 0, NULL, false, "reading C when beta is 0 makes a kernel wrong"},
    {"shapes", 0, "yes|no", false, "verify finalists at edge shapes too (default: yes)"},
    {"kernel-dir", 0, "DIR", false, "rungs from this folder, not from the binary"},
    {"kernel", 0, "NAME,...", false,
     "which functions of the file (default: each that can be a GEMM)"},
    {"cc", 0, "COMPILER", false, "C compiler (default: $CC, cc, gcc, clang)"},
    {"flags", 0, "FLAGS", false, "compiler flags (default: the file's, -O3 -march=native)"},
    {"grid", 0, "EXPR,...", false, "GPU: blocks, as `cdiv(N,32),cdiv(M,32)`"},
    {"block", 0, "EXPR,...", false, "GPU: threads of a block, as `32,32`"},
    {"smem", 0, "EXPR", false, "GPU: bytes of dynamic shared memory"},
    {"define", 0, "NAME=VALUE", true, "GPU: a macro for the compiler"},
    {"args", 0, "EXPR,...", false, "arguments in the kernel's order, as expressions"},
    {"require", 0, "EXPR", true, "what the kernel needs of a problem, as `N%4==0`"},
    {"no-history", 0, NULL, false, "do not record the rows (see gradus history)"},
    {"format", 0, GR_METAVAR_FORMAT, false, "what to print (default: table)"},
    {0},
};

static const int64_t default_limit_ns = 120LL * 1000000000;

/* A run of the verb. */
struct tuning {
    const struct gr_args *args;
    struct gr_measuring m;
    struct gr_rungs rungs;
    struct gr_session session;
    bool open;
    struct gr_follower follower;
    char head[160]; /* of the progress line */
    struct gr_run run;
    int64_t limit_ns;
    struct gr_file_out file; /* of -o */
    bool to_file;
    struct gr_str lines; /* the lines of the file */
    bool any_chosen, any_wrong;
};

static void on_stage(void *context, const char *stage)
{
    const struct tuning *t = context;
    gr_progress_format(t->head, stage, -1);
}

static bool has_param(const struct gr_kernel *kernel, const char *assignment)
{
    const size_t length = strcspn(assignment, "=");
    for (int i = 0; i < kernel->param_count; i++)
        if (strlen(kernel->params[i].name.text) == length &&
            strncmp(kernel->params[i].name.text, assignment, length) == 0)
            return true;
    return false;
}

/* Makes a variant with the default values, and those of --param, which are fixed. If there is a
 * single kernel it must have all of these parameters. UNSUPPORTED: the kernel does not support the
 * types or transposes. */
static enum gradus_status make_base(const struct tuning *t, const struct gr_kernel *k,
                                    struct gr_variant *base, bool *fixed,
                                    struct gradus_error *error)
{
    const struct gr_measuring *m = &t->m;
    bool trans_a = m->trans_a, trans_b = m->trans_b;
    const struct gr_types types = m->types_given || k->type_count == 0 ? m->types : k->types[0];
    gr_kernel_trans(k, m->trans_given, &trans_a, &trans_b);
    enum gradus_status status = gr_variant_make(k, types, trans_a, trans_b, base, error);
    memset(fixed, 0, GR_MAX_PARAMS * sizeof *fixed);
    if (status == GRADUS_OK && t->open)
        gr_backend_suit(t->session.backend, t->session.found, base);
    for (int i = 0; i < m->param_count && status == GRADUS_OK; i++) {
        if (m->kernel_count > 1 && !has_param(k, m->params[i]))
            continue;
        status = gr_variant_set(base, m->params[i], error);
        for (int p = 0; p < k->param_count && status == GRADUS_OK; p++) {
            const size_t length = strcspn(m->params[i], "=");
            fixed[p] |= strlen(k->params[p].name.text) == length &&
                        strncmp(k->params[p].name.text, m->params[i], length) == 0;
        }
    }
    return status;
}

/* ---- Choosing kernels. ---- */

/* Removes a kernel from the list. */
static void drop_kernel(struct gr_measuring *m, int i)
{
    free(m->kernels[i].command);
    free(m->kernels[i].function);
    free(m->kernels[i].refused);
    free(m->kernels[i].excuse);
    memmove(&m->kernels[i], &m->kernels[i + 1],
            (size_t)(m->kernel_count - i - 1) * sizeof *m->kernels);
    m->kernel_count--;
}

static enum gradus_status refuse_untunable(const struct gr_kernel *k, struct gradus_error *error)
{
    if (k->param_count == 0)
        return gr_fail(error, GRADUS_INVALID,
                       "%s has nothing to tune: its file has no `param` line, as //@ param BM 64 "
                       "{32,64,128}",
                       k->name);
    return gr_fail(error, GRADUS_INVALID,
                   "%s has nothing to tune: each of its parameters has one value, or is fixed",
                   k->name);
}

/* If all rungs or several kernels are given, those without parameters are left out. */
static enum gradus_status keep_tunable(struct tuning *t, struct gradus_error *error)
{
    struct gr_measuring *m = &t->m;
    for (int i = m->kernel_count; i-- > 0;) {
        const struct gr_kernel *k = m->kernels[i].kernel;
        struct gr_variant base;
        bool fixed[GR_MAX_PARAMS];
        enum gradus_status status = GRADUS_OK;
        if (gr_kernel_has_workload(k))
            return gr_kernel_refuse_workload(k, "tune", error);
        if (m->kernels[i].refused) {
            gr_cli_note("%s: %s", k->name, m->kernels[i].refused);
            drop_kernel(m, i);
            continue;
        }
        status = make_base(t, k, &base, fixed, error);
        if (status == GRADUS_OK && gr_tune_has_choice(&base, fixed))
            continue;
        const bool misspelt = status != GRADUS_OK && status != GRADUS_UNSUPPORTED;
        if (status == GRADUS_OK)
            status = refuse_untunable(k, error);
        if (m->kernel_count == 1 || misspelt)
            return status;
        if (t->args->operand_count > 0)
            gr_cli_note("%s", error->text);
        gradus_error_clear(error);
        drop_kernel(m, i);
    }
    return GRADUS_OK;
}

static enum gradus_status choose_kernels(struct tuning *t, struct gradus_error *error)
{
    struct gr_str extra = {0};
    enum gradus_status status = GRADUS_OK;
    gr_rungs_extra_lines(t->args, &extra);
    if (t->args->operand_count == 0)
        status = gr_rungs_choose(&t->m, "run", "all", &t->rungs, error);
    for (int i = 0; i < t->args->operand_count && status == GRADUS_OK; i++)
        status = gr_rungs_add_operand(&t->m, t->args->operands[i], gr_str_text(&extra), &t->rungs,
                                      error);
    gr_str_free(&extra);
    return status == GRADUS_OK ? keep_tunable(t, error) : status;
}

/* ---- Before the first kernel. ---- */

static enum gradus_status read_options(struct tuning *t, struct gradus_error *error)
{
    struct gr_measuring *m = &t->m;
    enum gradus_status status = gr_measuring_read(t->args, "512", m, error);
    m->options.build.compiler = gr_args_get(t->args, "cc");
    m->options.build.flags = gr_args_get(t->args, "flags");
    m->options.build.defines = m->defines;
    m->options.peers = m->peers; /* no peers: candidates are compared with the default */
    m->options.peer_count = 0;
    if (status == GRADUS_OK && m->thread_count > 1)
        status = gr_fail(error, GRADUS_INVALID, "--threads: found several numbers, wanted one");
    for (int i = 0; status == GRADUS_OK && gr_args_get_at(t->args, "size", i); i++)
        if (gr_is_named_size(gr_args_get_at(t->args, "size", i)))
            status = gr_fail(error, GRADUS_INVALID,
                             "--size: found '%s', which is for a kernel that is no GEMM, wanted "
                             "1024 or MxNxK",
                             gr_args_get_at(t->args, "size", i));
    if (status == GRADUS_OK)
        status = gr_engine_arg(t->args, &m->options.device, &m->options.build.engine, error);
    const bool given = gr_args_get(t->args, "time-limit") != NULL;
    t->limit_ns = given ? m->options.time_limit_ns : default_limit_ns;
    const int64_t of_a_product = gr_options_default().time_limit_ns;
    if (m->options.time_limit_ns > of_a_product)
        m->options.time_limit_ns = of_a_product;
    return status;
}

static enum gradus_status describe(struct tuning *t, struct gradus_error *error)
{
    struct gr_environment *e = &t->run.environment;
    enum gradus_status status = gr_probe_environment(e, error);
    e->fill = gr_strdup(gr_fill_name(t->m.options.fill));
    e->seed = t->m.options.seed;
    e->command = gr_strdup(t->args->command);
    gr_device_file_roofs(&t->m.options.device, t->session.about.name, e);
    return status;
}

static enum gradus_status begin(struct tuning *t, struct gradus_error *error)
{
    const char *path = gr_args_get(t->args, "output");
    t->follower = (struct gr_follower){.context = t, .stage = on_stage};
    t->m.options.follower = &t->follower;
    enum gradus_status status = GRADUS_OK;
    if (path) { /* if it cannot be written, this is reported before the measurements, which take
                   minutes */
        status = gr_file_out_open(&t->file, path, error);
        t->to_file = status == GRADUS_OK;
    }
    gr_progress_begin();
    if (status == GRADUS_OK)
        status = gr_session_open(&t->m.options, &t->session, error);
    t->open = status == GRADUS_OK;
    t->run.title = gr_printf("tune on %s", t->m.options.device.text);
    if (status == GRADUS_OK)
        status = describe(t, error);
    if (status == GRADUS_OK) {
        const bool on_cpu = t->session.about.memory_bytes == 0;
        gr_recording_begin(&t->m.recording, t->args, &t->run, on_cpu ? NULL : t->session.about.name,
                           t->m.kernels, t->m.kernel_count);
    }
    return status;
}

/* ---- One kernel at one size. ---- */

static void print(const struct tuning *t, const struct gr_tune *tune,
                  const struct gr_tune_asked *asked)
{
    const char *format = gr_args_get(t->args, "format");
    const struct gr_style style = gr_cli_style(STDOUT_FILENO);
    struct gr_str text = {0};
    if (format && strcmp(format, "table") != 0)
        return;
    gr_tune_format(tune, asked, &style, &text);
    gr_str_add(&text, "\n");
    gr_progress_hide();
    fwrite(gr_str_text(&text), 1, text.length, stdout);
    fflush(stdout);
    gr_progress_show();
    gr_str_free(&text);
}

/* Stores the result for the program that reads the output, for the history and for the file. */
static void keep(struct tuning *t, const struct gr_tune *tune, const struct gr_tune_asked *asked)
{
    const int first = t->run.row_count;
    gr_tune_add_rows(tune, asked, &t->run);
    for (int i = first; i < t->run.row_count && !tune->interrupted; i++)
        gr_recording_add(&t->m.recording, &t->run.rows[i]);
    t->any_chosen |= tune->chosen >= 0;
    t->any_wrong |= tune->fates[GR_TUNE_WRONG] > 0;
    if (tune->chosen >= 0 && !tune->interrupted)
        gr_tuned_format(tune, asked->threads, &t->lines);
}

static char *command_of(const struct tuning *t, const struct gr_sweep_kernel *entry,
                        const struct gr_variant *base, const struct gr_size *size)
{
    static const char *const trans[] = {"nn", "nt", "tn", "tt"};
    char name[64];
    const struct gr_size s = *size;
    gr_size_name(s.m, s.n, s.k, name, sizeof name);
    char *common = gr_repeated_common(t->args, &t->m.options, t->session.threads);
    char *command = gr_printf("gradus %s --size %s --dtype %s --trans %s%s --peer none",
                              entry->command, name, gr_types_word(base->types),
                              trans[2 * base->trans_a + base->trans_b], common ? common : "");
    free(common);
    return command;
}

static enum gradus_status tune_one(struct tuning *t, const struct gr_sweep_kernel *entry,
                                   const struct gr_size *size, struct gradus_error *error)
{
    const struct gr_kernel *k = entry->kernel;
    struct gr_variant base;
    bool fixed[GR_MAX_PARAMS];
    struct gr_tune tune = {0};
    char name[64];
    gr_size_name(size->m, size->n, size->k, name, sizeof name);
    snprintf(t->head, sizeof t->head, "%.64s %s", k->name, name);
    enum gradus_status status = make_base(t, k, &base, fixed, error);
    if (status != GRADUS_OK)
        return status;
    char *command = command_of(t, entry, &base, size);
    const struct gr_tune_params params = {
        .base = &base,
        .fixed = fixed,
        .problem =
            gr_kernel_problem(k, size->m, size->n, size->k, base.trans_a, base.trans_b, base.types),
        .limit_ns = t->limit_ns};
    const struct gr_tune_asked asked = {.kernel = k,
                                        .fixed = fixed,
                                        .device = t->m.options.device.text,
                                        .threads = gr_session_threads(&t->session),
                                        .command = command ? command : ""};
    status = gr_tune_run(&t->session, &params, &tune, error);
    if (status == GRADUS_OK || (status == GRADUS_INTERRUPTED && tune.winner >= 0)) {
        print(t, &tune, &asked);
        keep(t, &tune, &asked);
    }
    gr_tune_free(&t->session, &tune);
    free(command);
    return status;
}

static enum gradus_status tune_all(struct tuning *t, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < t->m.kernel_count && status == GRADUS_OK; i++)
        for (int j = 0; j < t->m.size_count && status == GRADUS_OK; j++)
            status = tune_one(t, &t->m.kernels[i], &t->m.sizes[j], error);
    return status;
}

/* ---- After the last kernel. ---- */

/* Writes the whole file or nothing. */
static enum gradus_status write_file(struct tuning *t, struct gradus_error *error)
{
    struct gr_str text = {0};
    const char *device =
        t->session.backend->simulates ? t->session.about.name : t->m.recording.run.machine;
    gr_tuned_format_head(device, t->session.about.driver, &t->run.environment, &text);
    gr_str_add(&text, gr_str_text(&t->lines));
    enum gradus_status status = GRADUS_OK;
    if (fwrite(gr_str_text(&text), 1, text.length, t->file.stream) != text.length)
        status = gr_fail(error, GRADUS_IO, "%s: write error", t->file.path);
    t->to_file = false;
    if (status == GRADUS_OK)
        status = gr_file_out_commit(&t->file, error);
    else
        gr_file_out_abandon(&t->file);
    gr_str_free(&text);
    return status;
}

static enum gradus_status print_rows(const struct tuning *t, struct gradus_error *error)
{
    const char *name = gr_args_get(t->args, "format");
    const struct gr_format *format = gr_format_find(name ? name : "table");
    const struct gr_style style = gr_cli_style(STDOUT_FILENO);
    struct gr_str text = {0};
    if (!name || strcmp(name, "table") == 0 || !format)
        return GRADUS_OK;
    enum gradus_status status = format->render(&t->run, &style, &text, error);
    if (status == GRADUS_OK)
        fwrite(gr_str_text(&text), 1, text.length, stdout);
    gr_str_free(&text);
    return status;
}

static enum gr_exit finish(struct tuning *t, enum gradus_status status, struct gradus_error *error)
{
    const bool stopped = status == GRADUS_INTERRUPTED && gr_stop_requested();
    gr_progress_end();
    if (t->open) {
        free(t->run.environment.gpu);
        t->run.environment.gpu = gr_session_device(&t->session);
        gr_recording_end(&t->m.recording, &t->run.environment);
    }
    if (stopped) {
        gr_cli_note("interrupted%s", t->to_file && t->lines.length
                                         ? ": the file has the kernels and sizes that are finished"
                                         : "");
        t->run.stopped = gr_printf("SIG%s", sigabbrev_np(gr_stop_requested()));
        gradus_error_clear(error);
        status = GRADUS_OK;
    }
    if (status == GRADUS_OK)
        status = print_rows(t, error);
    if (status == GRADUS_OK && t->to_file && t->lines.length)
        status = write_file(t, error);
    if (status != GRADUS_OK)
        return gr_cli_fail(error);
    return stopped         ? GR_EXIT_INTERRUPTED
           : t->any_wrong  ? GR_EXIT_WRONG
           : t->any_chosen ? GR_EXIT_RIGHT
                           : GR_EXIT_NOTHING;
}

static enum gr_exit run(const struct gr_args *args)
{
    static struct tuning t; /* static because it is large */
    struct gradus_error error = {0};
    if (gr_tunes_library(args))
        return gr_tune_library(args);
    t = (struct tuning){.args = args};
    enum gradus_status status = read_options(&t, &error);
    if (status == GRADUS_OK)
        status = choose_kernels(&t, &error);
    if (status == GRADUS_OK) {
        gr_signals_defer();
        status = begin(&t, &error);
    }
    if (status == GRADUS_OK)
        status = tune_all(&t, &error);
    const enum gr_exit code = finish(&t, status, &error);
    if (t.to_file)
        gr_file_out_abandon(&t.file);
    if (t.open)
        gr_session_close(&t.session);
    gr_run_free(&t.run);
    gr_str_free(&t.lines);
    gr_measuring_free(&t.m);
    gr_rungs_free(&t.rungs);
    gradus_error_clear(&error);
    return code;
}

const struct gr_verb gr_verb_tune = {
    .name = "tune",
    .operands = "[RUNG|FILE|library…]",
    .summary = "find the fastest values of a kernel's parameters",
    .details =
        "The candidates are all values that the `param` lines of a kernel allow and its `require` "
        "lines admit. Without an operand, all rungs that have parameters are tuned.\n\n"
        "Candidates that a `require` excludes, that a GPU would refuse to launch, or that spill "
        "registers where others do not are left out without running them. The others are verified "
        "and raced in turns in one process; a candidate is eliminated when a sign test shows that "
        "it is slower than the leader. At most eight, and the default, are verified at edge shapes "
        "and raced again in six new processes. A candidate that this final cannot distinguish from "
        "the winner is called a tie, and a default that ties is kept. The intervals are 95 % "
        "intervals of the median; docs/tuning.md explains them.\n\n"
        "With --device sim nothing is timed: candidates are ranked by a model, from the "
        "simulator's counts.\n\n"
        "-o writes the values and where they were measured; `gradus run`, `ladder` and `bench` "
        "take them with --tuned FILE. A wrong candidate is reported, never wins, and makes the "
        "status 1. Ctrl-C shows what was measured.\n\n"
        "`gradus tune library --device cuda` chooses no parameters: it measures how long each GPU "
        "kernel of the library takes for a list of products, in all transposes, and -o writes the "
        "table by which the library of a later build chooses its kernels: "
        "devices/tuned/DEVICE.txt. --time-limit is for all of it (150 s).\n\n"
        "Examples:\n"
        "  gradus tune 05 --size 512 --threads 1\n"
        "  gradus tune 06 --size 1024 --param KC=384 -o tuned.txt\n"
        "  gradus tune my_gemm.c --size 256,512\n"
        "  gradus tune 07_tile2d --device sim --size 256\n"
        "  gradus tune library --device cuda -o devices/tuned/h200.txt\n"
        "  gradus ladder --tuned tuned.txt",
    .options = options,
    .group = GR_GROUP_MEASURE,
    .run = run,
};
