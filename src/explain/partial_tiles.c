/* partial_tiles.c: what the blocks cover, and what follows from it for bounds.
 * SPDX-License-Identifier: MIT */
#include "explain/partial_tiles.h"

#include <inttypes.h>
#include <string.h>

enum gr_role gr_role_of_array(const struct gr_analysis_input *s, const char *array)
{
    for (int i = 0; i < s->stanza->signature.count; i++) {
        const struct gr_parameter *p = &s->stanza->signature.parameters[i];
        bool operand = p->role == GR_ROLE_A || p->role == GR_ROLE_B || p->role == GR_ROLE_C;
        if (operand && strcmp(p->name, array) == 0)
            return p->role;
    }
    return GR_ROLE_NONE;
}

bool gr_fault_is_wild(const struct gr_trace_fault *f)
{
    return strncmp(f->array, "address ", strlen("address ")) == 0;
}

static bool is_partial(const struct gr_cover *c)
{
    return c->rows.slack > 0 || c->columns.slack > 0;
}

bool gr_cover_is_passed(const struct gr_analysis_input *s, const struct gr_cover *c,
                        const struct gr_trace_fault *f)
{
    const enum gr_role role = gr_role_of_array(s, f->array);
    return f->kind == GR_FIND_BOUNDS && f->index >= 0 && !gr_fault_is_wild(f) &&
           ((role == GR_ROLE_A && c->rows.slack > 0) ||
            (role == GR_ROLE_B && c->columns.slack > 0) || (role == GR_ROLE_C && is_partial(c)));
}

struct gr_cover gr_cover_of(const struct gr_analysis_input *s)
{
    struct gr_cover c = {0};
    bool any = false;
    for (int i = 0; s->trace && i < s->trace->fault_count; i++)
        any |= s->trace->faults[i].kind == GR_FIND_BOUNDS;
    if (any && s->problem && !gr_kernel_has_workload(s->variant->kernel)) {
        c.rows = gr_grid_step_along(s->variant, s->device_values, s->problem, false);
        c.columns = gr_grid_step_along(s->variant, s->device_values, s->problem, true);
    }
    return c;
}

void gr_cover_tell(const struct gr_analysis_input *s, const struct gr_cover *c, struct gr_str *out)
{
    const bool mirrored = s->variant->kernel->mirrored;
    const struct gr_grid_step m = mirrored ? c->columns : c->rows,
                              n = mirrored ? c->rows : c->columns;
    gr_str_printf(out,
                  "; the blocks cover %" PRId64 "x%" PRId64
                  " elements of C: check the indices, or, if whole tiles are wanted: //@ require ",
                  (mirrored ? s->problem->n : s->problem->m) + m.slack,
                  (mirrored ? s->problem->m : s->problem->n) + n.slack);
    if (m.slack)
        gr_str_printf(out, "M%%%" PRId64 "==0", m.tile);
    if (n.slack)
        gr_str_printf(out, "%sN%%%" PRId64 "==0", m.slack ? " && " : "", n.tile);
}
