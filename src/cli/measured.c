/* measured.c: shows a run that is complete or was ended early. SPDX-License-Identifier: MIT */
#include "cli/measuring.h"

#include "core/error.h"
#include "base/str.h"
#include "cli/style.h"
#include "report/report.h"
#include "report/words.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns 0 if every verdict is right, 1 if one is wrong, 3 if nothing could run; 130 if the run
 * was ended early. */
static enum gr_exit exit_of(const struct gr_run *run)
{
    bool any_right = false;
    if (run->stopped)
        return GR_EXIT_INTERRUPTED;
    for (int i = 0; i < run->row_count; i++) {
        if (gr_row_is_bad(&run->rows[i]))
            return GR_EXIT_WRONG;
        any_right |= run->rows[i].verdict == GR_RIGHT;
    }
    return any_right ? GR_EXIT_RIGHT : GR_EXIT_NOTHING;
}

static enum gradus_status print(struct gr_measuring *m, const struct gr_run *run,
                                const struct gr_format *format, struct gradus_error *error)
{
    struct gr_style style = gr_cli_style(STDOUT_FILENO);
    struct gr_str out = {0};
    if (gr_following_finish(&m->following))
        return GRADUS_OK;
    enum gradus_status status = format->render(run, &style, &out, error);
    if (status == GRADUS_OK)
        fwrite(gr_str_text(&out), 1, out.length, stdout);
    gr_str_free(&out);
    return status;
}

/* Reports an incomplete run on standard error if the rows go to a file, and how to resume it if
 * there is JSON. A table shows this itself. */
static void note_partial(const struct gr_run *run, const char *format, const char *report)
{
    struct gr_str text = {0};
    gr_run_format_partial(run, false, &text);
    if (report && run->row_count)
        gr_str_printf(&text, "; to go on: the same command with --resume %s", report);
    else if (run->row_count && strcmp(format, "json") == 0)
        gr_str_add(&text, "; to go on: the same command with --resume FILE, which holds this JSON");
    if (report || strcmp(format, "table") != 0)
        gr_cli_note("%s", gr_str_text(&text));
    gr_str_free(&text);
}

enum gr_exit gr_measuring_show(struct gr_measuring *m, const struct gr_run *run)
{
    const char *name = gr_args_get(m->args, "format"), *report = gr_args_get(m->args, "report");
    const struct gr_format *format = gr_format_find(name ? name : "table");
    struct gradus_error error = {0};
    enum gradus_status status = format ? print(m, run, format, &error)
                                       : gr_fail(&error, GRADUS_INTERNAL, "no format '%s'", name);
    bool empty = run->stopped && run->row_count == 0; /* there is nothing to draw */
    if (status == GRADUS_OK && report && !empty) {
        status = m->chapters.status == GRADUS_OK
                     ? gr_report_write(run, &m->chapters.chapters, report, &error)
                     : gr_fail(&error, m->chapters.status, "%s", m->chapters.error.text);
        if (status == GRADUS_OK) {
            fflush(stdout); /* the table comes first, even if both are written to the same file */
            fprintf(stderr, "report: %s/index.html\n", report);
        }
    }
    if (status == GRADUS_OK && run->stopped)
        note_partial(run, format->name, report);
    if (status == GRADUS_OK && m->failed != GRADUS_OK)
        status = gr_fail(&error, m->failed, "%s", run->stopped);
    enum gr_exit code = status == GRADUS_OK ? exit_of(run) : gr_cli_fail(&error);
    gradus_error_clear(&error);
    return code;
}
