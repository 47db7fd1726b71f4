/* verb_plan.c: gradus plan: shows how a product is distributed over many ranks.
 * SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "cli/gpu_choice.h"
#include "cli/verb.h"
#include "dist/dist_plan.h"
#include "io/json_out.h"
#include "records/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gr_option options[] = {
    {"ranks", 0, "P", false, "ranks: processes or GPUs, all alike (required)"},
    {"memory", 0, "SIZE", false, "memory of each rank: 80G, 512M (default: the GPU's)"},
    {"dtype", 0, "f32|f64", false, "the type of the elements (default: f32)"},
    {"gpu", 0, "GPU", false, "a rank's device: its rates and its memory (default: h200)"},
    {"rate", 0, "RATE", false, "flop/s of a rank's own product: 50T (default: the GPU's peak)"},
    {"link", 0, "RATE", false, "bytes/s that a rank sends while it receives (default: 50G)"},
    {"latency", 0, "TIME", false, "of a message: 2us, 500ns (default: 5us)"},
    {"connect", 0, "TIME", false,
     "of ranks, before a first product: 300us (default: NCCL's, 1.2s)"},
    {"overlap", 0, "yes|no", false, "transfers during products of other panels (default: yes)"},
    {"format", 0, "table|json", false, "how to write it"},
    {0},
};

struct request {
    struct gr_dist_problem problem;
    struct gr_dist_machine machine;
    struct gr_gpu_choice gpu;
    const char *dtype;
    double connect_s; /* once, before the first product */
};

/* Reads a number such as "1.5G", where K, M, G, T, P are powers of `base`. A unit at the end of the
 * text is ignored. */
static bool read_scaled(const char *text, double base, double *value)
{
    static const char units[] = "KMGTP";
    char *end;
    double number = *text >= '0' && *text <= '9' ? strtod(text, &end) : -1;
    if (number < 0 || !isfinite(number))
        return false;
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        number *= pow(base, (double)(unit - units + 1));
        end++;
    }
    *value = number;
    return !*end;
}

static bool read_option(const struct gr_args *args, const char *name, double base,
                        const char *wanted, double *value)
{
    const char *text = gr_args_get(args, name);
    double number;
    if (!text)
        return true;
    if (!read_scaled(text, base, &number) || number < 1 || number > 1e18) {
        gr_cli_refuse("--%s: found '%.80s', wanted %s", name, text, wanted);
        return false;
    }
    *value = number;
    return true;
}

static bool read_ranks(const struct gr_args *args, int64_t *ranks)
{
    const char *text = gr_args_get(args, "ranks");
    if (!text) {
        gr_cli_refuse("plan: no number of ranks: add --ranks P");
        return false;
    }
    char *end;
    long long number = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : 0;
    if (number < 1 || number > GR_DIST_RANKS_MAX || *end) {
        gr_cli_refuse("--ranks: found '%.80s', wanted a number from 1 to %d", text,
                      GR_DIST_RANKS_MAX);
        return false;
    }
    *ranks = number;
    return true;
}

static bool read_time(const struct gr_args *args, const char *name, double most_s, double *time_s)
{
    static const struct {
        const char *name;
        double s;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    const char *text = gr_args_get(args, name);
    if (!text)
        return true;
    char *end = NULL;
    double number = *text >= '0' && *text <= '9' ? strtod(text, &end) : -1;
    for (size_t i = 0; number >= 0 && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && number * units[i].s <= most_s) {
            *time_s = number * units[i].s;
            return true;
        }
    gr_cli_refuse("--%s: found '%.80s', wanted a time up to %gs, as 2us or 500ns", name, text,
                  most_s);
    return false;
}

/* Reads the rates of the GPU, and then the options that replace them. */
static bool read_machine(const struct gr_args *args, struct request *r)
{
    const struct gr_device *gpu = &r->gpu.device;
    const bool f64 = strcmp(r->dtype, "f64") == 0;
    const double lanes = (double)(f64 ? gpu->fp64_lanes_per_sm : gpu->fp32_lanes_per_sm);
    double memory = (double)gpu->memory_mb * 1e6;
    r->machine.flop_per_s = 2 * lanes * (double)gpu->sms * (double)gpu->clock_mhz * 1e6;
    r->machine.memory_bytes_per_s = (double)gpu->memory_gbps * 1e9;
    r->machine.link_bytes_per_s = 50e9;
    r->machine.latency_s = 5e-6;
    r->connect_s = 1.2; /* measured with NCCL and two processes on two H200 */
    const char *const overlap = gr_args_get(args, "overlap");
    r->machine.overlap = !overlap || strcmp(overlap, "no") != 0;
    if (!read_ranks(args, &r->machine.ranks) ||
        !read_option(args, "memory", 1024, "a size, as 512M or 80G", &memory) ||
        !read_option(args, "rate", 1000, "flop/s, as 50T", &r->machine.flop_per_s) ||
        !read_option(args, "link", 1000, "bytes/s, as 25G", &r->machine.link_bytes_per_s) ||
        !read_time(args, "latency", 1, &r->machine.latency_s) ||
        !read_time(args, "connect", 3600, &r->connect_s))
        return false;
    r->machine.memory_bytes = (int64_t)memory;
    return true;
}

/* Writes a number such as "12.3 G", with a power of 1000, for words, bytes and rates, in three or
 * four digits. */
static const char *scaled(double x, char text[32])
{
    static const char units[] = " kMGTPE";
    int unit = 0;
    for (; x >= 999.5 && unit < 6; unit++)
        x /= 1000;
    const int digits = unit == 0 && x == floor(x) ? 0 : x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
    snprintf(text, 32, "%.*f %.*s", digits, x, unit > 0, &units[unit]);
    return text;
}

/* The same without a blank at the end if there is no power: "12.3 G", "7". */
static const char *number(double x, char text[32])
{
    scaled(x, text);
    const size_t length = strlen(text);
    if (text[length - 1] == ' ')
        text[length - 1] = 0;
    return text;
}

static const char *seconds(double s, char text[32])
{
    if (s >= 1 || s == 0)
        snprintf(text, 32, "%.4g s", s);
    else
        snprintf(text, 32, "%.4g %s", s * (s >= 1e-3 ? 1e3 : 1e6), s >= 1e-3 ? "ms" : "us");
    return text;
}

static int64_t largest(int64_t size, int64_t parts)
{
    return (size + parts - 1) / parts;
}

static void render_grid(const struct gr_dist_plan *p, int64_t ranks, struct gr_str *out)
{
    const int64_t *g = p->grid;
    const int64_t m = largest(p->problem.m, g[0]), n = largest(p->problem.n, g[1]),
                  k = largest(p->problem.k, g[2]);
    gr_str_printf(out, "  grid        %" PRId64 " x %" PRId64 " x %" PRId64 " of m, n, k: %s\n",
                  g[0], g[1], g[2], gr_dist_plan_kind(p));
    if (p->ranks < ranks)
        gr_str_printf(out, "  idle        %" PRId64 " ranks of %" PRId64 "\n", ranks - p->ranks,
                      ranks);
    gr_str_printf(out, "  box         %" PRId64 " x %" PRId64 " x %" PRId64 " a rank\n", m, n, k);
    const int64_t sides[] = {m, n, k};
    if (p->steps > 1)
        gr_str_printf(out, "  steps       %" PRId64 " along %c, %" PRId64 " each\n", p->steps,
                      "mnk"[p->step_dim], largest(sides[p->step_dim], p->steps));
    else
        gr_str_add(out, "  steps       1\n");
}

static void render_words(const struct gr_dist_plan *p, const struct gr_dist_machine *machine,
                         struct gr_str *out)
{
    char a[32], b[32], c[32], d[32];
    gr_str_printf(out, "  memory      %sB of %sB\n", scaled((double)p->memory_bytes, a),
                  scaled((double)machine->memory_bytes, b));
    gr_str_printf(out, "  words       %s a rank: %s of A, %s of B, %s of C\n",
                  number((double)p->words, a), number((double)p->words_a, b),
                  number((double)p->words_b, c), number((double)p->words_c, d));
    const bool dependent = p->bound.dependent > p->bound.independent;
    gr_str_printf(out, "  bound       %s%s", number(p->bound.words, a),
                  dependent ? " by the memory" : " without a limit of memory");
    if (p->bound.words > 0)
        gr_str_printf(out, "; these are %.3f of it", (double)p->words / p->bound.words);
    gr_str_add(out, "\n");
    gr_str_printf(out, "  messages    %" PRId64 " one after another\n", p->messages);
}

static void render_table(const struct request *r, const struct gr_dist_plan *p, struct gr_str *out)
{
    char a[32], b[32], name[80];
    gr_size_name(p->problem.m, p->problem.n, p->problem.k, name, sizeof name);
    gr_str_printf(out, "%s %s on %" PRId64 " rank%s\n", name, r->dtype, r->machine.ranks,
                  r->machine.ranks == 1 ? "" : "s");
    render_grid(p, r->machine.ranks, out);
    render_words(p, &r->machine, out);
    gr_str_printf(out, "Time by the model\n  product     %s\n  transfers   %s\n",
                  seconds(p->compute_s, a), seconds(p->transfer_s, b));
    if (p->agree_s > 0)
        gr_str_printf(out, "  agreeing    %s\n", seconds(p->agree_s, a));
    gr_str_printf(out, "  all         %s%s\n  efficiency  %.1f %%\n", seconds(p->time_s, a),
                  p->overlap ? ", overlapped" : ", one after the other", 100 * p->efficiency);
    if (r->machine.ranks > 1)
        gr_str_printf(out, "  first       %s, with connecting the ranks\n",
                      seconds(p->time_s + r->connect_s, a));
    gr_str_printf(out, "Assumed of each rank, not measured\n  product     %sflop/s",
                  scaled(r->machine.flop_per_s, a));
    gr_str_printf(out, ", memory %sB/s\n", scaled(r->machine.memory_bytes_per_s, a));
    gr_str_printf(out, "  link        %sB/s, %s a message\n",
                  scaled(r->machine.link_bytes_per_s, a), seconds(r->machine.latency_s, b));
    if (r->machine.ranks > 1)
        gr_str_printf(out, "  connecting  %s, once\n", seconds(r->connect_s, a));
}

/* The time to connect before the first product; 0 for a single rank. */
static double connecting(const struct request *r)
{
    return r->machine.ranks > 1 ? r->connect_s : 0;
}

static void put_problem(struct gr_json *w, const struct request *r)
{
    gr_json_open_object(w, "problem", GR_JSON_ONE_LINE);
    gr_json_put_whole(w, "m", r->problem.m);
    gr_json_put_whole(w, "n", r->problem.n);
    gr_json_put_whole(w, "k", r->problem.k);
    gr_json_put_text(w, "dtype", r->dtype);
    gr_json_close(w);
    gr_json_open_object(w, "machine", GR_JSON_ONE_LINE);
    gr_json_put_whole(w, "ranks", r->machine.ranks);
    gr_json_put_whole(w, "memory_bytes", r->machine.memory_bytes);
    gr_json_put_real(w, "flop_per_s", r->machine.flop_per_s);
    gr_json_put_real(w, "memory_bytes_per_s", r->machine.memory_bytes_per_s);
    gr_json_put_real(w, "link_bytes_per_s", r->machine.link_bytes_per_s);
    gr_json_put_real(w, "latency_s", r->machine.latency_s);
    gr_json_put_real(w, "connect_s", connecting(r));
    gr_json_put_bool(w, "overlap", r->machine.overlap);
    gr_json_close(w);
}

static void put_words(struct gr_json *w, const struct gr_dist_plan *p)
{
    gr_json_open_object(w, "words", GR_JSON_ONE_LINE);
    gr_json_put_whole(w, "all", p->words);
    gr_json_put_whole(w, "a", p->words_a);
    gr_json_put_whole(w, "b", p->words_b);
    gr_json_put_whole(w, "c", p->words_c);
    gr_json_close(w);
    gr_json_open_object(w, "bound", GR_JSON_ONE_LINE);
    gr_json_put_real(w, "words", p->bound.words);
    gr_json_put_real(w, "memory_independent", p->bound.independent);
    gr_json_put_whole(w, "case", p->bound.regime);
    gr_json_put_real(w, "memory_dependent", p->bound.dependent);
    gr_json_close(w);
}

static void render_json(const struct request *r, const struct gr_dist_plan *p, struct gr_str *out)
{
    struct gr_json w = {.out = out};
    gr_json_open_object(&w, NULL, GR_JSON_LINES);
    put_problem(&w, r);
    gr_json_open_array(&w, "grid", GR_JSON_ONE_LINE);
    for (int d = 0; d < 3; d++)
        gr_json_put_whole(&w, NULL, p->grid[d]);
    gr_json_close(&w);
    gr_json_put_text(&w, "schedule", gr_dist_plan_kind(p));
    gr_json_put_whole(&w, "ranks_used", p->ranks);
    gr_json_put_text(&w, "step_dim", (const char *[]){"m", "n", "k"}[p->step_dim]);
    gr_json_put_whole(&w, "steps", p->steps);
    gr_json_put_bool(&w, "overlap", p->overlap);
    gr_json_put_whole(&w, "memory_bytes", p->memory_bytes);
    put_words(&w, p);
    gr_json_put_whole(&w, "messages", p->messages);
    gr_json_put_real(&w, "product_s", p->compute_s);
    gr_json_put_real(&w, "transfers_s", p->transfer_s);
    gr_json_put_real(&w, "agree_s", p->agree_s);
    gr_json_put_real(&w, "time_s", p->time_s);
    gr_json_put_real(&w, "first_s", p->time_s + connecting(r));
    gr_json_put_real(&w, "efficiency", p->efficiency);
    gr_json_close(&w);
    gr_str_add(out, "\n");
}

static enum gr_exit fail(struct gradus_error *error)
{
    const enum gr_exit status = gr_cli_fail(error);
    gradus_error_clear(error);
    return status;
}

static enum gr_exit run(const struct gr_args *args)
{
    struct gradus_error error = {0};
    const char *dtype = gr_args_get(args, "dtype"), *format = gr_args_get(args, "format");
    struct request r = {.dtype = dtype ? dtype : "f32"};
    struct gr_dist_plan plan;
    r.problem.element_bytes = strcmp(r.dtype, "f64") == 0 ? 8 : 4;
    if (gr_size_parse(args->operands[0], &r.problem.m, &r.problem.n, &r.problem.k, &error) ||
        gr_gpu_choose(args, NULL, &r.gpu, &error))
        return fail(&error);
    if (!read_machine(args, &r))
        return GR_EXIT_USAGE;
    if (gr_dist_plan(&r.problem, &r.machine, &plan, &error))
        return fail(&error);
    struct gr_str out = {0};
    (format && strcmp(format, "json") == 0 ? render_json : render_table)(&r, &plan, &out);
    fputs(gr_str_text(&out), stdout);
    gr_str_free(&out);
    return GR_EXIT_RIGHT;
}

const struct gr_verb gr_verb_plan = {
    .name = "plan",
    .operands = "SIZE",
    .summary = "how a product is distributed over many ranks, and what they send",
    .details =
        "For a product of N x N x N or MxNxK over many processes or GPUs: the grid of ranks that "
        "takes the least time by a model, the steps into which the product is divided so that "
        "panels travel during other products or because memory is short, the words that a rank "
        "sends beside the lower bound of any schedule, and its memory. Nothing is run, so that any "
        "number of ranks up to ten million can be planned.\n\n"
        "Sizes of memory are with powers of 1024, rates with powers of 1000. The model has no "
        "topology: each rank sends at the rate of --link, whatever the others do. For a "
        "prediction, give the rates that were measured on the machine. The time to connect the "
        "ranks is part of the first product only, and is shown separately.\n\n"
        "  gradus plan 100000 --ranks 1024 --memory 80G\n"
        "  gradus plan 1000000x256x256 --ranks 64 --rate 2T --link 12G --dtype f64\n",
    .options = options,
    .group = GR_GROUP_MATRICES,
    .judges_nothing = true,
    .run = run,
};
