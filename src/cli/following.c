/* following.c: shows a run while it is being measured. SPDX-License-Identifier: MIT */
#include "cli/following.h"

#include "core/clock.h"
#include "base/utf8.h"
#include "cli/progress_line.h"
#include "cli/style.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Prints immediately, even into a pipe, because a reader may be waiting, or the run may be
 * ended. */
static void put(struct gr_str *text)
{
    gr_progress_hide();
    fwrite(gr_str_text(text), 1, text->length, stdout);
    fflush(stdout);
    gr_progress_show();
    gr_str_free(text);
}

static void on_plan(void *context, const struct gr_run *plan)
{
    struct gr_following *f = context;
    struct gr_str text = {0};
    f->plan = plan;
    snprintf(f->head, sizeof f->head, "[0/%d]", plan->row_count);
    gr_estimate_begin(&f->estimate, plan, &f->terms, gr_now_ns());
    if (!gr_stream_can(f->format, f->run))
        return;
    gr_stream_begin(&f->stream, f->format, f->run, plan, &f->style, &text);
    f->printing = true;
    put(&text);
}

static void say(const struct gr_following *f, const char *stage)
{
    gr_progress_format(f->head, stage, gr_estimate_left(&f->estimate, gr_now_ns()));
}

static void name_row(struct gr_following *f, int index)
{
    const struct gr_row *row = &f->plan->rows[index];
    char size[64];
    struct gr_str name = {0};
    gr_str_add_line(&name, row->kernel ? row->kernel : "");
    gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
    snprintf(f->head, sizeof f->head, "[%d/%d] %.48s %s", f->done + 1, f->plan->row_count,
             gr_str_text(&name), size);
    gr_str_free(&name);
}

static void on_begin(void *context, int index)
{
    struct gr_following *f = context;
    name_row(f, index);
    gr_estimate_row_begins(&f->estimate, index, gr_now_ns());
    say(f, "");
}

static void on_stage(void *context, const char *stage)
{
    struct gr_following *f = context;
    say(f, stage);
}

static void on_explained(void *context, const struct gr_explain *ask,
                         const struct gr_explained *explained)
{
    struct gr_following *f = context;
    if (f->chapters)
        gr_kernel_chapters_explain(f->chapters, ask, explained);
}

static void on_end(void *context, int index, const struct gr_row *row, bool kept)
{
    struct gr_following *f = context;
    if (kept && f->chapters)
        gr_kernel_chapters_keep(f->chapters, row);
    if (!kept && f->recording) /* a kept row was recorded by the run that measured it */
        gr_recording_add(f->recording, row);
    f->done++;
    gr_estimate_row_ends(&f->estimate, index, row, kept, gr_now_ns());
    /* Work between two rows is shown as part of the next row. */
    snprintf(f->head, sizeof f->head, "[%d/%d]", f->done, f->plan->row_count);
}

static void on_row(void *context, const struct gr_row *row, const struct gr_run *aside)
{
    struct gr_following *f = context;
    struct gr_str text = {0};
    if (!f->printing)
        return;
    gr_stream_row(&f->stream, row, aside, &text);
    put(&text);
}

void gr_following_begin(struct gr_following *f, const struct gr_run *run,
                        const struct gr_format *format, const struct gr_estimate_terms *terms)
{
    *f = (struct gr_following){
        .run = run, .format = format, .style = gr_cli_style(STDOUT_FILENO), .terms = *terms};
    f->follower =
        (struct gr_follower){f, on_plan, on_begin, on_stage, on_explained, on_end, on_row};
    gr_progress_begin();
    gr_progress_format("", "starting", -1);
}

void gr_following_pause(struct gr_following *f)
{
    gr_progress_end();
    gr_estimate_free(&f->estimate);
}

/* Prints what follows the rows, after which nothing more is printed. */
static void end_stream(struct gr_following *f, struct gr_str *text)
{
    gr_stream_end(&f->stream, text);
    f->printing = false;
}

bool gr_following_finish(struct gr_following *f)
{
    struct gr_str text = {0};
    if (!f->printing)
        return false;
    end_stream(f, &text);
    put(&text);
    return true;
}

void gr_following_abandon(struct gr_following *f)
{
    struct gr_str unseen = {0};
    if (f->printing)
        end_stream(f, &unseen);
    gr_str_free(&unseen);
}
