/* stub.c: writes the C file that adapts a kernel's own signature to the one call that Gradus
 * makes. SPDX-License-Identifier: MIT */
#include "emit/stub.h"

#include "core/error.h"
#include "emit/macros.h"
#include "source/place.h"
#include "source/cut.h"
#include "source/scan.h"
#include "catalog/parameters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The new name of a stanza's function; two stanzas with the same function share it. */
static void write_new_name(const struct gr_kernel *k, int stanza, const char *symbol,
                           struct gr_str *out)
{
    int first = 0;
    while (strcmp(k->stanzas[first].signature.name, k->stanzas[stanza].signature.name) != 0)
        first++;
    gr_str_printf(out, "%s_kernel", symbol);
    if (first > 0)
        gr_str_printf(out, "%d", first + 1);
}

static void write_renames(const struct gr_kernel *k, const char *symbol, struct gr_str *out)
{
    for (int s = 0; s < k->stanza_count; s++) {
        gr_str_printf(out, "#define %s ", k->stanzas[s].signature.name);
        write_new_name(k, s, symbol, out);
        gr_str_add(out, "\n");
    }
}

static void write_quoted(struct gr_str *out, const char *text)
{
    gr_str_add(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            gr_str_add(out, "\\");
        gr_str_add_bytes(out, text, 1);
    }
    gr_str_add(out, "\"");
}

static enum gradus_status write_source(const struct gr_variant *v, const char *source_path,
                                       struct gr_str *out, struct gradus_error *error)
{
    const struct gr_kernel *k = v->kernel;
    if (!source_path) {
        gr_str_add(out, "#include ");
        write_quoted(out, k->path);
        gr_str_add(out, "\n");
        return GRADUS_OK;
    }
    gr_str_add(out, "#line 1 ");
    write_quoted(out, source_path);
    gr_str_add(out, "\n");
    enum gradus_status status = gr_source_cut(k->path, k->source, k->language, k, out, NULL, error);
    gr_str_add(out, "\n");
    return status;
}

/* The declared type in a form that is valid in a cast, without the const of the parameter
 * itself. */
static void write_cast(const struct gr_parameter *p, struct gr_str *out)
{
    if (p->pointer) {
        const char *star = strrchr(p->type, '*');
        bool array = strchr(p->type, '(') != NULL;
        if (array || !star)
            gr_str_add(out, "(void *)"); /* a pointer type of unknown form; C converts it */
        else
            gr_str_printf(out, "(%.*s)", (int)(star - p->type) + 1, p->type);
        return;
    }
    const char *type = p->type;
    if (gr_starts_with(type, "const "))
        type += strlen("const ");
    size_t length = strlen(type);
    if (gr_ends_with(type, " const"))
        length -= strlen(" const");
    gr_str_printf(out, "(%.*s)", (int)length, type);
}

static enum gradus_status write_argument(const struct gr_kernel *k, const struct gr_stanza *s,
                                         int i, struct gr_str *out, struct gradus_error *error)
{
    static const char *const fields[] = {
        [GR_ROLE_M] = "m",      [GR_ROLE_N] = "n",         [GR_ROLE_K] = "k",
        [GR_ROLE_A] = "a",      [GR_ROLE_B] = "b",         [GR_ROLE_C] = "c",
        [GR_ROLE_LDA] = "lda",  [GR_ROLE_LDB] = "ldb",     [GR_ROLE_LDC] = "ldc",
        [GR_ROLE_UKR] = "ukr",  [GR_ROLE_ALPHA] = "alpha", [GR_ROLE_BETA] = "beta",
        [GR_ROLE_TEAM] = "team"};
    const struct gr_parameter *p = &s->signature.parameters[i];
    if (p->role == GR_ROLE_NONE)
        return gr_fail_at(error, k->path, gr_place_in_file(p->line, p->column),
                          "parameter '%s' (%s): a CPU kernel cannot be given this, wanted M N K "
                          "alpha A lda B ldb beta C ldc ukr team or a name of an arg or work line",
                          p->name, p->type);
    if (p->by_address) {
        /* the address of a literal, which lives as long as the call */
        gr_str_printf(out, "&(%.*s){", (int)(strchr(p->type, '*') - p->type), p->type);
        if (p->role == GR_ROLE_ARG)
            gr_str_printf(out, "launch->args[%d]}", p->index);
        else
            gr_str_printf(out, "launch->%s}", fields[p->role]);
        return GRADUS_OK;
    }
    write_cast(p, out);
    if (p->role == GR_ROLE_WORK)
        gr_str_printf(out, "launch->work[%d]", p->index);
    else if (p->role == GR_ROLE_ARG)
        gr_str_printf(out, "launch->args[%d]", p->index);
    else if (p->role == GR_ROLE_VALUE)
        gr_str_printf(out, "(%s)", s->args.items[p->index].text);
    else
        gr_str_printf(out, "launch->%s", fields[p->role]);
    return GRADUS_OK;
}

/* Undefines macros of the kernel file that would change the name of a member. Nothing from the
 * file follows. */
static enum gradus_status write_entry(const struct gr_kernel *k, const char *symbol,
                                      struct gr_str *out, struct gradus_error *error)
{
    static const char *const members[] = {"launch", "m",    "n",     "k",   "lda", "ldb",
                                          "ldc",    "a",    "b",     "c",   "ukr", "team",
                                          "work",   "args", "alpha", "beta"};
    gr_str_printf(out, "#line 1 \"%s.stub\"\n", symbol);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        gr_str_printf(out, "#undef %s\n", members[i]);
    gr_str_printf(out,
                  "void %s(const struct gr_launch *launch);\n"
                  "void %s(const struct gr_launch *launch)\n{\n    (void)launch;\n",
                  symbol, symbol);
    for (int s = 0; s < k->stanza_count; s++) {
        const struct gr_stanza *stanza = &k->stanzas[s];
        gr_str_add(out, "    ");
        write_new_name(k, s, symbol, out);
        gr_str_add(out, "(");
        for (int i = 0; i < stanza->signature.count; i++) {
            if (i)
                gr_str_add(out, ", ");
            enum gradus_status status = write_argument(k, stanza, i, out, error);
            if (status != GRADUS_OK)
                return status;
        }
        gr_str_add(out, ");\n");
    }
    gr_str_add(out, "}\n");
    return GRADUS_OK;
}

static enum gradus_status check_cpu(const struct gr_kernel *k, struct gradus_error *error)
{
    if (k->language != GR_LANGUAGE_C)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s: a CUDA kernel has no CPU build", k->path);
    for (int s = 0; s < k->stanza_count; s++)
        if (k->stanzas[s].once)
            return gr_fail_at(error, k->path, k->stanzas[s].kernel.place,
                              "`once` is for GPU kernels; a CPU kernel runs all its stanzas");
    return GRADUS_OK;
}

enum gradus_status gr_stub_write(const struct gr_variant *v, const char *symbol,
                                 const char *source_path, struct gr_str *out,
                                 struct gradus_error *error)
{
    const struct gr_kernel *k = v->kernel;
    enum gradus_status status = check_cpu(k, error);
    if (status != GRADUS_OK)
        return status;
    /* This must precede the first system header, because definitions at the top of the kernel's
     * file would come too late. */
    gr_str_add(out,
               "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include \"records/launch.h\"\n");
    status = gr_macros_write(v, GR_MACROS_ALL, out, error);
    write_renames(k, symbol, out);
    if (status == GRADUS_OK)
        status = write_source(v, source_path, out, error);
    if (status == GRADUS_OK)
        status = write_entry(k, symbol, out, error);
    if (status == GRADUS_OK && out->failed)
        status = gr_fail_memory(error, "a stub", out->length);
    return status;
}
