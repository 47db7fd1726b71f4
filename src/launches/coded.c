/* coded.c: declares a kernel of a cubin in C, so that all that is said of a kernel in a file can be
 * said of it. SPDX-License-Identifier: MIT */
#include "launches/coded.h"

#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "code/code.h"
#include "code/elf.h"
#include "code/lines.h"
#include "core/error.h"
#include "launches/coded_names.h"
#include "launches/coded_types.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One kernel being made. */
struct making {
    const struct gr_coded_order *order;
    struct gr_code code;
    const struct gr_code_kernel *kernel;
    struct gr_demangled names;
    struct gradus_error *error;
};

/* ---- What must be said, because machine code does not. ---- */

static bool is_gemm(const struct making *m)
{
    return !strstr(m->order->extra, "array ");
}

/* The kernel as C++ declares it; without types, with the sizes of its parameters. */
static void describe(const struct making *m, struct gr_str *out)
{
    gr_str_printf(out, "%s(", m->names.name);
    for (int i = 0; i < m->kernel->parameter_count; i++)
        if (m->names.typed)
            gr_str_printf(out, "%s%s", i ? ", " : "", m->names.types[i]);
        else
            gr_str_printf(out, "%s%d bytes", i ? ", " : "", m->kernel->parameters[i].bytes);
    gr_str_add(out, ")");
}

/* The arguments in the order that most kernels have, for the user to correct. */
static void propose(const struct making *m, struct gr_str *out)
{
    static const char *const pointers[] = {"A", "B", "C"}, *const scales[] = {"alpha", "beta"},
                             *const sizes[] = {"M", "N", "K", "lda", "ldb", "ldc"};
    int pointer = 0, scale = 0, size = 0;
    for (int i = 0; i < m->kernel->parameter_count; i++) {
        const char *type = m->names.typed ? m->names.types[i] : "";
        const bool is_real = strcmp(type, "float") == 0 || strcmp(type, "double") == 0;
        const bool is_pointer =
            m->names.typed ? strchr(type, '*') != NULL : m->kernel->parameters[i].bytes == 8;
        const char *word = "?";
        if (is_pointer && pointer < 3)
            word = pointers[pointer++];
        else if (is_real && scale < 2)
            word = scales[scale++];
        else if (!is_real && !is_pointer && size < 6)
            word = sizes[size++];
        gr_str_printf(out, "%s%s", i ? ", " : "", word);
    }
}

static enum gradus_status want_arguments(const struct making *m)
{
    struct gr_str what = {0}, args = {0};
    describe(m, &what);
    if (is_gemm(m)) {
        gr_str_add(&args, "as --args '");
        propose(m, &args);
        gr_str_add(&args, "'");
    } else {
        gr_str_add(&args, "--args with names of arrays and sizes, and numbers");
    }
    enum gradus_status status =
        gr_fail(m->error, GRADUS_INVALID,
                "%s: machine code does not say what %.300s is passed; say it in its order: %.150s",
                m->order->path, gr_str_text(&what), gr_str_text(&args));
    gr_str_free(&what);
    gr_str_free(&args);
    return status;
}

static bool is_said(const struct making *m, const char *word)
{
    for (const char *at = m->order->extra; at && *at; at = strchr(at, '\n'), at += at != NULL)
        if (gr_starts_with(at, word))
            return true;
    return false;
}

static enum gradus_status want_launch(const struct making *m)
{
    const int64_t *block = m->kernel->block, most = m->kernel->max_threads;
    const bool knows = block[0] > 0 || is_said(m, "block ");
    char bound[64] = "";
    if (is_said(m, "grid ") && knows)
        return GRADUS_OK;
    if (!knows && most > 0)
        snprintf(bound, sizeof bound, " (of at most %lld threads)", (long long)most);
    return gr_fail(m->error, GRADUS_INVALID,
                   "%s: machine code does not say how many blocks%s%s %s is launched with; say it, "
                   "as --grid 'cdiv(N,%lld),cdiv(M,%lld)'%s",
                   m->order->path, knows ? "" : " of how many threads", bound, m->names.name,
                   (long long)(block[0] > 0 ? block[0] : 16),
                   (long long)(block[0] > 0 ? block[1] : 16), knows ? "" : " --block 16,16");
}

static enum gradus_status check_parameters(const struct making *m)
{
    const struct gr_code_kernel *k = m->kernel;
    if (k->parameter_count > GR_CODE_PARAMETERS)
        return gr_fail(m->error, GRADUS_INVALID, "%s: %s takes more than %d parameters",
                       m->order->path, m->names.name, GR_CODE_PARAMETERS);
    for (int i = 0; i < k->parameter_count; i++) {
        const int bytes = k->parameters[i].bytes;
        if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
            return gr_fail(
                m->error, GRADUS_INVALID,
                "%s: parameter %d of %s has %d bytes, as a structure by value, and it is "
                "not known what to fill it with",
                m->order->path, i + 1, m->names.name, bytes);
    }
    return k->parameter_count > 0 && !m->order->args ? want_arguments(m) : GRADUS_OK;
}

/* ---- The declaration. ---- */

/* The last part of a name, as C has it: "space::tile<16, float>" is tile. */
static void add_identifier(const char *name, struct gr_str *out)
{
    const char *begin = name, *end = name + strcspn(name, "<(");
    for (const char *p = name; p < end; p++)
        if (*p == ':')
            begin = p + 1;
    for (; begin < end; begin++)
        gr_str_printf(out, "%c", isalnum((unsigned char)*begin) ? *begin : '_');
}

static void declare(const struct making *m, struct gr_str *out)
{
    const struct gr_code_kernel *k = m->kernel;
    struct gr_str what = {0}, parameters = {0};
    char types[80];
    const bool typed = gr_coded_types(k, &m->names, m->order->args, m->order->extra, &parameters);
    if (m->names.typed)
        describe(m, &what);
    else
        gr_str_add(&what, m->names.name);
    gr_str_printf(out, "//@ title machine code of %s\n", gr_str_text(&what));
    gr_types_name(m->order->types, types, sizeof types);
    if (is_gemm(m) && (!typed || m->order->types_given))
        gr_str_printf(out, "//@ type %s\n", types);
    if (k->block[0] > 0)
        gr_str_printf(out, "//@ block %lld, %lld, %lld\n", (long long)k->block[0],
                      (long long)k->block[1], (long long)k->block[2]);
    gr_str_add(out, "__global__ void ");
    add_identifier(m->names.name, out);
    gr_str_printf(out, "(%s)\n{\n}\n", gr_str_text(&parameters));
    gr_str_free(&parameters);
    gr_str_free(&what);
}

/* ---- The source that the line table names. ---- */

/* The file of most of the kernel's instructions, counted where they were inlined. */
static int file_of(const struct gr_line_table *lines, int section, int *first)
{
    int best = -1;
    int64_t most = 0;
    for (int f = 0; f < lines->file_count; f++) {
        int64_t count = 0;
        int line = 0;
        for (int64_t i = 0; i < lines->count; i++) {
            const struct gr_line_row *r = &lines->rows[i];
            const int of = r->call_line > 0 ? r->call_file : r->file;
            const int at = r->call_line > 0 ? r->call_line : r->line;
            if (r->section != section || r->end || of != f || at <= 0)
                continue;
            count++;
            line = line == 0 || at < line ? at : line;
        }
        if (count > most) {
            most = count;
            best = f;
            *first = line;
        }
    }
    return best;
}

/* As the compiler was given it, or beside the file that has the code. */
static char *find_source(const char *named, const char *beside)
{
    struct gradus_error ignored = {0};
    char *text = NULL;
    size_t length;
    if (gr_file_read(named, &text, &length, &ignored) != GRADUS_OK) {
        char *near =
            gr_printf("%.*s%s", (int)(gr_path_base(beside) - beside), beside, gr_path_base(named));
        gradus_error_clear(&ignored);
        text = NULL;
        if (near && gr_file_read(near, &text, &length, &ignored) != GRADUS_OK)
            text = NULL;
        free(near);
    }
    gradus_error_clear(&ignored);
    if (text && strlen(text) == length)
        return text;
    free(text);
    return NULL;
}

/* Places in the declaration are none of the user's: those of the line table take their place. */
static enum gradus_status attach_lines(const struct making *m, struct gr_kernel *k)
{
    struct gr_line_table lines = {0};
    int first = 0;
    enum gradus_status status =
        gr_line_table_read(m->order->image, m->order->length, &lines, m->error);
    const int file = status == GRADUS_OK ? file_of(&lines, m->kernel->section, &first) : -1;
    if (file >= 0) {
        char *text = find_source(lines.files[file], m->order->path);
        k->code.lines_of = gr_strdup(lines.files[file]);
        k->code.has_source = text != NULL;
        if (text) {
            free(k->source);
            k->source = text;
        }
    }
    gr_line_table_free(&lines);
    struct gr_signature *s = &k->stanzas[0].signature;
    s->line = first;
    for (int i = 0; i < s->count; i++)
        s->parameters[i].line = first;
    return status;
}

/* "ptxas 13.0", from the note that NVIDIA's tools leave. */
static char *compiler_of(const struct making *m)
{
    static const char word[] = "release ";
    struct gr_elf elf;
    struct gradus_error ignored = {0};
    char *found = NULL;
    if (gr_elf_read(m->order->image, m->order->length, "cubin", &elf, &ignored) == GRADUS_OK) {
        const struct gr_elf_section *s = gr_elf_find(&elf, ".note.nv.tkinfo");
        const size_t length = sizeof word - 1;
        for (uint64_t i = 0; s && s->bytes && !found && i + length < s->size; i++)
            if (memcmp(s->bytes + i, word, length) == 0 && memchr(s->bytes + i, 0, s->size - i))
                found = gr_printf("ptxas %.*s",
                                  (int)strspn((const char *)s->bytes + i + length, ".0123456789"),
                                  (const char *)s->bytes + i + length);
    }
    gr_elf_free(&elf);
    gradus_error_clear(&ignored);
    return found ? found : gr_strdup("a CUDA compiler");
}

static enum gradus_status attach(const struct making *m, struct gr_kernel *k)
{
    k->code.image = malloc(m->order->length);
    k->code.length = m->order->length;
    k->code.symbol = gr_strdup(m->kernel->symbol);
    k->code.compiler = compiler_of(m);
    if (!k->code.image || !k->code.symbol || !k->code.compiler)
        return gr_fail_memory(m->error, m->order->path, m->order->length);
    memcpy(k->code.image, m->order->image, m->order->length);
    return attach_lines(m, k);
}

/* A name without an extension would be one of a kernel in C. */
static enum gradus_status parse(const struct making *m, struct gr_kernel **kernel)
{
    struct gr_str text = {0};
    declare(m, &text);
    enum gradus_status status = text.failed ? gr_fail_memory(m->error, m->order->path, 0)
                                            : gr_kernel_parse(m->order->path, gr_str_text(&text),
                                                              m->order->extra, kernel, m->error);
    gr_str_free(&text);
    if (status == GRADUS_OK)
        (*kernel)->language = GR_LANGUAGE_CUDA;
    return status;
}

enum gradus_status gr_coded_kernel(const struct gr_coded_order *order, struct gr_kernel **kernel,
                                   struct gradus_error *error)
{
    struct making m = {.order = order, .error = error};
    *kernel = NULL;
    enum gradus_status status = gr_code_read(order->image, order->length, &m.code, error);
    if (status == GRADUS_OK && m.code.is_amd)
        status = gr_fail(error, GRADUS_INVALID,
                         "%s: a code object of AMD's, for %s; wanted a cubin of NVIDIA's, or the "
                         "source",
                         order->path, m.code.arch);
    if (status == GRADUS_OK)
        status = gr_coded_choose(&m.code, order->path, order->kernel, &m.kernel, error);
    if (status == GRADUS_OK && !gr_demangle(m.kernel->symbol, &m.names))
        status = gr_fail_memory(error, m.kernel->symbol, 0);
    if (status == GRADUS_OK) {
        m.names.typed &= m.names.count == m.kernel->parameter_count;
        status = check_parameters(&m);
    }
    if (status == GRADUS_OK)
        status = want_launch(&m);
    if (status == GRADUS_OK)
        status = parse(&m, kernel);
    if (status == GRADUS_OK)
        status = attach(&m, *kernel);
    if (status != GRADUS_OK) {
        gr_kernel_free(*kernel);
        *kernel = NULL;
    }
    gr_demangled_free(&m.names);
    gr_code_free(&m.code);
    return status;
}
