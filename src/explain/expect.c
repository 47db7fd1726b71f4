/* expect.c: compares claims with facts. SPDX-License-Identifier: MIT */
#include "explain/expect.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/arch.h"
#include "catalog/expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The facts that the names of one claim refer to. */
struct lookup {
    const struct gr_variant *variant;
    const struct gr_problem *problem;
    const struct gr_device_values *device_values;
    const struct gr_explanation *explanation;
    const char *stanza;  /* "multiply"; null: the kernel has a single stanza */
    char name[160];      /* the first unknown name */
    struct gr_str found; /* "regs is 80, spills is 0" */
};

static const struct gr_fact *find_fact(const struct lookup *l, const char *name)
{
    const struct gr_fact *fact = gr_explanation_find(l->explanation, name);
    if (fact || !l->stanza)
        return fact;
    char *key = gr_printf("%s.%s", l->stanza, name);
    fact = key ? gr_explanation_find(l->explanation, key) : NULL;
    free(key);
    return fact;
}

static bool value_of(void *context, const char *name, double *value)
{
    struct lookup *l = context;
    const struct gr_fact *fact = find_fact(l, name);
    if (fact && !fact->word) {
        *value = fact->value;
        return true;
    }
    struct gr_text text = {.text = (char *)name, .place.column = 1};
    int64_t integer = 0;
    struct gradus_error ignored = {0};
    bool known = gr_variant_eval(l->variant, l->problem, l->device_values, &text, &integer,
                                 &ignored) == GRADUS_OK;
    gradus_error_clear(&ignored);
    *value = (double)integer;
    return known;
}

/* Is it a count from a launch of which only a sample was traced? An estimate can neither confirm
 * nor refute a claim. */
static bool is_sampled(const struct lookup *l, const struct gr_fact *fact)
{
    static const char *const counted[] = {"global.", "shared.loads.", "shared.stores.",
                                          "shared.atomics.", "traffic."};
    const char *start = NULL;
    for (size_t i = 0; fact && !start && i < sizeof counted / sizeof *counted; i++)
        start = strstr(fact->key, counted[i]);
    char *key = start ? gr_printf("%.*scoverage", (int)(start - fact->key), fact->key) : NULL;
    const struct gr_fact *coverage = key ? gr_explanation_find(l->explanation, key) : NULL;
    free(key);
    return coverage && coverage->word && strcmp(coverage->word, "sampled") == 0;
}

/* Appends the value of each fact, and stops at an unknown name. */
static bool see_name(void *context, const char *name, int column)
{
    struct lookup *l = context;
    double value;
    (void)column;
    if (!value_of(l, name, &value)) {
        snprintf(l->name, sizeof l->name, "%s", name);
        return false;
    }
    const struct gr_fact *fact = find_fact(l, name);
    if (is_sampled(l, fact)) {
        snprintf(l->name, sizeof l->name, "%s, but for a sample (%g),", name, value);
        return false;
    }
    if (fact && !strstr(gr_str_text(&l->found), fact->key))
        gr_str_printf(&l->found, "%s%s is %g", l->found.length ? ", " : "", fact->key, value);
    return true;
}

/* Checks one claim for one stanza. */
static enum gradus_status judge(struct lookup *l, const char *path,
                                const struct gr_text *expression,
                                enum gr_expectation_verdict *verdict, struct gradus_error *error)
{
    const struct gr_scope scope = {.value = value_of, .context = l};
    double result = 0;
    l->name[0] = 0;
    enum gradus_status status = gr_expr_check(path, expression, see_name, l, error);
    if (l->name[0]) {
        gradus_error_clear(error);
        *verdict = GR_EXPECT_UNKNOWN;
        return GRADUS_OK;
    }
    if (status == GRADUS_OK)
        status = gr_expr_real(path, expression, &scope, &result, error);
    *verdict = result != 0 ? GR_EXPECT_HOLDS : GR_EXPECT_FALSE;
    return status;
}

static struct gr_expectation *append(struct gr_explanation *e)
{
    struct gr_expectation *grown =
        realloc(e->expectations, (size_t)(e->expectation_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    e->expectations = grown;
    grown[e->expectation_count] = (struct gr_expectation){0};
    return &grown[e->expectation_count++];
}

/* The verdict is the worst of those of the stanzas: false, then unknown, then holds. */
static enum gradus_status judge_of_all(struct lookup *l, const struct gr_expect *claim,
                                       struct gr_expectation *out, struct gradus_error *error)
{
    const struct gr_kernel *kernel = l->variant->kernel;
    enum gradus_status status = GRADUS_OK;
    char unknown[sizeof l->name] = "";
    out->verdict = GR_EXPECT_HOLDS;
    for (int i = 0; i < kernel->stanza_count && status == GRADUS_OK; i++) {
        enum gr_expectation_verdict verdict;
        l->stanza = kernel->stanza_count > 1 ? kernel->stanzas[i].signature.name : NULL;
        status = judge(l, kernel->path, &claim->expression, &verdict, error);
        if (verdict == GR_EXPECT_UNKNOWN)
            memcpy(unknown, l->name, sizeof unknown);
        if (verdict == GR_EXPECT_FALSE || out->verdict == GR_EXPECT_HOLDS)
            out->verdict = verdict;
    }
    if (out->verdict == GR_EXPECT_UNKNOWN)
        out->found = gr_printf("%s is not known here", unknown);
    else
        out->found = gr_strdup(gr_str_text(&l->found));
    return status;
}

enum gradus_status gr_expect_judge(const struct gr_variant *variant,
                                   const struct gr_problem *problem,
                                   const struct gr_device_values *device_values, const char *arch,
                                   struct gr_explanation *explanation, struct gradus_error *error)
{
    const struct gr_kernel *kernel = variant->kernel;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < kernel->expect_count && status == GRADUS_OK; i++) {
        const struct gr_expect *claim = &kernel->expects[i];
        struct gr_expectation *out = append(explanation);
        if (!out)
            return gr_fail_memory(error, "expectations", 0);
        out->expression = gr_strdup(claim->expression.text);
        out->line = claim->expression.place.line;
        if (claim->arch && !gr_arch_is_of(claim->arch, arch)) {
            out->verdict = GR_EXPECT_ELSEWHERE;
            out->found = gr_printf("claimed of %s", claim->arch);
            continue;
        }
        struct lookup lookup = {.variant = variant,
                                .problem = problem,
                                .device_values = device_values,
                                .explanation = explanation};
        status = judge_of_all(&lookup, claim, out, error);
        gr_str_free(&lookup.found);
    }
    return status;
}
