/* pack_plan.c: translates the lines of a kernel's file to a C function. Expressions are integers
 * with the operators and the precedence of C, so their text is copied; their functions become those
 * of device/kernel_table.h. SPDX-License-Identifier: MIT */
#include "pack/pack_kernels.h"

#include "core/error.h"
#include "catalog/expr.h"
#include "catalog/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct writing {
    const struct gr_pack_entry *entry;
    struct gr_variant variant; /* for the values of its parameters */
    struct gr_str *out;
    struct gradus_error *error;
};

static enum gradus_status refuse(const struct writing *w, const char *what)
{
    return gr_fail(w->error, GRADUS_UNSUPPORTED, "%s: %s, for which the library has no code",
                   w->entry->kernel->path, what);
}

/* Copies an expression. Calls of functions, and names that have another meaning in C, are
 * renamed. */
static void add_expression(const struct gr_text *expression, struct gr_str *out)
{
    static const char *const functions[] = {"cdiv", "min", "max", "clamp", "aligned"};
    for (const char *p = expression->text; *p;) {
        size_t length = 0;
        while (isalnum((unsigned char)p[length]) || p[length] == '_')
            length++;
        if (!length) {
            gr_str_add_bytes(out, p++, 1);
            continue;
        }
        const char *after = p + length + strspn(p + length, " \t");
        for (size_t i = 0; i < sizeof functions / sizeof *functions && *after == '('; i++)
            if (strlen(functions[i]) == length && strncmp(functions[i], p, length) == 0)
                gr_str_add(out, "gr_device_");
        gr_str_add_bytes(out, p, length);
        p += length;
    }
}

static void add_value(struct gr_str *out, const char *name, const struct gr_text *value)
{
    gr_str_printf(out, "    const int64_t %s = ", name);
    add_expression(value, out);
    gr_str_printf(out, ";\n    (void)%s;\n", name);
}

/* The names that the kernel that applies the epilogue, which is not a GEMM, receives by name. The
 * first are numbers that no product has. */
enum { OF_EPILOGUE_ALONE = 6 };
static const struct {
    const char *name, *role;
} of_epilogue[] = {{"lds", "GR_DEVICE_LDS"},
                   {"per_row", "GR_DEVICE_PER_ROW"},
                   {"activation", "GR_DEVICE_ACTIVATION"},
                   {"batch", NULL}, /* blockIdx.z */
                   {"stride_c", "GR_DEVICE_STRIDE_C"},
                   {"arrays", "GR_DEVICE_ARRAYS"},
                   {"sums", "GR_DEVICE_SUMS"},
                   {"bias", "GR_DEVICE_BIAS"},
                   {"beta", "GR_DEVICE_BETA"},
                   {"M", "GR_DEVICE_M"},
                   {"N", "GR_DEVICE_N"},
                   {"C", "GR_DEVICE_C"},
                   {"ldc", "GR_DEVICE_LDC"}};

/* Writes the names that expressions may use. A, B and C are addresses, for aligned(). */
static void add_given(struct writing *w)
{
    static const char *const names[][2] = {
        {"M", "m"},
        {"N", "n"},
        {"K", "k"},
        {"lda", "lda"},
        {"ldb", "ldb"},
        {"ldc", "ldc"},
        {"TA", "trans_a"},
        {"TB", "trans_b"},
        {"SMS", "sms"},
        {"CC", "cc"},
        {"SMEM_MAX", "smem_max"},
        {"WARP", "warp"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        gr_str_printf(w->out, "    const int64_t %s = given->%s;\n    (void)%s;\n", names[i][0],
                      names[i][1], names[i][0]);
    gr_str_add(w->out, "    const double alpha = given->alpha, beta = given->beta;\n"
                       "    const uint64_t A = given->a, B = given->b, C = given->c;\n"
                       "    (void)alpha, (void)beta, (void)A, (void)B, (void)C;\n");
    gr_str_printf(
        w->out,
        "    const int64_t T_BYTES = %zu, C_BYTES = %zu;\n    (void)T_BYTES, (void)C_BYTES;\n",
        gr_dtype_bytes(w->variant.types.a), gr_dtype_bytes(w->variant.types.c));
    for (int i = 0; i < OF_EPILOGUE_ALONE && gr_kernel_has_workload(w->entry->kernel); i++)
        gr_str_printf(w->out, "    const int64_t %s = given->%s;\n    (void)%s;\n",
                      of_epilogue[i].name, of_epilogue[i].name, of_epilogue[i].name);
    for (int i = 0; i < w->entry->kernel->param_count; i++) {
        const char *name = w->entry->kernel->params[i].name.text;
        gr_str_printf(w->out, "    const int64_t %s = %" PRId64 ";\n    (void)%s;\n", name,
                      w->variant.params[i], name);
    }
}

static int place_in_epilogue(const char *name)
{
    for (int i = 0; i < (int)(sizeof of_epilogue / sizeof *of_epilogue); i++)
        if (strcmp(of_epilogue[i].name, name) == 0)
            return i;
    return -1;
}

static bool is_known(void *context, const char *name, int column)
{
    (void)column;
    const struct writing *w = context;
    const struct gr_name n = gr_name_find(w->entry->kernel, name);
    const bool device = n.kind == GR_NAME_DEVICE && n.index != GR_DEVICE_SMS &&
                        n.index != GR_DEVICE_SMEM_MAX && n.index != GR_DEVICE_CC;
    if (n.kind == GR_NAME_SIZE ? place_in_epilogue(name) >= 0 : !device)
        return true;
    gr_fail(w->error, GRADUS_UNSUPPORTED, "%s: an expression with %s, which the library lacks",
            w->entry->kernel->path, name);
    return false;
}

static enum gradus_status check(struct writing *w, const struct gr_text *expression)
{
    if (!expression->text)
        return GRADUS_OK;
    return gr_expr_check(w->entry->kernel->path, expression, is_known, w, w->error);
}

static enum gradus_status check_all(struct writing *w)
{
    const struct gr_kernel *k = w->entry->kernel;
    enum gradus_status status = GRADUS_OK;
    if (k->mirrored || k->col_major_a || k->col_major_b || k->col_major_c)
        return refuse(w, "a column-major operand");
    if (k->zero_c || (k->implied_alpha1_beta0 && !gr_kernel_has_workload(k)))
        return refuse(w, "a C that it does not scale");
    for (int i = 0; i < k->let_count && !status; i++)
        status = check(w, &k->lets[i].value);
    for (int i = 0; i < k->arg_count && !status; i++)
        status = check(w, &k->args[i].value);
    for (int i = 0; i < k->require_count && !status; i++)
        status = check(w, &k->requires[i].expression);
    for (int i = 0; i < k->work_count && !status; i++)
        status = check(w, &k->works[i].count);
    for (int i = 0; i < k->stanza_count && !status; i++) {
        const struct gr_stanza *s = &k->stanzas[i];
        if (s->once)
            return refuse(w, "a launch that is made once");
        status = check(w, &s->smem);
        if (!status)
            status = check(w, &s->when);
        for (int j = 0; j < s->grid.count && !status; j++)
            status = check(w, &s->grid.items[j]);
        for (int j = 0; j < s->block.count && !status; j++)
            status = check(w, &s->block.items[j]);
        for (int j = 0; j < s->cluster.count && !status; j++)
            status = check(w, &s->cluster.items[j]);
    }
    if (!status)
        status = check(w, &k->least);
    return status;
}

static void add_extents(struct gr_str *out, const char *member, const struct gr_texts *texts)
{
    for (int i = 0; i < 3; i++) {
        gr_str_printf(out, "        launch->%s[%d] = ", member, i);
        if (i < texts->count)
            add_expression(&texts->items[i], out);
        else
            gr_str_add(out, "1");
        gr_str_add(out, ";\n");
    }
}

static void add_launch(struct gr_str *out, const struct gr_stanza *stanza, int number)
{
    gr_str_add(out, "    if (");
    if (stanza->when.text)
        add_expression(&stanza->when, out);
    else
        gr_str_add(out, "1");
    gr_str_printf(out,
                  ") {\n        struct gr_device_launch *const launch = "
                  "&plan->launches[plan->launch_count++];\n        launch->stanza = %d;\n",
                  number);
    add_extents(out, "grid", &stanza->grid);
    add_extents(out, "block", &stanza->block);
    add_extents(out, "cluster", &stanza->cluster);
    gr_str_add(out, "        launch->smem_bytes = ");
    if (stanza->smem.text)
        add_expression(&stanza->smem, out);
    else
        gr_str_add(out, "0");
    gr_str_add(out, ";\n    }\n");
}

static void add_lets(struct writing *w)
{
    const struct gr_kernel *k = w->entry->kernel;
    add_given(w);
    for (int i = 0; i < k->let_count; i++)
        add_value(w->out, k->lets[i].name.text, &k->lets[i].value);
}

static int64_t combinations_of(const struct gr_kernel *k)
{
    int64_t combinations = 1;
    for (int i = 0; i < k->arg_count; i++)
        combinations *= k->args[i].choice_count > 0 ? k->args[i].choice_count : 1;
    return combinations;
}

/* Writes the value of args[i] for a choice. The number of the choice is in mixed radix, in which
 * the last arg changes fastest. */
static void add_choice(struct writing *w, int i)
{
    const struct gr_let *choice = &w->entry->kernel->args[i];
    int64_t radix = 1;
    for (int j = i + 1; j < w->entry->kernel->arg_count; j++)
        radix *=
            w->entry->kernel->args[j].choice_count > 0 ? w->entry->kernel->args[j].choice_count : 1;
    gr_str_printf(w->out, "    static const int64_t values_%d[] = {", i);
    for (int j = 0; j < choice->choice_count; j++)
        gr_str_printf(w->out, "%s%" PRId64, j ? ", " : "", choice->choices[j]);
    gr_str_printf(w->out, "};\n    const int64_t %s = values_%d[picked / %" PRId64 " %% %d];\n",
                  choice->name.text, i, radix, choice->choice_count);
}

/* Is it an arg whose value the library provides? The files of kernels/gpu/ compute one product
 * without an epilogue, and give its value for that. */
static bool is_given(const char *name)
{
    static const char *const names[] = {"batch", "stride_a", "stride_b",   "stride_c", "arrays",
                                        "bias",  "per_row",  "activation", "scale_a",  "scale_b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool gr_pack_takes(const struct gr_kernel *kernel, const char *name)
{
    for (int i = 0; i < kernel->arg_count; i++)
        if (strcmp(kernel->args[i].name.text, name) == 0)
            return true;
    for (int i = 0; i < kernel->size_count; i++)
        if (strcmp(kernel->sizes[i].name.text, name) == 0)
            return true;
    return false;
}

static void add_arg(struct writing *w, int i)
{
    const struct gr_let *arg = &w->entry->kernel->args[i];
    if (arg->choice_count > 0)
        add_choice(w, i);
    else if (strcmp(arg->name.text, "batch") == 0)
        gr_str_add(w->out, "    const int64_t batch = gr_device_max(given->batch, 1);\n");
    else if (is_given(arg->name.text))
        gr_str_printf(w->out, "    const int64_t %s = (int64_t)given->%s;\n", arg->name.text,
                      arg->name.text);
    else
        add_value(w->out, arg->name.text, &arg->value);
}

/* Writes the function that computes the args of a combination of choices and returns its cost. */
static void add_costs(struct writing *w, int number)
{
    const struct gr_kernel *k = w->entry->kernel;
    gr_str_printf(w->out,
                  "\n/* %s */\nstatic int64_t cost_%d(const struct gr_device_given *given, int64_t "
                  "picked, int64_t *args)\n{\n    (void)picked, (void)args;\n",
                  k->path, number);
    add_lets(w);
    for (int i = 0; i < k->arg_count; i++) {
        add_arg(w, i);
        gr_str_printf(w->out, "    args[%d] = %s;\n", i, k->args[i].name.text);
    }
    gr_str_add(w->out, "    return ");
    if (k->least.text)
        add_expression(&k->least, w->out);
    else
        gr_str_add(w->out, "0");
    gr_str_add(w->out, ";\n}\n");
}

static void add_parameter(struct writing *w, const char *member, const char *name)
{
    const struct gr_kernel *k = w->entry->kernel;
    bool has = false;
    for (int i = 0; i < k->param_count && !has; i++)
        has = strcmp(k->params[i].name.text, name) == 0;
    gr_str_printf(w->out, "    plan->%s = %s;\n", member, has ? name : "0");
}

static void add_function(struct writing *w, int number)
{
    const struct gr_kernel *k = w->entry->kernel;
    add_costs(w, number);
    gr_str_printf(w->out,
                  "\nstatic bool plan_%d(const struct gr_device_given *given, int64_t picked, "
                  "struct gr_device_plan *plan)\n{\n",
                  number);
    add_lets(w);
    for (int i = 0; i < k->require_count; i++) {
        gr_str_add(w->out, "    if (!(");
        add_expression(&k->requires[i].expression, w->out);
        gr_str_add(w->out, "))\n        return false;\n");
    }
    gr_str_printf(w->out,
                  "    plan->picked = gr_device_pick(cost_%d, given, %" PRId64
                  ", picked, plan->args, &plan->cost_ns);\n",
                  number, combinations_of(k));
    for (int i = 0; i < k->arg_count; i++)
        gr_str_printf(w->out, "    const int64_t %s = plan->args[%d];\n    (void)%s;\n",
                      k->args[i].name.text, i, k->args[i].name.text);
    for (int i = 0; i < k->work_count; i++) {
        const enum gr_dtype type = k->works[i].element_is_t ? w->entry->types.a : k->works[i].type;
        gr_str_printf(w->out, "    plan->work_bytes[%d] = %zu * (", i, gr_dtype_bytes(type));
        add_expression(&k->works[i].count, w->out);
        gr_str_add(w->out, ");\n");
    }
    for (int i = 0; i < k->map_count; i++)
        for (int j = 0; j < 2; j++) {
            gr_str_printf(w->out, "    plan->boxes[%d][%d] = ", i, j);
            add_expression(&k->maps[i].box.items[j], w->out);
            gr_str_add(w->out, ";\n");
        }
    add_parameter(w, "tile[0]", "BM");
    add_parameter(w, "tile[1]", "BN");
    add_parameter(w, "tile[2]", "BK");
    add_parameter(w, "blocks", "BLOCKS");
    for (int i = 0; i < k->stanza_count; i++)
        add_launch(w->out, &k->stanzas[i], i);
    gr_str_add(w->out, "    return true;\n}\n");
}

static const char *role_of(const struct gr_kernel *kernel, const struct gr_parameter *p)
{
    if (gr_kernel_has_workload(kernel) && p->role != GR_ROLE_ARG)
        return place_in_epilogue(p->name) < 0 ? NULL : of_epilogue[place_in_epilogue(p->name)].role;
    switch (p->role) {
#define GR_PACK_ROLE(name)                                                                         \
    case GR_ROLE_##name:                                                                           \
        return "GR_DEVICE_" #name;
        GR_PACK_ROLE(M)
        GR_PACK_ROLE(N)
        GR_PACK_ROLE(K)
        GR_PACK_ROLE(ALPHA)
        GR_PACK_ROLE(BETA)
        GR_PACK_ROLE(A)
        GR_PACK_ROLE(B)
        GR_PACK_ROLE(C)
        GR_PACK_ROLE(LDA)
        GR_PACK_ROLE(LDB)
        GR_PACK_ROLE(LDC)
        GR_PACK_ROLE(ARG)
        GR_PACK_ROLE(WORK)
        GR_PACK_ROLE(MAP)
#undef GR_PACK_ROLE
    default:
        return NULL;
    }
}

static const char *value_of(const struct writing *w, const struct gr_parameter *p)
{
    const enum gr_dtype type = p->has_dtype ? p->dtype : w->entry->types.a;
    if (p->pointer)
        return p->role == GR_ROLE_MAP ? NULL : "GR_DEVICE_ADDRESS";
    if (p->role == GR_ROLE_MAP)
        return "GR_DEVICE_TENSOR_MAP";
    if (p->class == GR_TYPE_INTEGER)
        return p->bits > 32 ? "GR_DEVICE_INT64" : p->bits > 16 ? "GR_DEVICE_INT32" : NULL;
    return type == GR_F64 ? "GR_DEVICE_F64" : type == GR_F32 ? "GR_DEVICE_F32" : NULL;
}

static enum gradus_status add_stanzas(struct writing *w, int number)
{
    const struct gr_kernel *k = w->entry->kernel;
    for (int s = 0; s < k->stanza_count; s++) {
        const struct gr_signature *g = &k->stanzas[s].signature;
        gr_str_printf(w->out, "\nstatic const struct gr_device_parameter parameters_%d_%d[] = {\n",
                      number, s);
        for (int i = 0; i < g->count; i++) {
            const char *role = role_of(k, &g->parameters[i]);
            const char *value = value_of(w, &g->parameters[i]);
            if (!role || !value)
                return refuse(w, g->parameters[i].name);
            gr_str_printf(w->out, "    {%s, %s, %d}, /* %s */\n", role, value,
                          g->parameters[i].index, g->parameters[i].name);
        }
        gr_str_add(w->out, "};\n");
    }
    const bool waits = strstr(k->source, "#include \"dependent_launch.h\"");
    gr_str_printf(w->out, "\nstatic const struct gr_device_stanza stanzas_%d[] = {\n", number);
    for (int s = 0; s < k->stanza_count; s++) {
        const struct gr_stanza *from = &k->stanzas[s];
        const char *name = from->kernel.text ? from->kernel.text : from->signature.name;
        gr_str_printf(w->out, "    {\"%s\", %s, %d, parameters_%d_%d},\n", name,
                      waits ? "true" : "false", from->signature.count, number, s);
    }
    gr_str_add(w->out, "};\n");
    return GRADUS_OK;
}

/* The values of CUtensorMapDataType, of which 0 is a byte. A kernel that multiplies in tf32 lets
 * the copy engine (TMA) round its floats. */
static int map_type(const struct gr_kernel *kernel, char operand, enum gr_dtype type)
{
    if (operand != 'C' && type == GR_F32 && kernel->math && strcmp(kernel->math, "tf32") == 0)
        return 11;
    return type == GR_BF16 ? 9 : type == GR_F16 ? 6 : type == GR_F64 ? 8 : type == GR_F32 ? 7 : 0;
}

static void add_maps(struct writing *w, int number)
{
    const struct gr_kernel *k = w->entry->kernel;
    if (!k->map_count)
        return;
    gr_str_printf(w->out, "\nstatic const struct gr_device_map maps_%d[] = {\n", number);
    for (int i = 0; i < k->map_count; i++) {
        const char operand = k->maps[i].operand;
        const enum gr_dtype type = operand == 'A'   ? w->entry->types.a
                                   : operand == 'B' ? w->entry->types.b
                                                    : w->entry->types.c;
        gr_str_printf(w->out, "    {'%c', %d, %d, %d},\n", operand, map_type(k, operand, type),
                      k->maps[i].swizzle_bytes, k->maps[i].by_address);
    }
    gr_str_add(w->out, "};\n");
}

enum gradus_status gr_pack_plan(const struct gr_pack_entry *entry, int number, struct gr_str *out,
                                struct gradus_error *error)
{
    struct writing w = {.entry = entry, .out = out, .error = error};
    int trans = 0;
    while (trans < 3 && !entry->kernel->trans[trans])
        trans++;
    enum gradus_status status = gr_pack_variant(entry, trans, &w.variant, error);
    if (status == GRADUS_OK)
        status = check_all(&w);
    if (status != GRADUS_OK)
        return status;
    add_function(&w, number);
    add_maps(&w, number);
    return add_stanzas(&w, number);
}
