/* steps.c: shows the progress of a command that consists of a few steps.
 * SPDX-License-Identifier: MIT */
#include "cli/steps.h"

#include "base/utf8.h"
#include "cli/progress_line.h"

#include <stdio.h>

static void name(struct gr_steps *s, int step)
{
    struct gr_str what = {0};
    gr_str_add_line(&what, s->what);
    snprintf(s->head, sizeof s->head, "[%d/%d]%s%.100s", step < s->count ? step : s->count,
             s->count, what.length ? " " : "", gr_str_text(&what));
    gr_str_free(&what);
}

/* The duration of a step is not known in advance. */
static void on_stage(void *context, const char *stage)
{
    struct gr_steps *s = context;
    name(s, ++s->done);
    gr_progress_format(s->head, stage, -1);
}

void gr_steps_begin(struct gr_steps *s, const char *what, int count)
{
    *s = (struct gr_steps){.what = what, .count = count};
    s->follower = (struct gr_follower){.context = s, .stage = on_stage};
    gr_progress_begin();
    name(s, 1);
    gr_progress_format(s->head, "", -1);
}

void gr_steps_end(struct gr_steps *s)
{
    (void)s;
    gr_progress_end();
}
