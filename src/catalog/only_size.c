/* only_size.c: C kernels with one size parameter, which multiply square matrices, and kernels
 * without size parameters. SPDX-License-Identifier: MIT */
#include "catalog/only_size.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/constants.h"
#include "catalog/expr.h"
#include "catalog/given_constants.h"
#include "catalog/header_texts.h"
#include "catalog/parameters.h"
#include "catalog/size_names.h"
#include "source/launchfind.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The sizes for which a kernel has parameters, and the name of one such parameter. */
struct told {
    bool size[3]; /* M, N, K */
    const char *name;
};

static bool note_size(void *context, const char *name, int column)
{
    (void)column;
    struct told *told = context;
    for (int d = 0; d < 3; d++)
        told->size[d] |= name[0] == "MNK"[d] && name[1] == 0;
    return true;
}

/* The number as which the file defines that name; 0: none. */
static int64_t defined(const struct gr_scan *scan, const char *name)
{
    int64_t value = 0;
    return gr_constant_named(scan, name, &value) && value > 0 ? value : 0;
}

static void read_fixed(struct gr_kernel *k, const struct gr_scan *scan)
{
    static const char *const own[] = {"M", "N", "K"}, *const common[] = {"N", "SIZE", "DIM",
                                                                         "MATRIX_SIZE"};
    int64_t all = 0;
    for (size_t i = 0; i < sizeof common / sizeof *common && !all; i++)
        all = defined(scan, common[i]);
    for (int d = 0; d < 3; d++) {
        k->fixed[d] = defined(scan, own[d]);
        k->fixed[d] = k->fixed[d] ? k->fixed[d] : all;
    }
}

/* ---- GPU kernels ---- */

static bool is_param(const struct gr_kernel *k, const char *name)
{
    for (int i = 0; i < k->param_count; i++)
        if (strcmp(k->params[i].name.text, name) == 0)
            return true;
    return false;
}

/* Is the word at token i a factor, as the stride of an index is? */
static bool is_factor(const struct gr_scan *scan, int i)
{
    return gr_token_is(scan, i - 1, "*") || gr_token_is(scan, i + 1, "*");
}

/* Does the word at token i end a loop that counts up to it, `for (…; i < WIDTH; …)`? */
static bool ends_loop(const struct gr_scan *scan, int i)
{
    return gr_token_is(scan, i - 1, "<") && gr_token_is(scan, i + 1, ";");
}

/* Does the function end a loop by this name, and multiply indices by it? That is the length of a
 * row of A, with which an element's products are added up. */
static bool is_depth(const struct gr_scan *scan, const struct gr_function *f, const char *name)
{
    bool ends = false, multiplies = false;
    for (int i = f->body_begin; i < f->body_end; i++) {
        if (!gr_token_is(scan, i, name))
            continue;
        ends |= ends_loop(scan, i);
        multiplies |= is_factor(scan, i);
    }
    return ends && multiplies;
}

/* The size that the constant at token i is, by its name, or as one that indices are multiplied with
 * if it is large, or given by a `define` line. `by_loops`: the end of the loop is K, whatever its
 * name. */
static int size_at(const struct gr_kernel *k, const struct gr_scan *scan,
                   const struct gr_function *f, int i, const char *name, bool by_loops)
{
    enum { LEAST_LARGE = 256 };
    const int named = gr_size_of_name(name);
    if ((by_loops || named < 0) && !gr_is_tile_name(name) && is_depth(scan, f, name))
        return 2;
    if (named >= 0 || gr_is_tile_name(name) || !is_factor(scan, i))
        return named;
    const bool is_side =
        defined(scan, name) >= LEAST_LARGE || gr_is_given_constant(k->source, k->extra, name);
    return is_side ? 3 : named;
}

/* What the constants of a kernel's body say of M, N, K, and of all of them. */
struct constants {
    int64_t found[4];
    bool hidden;  /* one of the names is a variable or a `param`: nothing is known */
    bool differs; /* two of them are the same size with different numbers */
};

static struct constants find_constants(const struct gr_kernel *k, const struct gr_scan *scan,
                                       const struct gr_scan *headers, const struct gr_function *f,
                                       bool by_loops)
{
    struct constants c = {.hidden = false};
    for (int i = f->body_begin; i < f->body_end && !c.hidden; i++) {
        char *name = scan->tokens[i].kind == GR_TOKEN_WORD ? gr_token_text(scan, i) : NULL;
        const int which =
            name && !gr_token_is(scan, i - 1, ".") ? size_at(k, scan, f, i, name, by_loops) : -1;
        int64_t value = which >= 0 ? defined(scan, name) : 0;
        if (which >= 0 && !value && !gr_is_declared(scan, i))
            value = defined(headers, name);
        c.hidden = value && (gr_is_declared(scan, i) || is_param(k, name));
        free(name);
        if (value) {
            c.differs |= c.found[which] && c.found[which] != value;
            c.found[which] = value;
        }
    }
    return c;
}

/* The constants of such names, of the file or of its headers, that the kernel's body uses. A size
 * that is not among them is that of the others, if these are equal. Names such as WIDTH_A and
 * WIDTH_B, of which two would be the same size, are told apart by the kernel's loops. */
static void read_constants(struct gr_kernel *k, const struct gr_scan *scan,
                           const struct gr_scan *headers, const struct gr_function *f)
{
    struct constants c = find_constants(k, scan, headers, f, false);
    if (c.differs)
        c = find_constants(k, scan, headers, f, true);
    if (c.hidden)
        return;
    int64_t any = 0;
    bool equal = true;
    for (int d = 0; d < 4; d++) {
        equal &= !any || !c.found[d] || c.found[d] == any;
        any = c.found[d] ? c.found[d] : any;
    }
    for (int d = 0; d < 3; d++)
        k->fixed[d] = c.found[d] ? c.found[d] : c.found[3] ? c.found[3] : equal ? any : 0;
    k->has_fixed_sizes = k->fixed[0] && k->fixed[1] && k->fixed[2];
    for (int d = 0; d < 3 && !k->has_fixed_sizes; d++)
        k->fixed[d] = 0;
}

/* Does the kernel have a parameter for a number, apart from alpha, beta and literals such as an
 * offset of 0? */
static bool has_integers(const struct gr_signature *s)
{
    bool has = false;
    for (int i = 0; i < s->count; i++) {
        const struct gr_parameter *p = &s->parameters[i];
        has |=
            p->role != GR_ROLE_VALUE && (p->class == GR_TYPE_INTEGER || (p->by_address && p->bits));
    }
    return has;
}

static const struct gr_function *function_of(const struct gr_scan *scan,
                                             const struct gr_signature *s)
{
    const struct gr_function *found = NULL;
    for (int i = 0; i < scan->function_count; i++) {
        const struct gr_function *f = &scan->functions[i];
        if (f->is_global && s->name && gr_token_is(scan, f->name, s->name))
            found = f;
    }
    return found;
}

/* Sets the fixed sizes of a GPU kernel without any size parameter. */
static void note_constants(struct gr_kernel *k, const struct gr_scan *scan)
{
    const struct gr_signature *s = &k->stanzas[0].signature;
    const struct gr_function *f = function_of(scan, s);
    struct gr_str text = {0};
    struct gr_scan headers = {0};
    if (!f || k->stanza_count != 1 || gr_kernel_has_workload(k) || k->map_count > 0 ||
        has_integers(s))
        return;
    gr_header_texts(k->path, k->source, &text);
    char *given = gr_given_in_header(gr_str_text(&text), k->source, k->extra);
    if (gr_scan_text(k->path, given ? given : gr_str_text(&text), &headers, NULL) != GRADUS_OK)
        headers = (struct gr_scan){0};
    read_constants(k, scan, &headers, f);
    gr_scan_free(&headers);
    free(given);
    gr_str_free(&text);
}

/* The kernel's leading dimensions, of which *last is set to one. */
static int count_leading(const struct gr_kernel *k, struct gr_parameter **last)
{
    int count = 0;
    for (int s = 0; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++) {
            struct gr_parameter *p = &k->stanzas[s].signature.parameters[i];
            if (p->role < GR_ROLE_LDA || p->role > GR_ROLE_LDC)
                continue;
            *last = p;
            count++;
        }
    return count;
}

static bool has_leading(const struct gr_kernel *k)
{
    struct gr_parameter *last;
    return count_leading(k, &last) > 0;
}

/* A single leading dimension in place of any size, as in `square_dgemm(int lda, …)`, is the size of
 * square matrices without gaps. Null: there is no such parameter. */
static const char *take_leading(struct gr_kernel *k)
{
    struct gr_parameter *p = NULL;
    if (count_leading(k, &p) != 1 || k->stanzas[0].args.count > 0)
        return NULL;
    p->role = GR_ROLE_N;
    return p->name;
}

enum gradus_status gr_only_size_note(struct gr_kernel *k, const struct gr_scan *scan,
                                     struct gradus_error *error)
{
    struct told told = {0}, required = {0};
    for (int s = 0; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++) {
            const struct gr_parameter *p = &k->stanzas[s].signature.parameters[i];
            const int d = (int)p->role - (int)GR_ROLE_M;
            if (d >= 0 && d < 3 && !told.size[d]) {
                told.size[d] = true;
                told.name = p->name;
            }
        }
    for (int i = 0; i < k->arg_count; i++)
        gr_expr_check(k->path, &k->args[i].value, note_size, &told, NULL);
    for (int i = 0; i < k->require_count; i++)
        gr_expr_check(k->path, &k->requires[i].expression, note_size, &required, NULL);
    int count = told.size[0] + told.size[1] + told.size[2];
    if (required.size[0] || required.size[1] || required.size[2])
        return GRADUS_OK;
    if (k->language == GR_LANGUAGE_CUDA && count == 0 && !has_leading(k))
        note_constants(k, scan);
    if (k->language != GR_LANGUAGE_C)
        return GRADUS_OK;
    if (count == 0 && (told.name = take_leading(k)) != NULL)
        count = 1;
    k->has_fixed_sizes = count == 0 && !has_leading(k);
    if (k->has_fixed_sizes)
        read_fixed(k, scan);
    if (count != 1 || !told.name)
        return GRADUS_OK;
    k->only_size = gr_strdup(told.name);
    return k->only_size ? GRADUS_OK : gr_fail_memory(error, "a name", strlen(told.name));
}
