/* verb_history.c: gradus history: shows what was measured earlier, as a list and as charts over
 * time. SPDX-License-Identifier: MIT */
#include "cli/past.h"

#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cli/measuring.h"
#include "cli/style.h"
#include "core/error.h"
#include "report/history_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct gr_option options[] = {
    {"since", 0, "WHEN", false, "rows from then on: 7d, 12h, 2026-11-25 or 2026-11-25T18:00"},
    {"device", 0, "DEVICE", false,
     "rows of this device: cpu, cuda, or a part of its name, as h100"},
    {"size", 0, "SIZE", false, "rows at this size: 1024 or MxNxK"},
    {"last", 0, "N", false, "of each case the last N rows (default: 20 in a table, else all)"},
    {"format", 0, "table|json|csv", false, "what to print (default: table)"},
    {"report", 0, "FILE.html", false, "write a page with a chart for each case"},
    {0},
};

enum { TABLE_LAST = 20, MOST_ROWS = 1000000 };

/* What is requested of the history. */
struct asked {
    struct gr_past_filter filter;
    char since[GR_PAST_DATE];
    int last; /* the number of rows of a series; 0: all */
    const char *format, *report;
};

static enum gradus_status read_options(const struct gr_args *args, struct asked *asked,
                                       struct gradus_error *error)
{
    const char *since = gr_args_get(args, "since"), *size = gr_args_get(args, "size");
    const char *last = gr_args_get(args, "last"), *format = gr_args_get(args, "format");
    struct gr_past_filter *f = &asked->filter;
    int64_t rows;
    enum gradus_status status = GRADUS_OK;
    *asked =
        (struct asked){.format = format ? format : "table", .report = gr_args_get(args, "report")};
    f->kernel = args->operand_count ? args->operands[0] : NULL;
    f->device = gr_args_get(args, "device");
    asked->last = strcmp(asked->format, "table") == 0 && !asked->report ? TABLE_LAST : 0;
    if (since)
        status = gr_past_parse_since(since, asked->since, error);
    if (status == GRADUS_OK && size)
        status = gr_size_parse(size, &f->m, &f->n, &f->k, error);
    f->sized = size != NULL;
    if (status == GRADUS_OK && last) {
        status = gr_measuring_integer("last", last, 1, MOST_ROWS, &rows, error);
        asked->last = (int)rows;
    }
    return status;
}

/* Refuses the name of a kernel that is not in the history, and lists those that are. */
static enum gr_exit refuse_kernel(const struct gr_history_list *list, const char *kernel)
{
    const char **names = calloc((size_t)list->count + 1, sizeof *names);
    int count = 0;
    for (int i = 0; names && i < list->count; i++)
        names[count++] = list->entries[i].row.kernel;
    const char *nearest = names ? gr_nearest(kernel, names, (size_t)count) : NULL;
    enum gr_exit code =
        nearest
            ? gr_cli_refuse("history: found no row of '%.80s'; did you mean '%.80s'?", kernel,
                            nearest)
            : gr_cli_refuse("history: found no row of '%.80s', wanted a kernel's name, a part of "
                            "it or its file: gradus history lists them",
                            kernel);
    free(names);
    return code;
}

static enum gradus_status write_page(const struct gr_history_view *view, const char *path,
                                     struct gradus_error *error)
{
    struct gr_str page = {0};
    enum gradus_status status = gr_history_page(view, &page, error);
    if (status == GRADUS_OK)
        status = gr_file_write(path, gr_str_text(&page), page.length, error);
    if (status == GRADUS_OK)
        fprintf(stderr, "report: %s\n", path);
    gr_str_free(&page);
    return status;
}

static void print(const struct gr_history_view *view, const char *format)
{
    struct gr_style style = gr_cli_style(STDOUT_FILENO);
    struct gr_str out = {0};
    if (strcmp(format, "json") == 0)
        gr_history_json(view, &out);
    else if (strcmp(format, "csv") == 0)
        gr_history_csv(view, &out);
    else
        gr_history_table(view, &style, &out);
    fwrite(gr_str_text(&out), 1, out.length, stdout);
    fflush(stdout);
    gr_str_free(&out);
}

static enum gr_exit show(const struct gr_history_list *list, const char *path,
                         const struct asked *asked)
{
    struct gr_history_view view;
    struct gradus_error error = {0};
    enum gr_exit code = GR_EXIT_RIGHT;
    enum gradus_status status =
        gr_history_view_make(list, path, asked->last, gr_past_keep, &asked->filter, &view, &error);
    if (status == GRADUS_OK && view.count == 0 && asked->filter.kernel && list->count) {
        code = refuse_kernel(list, asked->filter.kernel);
    } else if (status == GRADUS_OK) {
        print(&view, asked->format);
        if (asked->report)
            status = write_page(&view, asked->report, &error);
    }
    if (status != GRADUS_OK)
        code = gr_cli_fail(&error);
    gr_history_view_free(&view);
    gradus_error_clear(&error);
    return code;
}

static enum gr_exit run(const struct gr_args *args)
{
    struct asked asked;
    struct gr_history *history = NULL;
    struct gr_history_list list = {0};
    struct gradus_error error = {0};
    char *path = NULL;
    enum gradus_status status = read_options(args, &asked, &error);
    if (status == GRADUS_OK)
        status = gr_past_open(&path, &history, &error);
    if (status == GRADUS_OK)
        status = gr_history_read(history, *asked.since ? asked.since : NULL, &list, &error);
    gr_history_close(history);
    enum gr_exit code = status == GRADUS_OK ? show(&list, path, &asked) : gr_cli_fail(&error);
    if (status == GRADUS_NOT_FOUND)
        code = GR_EXIT_NOTHING; /* there is nothing to show yet */
    gr_history_list_free(&list);
    free(path);
    gradus_error_clear(&error);
    return code;
}

const struct gr_verb gr_verb_history = {
    .name = "history",
    .operands = "[KERNEL]",
    .summary = "what was measured earlier, and its rate over time",
    .details =
        "run, ladder, bench and tune record each row that is right and was timed, with its "
        "machine, compiler and date, in a SQLite database: gradus/history.db in XDG_DATA_HOME, "
        "otherwise in ~/.local/share. --no-history of these verbs records nothing; "
        "GRADUS_HISTORY=FILE is another database, and an empty GRADUS_HISTORY switches the history "
        "off.\n\n"
        "KERNEL is a kernel's name, its number, a part of its name, or its file. Rows of one case "
        "(machine, kernel, types, shape, transposes, threads, caches) are listed together, oldest "
        "first, with bars that draw the rate; `+-` is half of the interquartile range of the "
        "times, as a share of the median, and `file` changes with the kernel's source.\n\n"
        "`gradus bench --baseline history` compares with the last rows here. A damaged database is "
        "renamed to history.db.damaged-DATE, and nothing of it is deleted.\n\n"
        "Examples:\n"
        "  gradus history\n"
        "  gradus history 08_library --since 7d --size 1024\n"
        "  gradus history my_gemm.c --report history.html\n"
        "  gradus history --device h100 --format csv > rows.csv",
    .options = options,
    .group = GR_GROUP_MEASURE,
    .judges_nothing = true,
    .run = run,
};
