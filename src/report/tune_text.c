/* tune_text.c: the result of a tuning as text. SPDX-License-Identifier: MIT */
#include "report/tune_text.h"

#include "base/utf8.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 512, MOST = 1024, SHOWN = 12, MOST_WRONG = 5, WIDE_NAME = 34 };

static bool varies(const struct gr_tune_asked *asked, int i)
{
    return !asked->fixed[i] && asked->kernel->params[i].allowed_count > 1;
}

/* Writes the values of those parameters that vary, such as "TM=6 TV=2". */
static void name_of(const struct gr_tune_asked *asked, const struct gr_variant *v, char name[NAME])
{
    struct gr_str out = {0};
    for (int i = 0; i < v->kernel->param_count; i++)
        if (varies(asked, i))
            gr_str_printf(&out, "%s%s=%" PRId64, out.length ? " " : "",
                          v->kernel->params[i].name.text, v->params[i]);
    snprintf(name, NAME, "%s", gr_str_text(&out));
    gr_str_free(&out);
}

/* Appends a sentence, wrapped with a hanging indent. */
static void say(const struct gr_style *style, struct gr_str *text, struct gr_str *out)
{
    gr_str_add(out, "  ");
    gr_wrap(out, gr_str_text(text), style->columns ? style->columns : 80, 2, 4);
    gr_str_add(out, "\n");
    gr_str_free(text);
}

static void format_head(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                        const struct gr_style *style, struct gr_str *out)
{
    struct gr_str text = {0};
    char size[64], threads[GR_WORD];
    gr_size_name(tune->problem.m, tune->problem.n, tune->problem.k, size, sizeof size);
    gr_word_threads(asked->threads, 1, threads);
    gr_str_printf(&text, "%s at %s: %s %s, %s%s%s; %" PRId64 " combinations of",
                  asked->kernel->name, size, gr_types_word(tune->problem.types),
                  gr_problem_trans(&tune->problem), asked->threads ? threads : asked->device,
                  tune->simulated ? "" : ", ",
                  tune->simulated ? ""
                  : tune->cold    ? "cold"
                                  : "warm",
                  tune->combinations);
    for (int i = 0, n = 0; i < asked->kernel->param_count; i++)
        if (varies(asked, i))
            gr_str_printf(&text, "%s %s", n++ ? "," : "", asked->kernel->params[i].name.text);
    gr_wrap(out, gr_str_text(&text), style->columns ? style->columns : 80, 0, 2);
    gr_str_add(out, "\n");
    gr_str_free(&text);
}

static void format_wrong(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                         const struct gr_style *style, struct gr_str *out)
{
    int shown = 0;
    for (int i = 0; i < tune->count; i++) {
        const struct gr_tune_candidate *c = &tune->candidates[i];
        struct gr_str text = {0};
        char name[NAME];
        if (c->fate != GR_TUNE_WRONG)
            continue;
        if (++shown > MOST_WRONG)
            break;
        name_of(asked, &c->variant, name);
        gr_str_printf(&text, "%s, %s: ", gr_verdict_name(c->verdict), name);
        gr_str_add_line(&text, c->reason);
        say(style, &text, out);
    }
    if (tune->fates[GR_TUNE_WRONG] > MOST_WRONG)
        gr_str_printf(out, "  and %d more that are wrong\n",
                      tune->fates[GR_TUNE_WRONG] - MOST_WRONG);
}

static const char *refusal_when_built(const struct gr_tune *tune)
{
    for (int i = 0; i < tune->count; i++)
        if (tune->candidates[i].fate == GR_TUNE_REFUSED)
            return tune->candidates[i].reason;
    return "";
}

/* Lists the candidates that were not run, and why. */
static void format_left_out(const struct gr_tune *tune, const struct gr_style *style,
                            struct gr_str *out)
{
    struct gr_str text = {0};
    if (tune->refused) {
        gr_str_printf(&text, "pruned: %" PRId64 " by `require`, as ", tune->refused);
        gr_str_add_line(&text, tune->refusal);
        say(style, &text, out);
    }
    if (tune->fates[GR_TUNE_REFUSED]) {
        gr_str_printf(&text, "pruned: %d refused once built, as ", tune->fates[GR_TUNE_REFUSED]);
        gr_str_add_line(&text, refusal_when_built(tune));
        say(style, &text, out);
    }
    if (tune->fates[GR_TUNE_SPILLS]) {
        gr_str_printf(&text, "pruned: %d that spill registers to local memory, where others do not",
                      tune->fates[GR_TUNE_SPILLS]);
        say(style, &text, out);
    }
    if (tune->combinations - tune->refused > tune->drawn) {
        gr_str_printf(&text, "%" PRId64 " of %" PRId64 " were drawn at random", tune->drawn,
                      tune->combinations - tune->refused);
        say(style, &text, out);
    }
    if (tune->fates[GR_TUNE_UNTRIED]) {
        gr_str_printf(&text, "%d were not tried: %s", tune->fates[GR_TUNE_UNTRIED],
                      tune->simulated
                          ? "they cannot be counted, or there was no time (--time-limit)"
                      : tune->interrupted || tune->winner < 0 ? "the run ended before"
                                                              : "there was no time (--time-limit)");
        say(style, &text, out);
    }
}

static int in_final(const struct gr_tune *tune)
{
    return tune->fates[GR_TUNE_WINNER] + tune->fates[GR_TUNE_TIE] + tune->fates[GR_TUNE_BEHIND];
}

static void format_race(const struct gr_tune *tune, const struct gr_style *style,
                        struct gr_str *out)
{
    struct gr_str text = {0};
    const int finalists = in_final(tune), raced = finalists + tune->fates[GR_TUNE_SLOWER];
    if (tune->simulated) {
        gr_str_printf(&text,
                      "%d counted on the simulator. The times are a model, the longest of what "
                      "arithmetic, L2, L1, shared and device memory need by themselves, and of "
                      "equal ones the sum: a lower bound and not a measurement",
                      finalists);
    } else {
        gr_str_printf(&text, "%d raced in turns, %d rounds", raced, tune->race_rounds);
        if (tune->fates[GR_TUNE_SLOWER])
            gr_str_printf(&text, "; %d left as slower", tune->fates[GR_TUNE_SLOWER]);
        if (tune->final_rounds == 0)
            gr_str_add(&text, "; interrupted before the final: the places are those of the race");
        else
            gr_str_printf(&text, "; %d raced again in %d new processes, %d rounds", finalists,
                          tune->final_processes, tune->final_rounds);
    }
    if (tune->interrupted && (tune->simulated || tune->final_rounds > 0))
        gr_str_add(&text, "; interrupted before the end");
    say(style, &text, out);
}

/* ---- The ranking. ---- */

static double time_of(const struct gr_tune *tune, const struct gr_tune_candidate *c)
{
    return tune->simulated ? c->model_ns : c->place.time_ns.median;
}

static bool comes_before(const struct gr_tune *tune, int i, int j)
{
    const struct gr_tune_candidate *x = &tune->candidates[i], *y = &tune->candidates[j];
    if (i == tune->winner || j == tune->winner)
        return i == tune->winner;
    if (!tune->simulated) /* not by the medians of the times, because rounds differ */
        return x->place.of_winner.median > y->place.of_winner.median;
    if (time_of(tune, x) != time_of(tune, y))
        return time_of(tune, x) < time_of(tune, y);
    return x->model_first < y->model_first;
}

/* Sorts the candidates that have a rank, the winner first. */
static int sort_places(const struct gr_tune *tune, int *places)
{
    int count = 0;
    for (int i = 0; i < tune->count; i++) {
        if (tune->candidates[i].fate < GR_TUNE_BEHIND)
            continue;
        int at = count++;
        for (; at > 0 && comes_before(tune, i, places[at - 1]); at--)
            places[at] = places[at - 1];
        places[at] = i;
    }
    return count;
}

static const char *fate_word(const struct gr_tune *tune, const struct gr_tune_candidate *c)
{
    if (c->fate == GR_TUNE_WINNER)
        return c->is_default ? "winner, default" : "winner";
    if (c->fate == GR_TUNE_TIE)
        return c->is_default ? "tie, default" : "tie";
    if (tune->simulated) /* simulated counts are only bounds, and do not show which candidate is
                            slower */
        return c->is_default ? "behind, default" : "behind";
    return c->is_default ? "slower, default" : "slower";
}

static void format_place(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                         const struct gr_tune_candidate *c, int width, struct gr_str *out)
{
    char name[NAME], time[GR_WORD], rate[GR_WORD], ratio[GR_WORD] = "";
    const double ns = time_of(tune, c);
    name_of(asked, &c->variant, name);
    gr_word_time(ns, time);
    gr_word_rate(ns > 0 ? gr_problem_flops(&tune->problem) / ns : 0, rate);
    if (c->place.of_reference.n && !c->is_default)
        snprintf(ratio, sizeof ratio, "%.3fx [%.3f,%.3f]", c->place.of_reference.median,
                 c->place.of_reference.lo, c->place.of_reference.hi);
    if ((int)strlen(name) > width)
        gr_str_printf(out, "  %s\n  %-*s", name, width, "");
    else
        gr_str_printf(out, "  %-*s", width, name);
    if (tune->simulated)
        gr_str_printf(out, " %9s  %5.1f%%  %s\n", time, 100 * c->row.counts.occupancy,
                      fate_word(tune, c));
    else
        gr_str_printf(out, " %8s %8s %-20s %s\n", time, rate, ratio, fate_word(tune, c));
}

static void format_places(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                          struct gr_str *out)
{
    int places[MOST], width = 10;
    const int count = sort_places(tune, places);
    bool default_shown = false;
    for (int i = 0; i < count; i++) {
        char name[NAME];
        name_of(asked, &tune->candidates[places[i]].variant, name);
        width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
    width = width > WIDE_NAME ? 20 : width;
    gr_str_printf(out, "\n  %-*s", width, "parameters");
    if (tune->simulated)
        gr_str_printf(out, " %9s  %6s\n", "model", "occup.");
    else
        gr_str_add(out, "     time  GFLOP/s of default [95 %]\n");
    for (int i = 0; i < count; i++) {
        const struct gr_tune_candidate *c = &tune->candidates[places[i]];
        if (i < SHOWN || (c->is_default && !default_shown))
            format_place(tune, asked, c, width, out);
        default_shown |= c->is_default;
    }
    if (count > SHOWN)
        gr_str_printf(out, "  … %d in all\n", count);
    gr_str_add(out, "\n");
}

/* Appends for example "--param TM=6 --param TV=2", for the values that differ from the default. */
static void add_changes(const struct gr_tune *tune, const struct gr_variant *base,
                        struct gr_str *out)
{
    const struct gr_variant *v = &tune->candidates[tune->chosen].variant;
    int changes = 0;
    for (int i = 0; i < v->kernel->param_count; i++)
        if (!base || v->params[i] != base->params[i])
            gr_str_printf(out, "%s--param %s=%" PRId64, changes++ ? " " : "",
                          v->kernel->params[i].name.text, v->params[i]);
}

static void format_choice(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                          const struct gr_style *style, struct gr_str *out)
{
    struct gr_str text = {0};
    const struct gr_tune_candidate *c = &tune->candidates[tune->chosen], *base = NULL;
    const int ties = tune->fates[GR_TUNE_TIE];
    char name[NAME];
    for (int i = 0; i < tune->count; i++)
        if (tune->candidates[i].is_default)
            base = &tune->candidates[i];
    name_of(asked, &c->variant, name);
    if (tune->interrupted)
        gr_str_add(&text, "So far: ");
    if (c->is_default) {
        gr_str_printf(&text, "Keep the default, %s: %s", name,
                      tune->chosen == tune->winner ? "nothing is faster"
                      : tune->simulated            ? "it is equal to the first by the model"
                                        : "it cannot be distinguished from the winner, whose lead "
                                          "is within the noise");
    } else {
        gr_str_add(&text, "Use ");
        add_changes(tune, base ? &base->variant : NULL, &text);
        if (c->place.of_reference.n)
            gr_str_printf(&text, ": %.3f [%.3f,%.3f] times the default's speed",
                          c->place.of_reference.median, c->place.of_reference.lo,
                          c->place.of_reference.hi);
        if (ties)
            gr_str_printf(&text, "; %d other%s cannot be distinguished from it", ties,
                          ties == 1 ? "" : "s");
    }
    gr_str_add(&text, ".");
    say(style, &text, out);
    if (!tune->simulated && tune->disturbed > 0.25)
        gr_str_add(out, "  Unsteady: other work used the cores; tune again on an idle machine.\n");
}

void gr_tune_format(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                    const struct gr_style *style, struct gr_str *out)
{
    format_head(tune, asked, style, out);
    format_left_out(tune, style, out);
    format_wrong(tune, asked, style, out);
    if (tune->winner < 0) {
        struct gr_str text = {0};
        gr_str_add(&text, "nothing was ranked");
        say(style, &text, out);
        return;
    }
    format_race(tune, style, out);
    format_places(tune, asked, out);
    format_choice(tune, asked, style, out);
}

/* ---- The rows. ---- */

static void add_row(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                    const struct gr_tune_candidate *c, const struct gr_tune_candidate *base,
                    struct gr_run *run)
{
    struct gr_row *row = gr_run_add(run);
    char name[NAME];
    if (!row)
        return;
    gr_variant_name(&c->variant, name, sizeof name);
    row->kernel = gr_strdup(asked->kernel->name);
    row->title = gr_strdup(asked->kernel->title ? asked->kernel->title : asked->kernel->name);
    row->path = gr_strdup(asked->kernel->path);
    row->device = gr_strdup(asked->device);
    row->problem = tune->problem;
    row->problem.alpha = 1;
    row->problem.beta = 0;
    row->requested_m = tune->problem.m;
    row->requested_n = tune->problem.n;
    row->requested_k = tune->problem.k;
    row->threads = asked->threads;
    row->cold = tune->cold;
    row->variant = gr_printf("%s%s%s", c->artifact.isa, *c->artifact.isa ? " " : "", name);
    row->flags = gr_strdup(c->artifact.flags);
    row->simulated = tune->simulated;
    struct gr_str command = {0};
    gr_str_add(&command, asked->command);
    for (int i = 0; i < asked->kernel->param_count; i++)
        gr_str_printf(&command, " --param %s=%" PRId64, asked->kernel->params[i].name.text,
                      c->variant.params[i]);
    row->command = gr_str_text(&command) ? gr_strdup(gr_str_text(&command)) : NULL;
    gr_str_free(&command);
    row->verdict = c->fate == GR_TUNE_WRONG ? c->verdict : GR_RIGHT;
    if (c->fate == GR_TUNE_WRONG) {
        row->reason = gr_strdup(c->reason);
        return;
    }
    gr_findings_add(&row->findings, GR_FIND_NOTE, 0, "tune: %s%s", fate_word(tune, c),
                    c == &tune->candidates[tune->chosen] ? ", chosen" : "");
    if (tune->simulated) {
        row->counts = c->row.counts;
        gr_findings_add(&row->findings, GR_FIND_NOTE, 0, "model, not measured: %.4g us",
                        c->model_ns * 1e-3);
        return;
    }
    row->time_ns = c->place.time_ns;
    row->disturbed = tune->disturbed;
    row->gflops =
        row->time_ns.median > 0 ? gr_problem_flops(&tune->problem) / row->time_ns.median : 0;
    if (base && c != base && c->place.of_reference.n) {
        snprintf(row->peer.name, sizeof row->peer.name, "default");
        row->peer.threads = asked->threads;
        row->peer.gflops = gr_problem_flops(&tune->problem) / base->place.time_ns.median;
        row->speedup = c->place.of_reference;
    }
}

void gr_tune_add_rows(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                      struct gr_run *run)
{
    int places[MOST];
    const int count = sort_places(tune, places);
    const struct gr_tune_candidate *base = NULL;
    for (int i = 0; i < tune->count; i++) {
        if (tune->candidates[i].is_default && tune->candidates[i].fate >= GR_TUNE_BEHIND)
            base = &tune->candidates[i];
        if (tune->candidates[i].fate == GR_TUNE_WRONG)
            add_row(tune, asked, &tune->candidates[i], NULL, run);
    }
    for (int i = count - 1; i >= 0; i--)
        if (places[i] != tune->chosen)
            add_row(tune, asked, &tune->candidates[places[i]], base, run);
    if (tune->chosen >= 0)
        add_row(tune, asked, &tune->candidates[tune->chosen], base, run);
}
