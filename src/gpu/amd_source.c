/* amd_source.c: writes a source and its headers to temporary files. Many headers have the same
 * text, often none, so each text is one file, and clang's overlay of the file system gives it its
 * names. SPDX-License-Identifier: MIT */
#include "gpu/amd_source.h"

#include "base/cache.h"
#include "base/str.h"
#include "base/temporary.h"
#include "catalog/catalog.h"
#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prelude_path[] = "src/gpu/amd_prelude.hpp";

const char gr_amd_headers[] = "/gradus-headers";
const char gr_amd_prelude[] = "gradus_amd_prelude.hpp";

static const char *prelude_text(void)
{
    const struct gr_embedded *prelude = gr_embedded_find(prelude_path);
    return prelude ? prelude->text : "";
}

uint64_t gr_amd_prelude_identity(void)
{
    struct gr_cache_key key = {0};
    gr_cache_key_add_text(&key, prelude_text());
    return key.low;
}

static enum gradus_status write_file(const char *ending, const char *text, size_t length,
                                     struct gr_amd_file *file, struct gradus_error *error)
{
    enum gradus_status status =
        gr_temporary_make(ending, file->path, sizeof file->path, &file->slot, error);
    return status == GRADUS_OK ? gr_temporary_fill(file->path, text, length, error) : status;
}

/* In JSON, which is YAML. */
static void add_quoted(struct gr_str *out, const char *text)
{
    gr_str_add(out, "\"");
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\')
            gr_str_add(out, "\\");
        gr_str_add_bytes(out, p, 1);
    }
    gr_str_add(out, "\"");
}

static void add_name(struct gr_str *overlay, const char *name, const struct gr_amd_file *file)
{
    gr_str_add(overlay, overlay->text[overlay->length - 1] == '[' ? "" : ",\n");
    gr_str_add(overlay, "{\"type\":\"file\",\"name\":");
    add_quoted(overlay, name);
    gr_str_add(overlay, ",\"external-contents\":");
    add_quoted(overlay, file->path);
    gr_str_add(overlay, "}");
}

/* The file of header i's text, written unless an earlier header has the same. */
static enum gradus_status write_header(const struct gr_rtc_source *s, int i, int *file_of,
                                       struct gr_amd_source *files, struct gradus_error *error)
{
    for (int j = 0; j < i; j++)
        if (strcmp(s->header_texts[j], s->header_texts[i]) == 0) {
            file_of[i] = file_of[j];
            return GRADUS_OK;
        }
    file_of[i] = files->header_count++;
    return write_file(".h", s->header_texts[i], strlen(s->header_texts[i]),
                      &files->headers[file_of[i]], error);
}

static enum gradus_status write_headers(const struct gr_rtc_source *s, struct gr_amd_source *files,
                                        struct gradus_error *error)
{
    struct gr_str overlay = {0};
    int *file_of = calloc((size_t)s->header_count + 1, sizeof *file_of);
    files->headers = calloc((size_t)s->header_count + 1, sizeof *files->headers);
    if (!file_of || !files->headers) {
        free(file_of);
        return gr_fail_memory(error, "headers", 0);
    }
    files->header_count = 1;
    enum gradus_status status =
        write_file(".h", prelude_text(), strlen(prelude_text()), &files->headers[0], error);
    gr_str_printf(&overlay,
                  "{\"version\":0,\"case-sensitive\":\"true\",\"roots\":[{\"type\":"
                  "\"directory\",\"name\":\"%s\",\"contents\":[",
                  gr_amd_headers);
    if (!overlay.failed)
        add_name(&overlay, gr_amd_prelude, &files->headers[0]);
    for (int i = 0; i < s->header_count && status == GRADUS_OK && !overlay.failed; i++) {
        status = write_header(s, i, file_of, files, error);
        add_name(&overlay, s->header_names[i], &files->headers[file_of[i]]);
    }
    gr_str_add(&overlay, "]}]}\n");
    if (status == GRADUS_OK && overlay.failed)
        status = gr_fail_memory(error, "headers", overlay.length);
    if (status == GRADUS_OK)
        status = write_file(".yaml", overlay.text, overlay.length, &files->overlay, error);
    gr_str_free(&overlay);
    free(file_of);
    return status;
}

static enum gradus_status write_main(const struct gr_rtc_source *s, struct gr_amd_source *files,
                                     struct gradus_error *error)
{
    struct gr_str text = {0};
    gr_str_printf(&text, "#line 1 \"%s\"\n%s\n", s->name, s->text);
    for (int i = 0; i < s->name_count; i++)
        gr_str_printf(&text,
                      "#line 1 \"the names of %s\"\n"
                      "extern \"C\" __device__ __attribute__((used)) const void *const "
                      "gradus_name_%d = (const void *)&(%s);\n",
                      s->name, i, s->names[i]);
    enum gradus_status status =
        text.failed ? gr_fail_memory(error, s->name, text.length)
                    : write_file(".hip", text.text, text.length, &files->main, error);
    gr_str_free(&text);
    return status;
}

enum gradus_status gr_amd_source_write(const struct gr_rtc_source *source,
                                       struct gr_amd_source *files, struct gradus_error *error)
{
    *files = (struct gr_amd_source){.main.slot = -1, .overlay.slot = -1};
    enum gradus_status status = write_headers(source, files, error);
    return status == GRADUS_OK ? write_main(source, files, error) : status;
}

void gr_amd_source_remove(struct gr_amd_source *files)
{
    for (int i = 0; files->headers && i < files->header_count; i++)
        gr_temporary_remove(files->headers[i].path, files->headers[i].slot);
    gr_temporary_remove(files->main.path, files->main.slot);
    gr_temporary_remove(files->overlay.path, files->overlay.slot);
    free(files->headers);
    *files = (struct gr_amd_source){0};
}

char *gr_amd_symbol_of(const char *assembly, int i)
{
    static const char word[] = "\t.quad\t";
    char label[48];
    snprintf(label, sizeof label, "\ngradus_name_%d:\n", i);
    const char *at = strstr(assembly, label);
    if (!at || !gr_starts_with(at += strlen(label), word))
        return NULL;
    at += strlen(word);
    return gr_strndup(at, strcspn(at, " \t\r\n"));
}
