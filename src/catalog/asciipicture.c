/* asciipicture.c: the ASCII picture of a kernel file. SPDX-License-Identifier: MIT */
#include "catalog/frontmatter.h"

#include "base/str.h"

#include <string.h>

static const char *skip_blank_lines(const char *p)
{
    for (;;) {
        const char *q = p + strspn(p, " \t\r");
        if (*q != '\n')
            return p;
        p = q + 1;
    }
}

static void add_line(struct gr_str *out, const char *p, size_t length)
{
    while (length && strchr(" \t\r", p[length - 1]))
        length--;
    gr_str_add_bytes(out, p, length);
    gr_str_add(out, "\n");
}

/* Copies the text of `// …` lines, without the marker and one blank. */
static void line_comments(struct gr_str *out, const char *p)
{
    for (;;) {
        const char *q = p + strspn(p, " \t");
        if (!gr_starts_with(q, "//"))
            return;
        q += 2;
        q += *q == ' ';
        size_t length = strcspn(q, "\n");
        add_line(out, q, length);
        p = q + length;
        if (!*p)
            return;
        p++;
    }
}

/* Copies the lines of a block comment; a leading ` * ` is decoration. */
static void block_comment(struct gr_str *out, const char *p)
{
    const char *end = strstr(p + 2, "*/");
    if (!end)
        return;
    p += 2;
    p += *p == ' ';
    while (p < end) {
        size_t length = strcspn(p, "\n");
        if (p + length > end)
            length = (size_t)(end - p);
        add_line(out, p, length);
        p += length + (p[length] == '\n');
        if (p >= end)
            break;
        const char *q = p + strspn(p, " \t");
        if (*q == '*' && q < end)
            p = q + 1 + (q[1] == ' ');
    }
}

char *gr_picture_read(const char *below)
{
    struct gr_str out = {0};
    const char *p = skip_blank_lines(below);
    const char *q = p + strspn(p, " \t");
    if (gr_starts_with(q, "//"))
        line_comments(&out, p);
    else if (gr_starts_with(q, "/*"))
        block_comment(&out, q);
    while (out.length > 1 && out.text[out.length - 2] == '\n') /* the line of the closing marker */
        out.text[--out.length] = 0;
    if (out.failed)
        gr_str_free(&out);
    return out.text;
}
