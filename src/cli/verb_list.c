/* verb_list.c: gradus list: the rungs, in order. SPDX-License-Identifier: MIT */
#include "base/utf8.h"
#include "cli/choose.h"
#include "cli/style.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 5, TITLE = 2 };
static const char *const headings[COLUMNS] = {"#", "rung", "title", "types", "after"};

/* One kernel's cells, in the order of the headings. */
struct cells {
    struct gr_str text[COLUMNS];
};

static void cells_fill(struct cells *cells, const struct gr_kernel *kernel)
{
    *cells = (struct cells){0};
    if (kernel->number >= 0)
        gr_str_printf(&cells->text[0], "%d", kernel->number);
    gr_str_add(&cells->text[1], kernel->name);
    gr_str_add_line(&cells->text[TITLE], kernel->title ? kernel->title : "");
    gr_choose_types(kernel, &cells->text[3]);
    gr_str_add(&cells->text[4], kernel->after ? kernel->after : "");
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

/* The columns' widths; where the terminal is narrow, titles give way. */
static void measure(const struct gr_catalog *catalog, int terminal, int widths[COLUMNS])
{
    int total = 2 * (COLUMNS - 1);
    for (int i = 0; i < COLUMNS; i++)
        widths[i] = width_of(headings[i]);
    for (int k = 0; k < catalog->count; k++) {
        struct cells cells;
        cells_fill(&cells, catalog->kernels[k]);
        for (int i = 0; i < COLUMNS; i++) {
            int width = width_of(gr_str_text(&cells.text[i]));
            widths[i] = width > widths[i] ? width : widths[i];
        }
        cells_free(&cells);
    }
    for (int i = 0; i < COLUMNS; i++)
        total += widths[i];
    if (terminal > 0 && total > terminal) {
        int least = width_of(headings[TITLE]), title = widths[TITLE] - (total - terminal);
        widths[TITLE] = title > least ? title : least;
    }
}

/* Text cut to `width` columns, the last of them an ellipsis. */
static void add_clipped(struct gr_str *out, const char *text, int width)
{
    if (width_of(text) <= width) {
        gr_text_pad(out, text, width);
        return;
    }
    size_t bytes = 0;
    while (gr_text_columns(text, bytes + 1) < width || ((unsigned char)text[bytes] & 0xc0) == 0x80)
        bytes++;
    gr_str_add_bytes(out, text, bytes);
    gr_str_add(out, "…");
}

/* Without its line break. */
static void add_table_line(struct gr_str *out, const char *const texts[COLUMNS],
                           const int widths[COLUMNS])
{
    for (int i = 0; i < COLUMNS - 1; i++) {
        if (i == 0) { /* numbers stand to the right */
            gr_str_printf(out, "%*s", widths[0], texts[0]);
        } else {
            add_clipped(out, texts[i], widths[i]);
        }
        gr_str_add(out, "  ");
    }
    gr_str_add(out, texts[COLUMNS - 1]);
    while (gr_ends_with(gr_str_text(out), " "))
        out->text[--out->length] = 0;
}

static void render_table(const struct gr_catalog *catalog, struct gr_str *out)
{
    struct gr_style style = gr_cli_style(STDOUT_FILENO);
    int widths[COLUMNS];
    measure(catalog, style.columns, widths);
    gr_str_add(out, style.colour ? "\033[1m" : "");
    add_table_line(out, headings, widths);
    gr_str_add(out, style.colour ? "\033[m\n" : "\n");
    for (int k = 0; k < catalog->count; k++) {
        struct cells cells;
        const char *texts[COLUMNS];
        cells_fill(&cells, catalog->kernels[k]);
        for (int i = 0; i < COLUMNS; i++)
            texts[i] = gr_str_text(&cells.text[i]);
        add_table_line(out, texts, widths);
        gr_str_add(out, "\n");
        cells_free(&cells);
    }
}

static void render_md(const struct gr_catalog *catalog, struct gr_str *out)
{
    for (int i = 0; i < COLUMNS; i++)
        gr_str_printf(out, "| %s ", headings[i]);
    gr_str_add(out, "|\n|--:|---|---|---|---|\n");
    for (int k = 0; k < catalog->count; k++) {
        struct cells cells;
        cells_fill(&cells, catalog->kernels[k]);
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

static void add_member(struct gr_str *out, const char *name, const char *text)
{
    gr_str_printf(out, "\"%s\": ", name);
    if (text)
        gr_text_json(out, text);
    else
        gr_str_add(out, "null");
}

static void add_kernel_json(struct gr_str *out, const struct gr_kernel *kernel)
{
    gr_str_printf(out, "  {\"number\": %d, ", kernel->number);
    add_member(out, "name", kernel->name);
    gr_str_add(out, ", ");
    add_member(out, "title", kernel->title);
    gr_str_add(out, ", \"types\": [");
    for (int i = 0; i < kernel->type_count; i++) {
        char name[80];
        gr_types_name(kernel->types[i], name, sizeof name);
        gr_str_add(out, i ? ", " : "");
        gr_text_json(out, name);
    }
    gr_str_add(out, "], ");
    add_member(out, "after", kernel->after);
    gr_str_add(out, ", ");
    add_member(out, "path", kernel->path);
    gr_str_add(out, "}");
}

static void render_json(const struct gr_catalog *catalog, struct gr_str *out)
{
    gr_str_add(out, "[\n");
    for (int k = 0; k < catalog->count; k++) {
        add_kernel_json(out, catalog->kernels[k]);
        gr_str_add(out, k + 1 < catalog->count ? ",\n" : "\n");
    }
    gr_str_add(out, "]\n");
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
    .details = "Each rung is one kernel file that says all of this in its first lines.\n\n"
               "  gradus list\n"
               "  gradus list --kernel-dir my_kernels --format md",
    .options = options,
    .group = GR_GROUP_KERNELS,
    .run = run,
};
