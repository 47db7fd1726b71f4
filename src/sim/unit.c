/* unit.c: puts together the translation of a kernel's file and the functions by which the run time
 * calls its kernels. SPDX-License-Identifier: MIT */
#include "sim/unit.h"

#include "base/cache.h"
#include "core/error.h"
#include "base/file.h"
#include "catalog/catalog.h"
#include "emit/clangtypes.h"
#include "emit/outside.h"
#include "emit/shims.h"
#include "emit/translation.h"
#include "emit/unmodelled.h"
#include "sim/launch_bounds.h"
#include "sim/vector_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header that calls a kernel of any signature with the values that pointers point to. */
static const char call_header[] =
    "// gr_call.h: calling a kernel. SPDX-License-Identifier: MIT\n"
    "#ifndef GR_CALL_H\n#define GR_CALL_H\n#include <type_traits>\n#include <utility>\n"
    "template <class... gr_p, std::size_t... gr_i>\n"
    "static inline void gr_sim_call_with(void (*gr_f)(gr_p...), void *const *gr_v,\n"
    "                                    std::index_sequence<gr_i...>)\n"
    "{\n    (void)gr_v;\n"
    "    gr_f(*(typename std::remove_reference<gr_p>::type *)gr_v[gr_i]...);\n}\n"
    "template <class... gr_p>\n"
    "__attribute__((no_sanitize(\"thread\"))) static void gr_sim_call(void (*gr_f)(gr_p...), void "
    "*const *gr_v)\n{\n"
    "    gr_sim_call_with(gr_f, gr_v, std::index_sequence_for<gr_p...>());\n}\n#endif\n";

static enum gradus_status put(const char *folder, const char *name, const char *text,
                              struct gradus_error *error)
{
    char *path = gr_printf("%s/%s", folder, name), *old = NULL;
    size_t length = 0, wanted = strlen(text);
    if (!path)
        return gr_fail_memory(error, name, 0);
    struct gradus_error ignored = {0};
    bool same = gr_file_read(path, &old, &length, &ignored) == GRADUS_OK && length == wanted &&
                memcmp(old, text, wanted) == 0;
    gradus_error_clear(&ignored);
    enum gradus_status status = GRADUS_OK;
    char *slash = strrchr(path, '/');
    if (!same && strchr(name, '/')) {
        *slash = 0;
        status = gr_dir_make(path, error);
        *slash = '/';
    }
    if (!same && status == GRADUS_OK)
        status = gr_file_write(path, text, wanted, error);
    free(old);
    free(path);
    return status;
}

static bool is_beside_rungs(const struct gr_embedded *e)
{
    return gr_starts_with(e->path, "kernels/gpu/") && gr_ends_with(e->path, ".h");
}

/* The i-th header: those of the shim, those beside built-in kernels, and gr_call.h. False past the
 * end. */
static bool header_at(int i, const char **name, const char **text)
{
    static struct gr_shim shim;
    int count = 0;
    *name = shim.name;
    if (gr_shim_at(i, &shim)) {
        *text = shim.text;
        return true;
    }
    while (gr_shim_at(count, &shim))
        count++;
    for (int j = 0; gr_embedded_at(j); j++) {
        const struct gr_embedded *e = gr_embedded_at(j);
        if (is_beside_rungs(e) && count++ == i) {
            *name = gr_path_base(e->path);
            *text = e->text;
            return true;
        }
    }
    *name = "gr_call.h";
    *text = call_header;
    return count == i;
}

static enum gradus_status write_all(const char *folder, struct gradus_error *error)
{
    const char *name, *text;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; status == GRADUS_OK && header_at(i, &name, &text); i++)
        status = put(folder, name, text, error);
    return status;
}

static void add_headers(struct gr_cache_key *key)
{
    const char *name, *text;
    for (int i = 0; header_at(i, &name, &text); i++) {
        gr_cache_key_add_text(key, name);
        gr_cache_key_add_text(key, text);
    }
}

/* The folder's name is a hash of the headers, so that two versions of gradus use two folders. If
 * the cache cannot be written to, for example because the disk is full, another folder is tried. */
static enum gradus_status write_headers(char **folder, struct gradus_error *error)
{
    struct gr_cache_key key = {0};
    char below[48];
    add_headers(&key);
    snprintf(below, sizeof below, "sim/include-%016" PRIx64, key.low);
    enum gradus_status status = gr_cache_dir(below, folder, error);
    if (status == GRADUS_OK)
        status = write_all(*folder, error);
    if (status != GRADUS_IO)
        return status;
    free(*folder);
    status = gr_cache_dir_fallback(below, folder, error);
    return status == GRADUS_OK ? write_all(*folder, error) : status;
}

static void make_key(struct gr_sim_unit *unit)
{
    add_headers(&unit->key);
    gr_cache_key_add(&unit->key, gr_str_text(&unit->text), unit->text.length);
}

static void write_entries(const struct gr_translation *t, struct gr_str *out)
{
    gr_str_add(out, "\n#line 1 \"gradus-entries\"\n");
    for (int i = 0; i < t->kernel_count; i++)
        gr_str_printf(out,
                      "extern \"C\" __attribute__((no_sanitize(\"thread\"))) void "
                      "gr_sim_stanza_%d(void *const *gr_v) { gr_sim_call(&%s, gr_v); }\n",
                      i, t->kernels[i]);
    gr_str_add(out, "extern \"C\" { typedef void gr_sim_stanza_type(void *const *); extern "
                    "gr_sim_stanza_type *const gr_sim_stanzas[]; gr_sim_stanza_type *const "
                    "gr_sim_stanzas[] = {");
    for (int i = 0; i < t->kernel_count; i++)
        gr_str_printf(out, "gr_sim_stanza_%d, ", i);
    gr_str_add(out, "}; }\n");
}

static bool is_given(const char *name, int length, const void *kernel)
{
    struct gr_shim shim;
    const size_t wanted = (size_t)length;
    for (int i = 0; gr_shim_at(i, &shim); i++)
        if (strlen(shim.name) == wanted && strncmp(name, shim.name, wanted) == 0)
            return true;
    return ((const struct gr_kernel *)kernel)->built_in;
}

bool gr_sim_unit_is_whole(const struct gr_sim_unit *unit, const struct gr_kernel *kernel,
                          const char *const *words, int word_count)
{
    const struct gr_outside about = {.text = gr_str_text(&unit->text),
                                     .kernel_folder = unit->kernel_folder,
                                     .words = words,
                                     .word_count = word_count,
                                     .ours = unit->headers,
                                     .is_given = is_given,
                                     .with = kernel};
    return !gr_reads_outside(&about);
}

/* The user's file and line for a line of the translation, from the last #line directive before it.
 * `path` is not null-terminated. */
static int own_line(const char *text, int line, const char **path, int *path_length)
{
    static const char directive[] = "#line ";
    int own = line, at = 1;
    for (const char *p = text; p && at < line; at++) {
        if (gr_starts_with(p, directive)) {
            char *end;
            own = (int)strtol(p + strlen(directive), &end, 10) + line - at - 1;
            if (end[0] == ' ' && end[1] == '"') {
                *path = end + 2;
                *path_length = (int)strcspn(*path, "\"\n");
            }
        }
        p = strchr(p, '\n');
        p += p != NULL;
    }
    return own;
}

/* Looks at the headers that a built-in kernel includes: they are in the program, and not in the
 * translation if there is no source tree here. */
static enum gradus_status refuse_header(const struct gr_kernel *k, const char *text,
                                        const char *arch, struct gradus_error *error)
{
    char what[GR_UNMODELLED_SIZE];
    int line = 0;
    for (int i = 0; k->built_in && gr_embedded_at(i); i++) {
        const struct gr_embedded *e = gr_embedded_at(i);
        char *include = gr_printf("#include \"%s\"", gr_path_base(e->path));
        const bool included = is_beside_rungs(e) && include && strstr(text, include);
        free(include);
        if (included && gr_unmodelled_find(e->path, e->text, k->language, arch, what, &line))
            return gr_fail(error, GRADUS_UNSUPPORTED, "%s:%d: not modelled: %s, line %d", e->path,
                           line, what, line);
    }
    return GRADUS_OK;
}

/* Looks at the translation, so that only what the kernel needs counts: other kernels of the file
 * are not in it. */
static enum gradus_status refuse_unmodelled(const struct gr_kernel *k, const char *text,
                                            const char *arch, struct gradus_error *error)
{
    char what[GR_UNMODELLED_SIZE];
    int line = 0, length = (int)strlen(k->path);
    const char *path = k->path;
    if (!gr_unmodelled_find(k->path, text, k->language, arch, what, &line))
        return refuse_header(k, text, arch, error);
    line = own_line(text, line, &path, &length);
    return gr_fail(error, GRADUS_UNSUPPORTED, "%.*s:%d: not modelled: %s, line %d", length, path,
                   line, what, line);
}

enum gradus_status gr_sim_unit_make(const struct gr_variant *variant, const char *const *defines,
                                    const char *arch, struct gr_sim_unit *unit,
                                    struct gradus_error *error)
{
    const struct gr_kernel *k = variant->kernel;
    struct gr_translation t = {0};
    struct gr_str text = {0};
    *unit = (struct gr_sim_unit){0};
    enum gradus_status status = gr_translation_make(variant, defines, NULL, &t, error);
    if (status == GRADUS_OK)
        status = refuse_unmodelled(k, t.text, arch, error);
    if (status == GRADUS_OK && !gr_clang_types_rewrite(t.name, &t.text))
        status = gr_fail_memory(error, k->path, 0);
    if (status == GRADUS_OK)
        status = write_headers(&unit->headers, error);
    if (status == GRADUS_OK) {
        gr_vector_types_rewrite(t.text, &text);
        gr_launch_bounds_mark(gr_str_text(&text), &unit->text);
        write_entries(&t, &unit->text);
        unit->cut = gr_strdup(t.cut);
        unit->kernel_folder = gr_strndup(k->path, (size_t)(gr_path_base(k->path) - k->path));
        if (text.failed || unit->text.failed || !unit->cut || !unit->kernel_folder)
            status = gr_fail_memory(error, k->path, unit->text.length);
        make_key(unit);
    }
    gr_translation_free(&t);
    gr_str_free(&text);
    if (status != GRADUS_OK)
        gr_sim_unit_free(unit);
    return status;
}

void gr_sim_unit_free(struct gr_sim_unit *unit)
{
    gr_str_free(&unit->text);
    free(unit->headers);
    free(unit->kernel_folder);
    free(unit->cut);
    *unit = (struct gr_sim_unit){0};
}
