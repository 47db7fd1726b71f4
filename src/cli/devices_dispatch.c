/* devices_dispatch.c: shows how the library would compute a product, for the level in use and for
 * each step of the ladder of instruction sets. SPDX-License-Identifier: MIT */
#include "cli/devices_dispatch.h"

#include "core/error.h"
#include "base/str.h"
#include "cli/public_types.h"
#include "cli/style.h"
#include "base/text.h"
#include "records/problem.h"
#include "cpu/cpu.h"
#include "probe/dispatched.h"
#include "cpu/features.h"
#include "io/json_out.h"
#include "ukr.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_COLUMNS = 16, USUAL_COLUMNS = 80, STEPS_MAX = 16, THREADS_MAX = 4096 };

/* A step of the ladder: a level of this build, or an extension that has a micro-kernel. */
struct step {
    const char *isa;
    struct gr_str missing, masked; /* the features that it needs: names separated by blanks */
    bool runs;
    bool refused; /* it has no micro-kernel */
    struct gr_dispatch dispatch;
};

struct question {
    char shape[80], type[16], trans[4];
    struct gradus_gemm gemm;
    struct gr_dispatch answer;
    struct step steps[STEPS_MAX];
    int step_count;
};

/* Reads a dense row-major product. No operand is read, so all of them have the same address. */
static enum gradus_status read_question(const struct gr_args *args, struct question *q,
                                        struct gradus_error *error)
{
    static char nothing[8];
    const char *trans = gr_args_get(args, "trans"), *threads = gr_args_get(args, "threads");
    struct gradus_gemm *g = &q->gemm;
    int64_t m, n, k;
    const enum gradus_status status =
        gr_size_parse(gr_args_get(args, "dispatch"), &m, &n, &k, error);
    if (status != GRADUS_OK)
        return status;
    snprintf(q->type, sizeof q->type, "%s", gr_public_types_init(g, gr_args_get(args, "dtype")));
    if (gr_public_types_need_gpu(g))
        return gr_fail(error, GRADUS_INVALID,
                       "--dtype: found %s, which only GPUs multiply, wanted f32, f64, bf16, s8, u8 "
                       "or bf16-bf16, or --device cuda",
                       q->type);
    if (threads) {
        char *end;
        const long number = strtol(threads, &end, 10);
        if (*end || end == threads || number < 1 || number > THREADS_MAX)
            return gr_fail(error, GRADUS_INVALID,
                           "--threads: found '%.80s', wanted a number from 1 to %d", threads,
                           THREADS_MAX);
        g->threads = (int)number;
    }
    g->m = m, g->n = n, g->k = k;
    g->trans_a = trans && trans[0] == 't';
    g->trans_b = trans && trans[1] == 't';
    g->lda = g->trans_a ? m : k;
    g->ldb = g->trans_b ? k : n;
    g->ldc = n;
    g->lda += !g->lda, g->ldb += !g->ldb, g->ldc += !g->ldc;
    g->a = g->b = g->c = nothing;
    gr_size_name(m, n, k, q->shape, sizeof q->shape);
    snprintf(q->trans, sizeof q->trans, "%s", trans ? trans : "nn");
    return GRADUS_OK;
}

static void add_names(struct gr_str *names, uint64_t set)
{
    const char *name;
    for (int i = 0; (name = gr_cpu_feature_name(i)); i++)
        if (set >> i & 1)
            gr_str_printf(names, "%s%s", names->length ? " " : "", name);
}

static void add_step(struct question *q, const char *isa)
{
    if (q->step_count == STEPS_MAX)
        return;
    struct step *step = &q->steps[q->step_count++];
    const uint64_t needs = gr_cpu_isa_needs(isa), here = gr_cpu_features_here();
    *step = (struct step){.isa = isa, .runs = gr_cpu_isa_runs(isa)};
    add_names(&step->missing, needs & ~here);
    add_names(&step->masked, needs & here & gr_cpu_features_masked());
    step->refused =
        gr_cpu_dispatch(&q->gemm, gr_cpu_isa_level(isa), &step->dispatch, NULL) != GRADUS_OK;
}

/* Finds the steps. In the table of micro-kernels, extensions precede their level. An extension is a
 * step only if it has a micro-kernel for these types. */
static void find_steps(struct question *q)
{
    const char *level;
    for (int i = 0; (level = gr_cpu_isa_at(i)); i++) {
        const struct ukr *ukr;
        const char *last = level;
        for (int u = 0; (ukr = gr_ukr_at(u)); u++)
            if (!strncmp(ukr->type, q->type, strlen(q->type)) && strcmp(ukr->isa, last) != 0 &&
                strcmp(ukr->isa, level) != 0 && !strcmp(gr_cpu_isa_level(ukr->isa), level))
                add_step(q, last = ukr->isa);
        add_step(q, level);
    }
}

static void free_question(struct question *q)
{
    for (int i = 0; i < q->step_count; i++) {
        gr_str_free(&q->steps[i].missing);
        gr_str_free(&q->steps[i].masked);
    }
}

static void add_line(struct gr_str *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_line(struct gr_str *out, const char *name, const char *format, ...)
{
    struct gr_str text = {0};
    va_list arguments;
    va_start(arguments, format);
    gr_str_vprintf(&text, format, arguments);
    va_end(arguments);
    const struct gr_style style = gr_cli_style(STDOUT_FILENO);
    gr_str_printf(out, "  %-*s", NAME_COLUMNS - 2, name);
    gr_text_wrap(out, gr_str_text(&text), text.length, NAME_COLUMNS,
                 style.columns ? style.columns : USUAL_COLUMNS);
    gr_str_free(&text);
}

static void add_heading(struct gr_str *out, const char *heading)
{
    const bool colour = gr_cli_style(STDOUT_FILENO).colour;
    gr_str_printf(out, "%s%s%s%s\n", out->length ? "\n" : "", colour ? "\033[1m" : "", heading,
                  colour ? "\033[0m" : "");
}

static const char *level_reason(void)
{
    const char *requested = getenv("GRADUS_ISA");
    if (requested && strcmp(requested, gr_cpu_isa()) == 0)
        return "as GRADUS_ISA asks";
    return requested && *requested ? "GRADUS_ISA names none that runs here"
                                   : "the best that runs here";
}

static void add_mask(struct gr_str *out)
{
    char unknown[256];
    struct gr_str masked = {0};
    gr_cpu_mask_unknown(unknown, sizeof unknown);
    add_names(&masked, gr_cpu_features_masked());
    if (masked.length)
        add_line(out, "masked", "%s, by GRADUS_CPU_MASK", gr_str_text(&masked));
    if (*unknown)
        add_line(out, "unknown", "%s: no features, though GRADUS_CPU_MASK names them", unknown);
    gr_str_free(&masked);
}

static void add_blocks(struct gr_str *out, const struct gr_dispatch *d)
{
    if (d->mc)
        add_line(out, "blocks",
                 "A %lldx%lld, B %lldx%lld; a slab of C is %lld task%s; %.1f MB of buffers",
                 (long long)d->mc, (long long)d->kc, (long long)d->kc, (long long)d->nc,
                 (long long)d->tasks, d->tasks == 1 ? "" : "s", (double)d->workspace_bytes / 1e6);
}

/* Appends the estimates of the cost model, which determine the path. */
static void add_estimates(struct gr_str *out, const struct gr_dispatch *d)
{
    struct gr_str text = {0};
    if (d->tail_columns)
        add_line(out, "last columns", "%lld of C, fewer than a vector holds: %s",
                 (long long)d->tail_columns, d->tail_path);
    if (d->in_tiles)
        add_line(out, "estimate", "%.1f us with vectors, %.1f us with tile registers",
                 (double)d->in_vectors / 1e6, (double)d->in_tiles / 1e6);
    if (!d->along_rows)
        return;
    gr_str_printf(&text, "%lld with vectors along rows", (long long)d->along_rows);
    if (d->along_columns)
        gr_str_printf(&text, ", %lld along columns", (long long)d->along_columns);
    if (d->along_k)
        gr_str_printf(&text, ", %lld along k", (long long)d->along_k);
    add_line(out, "cycles", "%s, at one multiply-add of vectors a cycle", gr_str_text(&text));
    gr_str_free(&text);
}

static void add_step_line(struct gr_str *out, const struct step *step)
{
    const struct gr_dispatch *d = &step->dispatch;
    if (!step->runs)
        add_line(
            out, step->isa, "not here: %s%s%s%s%s", step->missing.length ? "lacks " : "",
            gr_str_text(&step->missing), step->missing.length && step->masked.length ? "; " : "",
            step->masked.length ? "masked: " : "",
            step->missing.length + step->masked.length ? gr_str_text(&step->masked)
                                                       : "the system does not grant its registers");
    else if (step->refused)
        add_line(out, step->isa, "no micro-kernel");
    else if (d->mc)
        add_line(out, step->isa, "%s, %s, blocks %lldx%lldx%lld, %d thread%s", d->ukr->name,
                 d->path, (long long)d->mc, (long long)d->nc, (long long)d->kc, d->threads,
                 d->threads == 1 ? "" : "s");
    else
        add_line(out, step->isa, "%s, %s, %d thread%s", d->ukr->name, d->path, d->threads,
                 d->threads == 1 ? "" : "s");
}

static void render_table(const struct question *q, struct gr_str *out)
{
    const struct gr_dispatch *d = &q->answer;
    char heading[160];
    snprintf(heading, sizeof heading, "Dispatch of %s, %s, %s", q->shape, q->type, q->trans);
    add_heading(out, heading);
    add_line(out, "level", "%s: %s", gr_cpu_isa(), level_reason());
    add_mask(out);
    add_line(out, "kernel", "%s: tile %dx%d, for %s", d->ukr->name, (int)d->ukr->mr,
             (int)d->ukr->nr, d->ukr->isa);
    struct gr_str needs = {0};
    add_names(&needs, gr_cpu_isa_needs(d->ukr->isa));
    if (needs.length)
        add_line(out, "features", "%s: %s needs them, and this CPU has them", gr_str_text(&needs),
                 d->ukr->isa);
    gr_str_free(&needs);
    add_line(out, "path", "%s%s%s", d->path, d->why ? ": " : "", d->why ? d->why : "");
    add_estimates(out, d);
    add_blocks(out, d);
    add_line(out, "threads", "%d: %s", d->threads, d->threads_why);
    add_heading(out, "What each step of the ladder would run (blocks MCxNCxKC)");
    for (int i = 0; i < q->step_count; i++)
        add_step_line(out, &q->steps[i]);
}

static void put_dispatch(struct gr_json *w, const struct gr_dispatch *d)
{
    gr_json_put_text(w, "kernel", d->ukr->name);
    gr_json_put_text(w, "isa", d->ukr->isa);
    gr_json_put_whole(w, "mr", d->ukr->mr);
    gr_json_put_whole(w, "nr", d->ukr->nr);
    gr_json_put_text(w, "path", d->path);
    gr_json_put_text(w, "path_reason", d->why);
    gr_json_put_whole(w, "tail_columns", d->tail_columns);
    gr_json_put_text(w, "tail_path", d->tail_path);
    gr_json_put_whole(w, "cycles_along_rows", d->along_rows);
    gr_json_put_whole(w, "cycles_along_columns", d->along_columns);
    gr_json_put_whole(w, "cycles_along_k", d->along_k);
    gr_json_put_real(w, "ns_in_vectors", (double)d->in_vectors / 1e3);
    gr_json_put_real(w, "ns_in_tiles", (double)d->in_tiles / 1e3);
    gr_json_put_whole(w, "threads", d->threads);
    gr_json_put_text(w, "threads_reason", d->threads_why);
    gr_json_put_whole(w, "mc", d->mc);
    gr_json_put_whole(w, "kc", d->kc);
    gr_json_put_whole(w, "nc", d->nc);
    gr_json_put_whole(w, "tasks", d->tasks);
    gr_json_put_whole(w, "workspace_bytes", d->workspace_bytes);
}

static void put_step(struct gr_json *w, const struct step *step)
{
    gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
    gr_json_put_text(w, "step", step->isa);
    gr_json_put_bool(w, "runs", step->runs);
    gr_json_put_text(w, "missing", gr_str_text(&step->missing));
    gr_json_put_text(w, "masked", gr_str_text(&step->masked));
    if (step->runs && !step->refused)
        put_dispatch(w, &step->dispatch);
    gr_json_close(w);
}

static void render_json(const struct question *q, struct gr_str *out)
{
    struct gr_json writer = {.out = out}, *w = &writer;
    char unknown[256];
    struct gr_str masked = {0};
    gr_cpu_mask_unknown(unknown, sizeof unknown);
    add_names(&masked, gr_cpu_features_masked());
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_text(w, "schema", "gradus-dispatch");
    gr_json_put_whole(w, "schema_version", 1);
    gr_json_put_whole(w, "m", q->gemm.m);
    gr_json_put_whole(w, "n", q->gemm.n);
    gr_json_put_whole(w, "k", q->gemm.k);
    gr_json_put_text(w, "dtype", q->type);
    gr_json_put_text(w, "trans", q->trans);
    gr_json_put_text(w, "level", gr_cpu_isa());
    gr_json_put_text(w, "level_reason", level_reason());
    gr_json_put_text(w, "masked", gr_str_text(&masked));
    gr_json_put_text(w, "mask_unknown", unknown);
    put_dispatch(w, &q->answer);
    gr_json_open_array(w, "steps", GR_JSON_LINES);
    for (int i = 0; i < q->step_count; i++)
        put_step(w, &q->steps[i]);
    gr_json_close(w);
    gr_json_close(w);
    gr_str_add(out, "\n");
    gr_str_free(&masked);
}

enum gr_exit gr_devices_dispatch(const struct gr_args *args)
{
    const char *format = gr_args_get(args, "format");
    struct question q = {0};
    struct gradus_error error = {0};
    enum gradus_status status = read_question(args, &q, &error);
    if (status == GRADUS_OK)
        status = gr_cpu_dispatch(&q.gemm, NULL, &q.answer, &error);
    if (status != GRADUS_OK) {
        const enum gr_exit failed = gr_cli_fail(&error);
        gradus_error_clear(&error);
        return failed;
    }
    struct gr_str out = {0};
    find_steps(&q);
    if (format && strcmp(format, "json") == 0)
        render_json(&q, &out);
    else
        render_table(&q, &out);
    fputs(gr_str_text(&out), stdout);
    gr_str_free(&out);
    free_question(&q);
    return GR_EXIT_RIGHT;
}
