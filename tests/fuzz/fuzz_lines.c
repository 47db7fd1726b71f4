/* fuzz_lines.c: any bytes as an ELF file with line tables: refused in one line, or rows in order
 * whose files are there. SPDX-License-Identifier: MIT */
#include "code/lines.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct gr_line_table lines;
    struct gradus_error error = {0};
    if (gr_line_table_read(bytes, count, &lines, &error) != GRADUS_OK) {
        if (error.status != GRADUS_INVALID || !*error.text || strchr(error.text, '\n'))
            abort();
        gradus_error_clear(&error);
        return 0;
    }
    for (int64_t i = 0; i < lines.count; i++) {
        const struct gr_line_row *row = &lines.rows[i];
        if (row->file < -1 || row->file >= lines.file_count || row->call_file < -1 ||
            row->call_file >= lines.file_count || row->line < 0 || row->column < 0)
            abort();
        if (i > 0 && (row[-1].section > row->section ||
                      (row[-1].section == row->section && row[-1].address > row->address)))
            abort();
        gr_line_table_find(&lines, row->section, row->address);
    }
    gr_line_table_free(&lines);
    return 0;
}
