/* card.c: the facts about a kernel, each as a label and a wrapped text.
 * SPDX-License-Identifier: MIT */
#include "cli/card.h"

#include "cli/choose.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum { LABEL = 10 };

/* Appends a label and its text, wrapped in the text's column; nothing if the text is empty. Takes
 * ownership of the text. */
static void add_fact(struct gr_str *out, int columns, const char *label, struct gr_str *text)
{
    if (text->length) {
        gr_text_pad(out, label, LABEL);
        gr_text_wrap(out, text->text, text->length, LABEL, columns);
    }
    gr_str_free(text);
}

static void add_plain_fact(struct gr_str *out, int columns, const char *label, const char *text)
{
    struct gr_str copy = {0};
    gr_str_add(&copy, text ? text : "");
    add_fact(out, columns, label, &copy);
}

static void add_list_fact(struct gr_str *out, int columns, const char *label,
                          const struct gr_texts *texts)
{
    struct gr_str joined = {0};
    for (int i = 0; i < texts->count; i++)
        gr_str_printf(&joined, "%s%s", i ? ", " : "", texts->items[i].text);
    add_fact(out, columns, label, &joined);
}

static void add_params(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str text = {0};
    for (int i = 0; i < kernel->param_count; i++) {
        const struct gr_param *param = &kernel->params[i];
        gr_str_printf(&text, "%s%s = %" PRId64, i ? ", " : "", param->name.text, param->value);
        for (int j = 0; j < param->allowed_count && param->allowed_count > 1; j++)
            gr_str_printf(&text, "%s%" PRId64, j ? "," : " {", param->allowed[j]);
        gr_str_add(&text, param->allowed_count > 1 ? "}" : "");
    }
    add_fact(out, columns, "params", &text);
}

static void add_tuned(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str text = {0};
    for (int i = 0; i < kernel->tuned_count; i++) {
        const struct gr_tuned *t = &kernel->tuned[i];
        gr_str_printf(&text, "%s%s = %" PRId64 " @%s", i ? ", " : "",
                      kernel->params[t->param].name.text, t->value, t->arch);
    }
    add_fact(out, columns, "tuned", &text);
}

static void add_let_lines(struct gr_str *out, int columns, const char *label,
                          const struct gr_let *lets, int count)
{
    struct gr_str text = {0};
    for (int i = 0; i < count; i++)
        if (lets[i].choice_count > 0) {
            gr_str_printf(&text, "%s%s {", text.length ? ", " : "", lets[i].name.text);
            for (int c = 0; c < lets[i].choice_count; c++)
                gr_str_printf(&text, "%s%" PRId64, c ? "," : "", lets[i].choices[c]);
            gr_str_add(&text, "}");
            /* An arg named like "args[2]" is shown with the args of its stanza. */
        } else if (!strchr(lets[i].name.text, '['))
            gr_str_printf(&text, "%s%s = %s", text.length ? ", " : "", lets[i].name.text,
                          lets[i].value.text);
    add_fact(out, columns, label, &text);
}

static void add_requires(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    for (int i = 0; i < kernel->require_count; i++) {
        const struct gr_require *require = &kernel->requires[i];
        struct gr_str text = {0};
        gr_str_add(&text, require->expression.text);
        if (require->why)
            gr_str_printf(&text, ": %s", require->why);
        add_fact(out, columns, "requires", &text);
    }
    if (kernel->implied_alpha1_beta0)
        add_plain_fact(out, columns, "requires",
                       "alpha==1 && beta==0: implied, it has no such arguments");
    if (kernel->only_size) {
        struct gr_str text = {0};
        gr_str_printf(&text, "M==N && N==K: implied, its only size is %s", kernel->only_size);
        add_fact(out, columns, "requires", &text);
    }
}

static void add_works(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str text = {0};
    for (int i = 0; i < kernel->work_count; i++) {
        const struct gr_work *work = &kernel->works[i];
        gr_str_printf(&text, "%s%s = %s[%s]%s", i ? ", " : "", work->name.text,
                      work->element_is_t ? "T" : gr_dtype_name(work->type), work->count.text,
                      work->zero ? " zero" : "");
    }
    add_fact(out, columns, "work", &text);
}

static void add_maps(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str text = {0};
    for (int i = 0; i < kernel->map_count; i++) {
        const struct gr_map *map = &kernel->maps[i];
        gr_str_printf(&text, "%s%s = %c[", i ? ", " : "", map->name.text, map->operand);
        for (int j = 0; j < map->box.count; j++)
            gr_str_printf(&text, "%s%s", j ? "," : "", map->box.items[j].text);
        gr_str_add(&text, "]");
        if (map->swizzle_bytes)
            gr_str_printf(&text, " swizzle%d", map->swizzle_bytes);
        gr_str_add(&text, map->optional ? " optional" : "");
        gr_str_add(&text, map->by_address ? " by_address" : "");
    }
    add_fact(out, columns, "map", &text);
}

/* Adds what a kernel computes that is not a GEMM. */
static void add_workload(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    static const char *const directions[2][2] = {{"", "out "}, {"in ", "inout "}};
    struct gr_str sizes = {0}, arrays = {0};
    for (int i = 0; i < kernel->size_count; i++)
        gr_str_printf(&sizes, "%s%s = %" PRId64, i ? ", " : "", kernel->sizes[i].name.text,
                      kernel->sizes[i].value);
    for (int i = 0; i < kernel->array_count; i++) {
        const struct gr_kernel_array *a = &kernel->arrays[i];
        gr_str_printf(&arrays, "%s%s%s %s[", i ? ", " : "", directions[a->is_read][a->is_written],
                      a->name.text, a->element_is_t ? "T" : gr_dtype_name(a->type));
        for (int j = 0; j < a->extents.count; j++)
            gr_str_printf(&arrays, "%s%s", j ? "," : "", a->extents.items[j].text);
        gr_str_add(&arrays, "]");
    }
    add_fact(out, columns, "sizes", &sizes);
    add_fact(out, columns, "arrays", &arrays);
    add_plain_fact(out, columns, "flop", kernel->flop.text);
    add_plain_fact(out, columns, "bytes", kernel->bytes.text);
}

static void add_stanza(struct gr_str *out, int columns, const struct gr_stanza *stanza)
{
    struct gr_str text = {0};
    if (stanza->kernel.text)
        gr_str_printf(&text, "%s%s", stanza->kernel.text,
                      stanza->once ? " (once, when it is planned)" : "");
    add_fact(out, columns, "kernel", &text);
    add_list_fact(out, columns, "grid", &stanza->grid);
    add_list_fact(out, columns, "block", &stanza->block);
    add_list_fact(out, columns, "cluster", &stanza->cluster);
    add_plain_fact(out, columns, "smem", stanza->smem.text);
    add_plain_fact(out, columns, "when", stanza->when.text);
    add_list_fact(out, columns, "args", &stanza->args);
}

static void add_expects(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str text = {0};
    for (int i = 0; i < kernel->expect_count; i++) {
        const struct gr_expect *expect = &kernel->expects[i];
        gr_str_printf(&text, "%s%s", i ? ", " : "", expect->expression.text);
        if (expect->arch)
            gr_str_printf(&text, " @%s", expect->arch);
    }
    add_fact(out, columns, "expects", &text);
}

/* If all matrices are row-major, which is the usual case, nothing is added. */
static void add_layout(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    static const char *const names[] = {"row", "col"};
    struct gr_str text = {0};
    if (kernel->col_major_a || kernel->col_major_b || kernel->col_major_c)
        gr_str_printf(&text, "A %s, B %s, C %s", names[kernel->col_major_a],
                      names[kernel->col_major_b], names[kernel->col_major_c]);
    add_fact(out, columns, "layout", &text);
}

static void add_trans(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    static const char *const names[] = {"nn", "nt", "tn", "tt"};
    struct gr_str text = {0};
    for (int i = 0; i < 4 && !gr_kernel_has_workload(kernel); i++)
        if (kernel->trans[i])
            gr_str_printf(&text, "%s%s", text.length ? ", " : "", names[i]);
    add_fact(out, columns, "trans", &text);
}

void gr_card_add(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str types = {0};
    for (int i = 0; i < kernel->ideas.count; i++)
        add_plain_fact(out, columns, "idea", kernel->ideas.items[i].text);
    add_plain_fact(out, columns, "after", kernel->after);
    gr_choose_types(kernel, &types);
    add_fact(out, columns, "types", &types);
    add_plain_fact(out, columns, "math", kernel->math);
    add_layout(out, columns, kernel);
    add_trans(out, columns, kernel);
    add_workload(out, columns, kernel);
    add_plain_fact(out, columns, "arch", kernel->arch);
    add_list_fact(out, columns, "isa", &kernel->isa);
    add_list_fact(out, columns, "flags", &kernel->flags);
    add_params(out, columns, kernel);
    add_tuned(out, columns, kernel);
    add_let_lines(out, columns, "let", kernel->lets, kernel->let_count);
    add_requires(out, columns, kernel);
    add_let_lines(out, columns, "arg", kernel->args, kernel->arg_count);
    add_plain_fact(out, columns, "least", kernel->least.text);
    add_works(out, columns, kernel);
    add_maps(out, columns, kernel);
    for (int i = 0; i < kernel->stanza_count; i++)
        add_stanza(out, columns, &kernel->stanzas[i]);
    add_expects(out, columns, kernel);
    add_plain_fact(out, columns, "source", kernel->origin);
    add_plain_fact(out, columns, "file", kernel->path);
}
