/* program.c: exports a kernel as a complete program for nvcc. SPDX-License-Identifier: MIT */
#include "emit/program.h"

#include "core/error.h"
#include "catalog/catalog.h"
#include "emit/macros.h"
#include "emit/program_host.h"
#include "emit/program_source.h"
#include "emit/textures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Writes the name of an `arg` line's variable. The names of expressions in `args` lines are not
 * valid in C. */
static void write_arg_name(const struct gr_kernel *k, int i, struct gr_str *out)
{
    if (strchr(k->args[i].name.text, '['))
        gr_str_printf(out, "argument%d", i);
    else
        gr_str_add(out, k->args[i].name.text);
}

static void write_triple(const char *what, const struct gr_texts *texts, struct gr_str *out)
{
    gr_str_printf(out, "%s(", what);
    for (int i = 0; i < texts->count; i++)
        gr_str_printf(out, "%s(unsigned)(%s)", i ? ", " : "", texts->items[i].text);
    gr_str_add(out, ")");
}

/* Writes the argument for a parameter. */
static void write_argument(const struct gr_kernel *k, const struct gr_stanza *stanza,
                           const struct gr_parameter *p, struct gr_str *out)
{
    static const char *const names[] = {
        [GR_ROLE_M] = "M",         [GR_ROLE_N] = "N",       [GR_ROLE_K] = "K",
        [GR_ROLE_ALPHA] = "alpha", [GR_ROLE_BETA] = "beta", [GR_ROLE_A] = "A",
        [GR_ROLE_B] = "B",         [GR_ROLE_C] = "C",       [GR_ROLE_LDA] = "lda",
        [GR_ROLE_LDB] = "ldb",     [GR_ROLE_LDC] = "ldc"};
    if (p->role == GR_ROLE_WORK)
        gr_str_add(out, k->works[p->index].name.text);
    else if (p->role == GR_ROLE_MAP)
        gr_str_add(out, k->maps[p->index].name.text);
    else if (p->role == GR_ROLE_ARG)
        write_arg_name(k, p->index, out);
    else if (p->role == GR_ROLE_VALUE)
        gr_str_add(out, stanza->args.items[p->index].text);
    else
        gr_str_add(out, names[k->mirrored ? gr_role_mirrored(p->role) : p->role]);
}

static void write_launch(const struct gr_kernel *k, const struct gr_stanza *s, struct gr_str *out)
{
    gr_str_printf(out, "    if (for_once == %s", s->once ? "true" : "false");
    if (s->when.text)
        gr_str_printf(out, " && (%s)", s->when.text);
    gr_str_add(out, ")\n        start(");
    write_triple("dim3", &s->grid, out);
    gr_str_add(out, ", ");
    write_triple("dim3", &s->block, out);
    gr_str_add(out, ", ");
    if (s->cluster.count)
        write_triple("dim3", &s->cluster, out);
    else
        gr_str_add(out, "dim3(0)");
    gr_str_printf(out, ", (size_t)(%s),\n              ::%s", s->smem.text ? s->smem.text : "0",
                  s->kernel.text ? s->kernel.text : s->signature.name);
    for (int i = 0; i < s->signature.count; i++) {
        gr_str_add(out, ", ");
        write_argument(k, s, &s->signature.parameters[i], out);
    }
    gr_str_add(out, ");\n");
}

static void write_works(const struct gr_variant *v, struct gr_str *out)
{
    const struct gr_kernel *k = v->kernel;
    for (int i = 0; i < k->work_count; i++) {
        const struct gr_work *w = &k->works[i];
        const char *type = gr_dtype_ctype(w->element_is_t ? v->types.a : w->type);
        gr_str_printf(out, "    const size_t %s_bytes = sizeof(%s) * (size_t)(%s);\n", w->name.text,
                      type, w->count.text);
        gr_str_printf(out, "    static const pointer %s = allocate(%s_bytes);\n", w->name.text,
                      w->name.text);
        if (w->zero)
            gr_str_printf(out,
                          "    if (!for_once)\n"
                          "        check(cudaMemsetAsync(%s, 0, %s_bytes), \"zeroing %s\");\n",
                          w->name.text, w->name.text, w->name.text);
    }
}

static void write_arg(const struct gr_kernel *k, int i, const char *indent, struct gr_str *out)
{
    gr_str_printf(out, "%s[[maybe_unused]] const int64_t ", indent);
    write_arg_name(k, i, out);
    gr_str_printf(out, " = %s;\n", k->args[i].value.text);
}

/* The loops over what `choose` lines name: `chosen_values` are the values for which the expression
 * of the `least` line is least, the last name's first. Returns how many there are. */
static int write_choice(const struct gr_kernel *k, struct gr_str *out)
{
    int count = 0, written = 0;
    for (int i = 0; i < k->arg_count; i++)
        count += k->args[i].choice_count > 0;
    if (count == 0)
        return 0;
    gr_str_printf(out, "    int64_t chosen_values[%d] = {}, least_so_far = INT64_MAX;\n    {\n",
                  count);
    for (int i = 0; i < k->arg_count; i++) {
        const struct gr_let *arg = &k->args[i];
        if (arg->choice_count == 0) {
            write_arg(k, i, "        ", out);
            continue;
        }
        gr_str_printf(out, "        for (const int64_t %s : std::initializer_list<int64_t>{",
                      arg->name.text);
        for (int c = 0; c < arg->choice_count; c++)
            gr_str_printf(out, "%s%" PRId64, c ? ", " : "", arg->choices[c]);
        gr_str_add(out, "}) {\n");
    }
    gr_str_printf(out, "        if ((%s) < least_so_far) {\n            least_so_far = %s;\n",
                  k->least.text, k->least.text);
    for (int i = k->arg_count - 1; i >= 0; i--)
        if (k->args[i].choice_count > 0)
            gr_str_printf(out, "            chosen_values[%d] = %s;\n", written++,
                          k->args[i].name.text);
    gr_str_add(out, "        }\n        ");
    for (int i = 0; i < count; i++)
        gr_str_add(out, "}");
    gr_str_add(out, "\n    }\n");
    return count;
}

/* The name of the driver's type of a map's elements. A kernel that multiplies in tf32 lets the copy
 * engine (TMA) round its floats. */
static const char *map_type(const struct gr_variant *v, char operand)
{
    const char *math = v->kernel->math;
    switch (operand == 'A' ? v->types.a : operand == 'B' ? v->types.b : v->types.c) {
    case GR_F64:
        return "FLOAT64";
    case GR_F32:
        return operand != 'C' && math && strcmp(math, "tf32") == 0 ? "TFLOAT32" : "FLOAT32";
    case GR_F16:
        return "FLOAT16";
    case GR_BF16:
        return "BFLOAT16";
    case GR_S32:
        return "INT32";
    default:
        return "UINT8";
    }
}

static void write_maps(const struct gr_variant *v, struct gr_str *out)
{
    static const struct {
        const char *element, *rows, *columns;
    } of[] = {{"type_a", "a_along_k ? M : K", "a_along_k ? K : M"},
              {"type_b", "b_along_n ? K : N", "b_along_n ? N : K"},
              {"type_c", "c_along_n ? M : N", "c_along_n ? N : M"}};
    for (int i = 0; i < v->kernel->map_count; i++) {
        const struct gr_map *map = &v->kernel->maps[i];
        const int operand = map->operand - 'A';
        gr_str_printf(out,
                      "    const CUtensorMap %s = describe(CU_TENSOR_MAP_DATA_TYPE_%s, sizeof(%s), "
                      "%c, %s,\n        %s, ld%c, %s, %s, %d, %s, %s);\n",
                      map->name.text, map_type(v, map->operand), of[operand].element, map->operand,
                      of[operand].rows, of[operand].columns, 'a' + operand, map->box.items[0].text,
                      map->box.items[1].text, map->swizzle_bytes, map->optional ? "true" : "false",
                      map->by_address ? "true" : "false");
    }
}

/* Checks the file's `require` lines, then launches each stanza. */
static void write_launches(const struct gr_variant *v, struct gr_str *out)
{
    const struct gr_kernel *k = v->kernel;
    gr_str_add(out, gr_program_launch_head);
    int chosen = write_choice(k, out);
    for (int i = 0; i < k->arg_count; i++)
        if (k->args[i].choice_count == 0)
            write_arg(k, i, "    ", out);
        else
            gr_str_printf(out, "    const int64_t %s = chosen_values[%d];\n", k->args[i].name.text,
                          --chosen);
    for (int i = 0; i < k->require_count; i++)
        gr_str_printf(out, "    require(%s, \"%s\");\n", k->requires[i].expression.text,
                      k->requires[i].expression.text);
    write_works(v, out);
    write_maps(v, out);
    for (int i = 0; i < k->stanza_count; i++)
        write_launch(k, &k->stanzas[i], out);
    gr_str_add(out, "}\n");
}

/* Writes how the matrices are stored, for the host code. */
static void write_facts(const struct gr_variant *v, struct gr_str *out)
{
    const struct gr_kernel *k = v->kernel;
    bool a_by_columns = k->mirrored ? k->col_major_b : k->col_major_a;
    bool b_by_columns = k->mirrored ? k->col_major_a : k->col_major_b;
    gr_str_printf(out,
                  "typedef %s type_a;\ntypedef %s type_b;\ntypedef %s type_c;\n"
                  "// Does a stored row of the matrix run along k (A), n (B, C)?\n"
                  "static const bool a_along_k = %s, b_along_n = %s, c_along_n = %s;\n"
                  "typedef %s wide; // through which the 8- and 16-bit types are read\n"
                  "static const double alpha = %s, beta = %s, epsilon = %.3g;\n",
                  gr_dtype_ctype(v->types.a), gr_dtype_ctype(v->types.b),
                  gr_dtype_ctype(v->types.c), v->trans_a == a_by_columns ? "true" : "false",
                  v->trans_b == b_by_columns ? "true" : "false", k->col_major_c ? "false" : "true",
                  v->types.c == GR_F64 ? "double" : "float", k->implied_alpha1_beta0 ? "1" : "1.5",
                  k->implied_alpha1_beta0 ? "0" : "0.5",
                  gr_dtype_eps(v->types.acc) > gr_dtype_eps(v->types.c) ? gr_dtype_eps(v->types.acc)
                                                                        : gr_dtype_eps(v->types.c));
}

/* Writes the template argument of a kernel that takes any element type. */
static void write_generic(const struct gr_kernel *k, struct gr_str *out)
{
    bool generic = false;
    for (int i = 0; i < k->stanza_count; i++)
        generic |= k->stanzas[i].signature.is_generic;
    if (generic && !k->has_front_matter)
        gr_str_add(out, "typedef type_a T;\n");
}

/* Includes the headers of 8- and 16-bit types. */
static void write_type_headers(const struct gr_variant *v, struct gr_str *out)
{
    const enum gr_dtype types[] = {v->types.a, v->types.b, v->types.c};
    for (int i = 0; i < 3; i++) {
        if (types[i] == GR_F16)
            gr_str_add(out, "#include <cuda_fp16.h>\n");
        else if (types[i] == GR_BF16)
            gr_str_add(out, "#include <cuda_bf16.h>\n");
        else if (types[i] == GR_E4M3 || types[i] == GR_E5M2)
            gr_str_add(out, "#include <cuda_fp8.h>\n");
    }
}

static enum gradus_status check(const struct gr_kernel *k, struct gradus_error *error)
{
    if (k->language != GR_LANGUAGE_CUDA)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s is not CUDA: export writes programs for nvcc",
                       k->path);
    if (k->map_count && k->mirrored)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%s:%d: map %s: export does not write tensor maps of column-major products; "
                       "use gradus run",
                       k->path, k->maps[0].name.place.line, k->maps[0].name.text);
    for (int i = 0; i < k->stanza_count; i++)
        for (int p = 0; p < k->stanzas[i].signature.count; p++)
            if (k->stanzas[i].signature.parameters[p].role == GR_ROLE_MAP &&
                k->stanzas[i].signature.parameters[p].pointer)
                return gr_fail(error, GRADUS_UNSUPPORTED,
                               "%s:%d: %s: export passes tensor maps by value (const "
                               "__grid_constant__ CUtensorMap), not by a pointer; use gradus run",
                               k->path, k->stanzas[i].signature.parameters[p].line,
                               k->stanzas[i].signature.parameters[p].name);
    for (int i = 0; i < k->map_count; i++)
        if (k->maps[i].box.count != 2)
            return gr_fail(error, GRADUS_INVALID,
                           "%s:%d: map %s has %d extents, wanted 2: rows, columns", k->path,
                           k->maps[i].name.place.line, k->maps[i].name.text, k->maps[i].box.count);
    for (int i = 0; i < k->stanza_count; i++)
        if (!k->stanzas[i].grid.count || !k->stanzas[i].block.count)
            return gr_fail(error, GRADUS_INVALID, "%s: no %s for %s; give --grid and --block",
                           k->path, k->stanzas[i].grid.count ? "block" : "grid",
                           k->stanzas[i].signature.name);
    return gr_textures_refuse(k, error);
}

/* nvcc's options for the GPUs that the kernel runs on. Code for sm_90a must not be compiled for
 * sm_90 too, as `-arch` does. */
static void write_architecture(const struct gr_kernel *k, struct gr_str *out)
{
    const char *name = k->arch ? k->arch : "";
    if (strncmp(name, "sm_", 3) == 0) {
        int length = (int)strcspn(name + 3, ", ");
        gr_str_printf(out, "-gencode arch=compute_%.*s,code=sm_%.*s", length, name + 3, length,
                      name + 3);
    } else {
        gr_str_add(out, "-arch=native");
    }
}

enum gradus_status gr_program_write(const struct gr_variant *v, struct gr_str *out,
                                    struct gradus_error *error)
{
    const struct gr_kernel *k = v->kernel;
    enum gradus_status status = check(k, error);
    if (status != GRADUS_OK)
        return status;
    gr_str_printf(out,
                  "// %s as a program: multiplies, checks the product and times it.\n"
                  "// Build: nvcc -O3 ",
                  k->name);
    write_architecture(k, out);
    gr_str_printf(out, " --expt-relaxed-constexpr FILE.cu%s\n// Run: ./a.out [M N K]\n",
                  k->map_count ? " -lcuda" : "");
    if (k->map_count)
        gr_str_add(out, "#include <cuda.h>\n");
    gr_str_add(out, gr_program_includes);
    write_type_headers(v, out);
    status = gr_macros_write(v, GR_MACROS_ALL, out, error);
    if (status == GRADUS_OK)
        status = gr_program_source_write(k, out, error);
    if (status != GRADUS_OK)
        return status;
    gr_str_add(out, "\nnamespace gradus\n{\n");
    write_facts(v, out);
    write_generic(k, out);
    gr_str_add(out, gr_program_tools);
    if (k->map_count)
        gr_str_add(out, gr_program_maps);
    write_launches(v, out);
    gr_str_add(out, gr_program_check);
    gr_str_add(out, gr_program_main);
    return out->failed ? gr_fail_memory(error, k->path, out->length) : GRADUS_OK;
}
