/* ceilings_file.c: the file that stores a machine's ceilings. SPDX-License-Identifier: MIT */
#include "probe/ceilings.h"

#include "base/file.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char unsteady[] = " unsteady";

/* Reads "NAME VALUE UNIT", perhaps followed by " unsteady", into *ceiling, whose name and unit it
 * must have; false if it does not. */
static bool read_line(const char *line, struct gr_ceiling *ceiling)
{
    char name[sizeof ceiling->name], unit[sizeof ceiling->unit];
    double value;
    int end = 0;
    if (sscanf(line, "%31s %lf %11s%n", name, &value, unit, &end) != 3)
        return false;
    ceiling->unsteady = gr_starts_with(line + end, unsteady);
    if (line[end + (ceiling->unsteady ? (int)strlen(unsteady) : 0)] != '\n')
        return false;
    if (strcmp(name, ceiling->name) != 0 || strcmp(unit, ceiling->unit) != 0 || !isfinite(value) ||
        !(value > 0))
        return false;
    ceiling->value = value;
    return true;
}

bool gr_ceilings_read(const char *path, const char *key, struct gr_ceiling *ceilings, int count)
{
    char *text = NULL;
    struct gradus_error ignored = {0};
    if (gr_file_read(path, &text, NULL, &ignored) != GRADUS_OK) {
        gradus_error_clear(&ignored);
        return false;
    }
    size_t length = strlen(key);
    bool good = strncmp(text, key, length) == 0 && text[length] == '\n';
    const char *line = text + length + 1;
    for (int i = 0; good && i < count; i++) {
        good = read_line(line, &ceilings[i]);
        line = good ? strchr(line, '\n') + 1 : line;
    }
    good = good && strcmp(line, "end\n") == 0;
    free(text);
    return good;
}

void gr_ceilings_write(const char *path, const char *key, const struct gr_ceiling *ceilings,
                       int count)
{
    struct gr_str s = {0};
    struct gradus_error ignored = {0};
    gr_str_printf(&s, "%s\n", key);
    for (int i = 0; i < count;
         i++) /* 17 digits, so that the value that is read is the value that was measured */
        gr_str_printf(&s, "%s %.17g %s%s\n", ceilings[i].name, ceilings[i].value, ceilings[i].unit,
                      ceilings[i].unsteady ? unsteady : "");
    gr_str_add(&s, "end\n");
    if (!s.failed)
        gr_file_write(path, s.text, s.length, &ignored);
    gradus_error_clear(&ignored);
    gr_str_free(&s);
}
