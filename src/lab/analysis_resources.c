/* analysis_resources.c: what the compiler gave a thread and a block. SPDX-License-Identifier: MIT */
#include "lab/analysis.h"

#include <inttypes.h>

static bool applies(const struct gr_specimen *s)
{
    return s->kernel != NULL;
}

/* A thread without a stack has nothing to spill to. */
static void say_spills(const struct gr_specimen *s, struct gr_section *section)
{
    int64_t stack = s->kernel->stack_bytes;
    gr_section_number(section, "stack_bytes", (double)stack, "bytes a thread");
    if (stack > 0) {
        gr_section_say(section,
                       "Local memory: %" PRId64
                       " bytes a thread, for what registers cannot hold or "
                       "an array whose index is not known when compiling.",
                       stack);
        return;
    }
    gr_section_number(section, "spills", 0, "instructions");
    gr_section_say(section, "No spills: nothing goes to local memory.");
}

static void say_smem(const struct gr_specimen *s, struct gr_section *section)
{
    int64_t fixed = s->kernel->smem_bytes, dynamic = s->launch ? s->launch->smem_bytes : 0;
    if (fixed + dynamic == 0)
        gr_section_say(section, "Shared memory: none.");
    else
        gr_section_say(section,
                       "Shared memory: %" PRId64 " bytes a block: %" PRId64
                       " declared in the kernel (static), %" PRId64
                       " asked for at launch (dynamic).",
                       fixed + dynamic, fixed, dynamic);
    gr_section_number(section, "smem_bytes", (double)(fixed + dynamic), "bytes a block");
    gr_section_number(section, "smem.static_bytes", (double)fixed, "bytes a block");
    gr_section_number(section, "smem.dynamic_bytes", (double)dynamic, "bytes a block");
}

static void explain(const struct gr_specimen *s, struct gr_section *section)
{
    const struct gr_code_kernel *k = s->kernel;
    gr_section_say(section, "Registers: %d a thread of at most %" PRId64 ".", k->registers,
                   s->device->registers_per_thread);
    gr_section_number(section, "regs", k->registers, "a thread");
    say_spills(s, section);
    say_smem(s, section);
    gr_section_say(section,
                   "Constant memory: %" PRId64 " bytes, the %" PRId64
                   " bytes of the kernel's parameters among them.",
                   k->constant_bytes, k->parameter_bytes);
    gr_section_number(section, "constant_bytes", (double)k->constant_bytes, "bytes");
    gr_section_number(section, "parameter_bytes", (double)k->parameter_bytes, "bytes");
    gr_section_number(section, "barriers", k->barriers, "");
}

const struct gr_analysis gr_analysis_resources = {
    .order = 20, .title = "Resources", .applies = applies, .explain = explain};
