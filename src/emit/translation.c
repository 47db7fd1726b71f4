/* translation.c: translates a CUDA kernel file for a run-time compiler.
 * SPDX-License-Identifier: MIT */
#include "emit/translation.h"

#include "core/error.h"
#include "base/file.h"
#include "base/process.h"
#include "catalog/catalog.h"
#include "catalog/given_constants.h"
#include "emit/flags.h"
#include "emit/headers.h"
#include "emit/macros.h"
#include "emit/standins.h"
#include "source/cut.h"
#include "emit/textures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char kernel_headers[] = "kernels/gpu/";
static const char rtc_headers[] = "src/emit/rtc/"; /* which the stand-ins include */

/* Appends to a list of `count` strings; takes ownership of `text`. */
static bool push(char ***list, int *count, char *text)
{
    char **grown = realloc(*list, ((size_t)*count + 1) * sizeof *grown);
    if (grown)
        *list = grown;
    if (!grown || !text) {
        free(text);
        return false;
    }
    grown[(*count)++] = text;
    return true;
}

static bool add_header(struct gr_translation *t, const char *name, const char *text)
{
    int texts = t->header_count;
    if (!push(&t->header_names, &t->header_count, gr_strdup(name)))
        return false;
    return push(&t->header_texts, &texts, gr_strdup(text));
}

/* Headers beside a built-in kernel are in the binary; for a file on disk, its folder is on the
 * include path. */
static bool add_headers(const struct gr_kernel *kernel, enum gr_translation_target target,
                        struct gr_translation *t)
{
    bool whole = true;
    const struct gr_standin *s;
    for (int i = 0; (s = gr_standin_at(i)); i++)
        if (target == GR_TRANSLATION_NVRTC || !gr_standin_amd_has(s->name))
            whole &= add_header(t, s->name, s->text);
    for (int i = 0; target == GR_TRANSLATION_AMD && gr_standin_amd_at(i); i++)
        whole &= add_header(t, gr_standin_amd_at(i)->name, gr_standin_amd_at(i)->text);
    for (int i = 0; kernel->built_in && gr_embedded_at(i); i++) {
        const struct gr_embedded *e = gr_embedded_at(i);
        if (gr_starts_with(e->path, kernel_headers) && gr_ends_with(e->path, ".h"))
            whole &= add_header(t, gr_path_base(e->path), e->text);
    }
    for (int i = 0; gr_embedded_at(i); i++) {
        const struct gr_embedded *e = gr_embedded_at(i);
        if (gr_starts_with(e->path, rtc_headers))
            whole &= add_header(t, gr_path_base(e->path), e->text);
    }
    return whole;
}

static bool add_option(struct gr_translation *t, char *option)
{
    return push(&t->options, &t->option_count, option);
}

/* Adds those of the user's options, or of the file's, that the compiler understands. */
static bool add_flags(const struct gr_kernel *kernel, const char *flags,
                      enum gr_translation_target target, struct gr_translation *t)
{
    const enum gr_flags_reader reader =
        target == GR_TRANSLATION_AMD ? GR_FLAGS_AMD : GR_FLAGS_NVRTC;
    enum { MOST = 128 };
    const char *words[MOST];
    char *text = gr_flags_for(kernel, flags, reader), *storage = NULL;
    int count = 0;
    bool whole = text && gr_words_split(text, words, &count, MOST, &storage);
    for (int i = 0; i < count && whole; i++)
        whole = add_option(t, gr_strdup(words[i]));
    free(storage);
    free(text);
    return whole;
}

static bool add_options(const struct gr_kernel *kernel, const char *flags,
                        enum gr_translation_target target, struct gr_translation *t)
{
    bool whole = add_option(t, gr_strdup("--std=c++17"));
    /* Functions without an execution space (a constexpr function, a helper in a header) are
     * compiled for the device. AMD's compilers have no such option, and need none: constexpr
     * functions are for both, and functions for the host need not be valid on the device. */
    if (target == GR_TRANSLATION_NVRTC)
        whole &= add_option(t, gr_strdup("--device-as-default-execution-space"));
    if (!kernel->built_in) {
        size_t length = (size_t)(gr_path_base(kernel->path) - kernel->path);
        char *folder = gr_strndup(kernel->path, length);
        whole &= add_option(t, gr_printf("-I%s", folder && *folder ? folder : "."));
        free(folder);
    }
    return whole && add_flags(kernel, flags, target, t);
}

/* Writes "NAME=VALUE" as a #define; the value may contain blanks. */
static void write_define(const char *define, struct gr_str *out)
{
    size_t name = strcspn(define, "=");
    gr_str_printf(out, "#define %.*s %s\n", (int)name, define,
                  define[name] ? define + name + 1 : "1");
}

/* Is the number in the kernel's text already, by a `define` line of that name? */
static bool is_given(const struct gr_kernel *k, const char *define)
{
    char *name = gr_strndup(define, strcspn(define, "="));
    const bool is = name && gr_is_given_constant(k->source, k->extra, name);
    free(name);
    return is;
}

/* The value of a template argument that is a param or a let. */
static enum gradus_status write_argument(const struct gr_variant *v, const char *word,
                                         size_t length, struct gr_str *out,
                                         struct gradus_error *error)
{
    const struct gr_kernel *k = v->kernel;
    char *name = gr_strndup(word, length);
    enum gradus_status status = name ? GRADUS_OK : gr_fail_memory(error, "a name", length);
    bool found = false;
    for (int i = 0; name && i < k->param_count && !found; i++)
        if (strcmp(name, k->params[i].name.text) == 0) {
            gr_str_printf(out, "%" PRId64, v->params[i]);
            found = true;
        }
    for (int i = 0; name && i < k->let_count && !found; i++)
        if (strcmp(name, k->lets[i].name.text) == 0) {
            int64_t value = 0;
            status = gr_variant_eval(v, NULL, NULL, &k->lets[i].value, &value, error);
            gr_str_printf(out, "%" PRId64, value);
            found = true;
        }
    if (name && strcmp(name, "T") == 0 && !found)
        gr_str_add(out, gr_dtype_ctype(v->types.a));
    else if (!found)
        gr_str_add_bytes(out, word, length);
    free(name);
    return status;
}

/* Writes "gemm<BM,BN>" with the values of the parameters. Macros would work too, but this name
 * appears in the compiler's messages. */
static enum gradus_status write_name(const struct gr_variant *v, const struct gr_stanza *stanza,
                                     struct gr_str *out, struct gradus_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *text = stanza->kernel.text ? stanza->kernel.text : stanza->signature.name;
    size_t head = strcspn(text, "<");
    enum gradus_status status = GRADUS_OK;
    gr_str_add_bytes(out, text, head);
    for (const char *p = text + head; *p && status == GRADUS_OK;) {
        size_t length = strspn(p, letters);
        if (length)
            status = write_argument(v, p, length, out, error);
        else
            gr_str_add_bytes(out, p, length = 1);
        p += length;
    }
    return status;
}

static enum gradus_status add_names(const struct gr_variant *v, struct gr_translation *t,
                                    struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < v->kernel->stanza_count && status == GRADUS_OK; i++) {
        struct gr_str name = {0};
        status = write_name(v, &v->kernel->stanzas[i], &name, error);
        t->kernels[i] = name.text;
        t->kernel_count = i + 1;
        if (status == GRADUS_OK && (name.failed || !name.text))
            status = gr_fail_memory(error, "a name", 0);
    }
    return status;
}

/* `using namespace at;` is an error if the header that declares the namespace is missing, so
 * each such namespace is declared, unless it is an alias of another one. */
static void declare_namespaces(const char *text, struct gr_str *out)
{
    static const char using[] = "using namespace ";
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:";
    for (const char *p = text; (p = strstr(p, using));) {
        p += strlen(using);
        size_t length = strspn(p, letters);
        char *name = gr_strndup(p, length), *alias = gr_printf("namespace %.*s =", (int)length, p);
        bool plain = name && alias && length && *name != ':' && !strstr(text, alias) &&
                     strcmp(name, "std") != 0;
        if (plain)
            gr_str_printf(out, "namespace %s {}\n", name);
        free(name);
        free(alias);
    }
}

/* The user's file with the headers of its project, reduced to what the kernel needs. */
static enum gradus_status cut_project(const struct gr_kernel *k, struct gr_str *text,
                                      struct gr_str *cut, struct gradus_error *error)
{
    struct gr_project project = gr_project_of(k->path);
    struct gr_str joined = {0};
    gr_headers_join(&project, k, &joined);
    declare_namespaces(gr_str_text(&joined), text);
    enum gradus_status status = joined.failed
                                    ? gr_fail_memory(error, k->path, joined.length)
                                    : gr_source_cut_to(k, gr_str_text(&joined), text, cut, error);
    gr_str_free(&joined);
    gr_project_free(&project);
    return status;
}

static enum gradus_status write_text(const struct gr_variant *v, const char *const *defines,
                                     struct gr_translation *t, struct gradus_error *error)
{
    const struct gr_kernel *k = v->kernel;
    struct gr_str text = {0}, cut = {0};
    for (int i = 0; defines && defines[i]; i++)
        if (!is_given(k, defines[i]))
            write_define(defines[i], &text);
    gr_given_conditions(k->path, k->source, k->extra, &text);
    gr_str_add(&text, gr_standin_prologue);
    enum gradus_status status = gr_macros_write(v, GR_MACROS_OF_CODE, &text, error);
    if (k->built_in)
        gr_str_printf(&text, "#line 1 \"%s\"\n", k->path);
    if (status == GRADUS_OK && k->built_in)
        status = gr_source_cut(k->path, k->source, k->language, k, &text, &cut, error);
    else if (status == GRADUS_OK)
        status = cut_project(k, &text, &cut, error);
    gr_str_add(&text, "\n");
    if (status == GRADUS_OK && (text.failed || cut.failed))
        status = gr_fail_memory(error, k->path, text.length);
    t->text = text.text;
    t->cut = cut.text ? cut.text : gr_strdup("");
    return status;
}

enum gradus_status gr_translation_make(const struct gr_variant *variant, const char *const *defines,
                                       const char *flags, struct gr_translation *t,
                                       struct gradus_error *error)
{
    return gr_translation_make_for(GR_TRANSLATION_NVRTC, variant, defines, flags, t, error);
}

enum gradus_status gr_translation_make_for(enum gr_translation_target target,
                                           const struct gr_variant *variant,
                                           const char *const *defines, const char *flags,
                                           struct gr_translation *t, struct gradus_error *error)
{
    const struct gr_kernel *kernel = variant->kernel;
    *t = (struct gr_translation){.name = gr_strdup(kernel->path)};
    enum gradus_status status = gr_textures_refuse(kernel, error);
    if (status == GRADUS_OK)
        status = write_text(variant, defines, t, error);
    if (status == GRADUS_OK)
        status = add_names(variant, t, error);
    if (status == GRADUS_OK &&
        !(add_headers(kernel, target, t) && add_options(kernel, flags, target, t) && t->name))
        status = gr_fail_memory(error, kernel->path, 0);
    if (status != GRADUS_OK)
        gr_translation_free(t);
    return status;
}

static void free_list(char **list, int count)
{
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

void gr_translation_free(struct gr_translation *t)
{
    free(t->text);
    free(t->name);
    free(t->cut);
    free_list(t->header_names, t->header_count);
    free_list(t->header_texts, t->header_count);
    free_list(t->options, t->option_count);
    for (int i = 0; i < t->kernel_count; i++)
        free(t->kernels[i]);
    *t = (struct gr_translation){0};
}
