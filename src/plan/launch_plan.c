/* launch_plan.c: makes a launch plan from the front matter. SPDX-License-Identifier: MIT */
#include "plan/launch_plan.h"

#include "plan/launch_hint.h"
#include "core/error.h"
#include "source/place.h"
#include "model/launch_limits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The data needed to evaluate the lines of one kernel. */
struct planning {
    const struct gr_variant *variant;
    const struct gr_problem *problem;
    const struct gr_device_values *device_values;
    struct gradus_error *error;
};

/* Evaluates up to three extents; missing ones are 1. `remedy`: what to do if one is too large. */
static enum gradus_status extents(const struct planning *s, const char *what,
                                  const struct gr_texts *texts, const int64_t most[3],
                                  const char *remedy, unsigned out[3])
{
    static const char axes[] = "xyz";
    for (int i = 0; i < 3; i++) {
        int64_t value = 1;
        if (i < texts->count) {
            enum gradus_status status = gr_variant_eval(s->variant, s->problem, s->device_values,
                                                        &texts->items[i], &value, s->error);
            if (status != GRADUS_OK)
                return status;
        }
        if (value < 1 || value > most[i])
            return gr_fail(
                s->error, GRADUS_LAUNCH,
                "%s: %s %c is %" PRId64 ", wanted 1 to %" PRId64 ": a GPU refuses the launch%s",
                s->variant->kernel->name, what, axes[i], value, most[i], value < 1 ? "" : remedy);
        out[i] = (unsigned)value;
    }
    return GRADUS_OK;
}

/* The limits of all GPUs since compute capability 3.0 (CUDA C++ Programming Guide, "Technical
 * Specifications"). Limits that depend on the compiled code (registers, static shared memory)
 * are checked elsewhere. */
static enum gradus_status shape(const struct planning *s, const struct gr_stanza *stanza,
                                struct gr_plan_launch *launch)
{
    static const int64_t grid_most[] = {INT32_MAX, 65535, 65535}, block_most[] = {1024, 1024, 64},
                         cluster_most[] = {16, 16, 16};
    const int64_t threads_most = 1024;
    const struct gr_kernel *k = s->variant->kernel;
    if (stanza->grid.count == 0 || stanza->block.count == 0)
        return gr_launch_hint(s->variant->kernel, stanza, s->error);
    enum gradus_status status =
        extents(s, "grid", &stanza->grid, grid_most,
                "; x takes more, or let a block do several tiles", launch->grid);
    if (status == GRADUS_OK)
        status = extents(s, "block", &stanza->block, block_most, "; launch smaller blocks",
                         launch->block);
    if (status == GRADUS_OK && stanza->cluster.count)
        status = extents(s, "cluster", &stanza->cluster, cluster_most, "; choose a smaller one",
                         launch->cluster);
    if (status == GRADUS_OK && stanza->smem.text)
        status = gr_variant_eval(s->variant, s->problem, s->device_values, &stanza->smem,
                                 &launch->smem_bytes, s->error);
    if (status != GRADUS_OK)
        return status;
    const struct gr_device any = {.name = "a GPU",
                                  .cc = s->device_values->cc,
                                  .threads_per_block = threads_most,
                                  .smem_per_block_bytes = s->device_values->smem_max};
    const struct gr_launch_code unknown = {0};
    return gr_launch_admits(&any, k->name, launch, &unknown, s->error);
}

/* The width of an integer type from its value bits: 31 and 32 mean four bytes. */
static bool integer_value(int bits, enum gr_value *value)
{
    *value = bits > 32   ? GR_VALUE_INT64
             : bits > 16 ? GR_VALUE_INT32
             : bits > 8  ? GR_VALUE_INT16
                         : GR_VALUE_INT8;
    return bits > 0;
}

static bool real_value(const struct planning *s, const struct gr_parameter *p, enum gr_value *value)
{
    /* A parameter without a type has the kernel's type T. */
    switch (p->has_dtype ? p->dtype : s->variant->types.a) {
    case GR_F64:
        *value = GR_VALUE_F64;
        return true;
    case GR_F32:
    case GR_TF32:
    case GR_F22:
        *value = GR_VALUE_F32;
        return true;
    case GR_F16:
        *value = GR_VALUE_F16;
        return true;
    case GR_BF16:
        *value = GR_VALUE_BF16;
        return true;
    case GR_S32:
        *value = GR_VALUE_INT32;
        return true;
    case GR_S8:
    case GR_U8:
        *value = GR_VALUE_INT8;
        return true;
    default:
        return false;
    }
}

/* The value of a literal in an `args` line. */
static double number_of(const char *text)
{
    return strcmp(text, "true") == 0 ? 1 : strtod(text, NULL);
}

static enum gradus_status parameter(const struct planning *s, const struct gr_stanza *stanza, int i,
                                    struct gr_plan_parameter *out)
{
    const struct gr_parameter *p = &stanza->signature.parameters[i];
    *out = (struct gr_plan_parameter){.role = p->role, .index = p->index};
    bool known = true;
    if (p->role == GR_ROLE_VALUE)
        out->number = number_of(stanza->args.items[p->index].text);
    if (p->pointer)
        out->value = GR_VALUE_ADDRESS;
    else if (p->role == GR_ROLE_MAP)
        out->value = GR_VALUE_MAP;
    else if (p->class == GR_TYPE_INTEGER)
        known = integer_value(p->bits, &out->value);
    else
        known = real_value(s, p, &out->value);
    if (!known)
        return gr_fail_at(
            s->error, s->variant->kernel->path, gr_place_in_file(p->line, p->column),
            "parameter '%s' (%s): its size is not known, wanted an integer, a floating "
            "type or a pointer",
            p->name, p->type);
    return GRADUS_OK;
}

static enum gradus_status launch_of(const struct planning *s, int stanza,
                                    struct gr_plan_launch *launch)
{
    const struct gr_kernel *k = s->variant->kernel;
    const struct gr_stanza *from = &k->stanzas[stanza];
    *launch = (struct gr_plan_launch){.stanza = stanza, .once = from->once};
    enum gradus_status status = shape(s, from, launch);
    if (status == GRADUS_OK && from->signature.count > GR_MAX_PARAMETERS)
        status = gr_fail(s->error, GRADUS_UNSUPPORTED,
                         "%s: %s takes %d parameters, at most %d are passed", k->path,
                         from->signature.name, from->signature.count, GR_MAX_PARAMETERS);
    for (int i = 0; i < from->signature.count && status == GRADUS_OK; i++)
        status = parameter(s, from, i, &launch->parameters[i]);
    launch->parameter_count = from->signature.count;
    return status;
}

/* A kernel that multiplies in tf32 lets the copy engine (TMA) round its floats. */
static enum gr_dtype map_type(const struct planning *s, char operand)
{
    const char *math = s->variant->kernel->math;
    const enum gr_dtype type = gr_problem_type(s->problem, operand);
    return operand != 'C' && type == GR_F32 && math && strcmp(math, "tf32") == 0 ? GR_TF32 : type;
}

static enum gradus_status map_of(const struct planning *s, const struct gr_map *from,
                                 struct gr_plan_map *map)
{
    const struct gr_problem *problem = s->problem;
    *map = (struct gr_plan_map){.operand = from->operand,
                                .type = map_type(s, from->operand),
                                .rows = gr_problem_rows(problem, from->operand),
                                .columns = gr_problem_cols(problem, from->operand),
                                .ld = gr_problem_ld(problem, from->operand),
                                .swizzle_bytes = from->swizzle_bytes,
                                .optional = from->optional,
                                .by_address = from->by_address};
    const int64_t unit = 16 / (int64_t)gr_dtype_bytes(map->type);
    if (map->optional)
        map->ld = (map->ld + unit - 1) / unit * unit;
    for (int i = 0; i < 2; i++) {
        int64_t value = 0;
        if (from->box.count != 2)
            return gr_fail(
                s->error, GRADUS_INVALID, "%s:%d: map %s has %d extents, wanted 2: rows, columns",
                s->variant->kernel->path, from->name.place.line, from->name.text, from->box.count);
        enum gradus_status status = gr_variant_eval(s->variant, s->problem, s->device_values,
                                                    &from->box.items[i], &value, s->error);
        if (status != GRADUS_OK)
            return status;
        if (value < 1 || value > 256)
            return gr_fail(s->error, GRADUS_UNSUPPORTED,
                           "%s: map %s: an extent of %" PRId64 ", a tensor map takes 1 to 256",
                           s->variant->kernel->name, from->name.text, value);
        map->box[i] = (unsigned)value;
    }
    return GRADUS_OK;
}

void gr_plan_zero_c(const struct gr_kernel *kernel, const struct gr_problem *problem,
                    struct gr_plan *plan)
{
    const int64_t element = (int64_t)gr_dtype_bytes(gr_problem_type(problem, 'C'));
    plan->zero_c_bytes = kernel->zero_c ? gr_problem_span(problem, 'C') * element : 0;
    plan->zero_c_row_bytes = kernel->zero_c ? problem->n * element : 0;
}

enum gradus_status gr_plan_launches(const struct gr_variant *variant,
                                    const struct gr_problem *problem,
                                    const struct gr_device_values *device_values,
                                    struct gr_plan *plan, struct gradus_error *error)
{
    const struct gr_kernel *k = variant->kernel;
    struct planning s = {variant, problem, device_values, error};
    *plan = (struct gr_plan){.map_count = k->map_count};
    gr_plan_zero_c(k, problem, plan);
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < k->stanza_count && status == GRADUS_OK; i++) {
        int64_t wanted = 1;
        if (k->stanzas[i].when.text)
            status = gr_variant_eval(variant, problem, device_values, &k->stanzas[i].when, &wanted,
                                     error);
        if (status == GRADUS_OK && wanted)
            status = launch_of(&s, i, &plan->launches[plan->launch_count++]);
    }
    for (int i = 0; i < k->map_count && status == GRADUS_OK; i++)
        status = map_of(&s, &k->maps[i], &plan->maps[i]);
    return status;
}
