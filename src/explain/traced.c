/* traced.c: the named counts of a simulated launch. SPDX-License-Identifier: MIT */
#include "explain/traced.h"

#include "base/str.h"

#include <stdlib.h>

const char *gr_traced_key(enum gr_access access)
{
    static const char *const names[] = {"loads", "stores", "atomics", "copies"};
    return names[access];
}

const char *gr_traced_title(enum gr_access access)
{
    static const char *const names[] = {"loads", "stores", "atomics", "asynchronous copies"};
    return names[access];
}

/* Is there a request of that kind? `array` -1: to any array. */
static bool has_requests(const struct gr_trace *trace, enum gr_space space, enum gr_access access,
                         int array)
{
    return gr_trace_total(trace, space, access, array).requests > 0;
}

bool gr_traced_touches(const struct gr_trace *trace, enum gr_space space)
{
    bool any = false;
    for (int access = 0; access < GR_ACCESS_COUNT; access++)
        any |= has_requests(trace, space, access, -1);
    return any;
}

void gr_traced_rows(const struct gr_analysis_input *s, struct gr_section *section,
                    enum gr_space space, gr_traced_fn *add_facts, gr_traced_fn *add_row)
{
    for (int access = 0; access < GR_ACCESS_COUNT; access++) {
        bool usual = access == GR_ACCESS_LOAD || access == GR_ACCESS_STORE;
        bool has = has_requests(s->trace, space, access, -1);
        if (usual || has)
            add_facts(s, section, access, -1);
        if (has)
            add_row(s, section, access, -1);
        for (int i = 0; i < s->trace->array_count && has; i++) {
            if (!has_requests(s->trace, space, access, i))
                continue;
            add_facts(s, section, access, i);
            add_row(s, section, access, i);
        }
    }
}

void gr_traced_fact(const struct gr_analysis_input *s, struct gr_section *section,
                    enum gr_space space, enum gr_access access, int array, const char *what,
                    double value, const char *unit)
{
    const char *of = array < 0 ? "" : s->trace->arrays[array].name;
    char *key = gr_printf("%s.%s.%s%s%s%s", gr_space_name(space), gr_traced_key(access), what,
                          *of ? "[" : "", of, *of ? "]" : "");
    if (key)
        gr_section_number(section, key, value, unit);
    section->failed |= !key;
    free(key);
}

int64_t gr_traced_excess(int64_t count, int64_t ideal)
{
    return count > ideal ? count - ideal : 0;
}

int64_t gr_traced_best(int64_t count, int64_t ideal)
{
    return count < ideal ? count : ideal;
}

double gr_traced_each(int64_t count, int64_t requests)
{
    return requests > 0 ? (double)count / (double)requests : 0;
}

bool gr_traced_applies(const struct gr_analysis_input *s)
{
    return s->trace != NULL;
}
