/* workload_faults.c: finds writes to arrays that are declared as inputs, and outputs that are never
 * written.
 *
 * There is no reference for such a kernel, so its values are not judged. What can be checked is
 * that each array is used as the file declares it. A trace begins with the arrays of the file's
 * lines, in their order. SPDX-License-Identifier: MIT */
#include "explain/workload_faults.h"

#include <inttypes.h>
#include <stdio.h>

static void set_about(struct gr_finding *finding, const struct gr_trace_array *array)
{
    if (finding)
        snprintf(finding->about, sizeof finding->about, "%s", array->name);
}

/* The first place in the kernel's own file that writes the array. */
static int writing_line(const struct gr_trace *trace, int array)
{
    for (int i = 0; i < trace->site_count; i++) {
        const struct gr_trace_site *s = &trace->sites[i];
        if (s->array == array && s->access != GR_ACCESS_LOAD && !*s->file)
            return s->line;
    }
    return 0;
}

static void tell_input(const struct gr_trace *trace, int array, struct gr_findings *findings)
{
    const struct gr_trace_array *a = &trace->arrays[array];
    if (a->stored)
        set_about(gr_findings_add(findings, GR_FIND_INPUT_CHANGED, writing_line(trace, array),
                                  "writes %s, which its `array` line says is only read; declare it "
                                  "`inout` if the kernel shall write it",
                                  a->name),
                  a);
}

/* A thread that accesses memory outside its array is stopped, so elements that it did not write are
 * a consequence of this fault. */
static bool was_stopped(const struct gr_trace *trace)
{
    for (int i = 0; i < trace->fault_count; i++)
        if (trace->faults[i].kind == GR_FIND_BOUNDS || trace->faults[i].kind == GR_FIND_ALIGNMENT)
            return true;
    return false;
}

static void tell_output(const struct gr_trace *traces, int count, int array,
                        struct gr_findings *findings)
{
    bool stored = false, whole = true, stopped = false;
    for (int i = 0; i < count; i++) {
        stored |= traces[i].arrays[array].stored;
        whole &= traces[i].coverage == GR_COVERAGE_WHOLE;
        stopped |= was_stopped(&traces[i]);
    }
    const struct gr_trace_array *a = &traces[count - 1].arrays[array];
    if (!stored && !stopped && a->bytes > 0)
        set_about(gr_findings_add(findings, GR_FIND_UNWRITTEN, 0,
                                  "%s is never written: no thread%s stores to it", a->name,
                                  whole ? "" : " of the blocks that were traced"),
                  a);
    else if (stored && a->unwritten > 0)
        set_about(gr_findings_add(findings, GR_FIND_UNWRITTEN, 0,
                                  "%" PRId64 " of the %" PRId64
                                  " elements of %s are never written, %s[%" PRId64
                                  "] the first of them; declare it `inout` if that is intended",
                                  a->unwritten, a->bytes / a->element_bytes, a->name, a->name,
                                  a->first_unwritten),
                  a);
}

void gr_workload_faults(const struct gr_kernel *kernel, const struct gr_trace *traces, int count,
                        struct gr_findings *findings)
{
    for (int i = 0; i < kernel->array_count && count > 0; i++) {
        for (int j = 0; j < count && !kernel->arrays[i].is_written; j++)
            tell_input(&traces[j], i, findings);
        if (!kernel->arrays[i].is_read)
            tell_output(traces, count, i, findings);
    }
}
