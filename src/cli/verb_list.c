/* verb_list.c: gradus list: lists the rungs in their order. SPDX-License-Identifier: MIT */
#include "base/utf8.h"
#include "cli/choose.h"
#include "cli/style.h"
#include "base/text.h"
#include "io/json_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER, RUNG, TITLE, TYPES, AFTER, COLUMNS };
enum { GAP = 2, LEAST_TITLE = 12, LEAST_TYPES = 8 };
static const char *const headings[COLUMNS] = {"#", "rung", "title", "types", "after"};

/* The cells of one kernel, in the order of the headings. */
struct cells {
    struct gr_str text[COLUMNS];
};

/* A table has the words that --dtype accepts; the other formats, for programs, have the types of
 * all operands. */
static void add_types(struct cells *cells, const struct gr_kernel *kernel, bool short_words)
{
    if (!short_words) {
        gr_choose_types(kernel, &cells->text[TYPES]);
        return;
    }
    for (int i = 0; i < kernel->type_count; i++) {
        char name[80];
        struct gr_types meant;
        const char *word = gr_types_word(kernel->types[i]);
        gr_types_name(kernel->types[i], name, sizeof name);
        bool exact = gr_types_parse(word, &meant) && gr_types_equal(meant, kernel->types[i]);
        gr_str_printf(&cells->text[TYPES], "%s%s", i ? ", " : "", exact ? word : name);
    }
}

static void cells_fill(struct cells *cells, const struct gr_kernel *kernel, bool short_words)
{
    *cells = (struct cells){0};
    if (kernel->number >= 0)
        gr_str_printf(&cells->text[NUMBER], "%d", kernel->number);
    gr_str_add(&cells->text[RUNG], kernel->name);
    gr_str_add_line(&cells->text[TITLE], kernel->title ? kernel->title : "");
    add_types(cells, kernel, short_words);
    gr_str_add(&cells->text[AFTER], kernel->after ? kernel->after : "");
}

static void cells_free(struct cells *cells)
{
    for (int i = 0; i < COLUMNS; i++)
        gr_str_free(&cells->text[i]);
}

static int width_of(const char *text)
{
    return gr_text_columns(text, strlen(text));
}

/* ---- The table. ---- */

struct table {
    struct cells *rows; /* one for each kernel */
    int count;
    int widths[COLUMNS]; /* 0: the column is left out */
};

/* Returns the length in bytes of the next line of a cell, at most `width` columns, which ends at a
 * blank if there is one. *rest is the beginning of the line after it. */
static size_t next_line(const char *text, int width, const char **rest)
{
    size_t length = 0, blank = 0;
    while (text[length]) {
        size_t step = 1;
        while (((unsigned char)text[length + step] & 0xc0) == 0x80)
            step++;
        if (gr_text_columns(text, length + step) > width)
            break;
        length += step;
        if (text[length] == ' ')
            blank = length;
    }
    if (!text[length] || text[length] == ' ')
        blank = length;
    length = blank ? blank : length ? length : strlen(text);
    *rest = text + length;
    *rest += strspn(*rest, " ");
    return length;
}

static int lines_of(const char *text, int width)
{
    int lines = 0;
    for (; *text; lines++)
        next_line(text, width, &text);
    return lines > 1 ? lines : 1;
}

static int total_lines(const struct table *t)
{
    int total = 0;
    for (int i = 0; i < t->count; i++) {
        int most = 1;
        for (int c = 0; c < COLUMNS; c++) {
            int lines = t->widths[c] ? lines_of(gr_str_text(&t->rows[i].text[c]), t->widths[c]) : 1;
            most = lines > most ? lines : most;
        }
        total += most;
    }
    return total;
}

static int total_width(const struct table *t)
{
    int total = -GAP;
    for (int c = 0; c < COLUMNS; c++)
        total += t->widths[c] ? t->widths[c] + GAP : 0;
    return total;
}

/* Distributes `room` between titles and types so that the table has the fewest lines. */
static void share(struct table *t, int room)
{
    const int title = t->widths[TITLE], types = t->widths[TYPES];
    int best = 0, fewest = 0;
    for (int width = LEAST_TITLE; width <= room - LEAST_TYPES && width <= title; width++) {
        t->widths[TITLE] = width;
        t->widths[TYPES] = room - width < types ? room - width : types;
        int lines = total_lines(t);
        if (best && lines > fewest)
            continue;
        best = width;
        fewest = lines;
    }
    t->widths[TITLE] = best;
    t->widths[TYPES] = room - best < types ? room - best : types;
}

/* On a narrow terminal, titles and types continue on further lines. The previous rung is left out
 * first, then the types, which `gradus show` also prints. */
static void fit(struct table *t, int terminal)
{
    static const int victims[] = {AFTER, TYPES};
    for (size_t i = 0; i <= sizeof victims / sizeof *victims; i++) {
        int over = total_width(t) - terminal;
        int room = t->widths[TITLE] + t->widths[TYPES] - over;
        if (over <= 0)
            return;
        if (t->widths[TYPES] && t->widths[TITLE] && room >= LEAST_TITLE + LEAST_TYPES &&
            t->widths[TITLE] >= LEAST_TITLE) {
            share(t, room);
            return;
        }
        if (i < sizeof victims / sizeof *victims)
            t->widths[victims[i]] = 0;
    }
    int over = total_width(t) - terminal;
    t->widths[TITLE] -=
        over < t->widths[TITLE] - LEAST_TITLE ? over : t->widths[TITLE] - LEAST_TITLE;
    over = total_width(t) - terminal;
    if (over > 0 && t->widths[RUNG] - over >= LEAST_TITLE)
        t->widths[RUNG] -= over;
}

static void measure(struct table *t, int terminal)
{
    for (int c = 0; c < COLUMNS; c++) {
        t->widths[c] = width_of(headings[c]);
        for (int i = 0; i < t->count; i++) {
            int width = width_of(gr_str_text(&t->rows[i].text[c]));
            t->widths[c] = width > t->widths[c] ? width : t->widths[c];
        }
    }
    if (terminal > 0)
        fit(t, terminal);
}

/* Appends one line of a row: the next part of each cell that fits. Returns true if there is
 * more. */
static bool add_line(const struct table *t, const char *texts[COLUMNS], struct gr_str *out)
{
    bool more = false;
    for (int c = 0; c < COLUMNS; c++) {
        if (!t->widths[c])
            continue;
        const char *rest;
        char *line = gr_strndup(texts[c], next_line(texts[c], t->widths[c], &rest));
        if (c == NUMBER) /* numbers are aligned to the right */
            gr_str_printf(out, "%*s", t->widths[c], line ? line : "");
        else
            gr_text_pad(out, line ? line : "", t->widths[c]);
        gr_str_add(out, "  ");
        free(line);
        texts[c] = rest;
        more |= *rest != 0;
    }
    while (gr_ends_with(gr_str_text(out), " "))
        out->text[--out->length] = 0;
    return more;
}

static void add_row(const struct table *t, const char *const cells[COLUMNS], struct gr_str *out)
{
    const char *texts[COLUMNS];
    memcpy(texts, cells, sizeof texts);
    while (add_line(t, texts, out))
        gr_str_add(out, "\n");
}

static void render_table(const struct gr_catalog *catalog, struct gr_str *out)
{
    struct gr_style style = gr_cli_style(STDOUT_FILENO);
    struct table t = {.rows = calloc((size_t)catalog->count + 1, sizeof *t.rows)};
    for (; t.rows && t.count < catalog->count; t.count++)
        cells_fill(&t.rows[t.count], catalog->kernels[t.count], true);
    out->failed |= !t.rows;
    measure(&t, style.columns);
    gr_str_add(out, style.colour ? "\033[1m" : "");
    add_row(&t, headings, out);
    gr_str_add(out, style.colour ? "\033[m\n" : "\n");
    for (int i = 0; i < t.count; i++) {
        const char *cells[COLUMNS];
        for (int c = 0; c < COLUMNS; c++)
            cells[c] = gr_str_text(&t.rows[i].text[c]);
        add_row(&t, cells, out);
        gr_str_add(out, "\n");
        cells_free(&t.rows[i]);
    }
    free(t.rows);
}

static void render_md(const struct gr_catalog *catalog, struct gr_str *out)
{
    for (int i = 0; i < COLUMNS; i++)
        gr_str_printf(out, "| %s ", headings[i]);
    gr_str_add(out, "|\n|--:|---|---|---|---|\n");
    for (int k = 0; k < catalog->count; k++) {
        struct cells cells;
        cells_fill(&cells, catalog->kernels[k], false);
        for (int i = 0; i < COLUMNS; i++) {
            gr_str_add(out, "| ");
            for (const char *p = gr_str_text(&cells.text[i]); *p; p++)
                gr_str_printf(out, *p == '|' ? "\\%c" : "%c", *p);
            gr_str_add(out, " ");
        }
        gr_str_add(out, "|\n");
        cells_free(&cells);
    }
}

static void put_kernel(struct gr_json *w, const struct gr_kernel *kernel)
{
    gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
    gr_json_put_whole(w, "number", kernel->number);
    gr_json_put_text(w, "name", kernel->name);
    gr_json_put_text(w, "title", kernel->title);
    gr_json_open_array(w, "types", GR_JSON_ONE_LINE);
    for (int i = 0; i < kernel->type_count; i++) {
        char name[80];
        gr_types_name(kernel->types[i], name, sizeof name);
        gr_json_put_text(w, NULL, name);
    }
    gr_json_close(w);
    gr_json_put_text(w, "after", kernel->after);
    gr_json_put_text(w, "path", kernel->path);
    gr_json_close(w);
}

static void render_json(const struct gr_catalog *catalog, struct gr_str *out)
{
    struct gr_json w = {.out = out};
    gr_json_open_array(&w, NULL, GR_JSON_LINES);
    for (int k = 0; k < catalog->count; k++)
        put_kernel(&w, catalog->kernels[k]);
    gr_json_close(&w);
    gr_str_add(out, "\n");
}

static void render_names(const struct gr_catalog *catalog, struct gr_str *out)
{
    for (int k = 0; k < catalog->count; k++)
        gr_str_printf(out, "%s\n", catalog->kernels[k]->name);
}

/* The formats, in the order in which the option names them. */
static const struct {
    const char *name;
    void (*render)(const struct gr_catalog *catalog, struct gr_str *out);
} formats[] = {
    {"table", render_table},
    {"md", render_md},
    {"json", render_json},
    {"names", render_names},
};

static enum gr_exit run(const struct gr_args *args)
{
    struct gr_catalog catalog;
    struct gradus_error error = {0};
    if (gr_choose_catalog(args, &catalog, &error) != GRADUS_OK) {
        enum gr_exit status = gr_cli_fail(&error);
        gradus_error_clear(&error);
        return status;
    }
    const char *format = gr_args_get(args, "format");
    struct gr_str out = {0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, format ? format : "table") == 0)
            formats[i].render(&catalog, &out);
    fputs(gr_str_text(&out), stdout);
    gr_str_free(&out);
    gr_catalog_free(&catalog);
    return GR_EXIT_RIGHT;
}

static const struct gr_option options[] = {
    GR_OPTION_DEVICE,
    GR_OPTION_KERNEL_DIR,
    {"format", 0, "table|md|json|names", false, "how to write it"},
    {0},
};

const struct gr_verb gr_verb_list = {
    .name = "list",
    .summary = "list the rungs: number, name, title, types, the rung before",
    .details = "Each rung is one kernel file that states all of this in its first lines.\n\n"
               "  gradus list\n"
               "  gradus list --kernel-dir my_kernels --format md",
    .options = options,
    .group = GR_GROUP_KERNELS,
    .judges_nothing = true,
    .run = run,
};
