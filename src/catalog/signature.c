/* signature.c: finds the function of each stanza, and the argument for each of its parameters.
 * SPDX-License-Identifier: MIT */
#include "catalog/signature.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/chosen.h"
#include "catalog/cursor.h"
#include "catalog/device_variables.h"
#include "catalog/keywords.h"
#include "source/defines.h"
#include "source/hints.h"
#include "catalog/names.h"
#include "catalog/only_size.h"
#include "catalog/parameters.h"
#include "catalog/roles.h"
#include "source/place.h"
#include "catalog/templates.h"
#include "catalog/undefined_type.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One kernel being matched. */
struct match {
    struct gr_kernel *kernel;
    struct gr_stanza *stanza;
    const struct gr_scan *scan;
    struct gradus_error *error;
};

static const char *class_name(enum gr_type_class class)
{
    static const char *const names[] = {"any type", "an integer", "a real number", "a pointer"};
    return names[class];
}

/* What to do about a parameter for which Gradus has no argument. */
static const char *by_args(const struct match *m)
{
    return gr_kernel_has_workload(m->kernel)
               ? "; rename it, or say what to pass with an `args` line"
               : "; rename it, or say what to pass: `//@ args M, N, K, …`";
}

/* The names that a parameter may have. */
static const char *known_names(const struct match *m)
{
    return gr_kernel_has_workload(m->kernel)
               ? "the name of a size, array, arg or work line"
               : "M N K alpha A lda B ldb beta C ldc, or an arg, work or map";
}

static enum gradus_status fail_parameter(const struct match *m, int i, const char *wanted,
                                         const char *advice)
{
    const struct gr_signature *s = &m->stanza->signature;
    const struct gr_parameter *p = &s->parameters[i];
    return gr_fail_at(m->error, m->kernel->path, gr_place_in_file(p->line, p->column),
                      "parameter %d of %s, '%s' (%s): %s%s", i + 1, s->name,
                      *p->name ? p->name : "unnamed", p->type, wanted, advice);
}

/* The parameter is neither a pointer nor a number nor a structure of these. */
static enum gradus_status fail_type(const struct match *m, int i)
{
    const char *type = m->stanza->signature.parameters[i].type;
    char *undefined = gr_undefined_type(m->kernel, type);
    char *why =
        strstr(type, "typename ") && strstr(type, "::")
            ? gr_strdup("a type that a template's argument defines is not read here, wanted a "
                        "number's own type; write it as `float` or the like")
        : undefined ? gr_printf("neither this file nor the headers that were found define %s, "
                                "which a build may set; write `#define %s float`, `int` or the "
                                "like before it",
                                undefined, undefined)
                    : NULL;
    enum gradus_status status = fail_parameter(m, i, why ? why : GR_STRUCTURE_REFUSED, "");
    free(undefined);
    free(why);
    return status;
}

/* May its type be an arithmetic type that a header of the file defines? If it is not, the compiler
 * reports it. */
static bool is_of_header(const struct match *m, const struct gr_parameter *p, enum gr_type_class is)
{
    return m->kernel->language == GR_LANGUAGE_C && is == GR_TYPE_OTHER &&
           !strstr(p->type, "struct ") && strstr(m->kernel->source, "#include \"") != NULL;
}

/* Gives parameter i the role of `name`. It stays NONE if the name has no role. */
static enum gradus_status give_role(const struct match *m, int i, const char *name, bool any_case)
{
    struct gr_parameter *p = &m->stanza->signature.parameters[i];
    enum gr_type_class wanted = GR_TYPE_OTHER, is = gr_parameter_class(m->scan, p);
    for (int w = 0; w < m->kernel->work_count; w++)
        if (strcmp(m->kernel->works[w].name.text, name) == 0)
            p->role = GR_ROLE_WORK, p->index = w, wanted = GR_TYPE_POINTER;
    for (int a = 0; a < m->kernel->arg_count; a++)
        if (strcmp(m->kernel->args[a].name.text, name) == 0)
            p->role = GR_ROLE_ARG, p->index = a, wanted = GR_TYPE_INTEGER;
    for (int t = 0; t < m->kernel->map_count; t++)
        if (strcmp(m->kernel->maps[t].name.text, name) == 0)
            p->role = GR_ROLE_MAP, p->index = t;
    for (int z = 0; z < m->kernel->size_count; z++)
        if (strcmp(m->kernel->sizes[z].name.text, name) == 0)
            p->role = GR_ROLE_SIZE, p->index = z, wanted = GR_TYPE_INTEGER;
    for (int y = 0; y < m->kernel->array_count; y++)
        if (strcmp(m->kernel->arrays[y].name.text, name) == 0)
            p->role = GR_ROLE_ARRAY, p->index = y, wanted = GR_TYPE_POINTER;
    const int names = gr_kernel_has_workload(m->kernel) ? 0 : GR_ROLE_NAMES;
    for (int r = 0; r < names && p->role == GR_ROLE_NONE; r++) {
        const char *known = gr_role_names[r].name;
        if (any_case ? strcasecmp(known, name) == 0 : strcmp(known, name) == 0)
            p->role = gr_role_names[r].role, wanted = gr_role_names[r].class;
    }
    if (wanted == GR_TYPE_OTHER || wanted == is)
        return GRADUS_OK;
    int bits;
    p->by_address = m->kernel->language == GR_LANGUAGE_C && p->pointer &&
                    gr_parameter_pointee(m->scan, p, &bits) == wanted;
    if (p->by_address || is_of_header(m, p, is))
        return GRADUS_OK;
    char text[120];
    if (is == GR_TYPE_OTHER && m->kernel->language == GR_LANGUAGE_CUDA)
        return fail_type(m, i);
    snprintf(text, sizeof text, "%s is %s, and the type is not", name, class_name(wanted));
    return fail_parameter(m, i, text, by_args(m));
}

static bool is_identifier(const char *text)
{
    if (isdigit((unsigned char)*text) || !*text)
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

/* A number as in C: 16, 16u, 0x10, 1.5, 1.0f; also true and false. */
static bool is_number(const char *text)
{
    char *end;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return true;
    text += *text == '-';
    if (!isdigit((unsigned char)*text))
        return false;
    strtod(text, &end);
    return end[strspn(end, "uUlLfF")] == 0;
}

/* A string or a character, as "N" of a transpose in BLAS. */
static bool is_letter(const char *text)
{
    const size_t length = strlen(text);
    return length >= 3 && (*text == '"' || *text == '\'') && text[length - 1] == *text &&
           !memchr(text + 1, *text, length - 2) && !strchr(text, '\\');
}

static bool is_null(const char *text)
{
    return strcmp(text, "NULL") == 0 || strcmp(text, "nullptr") == 0 || strcmp(text, "0") == 0;
}

/* An expression on the `args` line becomes an `arg` of its own, so that all expressions are
 * evaluated in the same way. */
static enum gradus_status add_hidden_arg(const struct match *m, int i)
{
    struct gr_kernel *k = m->kernel;
    const struct gr_text *text = &m->stanza->args.items[i];
    struct gr_let *arg = NULL;
    if (k->arg_count == GR_MAX_ARGS)
        return gr_fail_at(m->error, k->path, text->place, "more than %d `arg` values", GR_MAX_ARGS);
    GR_PUSH(arg, k->args, k->arg_count);
    if (arg) {
        arg->name = (struct gr_text){gr_printf("args[%d]", i), text->place};
        arg->value = (struct gr_text){gr_strdup(text->text), text->place};
    }
    if (!arg || !arg->name.text || !arg->value.text)
        return gr_fail_memory(m->error, "args", 0);
    struct gr_parameter *p = &m->stanza->signature.parameters[i];
    p->role = GR_ROLE_ARG;
    p->index = k->arg_count - 1;
    return GRADUS_OK;
}

static enum gradus_status match_by_args(const struct match *m)
{
    const struct gr_texts *args = &m->stanza->args;
    struct gr_signature *s = &m->stanza->signature;
    if (args->count != s->count)
        return gr_fail_at(m->error, m->kernel->path, args->items[0].place,
                          "`args` has %d values and %s takes %d parameters", args->count, s->name,
                          s->count);
    for (int i = 0; i < s->count; i++) {
        const char *text = args->items[i].text;
        enum gradus_status status = GRADUS_OK;
        enum gr_type_class class = gr_parameter_class(m->scan, &s->parameters[i]);
        if (is_identifier(text))
            status = give_role(m, i, text, false);
        if (status != GRADUS_OK)
            return status;
        if (s->parameters[i].role != GR_ROLE_NONE)
            continue;
        const bool c = m->kernel->language == GR_LANGUAGE_C;
        if ((is_number(text) && (class == GR_TYPE_INTEGER || class == GR_TYPE_REAL)) ||
            (is_null(text) && class == GR_TYPE_POINTER) ||
            (c && is_letter(text) && strstr(s->parameters[i].type, "char"))) {
            s->parameters[i].role = GR_ROLE_VALUE;
            s->parameters[i].index = i;
        } else if (class == GR_TYPE_INTEGER) {
            status = add_hidden_arg(m, i);
        } else {
            status = fail_parameter(m, i, "the value on the `args` line does not fit its type", "");
        }
        if (status != GRADUS_OK)
            return status;
    }
    return GRADUS_OK;
}

/* The word for parameter i in a proposed `args` line: its role's name, else what its own name
 * suggests, else `?`. */
static void propose(const struct match *m, const struct gr_parameter *p, struct gr_str *out)
{
    static const char *const operands[] = {"A", "B", "C"};
    bool sure;
    if (gr_kernel_has_workload(m->kernel)) {
        gr_str_printf(out, "%s%s", out->length ? ", " : "", p->role ? p->name : "?");
        return;
    }
    char operand = p->pointer ? gr_hint_operand(p->name) : 0;
    if (operand == 'C' && p->pointee_const)
        operand = 0;
    const char *text = operand      ? operands[operand - 'A']
                       : p->pointer ? NULL
                       : p->role    ? NULL
                                    : gr_hint_size(p->name, &sure);
    for (int r = 0; r < GR_ROLE_NAMES && p->role != GR_ROLE_NONE; r++)
        if (gr_role_names[r].role == p->role)
            text = gr_role_names[r].name;
    if (!text && m->kernel->language == GR_LANGUAGE_C && strstr(p->type, "char"))
        text = p->pointer ? "\"N\"" : "'N'";
    if (!text && !p->pointer)
        text = gr_hint_scale(p->name);
    gr_str_printf(out, "%s%s", out->length ? ", " : "", text ? text : p->role ? p->name : "?");
}

/* Reports all parameters without a role, with an `args` line to complete. */
static enum gradus_status fail_unknown(const struct match *m, int first, int count)
{
    const struct gr_signature *s = &m->stanza->signature;
    struct gr_str names = {0}, args = {0};
    for (int i = 0; i < s->count; i++) {
        const struct gr_parameter *p = &s->parameters[i];
        if (p->role == GR_ROLE_NONE)
            gr_str_printf(&names, "%s'%s' (%s)", names.length ? ", " : "",
                          *p->name ? p->name : "unnamed", p->type);
        propose(m, p, &args);
    }
    const struct gr_parameter *at = &s->parameters[first];
    enum gradus_status status = gr_fail_at(
        m->error, m->kernel->path, gr_place_in_file(at->line, at->column),
        "%d parameters of %s have names that say nothing: %.300s; wanted %s; rename them, or say "
        "what to pass: --args '%.200s'",
        count, s->name, gr_str_text(&names), known_names(m), gr_str_text(&args));
    gr_str_free(&names);
    gr_str_free(&args);
    return status;
}

/* "'x' (const float *), 'y' (float *)": the parameters that are arrays; if `unknown`, only those
 * without a role whose names are not one of C either, as of the C in D = A B + C. Returns their
 * number. */
static int list_arrays(const struct match *m, bool unknown, struct gr_str *out)
{
    const struct gr_signature *s = &m->stanza->signature;
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        const struct gr_parameter *p = &s->parameters[i];
        if (!p->pointer || strstr(p->type, "bool") ||
            (unknown && (p->role != GR_ROLE_NONE || gr_hint_operand(p->name) == 'C')))
            continue;
        gr_str_printf(out, "%s'%s' (%s)", count++ ? ", " : "", *p->name ? p->name : "unnamed",
                      p->type);
    }
    return count;
}

/* A CUDA kernel with more or fewer arrays than A, B and C, or with none that it may write, is no
 * GEMM as it is, and no renaming makes it one. OK: it has these three. */
static enum gradus_status refuse_other_arrays(const struct match *m, int first)
{
    const struct gr_signature *s = &m->stanza->signature;
    struct gr_str arrays = {0}, unknown = {0};
    const int count = list_arrays(m, false, &arrays), others = list_arrays(m, true, &unknown);
    int written = 0;
    bool is_gemm = gr_kernel_has_workload(m->kernel) || m->kernel->language != GR_LANGUAGE_CUDA ||
                   count == 0 || m->kernel->held_count > 0 || m->kernel->stanza_count > 1;
    for (int i = 0; i < s->count; i++)
        written += s->parameters[i].pointer && !s->parameters[i].pointee_const;
    const struct gr_parameter *at = &s->parameters[first];
    const struct gr_place place = gr_place_in_file(at->line, at->column);
    enum gradus_status status = GRADUS_OK;
    if (!is_gemm && written == 0)
        status = gr_fail_at(m->error, m->kernel->path, place,
                            "%s may write none of its %d array%s, %.300s, and a GEMM writes C: "
                            "pass C too, as a pointer that is not const",
                            s->name, count, count > 1 ? "s" : "", gr_str_text(&arrays));
    else if (!is_gemm && count < 3)
        status =
            gr_fail_at(m->error, m->kernel->path, place,
                       "%s is no GEMM, which takes three arrays, A, B and C: found %d, %.300s; "
                       "for any other kernel name sizes and arrays, gradus explain --size "
                       "N=1024 --array 'in x f32[N,N], …'",
                       s->name, count, gr_str_text(&arrays));
    else if (!is_gemm && count > 3 && others > 0)
        status = gr_fail_at(
            m->error, m->kernel->path, place,
            "%s " GR_NO_PLAIN_GEMM ", which takes three arrays, A, B and C: found %d, among them "
            "%.250s, as of scales or a bias; where zeros leave the product as it is, name "
            "such an array in --args and give it, as --work 'bias = f32[N] zero'",
            s->name, count, gr_str_text(&unknown));
    gr_str_free(&arrays);
    gr_str_free(&unknown);
    return status;
}

static enum gradus_status match_by_name(const struct match *m)
{
    struct gr_signature *s = &m->stanza->signature;
    int unknown = 0, first = 0;
    for (int i = 0; i < s->count; i++) {
        enum gradus_status status = give_role(m, i, s->parameters[i].name, true);
        if (status != GRADUS_OK)
            return status;
        if (s->parameters[i].role != GR_ROLE_NONE)
            continue;
        if (m->kernel->language == GR_LANGUAGE_CUDA &&
            gr_parameter_class(m->scan, &s->parameters[i]) == GR_TYPE_OTHER)
            return fail_type(m, i);
        first = unknown++ == 0 ? i : first;
    }
    enum gradus_status status = unknown ? refuse_other_arrays(m, first) : GRADUS_OK;
    if (status != GRADUS_OK)
        return status;
    if (unknown > 1)
        return fail_unknown(m, first, unknown);
    if (unknown) {
        char text[120];
        snprintf(text, sizeof text, "nothing has this name, wanted %s", known_names(m));
        return fail_parameter(m, first, text, by_args(m));
    }
    return GRADUS_OK;
}

static bool has_role(const struct gr_signature *s, enum gr_role role)
{
    for (int i = 0; i < s->count; i++)
        if (s->parameters[i].role == role)
            return true;
    return false;
}

/* Is it D = A B + C with two pointers, one read and one written? */
static bool writes_c(const struct gr_signature *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->parameters[i].role == GR_ROLE_C && !s->parameters[i].pointee_const)
            return true;
    return false;
}

/* No role occurs twice, an untimed stanza has no operands, C is not const, and CPU arguments are
 * for C only. */
static enum gradus_status check_roles(const struct match *m)
{
    const struct gr_signature *s = &m->stanza->signature;
    for (int i = 0; i < s->count; i++) {
        const struct gr_parameter *p = &s->parameters[i];
        bool operand = p->role == GR_ROLE_A || p->role == GR_ROLE_B || p->role == GR_ROLE_C;
        const char *star = operand ? strchr(p->type, '*') : NULL;
        if (star && !strchr(p->type, '(') && strchr(star + 1, '*'))
            return fail_parameter(m, i,
                                  "an array of pointers to rows cannot be passed, wanted a pointer "
                                  "to the first element",
                                  "");
        if (operand && m->stanza->once)
            return fail_parameter(m, i, "a `once` kernel runs untimed and may take none of A, B, C",
                                  "");
        if (p->role == GR_ROLE_C && p->pointee_const && !writes_c(s))
            return fail_parameter(m, i, "C is written, wanted a pointer that is not const", "");
        if (p->role == GR_ROLE_ARRAY && p->pointee_const && !m->kernel->arrays[p->index].is_read)
            return fail_parameter(m, i,
                                  "an array that is only `out`, wanted a pointer that is not "
                                  "const",
                                  "");
        if ((p->role == GR_ROLE_UKR || p->role == GR_ROLE_TEAM) &&
            m->kernel->language != GR_LANGUAGE_C)
            return fail_parameter(m, i, "ukr and team are for CPU kernels", by_args(m));
        for (int j = 0; j < i && p->role != GR_ROLE_VALUE && m->stanza->args.count == 0; j++)
            if (s->parameters[j].role == p->role && s->parameters[j].index == p->index)
                return fail_parameter(m, i, "the same name a second time", by_args(m));
    }
    return GRADUS_OK;
}

/* An element type in the signature must be the one that the `array` line declares. */
static enum gradus_status check_array_types(const struct match *m)
{
    const struct gr_signature *s = &m->stanza->signature;
    for (int i = 0; i < s->count; i++) {
        const struct gr_parameter *p = &s->parameters[i];
        enum gr_dtype type;
        if (p->role != GR_ROLE_ARRAY || !gr_parameter_dtype(m->scan, p, &type))
            continue;
        const struct gr_kernel_array *a = &m->kernel->arrays[p->index];
        if (a->element_is_t || strcmp(gr_dtype_ctype(a->type), gr_dtype_ctype(type)) == 0)
            continue;
        char text[120];
        snprintf(text, sizeof text, "the `array` line says %s; make both agree",
                 gr_dtype_name(a->type));
        return fail_parameter(m, i, text, "");
    }
    return GRADUS_OK;
}

/* An element type in the signature must be the one that the `type` line declares. */
static enum gradus_status check_types(const struct match *m)
{
    const struct gr_kernel *k = m->kernel;
    const struct gr_signature *s = &m->stanza->signature;
    for (int i = 0; i < s->count; i++) {
        const struct gr_parameter *p = &s->parameters[i];
        enum gr_dtype type;
        bool operand = p->role == GR_ROLE_A || p->role == GR_ROLE_B || p->role == GR_ROLE_C;
        if (!operand || !gr_parameter_dtype(m->scan, p, &type))
            continue;
        for (int t = 0; t < k->type_count; t++) {
            enum gr_dtype said = p->role == GR_ROLE_A   ? k->types[t].a
                                 : p->role == GR_ROLE_B ? k->types[t].b
                                                        : k->types[t].c;
            if (said == type || strcmp(gr_dtype_ctype(said), gr_dtype_ctype(type)) == 0)
                continue;
            char text[120];
            snprintf(text, sizeof text, "the `type` line says %s; write T, or make both agree",
                     gr_dtype_name(said));
            return fail_parameter(m, i, text, "");
        }
    }
    return GRADUS_OK;
}

/* A variable of the device that could not be made a parameter (catalog/plain_parameters.h). */
static enum gradus_status refuse_variable(const struct gr_kernel *k, const struct gr_scan *scan,
                                          int at, struct gradus_error *error)
{
    const struct gr_token *t = &scan->tokens[at];
    return gr_fail_at(error, k->path, gr_place_in_file(t->line, t->column),
                      "'%.*s' is a variable of the device that Gradus cannot set, wanted a "
                      "parameter; pass it to the kernel, and from there to the functions that use "
                      "it",
                      (int)(t->end - t->begin), scan->text + t->begin);
}

static enum gradus_status read_stanza(const struct match *m)
{
    int function = -1;
    enum gradus_status status =
        gr_kernel_choose(m->kernel, m->stanza, m->scan, &function, m->error);
    struct gr_signature *s = &m->stanza->signature;
    if (status != GRADUS_OK)
        return status;
    const struct gr_function *f = &m->scan->functions[function];
    const bool is_gemm =
        m->kernel->language == GR_LANGUAGE_CUDA && !gr_kernel_has_workload(m->kernel);
    const int variable = is_gemm ? gr_constant_variable_left(m->scan, f) : -1;
    if (variable >= 0)
        return refuse_variable(m->kernel, m->scan, variable, m->error);
    status = gr_signature_parse(m->kernel->path, m->scan, f, s, m->error);
    if (status == GRADUS_OK && m->kernel->language == GR_LANGUAGE_CUDA)
        status = gr_template_bind(m->kernel, m->stanza, m->scan, f, m->error);
    if (status == GRADUS_OK)
        status = m->stanza->args.count ? match_by_args(m) : match_by_name(m);
    if (status == GRADUS_OK)
        status = check_roles(m);
    if (status == GRADUS_OK)
        status = gr_template_check(m->kernel, m->stanza, m->scan, m->error);
    if (status != GRADUS_OK)
        return status;
    s->has_alpha = has_role(s, GR_ROLE_ALPHA);
    s->has_beta = has_role(s, GR_ROLE_BETA);
    s->has_ld = has_role(s, GR_ROLE_LDA) && has_role(s, GR_ROLE_LDB) && has_role(s, GR_ROLE_LDC);
    return GRADUS_OK;
}

static bool any_has_role(const struct gr_kernel *k, enum gr_role role)
{
    for (int s = 0; s < k->stanza_count; s++)
        if (has_role(&k->stanzas[s].signature, role))
            return true;
    return false;
}

/* The operand is a variable of the device that could not be made a parameter. */
static enum gradus_status check_variable(const struct gr_kernel *k, const struct gr_scan *scan,
                                         enum gr_role role, struct gradus_error *error)
{
    const int at = k->language == GR_LANGUAGE_CUDA ? gr_device_variable_left(scan, role) : -1;
    return at < 0 ? GRADUS_OK : refuse_variable(k, scan, at, error);
}

/* Each operand must be a parameter of some kernel of the file, directly or as a tensor map. */
static enum gradus_status check_operands(const struct gr_kernel *k, const struct gr_scan *scan,
                                         struct gradus_error *error)
{
    for (int x = 0; x < 3; x++) {
        bool taken = any_has_role(k, GR_ROLE_A + (enum gr_role)x);
        for (int i = 0; i < k->map_count; i++)
            taken |= k->maps[i].operand == "ABC"[x];
        if (!taken && check_variable(k, scan, GR_ROLE_A + (enum gr_role)x, error) != GRADUS_OK)
            return GRADUS_INVALID;
        if (!taken)
            return gr_fail(error, GRADUS_INVALID,
                           "%s:%d: %s takes no %c, wanted a pointer parameter of that name, or an "
                           "`args` line that says which parameter is %c",
                           k->path, k->stanzas[0].signature.line, k->stanzas[0].signature.name,
                           "ABC"[x], "ABC"[x]);
    }
    return GRADUS_OK;
}

/* The types offered for a template over its element type; the first is the default. */
static enum gradus_status offer_types(struct gr_kernel *k, struct gradus_error *error)
{
    static const enum gr_dtype offered[] = {GR_F32, GR_F64, GR_F16, GR_BF16};
    for (size_t i = 0; i < sizeof offered / sizeof *offered; i++) {
        struct gr_types *types;
        GR_PUSH(types, k->types, k->type_count);
        if (!types)
            return gr_fail_memory(error, "types", 0);
        enum gr_dtype t = offered[i];
        *types = (struct gr_types){t, t, t, t == GR_F64 ? GR_F64 : GR_F32};
    }
    return GRADUS_OK;
}

static enum gradus_status fail_types(const struct gr_kernel *k, int operand,
                                     struct gradus_error *error)
{
    const struct gr_parameter *of = NULL;
    for (int s = 0; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++)
            if (k->stanzas[s].signature.parameters[i].role == GR_ROLE_A + (enum gr_role)operand)
                of = &k->stanzas[s].signature.parameters[i];
    return gr_fail(error, GRADUS_INVALID,
                   "%s: the element type is not known, since %c%s%s%s is no pointer to float, "
                   "double or the like; write `//@ type f32`",
                   k->path, "ABC"[operand], of ? " (" : "", of ? of->type : "", of ? ")" : "");
}

/* A C of 8-bit integers holds what the kernel makes of sums that do not fit, which is no product.
 */
static enum gradus_status refuse_narrow(const struct gr_kernel *k, struct gradus_error *error)
{
    for (int s = 0; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++) {
            const struct gr_parameter *p = &k->stanzas[s].signature.parameters[i];
            if (p->role == GR_ROLE_C)
                return gr_fail_at(error, k->path, gr_place_in_file(p->line, p->column),
                                  "C, '%s' (%s), has integers of 8 bits: sums of products do not "
                                  "fit, and whether they are clamped, wrapped or scaled is the "
                                  "kernel's own, so that there is no reference for it; wanted "
                                  "int32_t, or float for sums that are scaled",
                                  p->name, p->type);
        }
    return GRADUS_OK;
}

/* If there is no `type` line, the types are those in the signature. */
static enum gradus_status infer_types(struct gr_kernel *k, const struct gr_scan *scan,
                                      struct gradus_error *error)
{
    bool known[3] = {false};
    enum gr_dtype type[3];
    for (int s = 0; s < k->stanza_count; s++) {
        const struct gr_signature *g = &k->stanzas[s].signature;
        for (int i = 0; i < g->count; i++) {
            int operand = (int)g->parameters[i].role - (int)GR_ROLE_A;
            if (operand >= 0 && operand < 3 && !known[operand])
                known[operand] = gr_parameter_dtype(scan, &g->parameters[i], &type[operand]);
        }
    }
    bool generic = false;
    for (int s = 0; s < k->stanza_count; s++)
        generic |= k->stanzas[s].signature.is_generic;
    if (generic && !known[0] && !known[1] && !known[2])
        return offer_types(k, error);
    if (!known[0] || !known[1] || !known[2])
        return fail_types(k, !known[0] ? 0 : !known[1] ? 1 : 2, error);
    if (type[2] == GR_S8 || type[2] == GR_U8)
        return refuse_narrow(k, error);
    struct gr_types *types;
    GR_PUSH(types, k->types, k->type_count);
    if (!types)
        return gr_fail_memory(error, "types", 0);
    *types = (struct gr_types){type[0], type[1], type[2], type[2]};
    if (type[2] == GR_F16 || type[2] == GR_BF16)
        types->acc = GR_F32;
    return GRADUS_OK;
}

/* The element type of a kernel that is no GEMM is that of its first array. */
static enum gradus_status types_of_arrays(struct gr_kernel *k, struct gradus_error *error)
{
    struct gr_types *types;
    for (int i = 0; i < k->array_count; i++)
        if (k->arrays[i].element_is_t)
            return offer_types(k, error);
    GR_PUSH(types, k->types, k->type_count);
    if (!types)
        return gr_fail_memory(error, "types", 0);
    *types = gr_types_of(k->arrays[0].type);
    return GRADUS_OK;
}

static void resolve_types(const struct gr_scan *scan, struct gr_signature *signature)
{
    for (int i = 0; i < signature->count; i++) {
        struct gr_parameter *p = &signature->parameters[i];
        p->class = gr_parameter_class(scan, p);
        p->bits = gr_parameter_bits(scan, p);
        if (p->by_address)
            p->class = gr_parameter_pointee(scan, p, &p->bits);
        p->has_dtype = gr_parameter_dtype(scan, p, &p->dtype);
    }
}

enum gradus_status gr_signatures_read(struct gr_kernel *k, struct gradus_error *error)
{
    struct gr_scan scan;
    enum gradus_status status = gr_scan_text(k->path, k->source, &scan, error);
    if (status != GRADUS_OK)
        return status;
    bool any_alpha = false, any_beta = false;
    for (int i = 0; i < k->stanza_count && status == GRADUS_OK; i++) {
        struct match m = {k, &k->stanzas[i], &scan, error};
        status = read_stanza(&m);
        any_alpha |= k->stanzas[i].signature.has_alpha;
        any_beta |= k->stanzas[i].signature.has_beta;
    }
    k->lacks_beta = !any_beta;
    k->implied_alpha1_beta0 = !any_alpha && !any_beta && !gr_kernel_has_workload(k);
    if (status == GRADUS_OK)
        status = gr_kernel_has_workload(k) ? gr_workload_arrays_check(k, error)
                                           : check_operands(k, &scan, error);
    if (status == GRADUS_OK)
        status = gr_defines_check(k, &scan, error);
    if (status == GRADUS_OK && k->type_count == 0)
        status =
            gr_kernel_has_workload(k) ? types_of_arrays(k, error) : infer_types(k, &scan, error);
    for (int i = 0; i < k->stanza_count && status == GRADUS_OK; i++) {
        struct match m = {k, &k->stanzas[i], &scan, error};
        status = gr_kernel_has_workload(k) ? check_array_types(&m) : check_types(&m);
        resolve_types(&scan, &k->stanzas[i].signature);
    }
    if (status == GRADUS_OK)
        status = gr_only_size_note(k, &scan, error);
    gr_scan_free(&scan);
    return status;
}
