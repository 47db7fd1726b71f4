/* evaluate.c: evaluates the expressions of the front matter for one variant, problem and device.
 * SPDX-License-Identifier: MIT */
#include "catalog/held.h"
#include "catalog/map_rows.h"
#include "catalog/variant.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/expr.h"
#include "catalog/names.h"
#include "source/place.h"
#include "catalog/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values of all names. Each let or arg is computed after those above it, which it may use. */
struct values {
    const struct gr_variant *variant;
    const struct gr_problem *problem;             /* null: unknown */
    const struct gr_device_values *device_values; /* null: unknown */
    int64_t lets[GR_MAX_LETS], args[GR_MAX_ARGS];
    int let_count, arg_count; /* computed so far */
    const char *names[GR_NAMES_LISTED];
    size_t name_count; /* 0: not listed yet */
};

/* Expressions use the sizes of the kernel's own signature, even if it computes the transposed
 * problem. */
static double problem_value(const struct gr_problem *p, bool mirrored, int index)
{
    switch ((enum gr_problem_name)index) {
    case GR_PROBLEM_M:
        return (double)(mirrored ? p->n : p->m);
    case GR_PROBLEM_N:
        return (double)(mirrored ? p->m : p->n);
    case GR_PROBLEM_K:
        return (double)p->k;
    case GR_PROBLEM_LDA:
        return (double)(mirrored ? p->ldb : p->lda);
    case GR_PROBLEM_LDB:
        return (double)(mirrored ? p->lda : p->ldb);
    case GR_PROBLEM_LDC:
        return (double)p->ldc;
    case GR_PROBLEM_ALPHA:
        return p->alpha;
    case GR_PROBLEM_BETA:
        return p->beta;
    }
    return 0;
}

static double build_value(const struct gr_variant *v, int index)
{
    const double values[] = {[GR_BUILD_TA] = v->trans_a,
                             [GR_BUILD_TB] = v->trans_b,
                             [GR_BUILD_T_BYTES] = (double)gr_dtype_bytes(v->types.a),
                             [GR_BUILD_C_BYTES] = (double)gr_dtype_bytes(v->types.c),
                             [GR_BUILD_WARP] = v->warp};
    return values[index];
}

static int64_t device_value(const struct gr_device_values *g, int index)
{
    const int64_t values[] = {[GR_DEVICE_SMS] = g->sms,        [GR_DEVICE_SMEM_MAX] = g->smem_max,
                              [GR_DEVICE_CC] = g->cc,          [GR_DEVICE_OCC] = g->occ,
                              [GR_DEVICE_MR] = g->mr,          [GR_DEVICE_NR] = g->nr,
                              [GR_DEVICE_THREADS] = g->threads};
    return values[index];
}

static bool value_of(void *context, const char *name, double *value)
{
    const struct values *v = context;
    struct gr_name n = gr_name_find(v->variant->kernel, name);
    switch (n.kind) {
    case GR_NAME_PARAM:
        *value = (double)v->variant->params[n.index];
        return true;
    case GR_NAME_BUILD:
        *value = build_value(v->variant, n.index);
        return true;
    case GR_NAME_LET:
        *value = (double)v->lets[n.index];
        return n.index < v->let_count;
    case GR_NAME_ARG:
        *value = (double)v->args[n.index];
        return n.index < v->arg_count;
    case GR_NAME_PROBLEM:
        if (v->problem)
            *value = problem_value(v->problem, v->variant->kernel->mirrored, n.index);
        return v->problem != NULL;
    case GR_NAME_SIZE:
        if (v->problem)
            *value = (double)v->problem->sizes[n.index];
        return v->problem != NULL;
    case GR_NAME_DEVICE:
        if (v->device_values)
            *value = (double)device_value(v->device_values, n.index);
        return v->device_values != NULL;
    case GR_NAME_UNKNOWN:
        break;
    }
    return false;
}

static bool address_of(void *context, const char *name, uint64_t *address)
{
    const struct values *v = context;
    if (!v->device_values)
        return false;
    bool transposed = v->variant->kernel->mirrored;
    const void *a = transposed ? v->device_values->b : v->device_values->a,
               *b = transposed ? v->device_values->a : v->device_values->b;
    const void *p = *name == 'A' ? a : *name == 'B' ? b : v->device_values->c;
    *address = (uint64_t)(uintptr_t)p;
    return p != NULL;
}

/* The names are listed only once, since the set of known names does not change. */
static struct gr_scope scope_of(struct values *v)
{
    int kinds = GR_NAMES_COMPILE_TIME | GR_NAME_ARG |
                (v->problem ? GR_NAME_PROBLEM | GR_NAME_SIZE : 0) |
                (v->device_values ? GR_NAME_DEVICE : 0);
    if (!v->name_count)
        v->name_count = gr_name_list(v->variant->kernel, kinds, v->names);
    return (struct gr_scope){value_of, address_of, v, v->names, v->name_count};
}

static enum gradus_status eval(struct values *v, const struct gr_text *expression, int64_t *value,
                               struct gradus_error *error)
{
    struct gr_scope scope = scope_of(v);
    return gr_expr_integer(v->variant->kernel->path, expression, &scope, value, error);
}

static enum gradus_status compute_lets(struct values *v, struct gradus_error *error)
{
    const struct gr_kernel *k = v->variant->kernel;
    enum gradus_status status = GRADUS_OK;
    for (; v->let_count < k->let_count && status == GRADUS_OK; v->let_count++)
        status = eval(v, &k->lets[v->let_count].value, &v->lets[v->let_count], error);
    return status;
}

/* Computes the args from the first that is not computed yet. The value of a choice is its
 * `picked`-th, in mixed radix: the last choice changes fastest. */
static enum gradus_status compute_picked(struct values *v, int64_t picked,
                                         struct gradus_error *error)
{
    const struct gr_kernel *k = v->variant->kernel;
    enum gradus_status status = GRADUS_OK;
    int64_t rest[GR_MAX_ARGS];
    for (int i = k->arg_count - 1; i >= 0; i--) {
        rest[i] = picked;
        picked /= k->args[i].choice_count > 0 ? k->args[i].choice_count : 1;
    }
    for (; v->arg_count < k->arg_count && status == GRADUS_OK; v->arg_count++) {
        const struct gr_let *arg = &k->args[v->arg_count];
        int64_t *value = &v->args[v->arg_count];
        if (arg->choice_count > 0)
            *value = arg->choices[rest[v->arg_count] % arg->choice_count];
        else
            status = eval(v, &arg->value, value, error);
    }
    return status;
}

/* Computes all args, with the combination of choices that minimises the expression of the `least`
 * line; if there are several, with the first one. */
static enum gradus_status compute_args(struct values *v, struct gradus_error *error)
{
    const struct gr_kernel *k = v->variant->kernel;
    int64_t combinations = 1, best = 0, least = INT64_MAX;
    int first = k->arg_count;
    for (int i = k->arg_count - 1; i >= 0; i--)
        if (k->args[i].choice_count > 0) {
            combinations *= k->args[i].choice_count;
            first = i;
        }
    if (v->arg_count == k->arg_count)
        return GRADUS_OK;
    enum gradus_status status = GRADUS_OK;
    for (int64_t i = 0; i < combinations && combinations > 1 && status == GRADUS_OK; i++) {
        int64_t cost = 0;
        status = compute_picked(v, i, error);
        if (status == GRADUS_OK)
            status = eval(v, &k->least, &cost, error);
        if (cost < least) {
            least = cost;
            best = i;
        }
        v->arg_count = first; // those before the first choice are the same for all
    }
    return status == GRADUS_OK ? compute_picked(v, best, error) : status;
}

/* The names in an expression whose values are unknown; it cannot be evaluated yet if there are
 * any. */
struct need {
    const struct values *values;
    bool unknown, args;
};

static bool note_need(void *context, const char *name, int column)
{
    (void)column;
    struct need *need = context;
    struct gr_name n = gr_name_find(need->values->variant->kernel, name);
    need->args |= n.kind == GR_NAME_ARG;
    need->unknown |=
        ((n.kind == GR_NAME_PROBLEM || n.kind == GR_NAME_SIZE) && !need->values->problem) ||
        (n.kind == GR_NAME_DEVICE && !need->values->device_values) ||
        (n.kind == GR_NAME_ARG && (!need->values->problem || !need->values->device_values));
    return true;
}

/* " (BM=64, NT=256)": each compile-time name of an expression once, for a message that quotes
 * the expression. */
struct quoted_names {
    const struct values *values;
    struct gr_str text;
    uint64_t params, lets;
};

static bool add_name(void *context, const char *name, int column)
{
    (void)column;
    struct quoted_names *t = context;
    struct gr_name n = gr_name_find(t->values->variant->kernel, name);
    uint64_t *seen = n.kind == GR_NAME_PARAM ? &t->params : n.kind == GR_NAME_LET ? &t->lets : NULL;
    if (!seen || (*seen & UINT64_C(1) << n.index))
        return true;
    *seen |= UINT64_C(1) << n.index;
    int64_t value =
        n.kind == GR_NAME_PARAM ? t->values->variant->params[n.index] : t->values->lets[n.index];
    gr_str_printf(&t->text, "%s%s=%" PRId64, t->text.length ? ", " : " (", name, value);
    return true;
}

static enum gradus_status refuse(const struct values *v, struct gradus_error *error,
                                 const char *what, const char *values, const char *why)
{
    char size[64] = "this variant";
    if (v->problem)
        gr_kernel_size_name(v->variant->kernel, v->problem, size, sizeof size);
    return gr_fail(error, GRADUS_UNSUPPORTED, "%s refuses %s: %s%s%s%s", v->variant->kernel->name,
                   size, what, values, why ? ": " : "", why ? why : "");
}

static enum gradus_status judge(struct values *v, const struct gr_require *r,
                                const struct gr_text *part, struct gradus_error *error)
{
    const char *path = v->variant->kernel->path;
    struct need need = {.values = v};
    enum gradus_status status = gr_expr_check(path, part, note_need, &need, error);
    if (status == GRADUS_OK && need.args && !need.unknown)
        status = compute_args(v, error);
    int64_t holds = 1;
    if (status == GRADUS_OK && !need.unknown)
        status = eval(v, part, &holds, error);
    if (status != GRADUS_OK || holds)
        return status;
    struct quoted_names quoted_names = {.values = v};
    gr_expr_check(path, part, add_name, &quoted_names, NULL);
    if (quoted_names.text.length)
        gr_str_add(&quoted_names.text, ")");
    status = refuse(v, error, part->text, gr_str_text(&quoted_names.text), r->why);
    gr_str_free(&quoted_names.text);
    return status;
}

/* The end of the first operand of a top-level `&&`; null if there is none, or if the expression
 * is an `||`, which binds less tightly. */
static const char *end_of_conjunct(const char *p)
{
    int depth = 0;
    const char *end = NULL;
    for (; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0 && p[0] == '|' && p[1] == '|')
            return NULL;
        if (depth == 0 && !end && p[0] == '&' && p[1] == '&')
            end = p;
    }
    return end;
}

/* Checks each operand of `X && Y` separately, so that the message names the one that fails, and
 * so that operands with compile-time names only can be checked before there is a problem. */
static enum gradus_status judge_parts(struct values *v, const struct gr_require *r,
                                      struct gradus_error *error)
{
    struct gr_text rest = r->expression;
    for (;;) {
        const char *end = end_of_conjunct(rest.text);
        if (!end)
            return judge(v, r, &rest, error);
        size_t length = (size_t)(end - rest.text);
        while (length && rest.text[length - 1] == ' ')
            length--;
        struct gr_text part = rest;
        part.text = gr_strndup(rest.text, length);
        if (!part.text)
            return gr_fail_memory(error, "an expression", length);
        enum gradus_status status = judge(v, r, &part, error);
        free(part.text);
        if (status != GRADUS_OK)
            return status;
        end += 2 + strspn(end + 2, " \t");
        rest.place.column += (int)(end - rest.text);
        rest.text += end - rest.text;
    }
}

static bool uses_operand(const struct gr_kernel *k, enum gr_role role, int *stanza)
{
    for (int s = *stanza + 1; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++)
            if (k->stanzas[s].signature.parameters[i].role == role) {
                *stanza = s;
                return true;
            }
    return false;
}

static bool note_ld(void *context, const char *name, int column)
{
    (void)column;
    return strcmp(name, context) != 0;
}

/* Does this stanza's kernel receive the leading dimension, as a parameter or in an `args`
 * expression? */
static bool takes_ld(const struct gr_kernel *k, const struct gr_stanza *s, enum gr_role ld,
                     char *name)
{
    for (int i = 0; i < s->signature.count; i++) {
        const struct gr_parameter *p = &s->signature.parameters[i];
        if (p->role == ld)
            return true;
        if (p->role == GR_ROLE_ARG &&
            gr_expr_check(k->path, &k->args[p->index].value, note_ld, name, NULL) != GRADUS_OK)
            return true;
    }
    return false;
}

/* A kernel without lda in its signature assumes that A has dense rows; likewise B and C. */
static enum gradus_status judge_leading_dimensions(const struct values *v,
                                                   struct gradus_error *error)
{
    const struct gr_kernel *k = v->variant->kernel;
    for (int x = 0; x < 3; x++) {
        char operand = "ABC"[x], name[] = "ldX";
        name[2] = k->mirrored ? "bac"[x] : "abc"[x];
        int64_t dense = gr_problem_cols(v->problem, operand);
        int64_t ld = gr_problem_ld(v->problem, operand);
        if (ld <= (dense > 1 ? dense : 1))
            continue;
        int stanza = -1;
        while (uses_operand(k, GR_ROLE_A + (enum gr_role)x, &stanza)) {
            /* A GPU's C is set to zero as a whole, without gaps between rows. */
            const bool zeroed = operand == 'C' && k->zero_c && k->language != GR_LANGUAGE_C;
            if (!zeroed && takes_ld(k, &k->stanzas[stanza], GR_ROLE_LDA + (enum gr_role)x, name))
                continue;
            char what[120];
            snprintf(what, sizeof what,
                     "%s==%" PRId64 " is implied, since %s has no parameter %s; it is %" PRId64,
                     name, dense, k->stanzas[stanza].signature.name, name, ld);
            return refuse(v, error, what, "", NULL);
        }
    }
    return GRADUS_OK;
}

/* A kernel without alpha (beta) in its signature computes with alpha 1 (beta 0). */
static enum gradus_status judge_scalars(const struct values *v, struct gradus_error *error)
{
    const struct gr_kernel *k = v->variant->kernel;
    bool alpha = false, beta = false;
    for (int s = 0; s < k->stanza_count; s++) {
        alpha |= k->stanzas[s].signature.has_alpha;
        beta |= k->stanzas[s].signature.has_beta;
    }
    if (alpha == beta && !alpha && (v->problem->alpha != 1 || v->problem->beta != 0))
        return refuse(v, error, "alpha==1 && beta==0", "",
                      "implied, since its signature has neither alpha nor beta");
    if (!alpha && v->problem->alpha != 1)
        return refuse(v, error, "alpha==1", "", "implied, since its signature has no alpha");
    if (!beta && v->problem->beta != 0)
        return refuse(v, error, "beta==0", "", "implied, since its signature has no beta");
    return GRADUS_OK;
}

/* A kernel with a single size parameter multiplies square matrices. */
static enum gradus_status judge_square(const struct values *v, struct gradus_error *error)
{
    const char *size = v->variant->kernel->only_size;
    const struct gr_problem *q = v->problem;
    if (!size || (q->m == q->n && q->n == q->k))
        return GRADUS_OK;
    char why[160];
    snprintf(why, sizeof why,
             "implied, since its only size is '%.40s'; a `require` line can say otherwise", size);
    return refuse(v, error, "M==N && N==K", "", why);
}

/* Operands must fit into arrays of fixed extents. */
static enum gradus_status judge_held(const struct values *v, struct gradus_error *error)
{
    char text[320];
    if (gr_held_admits(v->variant->kernel, v->problem, text))
        return GRADUS_OK;
    return refuse(v, error, text, "", NULL);
}

/* Is it certain that the launch takes place? It is not if its `when` has values that are not known
 * yet. */
static enum gradus_status takes_place(struct values *v, const struct gr_stanza *s, bool *certain,
                                      struct gradus_error *error)
{
    struct need need = {.values = v};
    int64_t wanted = 1;
    enum gradus_status status = GRADUS_OK;
    if (s->when.text)
        status = gr_expr_check(v->variant->kernel->path, &s->when, note_need, &need, error);
    if (status == GRADUS_OK && need.args && !need.unknown)
        status = compute_args(v, error);
    if (status == GRADUS_OK && s->when.text && !need.unknown)
        status = eval(v, &s->when, &wanted, error);
    *certain = !need.unknown && wanted;
    return status;
}

/* If a launch has a tensor map of an operand, a map must be able to describe the operand. */
static enum gradus_status judge_maps(struct values *v, struct gradus_error *error)
{
    const struct gr_kernel *k = v->variant->kernel;
    const struct gr_device_values *d = v->device_values;
    for (int s = 0; s < k->stanza_count; s++) {
        const struct gr_signature *g = &k->stanzas[s].signature;
        for (int i = 0; i < g->count; i++) {
            if (g->parameters[i].role != GR_ROLE_MAP)
                continue;
            const struct gr_map *map = &k->maps[g->parameters[i].index];
            const void *operand = !d                    ? NULL
                                  : map->operand == 'A' ? d->a
                                  : map->operand == 'B' ? d->b
                                                        : d->c;
            bool certain;
            char text[160];
            enum gradus_status status = takes_place(v, &k->stanzas[s], &certain, error);
            if (status != GRADUS_OK)
                return status;
            if (certain && !gr_map_admits(k, map, v->problem, (uint64_t)(uintptr_t)operand, text))
                return refuse(v, error, text, "", NULL);
        }
    }
    return GRADUS_OK;
}

/* A size that does not fit its parameter's type would be truncated. */
static enum gradus_status judge_widths(const struct values *v, struct gradus_error *error)
{
    const struct gr_kernel *k = v->variant->kernel;
    const struct gr_problem *q = v->problem;
    for (int s = 0; s < k->stanza_count; s++) {
        for (int i = 0; i < k->stanzas[s].signature.count; i++) {
            const struct gr_parameter *p = &k->stanzas[s].signature.parameters[i];
            int64_t value = p->role == GR_ROLE_M      ? q->m
                            : p->role == GR_ROLE_N    ? q->n
                            : p->role == GR_ROLE_K    ? q->k
                            : p->role == GR_ROLE_LDA  ? q->lda
                            : p->role == GR_ROLE_LDB  ? q->ldb
                            : p->role == GR_ROLE_LDC  ? q->ldc
                            : p->role == GR_ROLE_SIZE ? q->sizes[p->index]
                                                      : 0;
            int bits = p->by_address ? p->bits : gr_integer_bits(p->type);
            if (bits == 0 || bits >= 63 || value < INT64_C(1) << bits)
                continue;
            char what[160];
            snprintf(what, sizeof what, "parameter '%s' (%s) cannot hold %" PRId64, p->name,
                     p->type, value);
            return refuse(v, error, what, "", NULL);
        }
    }
    return GRADUS_OK;
}

enum gradus_status gr_variant_admits(const struct gr_variant *variant,
                                     const struct gr_problem *problem,
                                     const struct gr_device_values *device_values,
                                     struct gradus_error *error)
{
    struct values v = {.variant = variant, .problem = problem, .device_values = device_values};
    const struct gr_kernel *k = variant->kernel;
    enum gradus_status status = compute_lets(&v, error);
    for (int i = 0; i < k->require_count && status == GRADUS_OK; i++)
        status = judge_parts(&v, &k->requires[i], error);
    const bool is_gemm = !gr_kernel_has_workload(k);
    if (status == GRADUS_OK && problem && is_gemm)
        status = judge_scalars(&v, error);
    if (status == GRADUS_OK && problem && is_gemm)
        status = judge_square(&v, error);
    if (status == GRADUS_OK && problem && is_gemm)
        status = judge_held(&v, error);
    if (status == GRADUS_OK && problem && is_gemm)
        status = judge_leading_dimensions(&v, error);
    if (status == GRADUS_OK && problem && is_gemm)
        status = judge_maps(&v, error);
    if (status == GRADUS_OK && problem)
        status = judge_widths(&v, error);
    return status;
}

static enum gradus_status work_bytes_of(struct values *v, const struct gr_work *w, int64_t *bytes,
                                        struct gradus_error *error)
{
    int64_t count, size;
    enum gradus_status status = eval(v, &w->count, &count, error);
    if (status != GRADUS_OK)
        return status;
    enum gr_dtype type = w->element_is_t ? v->variant->types.a : w->type;
    if (count < 0 || __builtin_mul_overflow(count, (int64_t)gr_dtype_bytes(type), &size))
        return gr_fail_at(error, v->variant->kernel->path, w->count.place,
                          "work '%s' has %" PRId64 " elements, wanted 0 or more that fit 64 bits",
                          w->name.text, count);
    *bytes = size;
    return GRADUS_OK;
}

enum gradus_status gr_variant_args(const struct gr_variant *variant,
                                   const struct gr_problem *problem,
                                   const struct gr_device_values *device_values,
                                   int64_t args[GR_MAX_ARGS], int64_t work_bytes[GR_MAX_WORKS],
                                   struct gradus_error *error)
{
    struct values v = {.variant = variant, .problem = problem, .device_values = device_values};
    const struct gr_kernel *k = variant->kernel;
    enum gradus_status status = compute_lets(&v, error);
    if (status == GRADUS_OK)
        status = compute_args(&v, error);
    memcpy(args, v.args, sizeof v.args);
    for (int i = 0; i < k->work_count && status == GRADUS_OK; i++)
        status = work_bytes_of(&v, &k->works[i], &work_bytes[i], error);
    return status;
}

enum gradus_status gr_variant_eval(const struct gr_variant *variant,
                                   const struct gr_problem *problem,
                                   const struct gr_device_values *device_values,
                                   const struct gr_text *expression, int64_t *value,
                                   struct gradus_error *error)
{
    struct values v = {.variant = variant, .problem = problem, .device_values = device_values};
    struct need need = {.values = &v};
    enum gradus_status status = compute_lets(&v, error);
    if (status == GRADUS_OK)
        status = gr_expr_check(variant->kernel->path, expression, note_need, &need, error);
    if (status == GRADUS_OK && need.args)
        status = compute_args(&v, error);
    return status == GRADUS_OK ? eval(&v, expression, value, error) : status;
}

void gr_kernel_size_name(const struct gr_kernel *k, const struct gr_problem *p, char *text,
                         size_t size)
{
    size_t used = 0;
    if (!gr_kernel_has_workload(k)) {
        const struct gr_problem shown = gr_kernel_shown(k, p);
        gr_size_name(shown.m, shown.n, shown.k, text, size);
        return;
    }
    *text = 0;
    for (int i = 0; i < k->size_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s=%" PRId64, i ? " " : "",
                                 k->sizes[i].name.text, p->sizes[i]);
}

enum gradus_status gr_kernel_refuse_workload(const struct gr_kernel *k, const char *verb,
                                             struct gradus_error *error)
{
    return gr_fail(
        error, GRADUS_UNSUPPORTED,
        "%s: found `array` lines in %s, which is no GEMM, wanted a GEMM, for which there "
        "is a reference; `gradus explain %s` counts and checks its memory accesses",
        verb, k->path, k->path);
}
