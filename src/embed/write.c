/* write.c: writes the generated C files. SPDX-License-Identifier: MIT */
#include "embed/embed.h"

#include "core/error.h"
#include "base/file.h"
#include "catalog/levels.h"
#include "emit/stub.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Appends a symbol such as gr_entry__06_packing__f32__nt__avx512. */
static void add_symbol(const struct gr_build_key *key, struct gr_str *out)
{
    gr_str_printf(out, "gr_entry__%s__", key->kernel->name);
    gr_build_name(key, "__", out);
}

/* Is the build allowed at its level, whose name is followed by "=FLAGS"? */
static bool allowed(const struct gr_build_key *key)
{
    char *level = gr_strndup(key->level, strcspn(key->level, "="));
    bool allows = level && gr_isa_allows(key->kernel, level);
    free(level);
    return allows;
}

struct stubs {
    const char *directory;
    struct gradus_error *error;
};

/* The build expects a file for every level; if the rung's `isa` line excludes a level, its file
 * is empty. */
static enum gradus_status write_stub(void *context, const struct gr_build_key *key)
{
    struct stubs *stubs = context;
    struct gr_str text = {0}, symbol = {0}, path = {0};
    add_symbol(key, &symbol);
    gr_str_printf(&path, "%s/%s.", stubs->directory, key->kernel->name);
    gr_build_name(key, ".", &path);
    gr_str_add(&path, ".c");
    gr_str_printf(&text, "/* Generated from %s. */\n", key->kernel->path);
    enum gradus_status status = GRADUS_OK;
    if (allowed(key)) {
        struct gr_variant variant;
        status = gr_variant_make(key->kernel, key->types, key->trans & 2, key->trans & 1, &variant,
                                 stubs->error);
        if (status == GRADUS_OK)
            status = gr_stub_write(&variant, gr_str_text(&symbol), NULL, &text, stubs->error);
    } else {
        gr_str_add(&text, "typedef int gr_left_out;\n");
    }
    if (status == GRADUS_OK && (text.failed || symbol.failed || path.failed))
        status = gr_fail_memory(stubs->error, key->kernel->path, 0);
    if (status == GRADUS_OK)
        status = gr_file_write(gr_str_text(&path), text.text, text.length, stubs->error);
    gr_str_free(&text);
    gr_str_free(&symbol);
    gr_str_free(&path);
    return status;
}

enum gradus_status gr_embed_stubs(const char *directory, const struct gr_kernel *kernel,
                                  char *const *levels, int level_count, struct gradus_error *error)
{
    enum gradus_status status = gr_dir_make(directory, error);
    struct stubs stubs = {directory, error};
    return status == GRADUS_OK ? gr_builds_walk(kernel, levels, level_count, write_stub, &stubs)
                               : status;
}

struct table {
    struct gr_str declarations, rows;
    int count;
};

static enum gradus_status add_row(void *context, const struct gr_build_key *key)
{
    struct table *t = context;
    if (!allowed(key))
        return GRADUS_OK;
    struct gr_str symbol = {0};
    add_symbol(key, &symbol);
    const char *name = gr_str_text(&symbol), *equals = strchr(key->level, '=');
    gr_str_printf(&t->declarations, "extern gr_entry_fn %s;\n", name);
    gr_str_printf(&t->rows,
                  "    {\"%s\", {%d, %d, %d, %d}, %d, %d, \"%.*s\",\n     \"%s\",\n     \"-O3",
                  key->kernel->name, key->types.a, key->types.b, key->types.c, key->types.acc,
                  key->trans >> 1, key->trans & 1, (int)strcspn(key->level, "="), key->level, name);
    if (equals && equals[1])
        gr_str_printf(&t->rows, " %s", equals + 1);
    for (int i = 0; i < key->kernel->flags.count; i++)
        gr_str_printf(&t->rows, " %s", key->kernel->flags.items[i].text);
    gr_str_printf(&t->rows, "\", %s},\n", name);
    t->count++;
    gr_str_free(&symbol);
    return GRADUS_OK;
}

enum gradus_status gr_embed_table(const char *output, struct gr_kernel *const *kernels,
                                  int kernel_count, char *const *levels, int level_count,
                                  struct gradus_error *error)
{
    struct table t = {0};
    struct gr_str text = {0};
    for (int i = 0; i < kernel_count; i++)
        gr_builds_walk(kernels[i], levels, level_count, add_row, &t);
    gr_str_printf(&text,
                  "/* Generated from the names and front matter of the rungs. */\n"
                  "#include \"catalog/builtin.h\"\n\n%s\n"
                  "const struct gr_builtin gr_builtin_table[] = {\n%s    {0},\n};\n"
                  "const int gr_builtin_count = %d;\n",
                  gr_str_text(&t.declarations), gr_str_text(&t.rows), t.count);
    enum gradus_status status = text.failed || t.rows.failed || t.declarations.failed
                                    ? gr_fail_memory(error, output, 0)
                                    : gr_file_write(output, text.text, text.length, error);
    gr_str_free(&t.declarations);
    gr_str_free(&t.rows);
    gr_str_free(&text);
    return status;
}

/* One string literal per line, so that the generated file is as readable as the original. */
static void add_literal(const char *text, size_t length, struct gr_str *out)
{
    gr_str_add(out, "    \"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n' && i + 1 < length)
            gr_str_add(out, "\\n\"\n    \"");
        else if (c == '\n')
            gr_str_add(out, "\\n");
        else if (c == '"' || c == '\\')
            gr_str_printf(out, "\\%c", c);
        else if (isprint(c) && c != '?') /* '?' is escaped to avoid trigraphs */
            gr_str_add_bytes(out, text + i, 1);
        else
            gr_str_printf(out, "\\%03o", c);
    }
    gr_str_add(out, "\"");
}

enum gradus_status gr_embed_texts(const char *output, char *const *paths, int path_count,
                                  struct gradus_error *error)
{
    struct gr_str out = {0};
    gr_str_add(&out, "/* Generated: files of the source tree, as text. */\n"
                     "#include \"catalog/builtin.h\"\n\n"
                     "const struct gr_embedded gr_embedded_table[] = {\n");
    for (int i = 0; i < path_count; i++) {
        char *text;
        size_t length;
        enum gradus_status status = gr_file_read(paths[i], &text, &length, error);
        if (status != GRADUS_OK) {
            gr_str_free(&out);
            return status;
        }
        gr_str_printf(&out, "    {\"%s\",\n", paths[i]);
        add_literal(text, length, &out);
        gr_str_printf(&out, ",\n    %zu},\n", length);
        free(text);
    }
    gr_str_printf(&out, "    {0},\n};\nconst int gr_embedded_count = %d;\n", path_count);
    enum gradus_status status = out.failed ? gr_fail_memory(error, output, 0)
                                           : gr_file_write(output, out.text, out.length, error);
    gr_str_free(&out);
    return status;
}
