/* report_write.c: --report DIR. SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "base/error.h"
#include "base/file.h"

#include <stdlib.h>

static enum gradus_status write_format(const struct gr_run *run, const char *directory,
                                       const char *format, struct gradus_error *error)
{
    struct gr_style style = {0};
    struct gr_str text = {0};
    char *path = gr_printf("%s/run.%s", directory, format);
    enum gradus_status status = path ? gr_format_find(format)->render(run, &style, &text, error)
                                     : gr_fail_memory(error, "a path", 0);
    if (!status)
        status = gr_file_write(path, gr_str_text(&text), text.length, error);
    free(path);
    gr_str_free(&text);
    return status;
}

enum gradus_status gr_report_write(const struct gr_run *run, const char *directory,
                                   struct gradus_error *error)
{
    static const char *const formats[] = {"csv", "md", "json"};
    enum gradus_status status = gr_dir_make(directory, error);
    for (size_t i = 0; !status && i < sizeof formats / sizeof *formats; i++) {
        status = write_format(run, directory, formats[i], error);
        if (status == GRADUS_UNSUPPORTED) {
            gradus_error_clear(error);
            status = GRADUS_OK;
        }
    }
    return status;
}
