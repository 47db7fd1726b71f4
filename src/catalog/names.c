/* names.c: resolves the names in expressions of the front matter. SPDX-License-Identifier: MIT */
#include "catalog/names.h"

#include "base/str.h"
#include "catalog/expr.h"
#include "source/place.h"

#include <string.h>

static const char *const build_names[] = {"TA", "TB", "T_BYTES", "C_BYTES", "WARP", NULL};
static const char *const problem_names[] = {"M",   "N",     "K",    "lda", "ldb",
                                            "ldc", "alpha", "beta", NULL};
static const char *const device_names[] = {"SMS", "SMEM_MAX", "CC",      "OCC",
                                           "MR",  "NR",       "THREADS", NULL};

/* Most names differ in their first letter, and names are looked up for each value of an expression.
 */
static bool same(const char *x, const char *y)
{
    return *x == *y && strcmp(x, y) == 0;
}

static int find_in(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (same(names[i], name))
            return i;
    return -1;
}

struct gr_name gr_name_find(const struct gr_kernel *k, const char *name)
{
    int i;
    for (i = 0; i < k->size_count; i++)
        if (same(k->sizes[i].name.text, name))
            return (struct gr_name){GR_NAME_SIZE, i};
    for (i = 0; i < k->param_count; i++)
        if (same(k->params[i].name.text, name))
            return (struct gr_name){GR_NAME_PARAM, i};
    for (i = 0; i < k->let_count; i++)
        if (same(k->lets[i].name.text, name))
            return (struct gr_name){GR_NAME_LET, i};
    for (i = 0; i < k->arg_count; i++)
        if (same(k->args[i].name.text, name))
            return (struct gr_name){GR_NAME_ARG, i};
    if ((i = find_in(build_names, name)) >= 0)
        return (struct gr_name){GR_NAME_BUILD, i};
    if (!gr_kernel_has_workload(k) && (i = find_in(problem_names, name)) >= 0)
        return (struct gr_name){GR_NAME_PROBLEM, i};
    if ((i = find_in(device_names, name)) >= 0)
        return (struct gr_name){GR_NAME_DEVICE, i};
    return (struct gr_name){GR_NAME_UNKNOWN, -1};
}

static size_t add_all(const char *const *names, const char **list, size_t count)
{
    for (int i = 0; names[i]; i++)
        list[count++] = names[i];
    return count;
}

size_t gr_name_list(const struct gr_kernel *k, int kinds, const char *list[GR_NAMES_LISTED])
{
    size_t count = 0;
    for (int i = 0; (kinds & GR_NAME_PARAM) && i < k->param_count; i++)
        list[count++] = k->params[i].name.text;
    for (int i = 0; (kinds & GR_NAME_LET) && i < k->let_count; i++)
        list[count++] = k->lets[i].name.text;
    for (int i = 0; (kinds & GR_NAME_ARG) && i < k->arg_count; i++)
        list[count++] = k->args[i].name.text;
    if (kinds & GR_NAME_BUILD)
        count = add_all(build_names, list, count);
    for (int i = 0; (kinds & GR_NAME_SIZE) && i < k->size_count; i++)
        list[count++] = k->sizes[i].name.text;
    if ((kinds & GR_NAME_PROBLEM) && !gr_kernel_has_workload(k))
        count = add_all(problem_names, list, count);
    if (kinds & GR_NAME_DEVICE)
        count = add_all(device_names, list, count);
    return count;
}

/* An expression being checked: the kinds of names that it may use, and the numbers of lets and
 * args above it. */
struct check {
    const struct gr_kernel *kernel;
    const struct gr_text *expression;
    const char *keyword;
    int kinds, lets, args;
    struct gradus_error *error;
};

/* A let or arg may be used only below its own line. */
static bool is_before(const struct check *c, struct gr_name n)
{
    return (n.kind != GR_NAME_LET || n.index < c->lets) &&
           (n.kind != GR_NAME_ARG || n.index < c->args);
}

static bool check_name(void *context, const char *name, int column)
{
    const struct check *c = context;
    const char *path = c->kernel->path;
    struct gr_place place = c->expression->place;
    place.column = column;
    struct gr_name n = gr_name_find(c->kernel, name);
    if (n.kind == GR_NAME_UNKNOWN) {
        const char *list[GR_NAMES_LISTED];
        const char *near = gr_nearest(name, list, gr_name_list(c->kernel, c->kinds, list));
        if (near && !is_before(c, gr_name_find(c->kernel, near)))
            near = NULL;
        if (near)
            gr_fail_at(c->error, path, place, "unknown name '%s'; did you mean '%s'?", name, near);
        else
            gr_fail_at(c->error, path, place,
                       gr_kernel_has_workload(c->kernel)
                           ? "unknown name '%s', wanted a size, param, let or arg"
                           : "unknown name '%s', wanted a param, let or arg, or a given name such "
                             "as M",
                       name);
        return false;
    }
    if (!(n.kind & c->kinds)) {
        gr_fail_at(c->error, path, place,
                   "'%s' is known at run time only and `%s` is evaluated at compile time; "
                   "write `arg` instead",
                   name, c->keyword);
        return false;
    }
    if (!is_before(c, n)) {
        gr_fail_at(c->error, path, place,
                   "'%s' is used before its own line; move that line above this one", name);
        return false;
    }
    return true;
}

static enum gradus_status check(struct check *c, const struct gr_text *expression,
                                const char *keyword)
{
    c->expression = expression;
    c->keyword = keyword;
    return expression->text ? gr_expr_check(c->kernel->path, expression, check_name, c, c->error)
                            : GRADUS_OK;
}

static enum gradus_status check_all(struct check *c, const struct gr_texts *expressions,
                                    const char *keyword)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < expressions->count && status == GRADUS_OK; i++)
        status = check(c, &expressions->items[i], keyword);
    return status;
}

static enum gradus_status check_stanza(struct check *c, const struct gr_stanza *s)
{
    enum gradus_status status = check_all(c, &s->grid, "grid");
    if (status == GRADUS_OK)
        status = check_all(c, &s->block, "block");
    if (status == GRADUS_OK)
        status = check_all(c, &s->cluster, "cluster");
    if (status == GRADUS_OK)
        status = check(c, &s->smem, "smem");
    if (status == GRADUS_OK)
        status = check(c, &s->when, "when");
    return status;
}

/* A let or arg may use only those above it, so that evaluating them from the top always
 * terminates. */
static enum gradus_status check_definitions(const struct gr_kernel *k, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < k->let_count && status == GRADUS_OK; i++) {
        struct check c = {k, NULL, NULL, GR_NAMES_COMPILE_TIME, i, 0, error};
        status = check(&c, &k->lets[i].value, "let");
    }
    for (int i = 0; i < k->arg_count && status == GRADUS_OK; i++) {
        struct check c = {k, NULL, NULL, GR_NAMES_ALL, k->let_count, i, error};
        status = check(&c, &k->args[i].value, "arg");
    }
    int64_t combinations = 1;
    const struct gr_let *choice = NULL;
    for (int i = 0; i < k->arg_count && combinations <= GR_MAX_COMBINATIONS; i++)
        if (k->args[i].choice_count > 0) {
            choice = &k->args[i];
            combinations *= choice->choice_count;
        }
    if (status == GRADUS_OK && choice && !k->least.text)
        status = gr_fail_at(error, k->path, choice->name.place,
                            "found no `least` line, wanted the expression that the choice of %s is "
                            "to make least, as `least cost`",
                            choice->name.text);
    if (status == GRADUS_OK && k->least.text && !choice)
        status = gr_fail_at(error, k->path, k->least.place,
                            "found no `choose` line, wanted what makes this least");
    if (status == GRADUS_OK && combinations > GR_MAX_COMBINATIONS)
        status = gr_fail_at(error, k->path, choice->name.place,
                            "more than %d combinations of what is to choose", GR_MAX_COMBINATIONS);
    return status;
}

enum gradus_status gr_names_check(const struct gr_kernel *k, struct gradus_error *error)
{
    enum gradus_status status = check_definitions(k, error);
    struct check c = {k, NULL, NULL, GR_NAMES_ALL, k->let_count, k->arg_count, error};
    if (status == GRADUS_OK && k->least.text)
        status = check(&c, &k->least, "least");
    for (int i = 0; i < k->require_count && status == GRADUS_OK; i++)
        status = check(&c, &k->requires[i].expression, "require");
    for (int i = 0; i < k->work_count && status == GRADUS_OK; i++)
        status = check(&c, &k->works[i].count, "work");
    for (int i = 0; i < k->map_count && status == GRADUS_OK; i++)
        status = check_all(&c, &k->maps[i].box, "map");
    for (int i = 0; i < k->array_count && status == GRADUS_OK; i++)
        status = check_all(&c, &k->arrays[i].extents, "array");
    if (status == GRADUS_OK)
        status = check(&c, &k->flop, "flop");
    if (status == GRADUS_OK)
        status = check(&c, &k->bytes, "bytes");
    for (int i = 0; i < k->stanza_count && status == GRADUS_OK; i++)
        status = check_stanza(&c, &k->stanzas[i]);
    for (int i = 0; i < k->expect_count && status == GRADUS_OK; i++)
        status = gr_expr_check(k->path, &k->expects[i].expression, NULL, NULL, error);
    return status;
}

static bool is_defined(const struct gr_kernel *k, const char *name)
{
    bool taken = false;
    for (int i = 0; i < k->work_count; i++)
        taken |= strcmp(k->works[i].name.text, name) == 0;
    for (int i = 0; i < k->map_count; i++)
        taken |= strcmp(k->maps[i].name.text, name) == 0;
    for (int i = 0; i < k->array_count; i++)
        taken |= strcmp(k->arrays[i].name.text, name) == 0;
    return taken;
}

static enum gradus_status fail_taken(const struct gr_kernel *k, const struct gr_text *name,
                                     struct gradus_error *error)
{
    return gr_fail_at(error, k->path, name->place, "the name '%s' is taken; choose another",
                      name->text);
}

enum gradus_status gr_name_free(const struct gr_kernel *k, const struct gr_text *name,
                                struct gradus_error *error)
{
    static const char *const reserved[] = {"T",    "A",   "B",   "C",     "ukr",     "team",
                                           "cdiv", "min", "max", "clamp", "aligned", NULL};
    const bool taken = gr_name_find(k, name->text).kind != GR_NAME_UNKNOWN ||
                       find_in(reserved, name->text) >= 0 || is_defined(k, name->text);
    return taken ? fail_taken(k, name, error) : GRADUS_OK;
}

enum gradus_status gr_size_name_free(const struct gr_kernel *k, const struct gr_text *name,
                                     struct gradus_error *error)
{
    static const char *const reserved[] = {"T", "cdiv", "min", "max", "clamp", "aligned", NULL};
    const enum gr_name_kind kind = gr_name_find(k, name->text).kind;
    const bool taken = (kind != GR_NAME_UNKNOWN && kind != GR_NAME_PROBLEM) ||
                       find_in(reserved, name->text) >= 0 || is_defined(k, name->text);
    return taken ? fail_taken(k, name, error) : GRADUS_OK;
}
