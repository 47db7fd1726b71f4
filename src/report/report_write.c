/* report_write.c: writes the folder of --report DIR: the page, the data, and the gnuplot scripts.
 * SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "core/error.h"
#include "base/file.h"
#include "report/gnuplot.h"
#include "report/html.h"
#include "report/words.h"

#include <stdlib.h>

static enum gradus_status write_text(const char *directory, const char *name, const char *extension,
                                     const struct gr_str *text, struct gradus_error *error)
{
    char *path = gr_printf("%s/%s.%s", directory, name, extension);
    enum gradus_status status = path && !text->failed
                                    ? gr_file_write(path, gr_str_text(text), text->length, error)
                                    : gr_fail_memory(error, "the report", text->length);
    free(path);
    return status;
}

static enum gradus_status write_format(const struct gr_run *run, const char *directory,
                                       const char *format, struct gradus_error *error)
{
    struct gr_style style = {0};
    struct gr_str text = {0};
    enum gradus_status status = gr_format_find(format)->render(run, &style, &text, error);
    if (!status)
        status = write_text(directory, "run", format, &text, error);
    gr_str_free(&text);
    return status;
}

static enum gradus_status write_formats(const struct gr_run *run, const char *directory,
                                        struct gradus_error *error)
{
    enum gradus_status status = write_format(run, directory, "json", error);
    if (!status)
        status = write_format(run, directory, "csv", error);
    return status ? status : write_format(run, directory, "md", error);
}

/* Appends a comment for gnuplot. */
static void add_partial(const struct gr_run *run, struct gr_str *out)
{
    if (!run->stopped)
        return;
    gr_str_add(out, "# ");
    gr_run_format_partial(run, false, out);
    gr_str_add(out, "\n");
}

static enum gradus_status write_pictures(const struct gr_run *run,
                                         const struct gr_pictures *pictures, const char *directory,
                                         struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; !status && i < pictures->count; i++) {
        struct gr_str script = {0}, data = {0};
        add_partial(run, &script);
        add_partial(run, &data);
        gr_gnuplot_script(&pictures->items[i], &script);
        gr_gnuplot_data(&pictures->items[i], &data);
        status = write_text(directory, pictures->items[i].name, "gp", &script, error);
        if (!status)
            status = write_text(directory, pictures->items[i].name, "dat", &data, error);
        gr_str_free(&script);
        gr_str_free(&data);
    }
    return status;
}

enum gradus_status gr_report_write(const struct gr_run *run, const struct gr_chapters *chapters,
                                   const char *directory, struct gradus_error *error)
{
    struct gr_groups groups;
    struct gr_pictures pictures = {0};
    struct gr_str page = {0};
    enum gradus_status status = gr_groups_make(run, &groups, error);
    if (status)
        return status;
    status = gr_pictures_make(run, &groups, &pictures, error);
    if (!status)
        status = gr_dir_make(directory, error);
    if (!status)
        status = write_formats(run, directory, error);
    if (!status)
        status = write_pictures(run, &pictures, directory, error);
    if (!status) {
        gr_html_page(run, &groups, &pictures, chapters, &page);
        status = write_text(directory, "index", "html", &page, error);
    }
    gr_str_free(&page);
    gr_pictures_free(&pictures);
    gr_groups_free(&groups);
    return status;
}
