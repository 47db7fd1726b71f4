/* analysis_resources.c: the registers and shared memory that the compiler has allocated per
 * thread and block. SPDX-License-Identifier: MIT */
#include "explain/analysis.h"

#include <inttypes.h>

static bool applies(const struct gr_analysis_input *s)
{
    return s->kernel != NULL;
}

/* The number of instructions that access local memory; -1 if the code of this architecture cannot
 * be read. */
static int64_t count_spills(const struct gr_analysis_input *s, struct gr_mix *whole)
{
    struct gr_mix loop;
    if (gr_code_mix(s->code, s->kernel, whole, &loop, NULL) != GRADUS_OK)
        return -1;
    return whole->count[GR_OP_LDL] + whole->count[GR_OP_STL];
}

static void say_spills(const struct gr_analysis_input *s, struct gr_section *section)
{
    const struct gr_code_kernel *k = s->kernel;
    struct gr_mix whole;
    int64_t spills = count_spills(s, &whole);
    gr_section_number(section, "stack_bytes", (double)k->stack_bytes, "bytes a thread");
    if (spills < 0)
        return;
    gr_section_number(section, "spills", (double)spills, "instructions");
    if (spills > 0)
        gr_section_printf(
            section,
            "Spills: %" PRId64 " loads (LDL) and %" PRId64 " stores (STL) go to local "
            "memory, %" PRId64 " bytes a thread: what registers cannot hold, or an array "
            "whose index is not known at compile time.",
            whole.count[GR_OP_LDL], whole.count[GR_OP_STL], k->stack_bytes);
    else if (k->stack_bytes > 0)
        gr_section_printf(section,
                          "No spills: %" PRId64
                          " bytes of stack are there, but nothing is loaded from "
                          "or stored to local memory.",
                          k->stack_bytes);
    else
        gr_section_printf(section, "No spills: nothing goes to local memory.");
}

static void add_smem_facts(struct gr_section *section, int64_t fixed, int64_t dynamic)
{
    gr_section_number(section, "smem_bytes", (double)(fixed + dynamic), "bytes a block");
    gr_section_number(section, "smem.static_bytes", (double)fixed, "bytes a block");
    gr_section_number(section, "smem.dynamic_bytes", (double)dynamic, "bytes a block");
}

static void say_smem(const struct gr_analysis_input *s, struct gr_section *section)
{
    int64_t fixed = s->kernel->smem_bytes, dynamic = s->launch ? s->launch->smem_bytes : 0;
    if (fixed + dynamic == 0)
        gr_section_printf(section, "Shared memory: none.");
    else
        gr_section_printf(section,
                          "Shared memory: %" PRId64 " bytes a block: %" PRId64
                          " declared in the kernel (static), %" PRId64
                          " requested at launch (dynamic).",
                          fixed + dynamic, fixed, dynamic);
    add_smem_facts(section, fixed, dynamic);
}

/* Reports the instructions that access private memory. Without a disassembler the number is known
 * only if it is 0, because no such memory is allocated. */
static void say_scratch(const struct gr_analysis_input *s, struct gr_section *section)
{
    const struct gr_code_kernel *k = s->kernel;
    struct gr_mix whole;
    int64_t spills = count_spills(s, &whole);
    if (spills < 0 && k->stack_bytes == 0)
        spills = 0;
    gr_section_number(section, "stack_bytes", (double)k->stack_bytes, "bytes a thread");
    if (spills >= 0)
        gr_section_number(section, "spills", (double)spills, "instructions");
    if (k->stack_bytes == 0)
        gr_section_printf(section, "Scratch: none; nothing is spilled to memory.");
    else
        gr_section_printf(section,
                          "Scratch: %" PRId64 " bytes a work-item, for %d spilled VGPRs and arrays "
                          "whose index is not known at compile time.",
                          k->stack_bytes, k->amd.vgpr_spills);
    if (k->amd.sgpr_spills > 0)
        gr_section_printf(section, "%d SGPRs are spilled, into lanes of VGPRs.",
                          k->amd.sgpr_spills);
}

static void say_lds(const struct gr_analysis_input *s, struct gr_section *section)
{
    const int64_t fixed = s->kernel->smem_bytes, dynamic = s->launch ? s->launch->smem_bytes : 0;
    if (fixed + dynamic == 0)
        gr_section_printf(section, "LDS: none.");
    else
        gr_section_printf(section,
                          "LDS: %" PRId64 " bytes a workgroup: %" PRId64
                          " declared in the kernel (static), %" PRId64
                          " requested at launch (dynamic).",
                          fixed + dynamic, fixed, dynamic);
    add_smem_facts(section, fixed, dynamic);
}

static void explain_amd(const struct gr_analysis_input *s, struct gr_section *section)
{
    const struct gr_code_kernel *k = s->kernel;
    if (k->amd.agprs > 0)
        gr_section_printf(section,
                          "Vector registers: %d VGPRs a work-item of at most %" PRId64
                          ", %d accumulation registers (AGPRs) among them.",
                          k->registers, s->device->registers_per_thread, k->amd.agprs);
    else
        gr_section_printf(section, "Vector registers: %d VGPRs a work-item of at most %" PRId64 ".",
                          k->registers, s->device->registers_per_thread);
    gr_section_printf(section, "Scalar registers: %d SGPRs a wavefront of %d.", k->amd.sgprs,
                      k->amd.wave);
    gr_section_number(section, "regs", k->registers, "a thread");
    gr_section_number(section, "agprs", k->amd.agprs, "a thread");
    gr_section_number(section, "sgprs", k->amd.sgprs, "a warp");
    gr_section_number(section, "wave", k->amd.wave, "threads");
    say_scratch(s, section);
    say_lds(s, section);
    gr_section_printf(section, "Kernel arguments: %" PRId64 " bytes, hidden ones among them.",
                      k->parameter_bytes);
    gr_section_number(section, "parameter_bytes", (double)k->parameter_bytes, "bytes");
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    const struct gr_code_kernel *k = s->kernel;
    if (gr_input_is_amd(s)) {
        explain_amd(s, section);
        return;
    }
    gr_section_printf(section, "Registers: %d a thread of at most %" PRId64 ".", k->registers,
                      s->device->registers_per_thread);
    gr_section_number(section, "regs", k->registers, "a thread");
    say_spills(s, section);
    say_smem(s, section);
    gr_section_printf(section,
                      "Constant memory: %" PRId64 " bytes, the %" PRId64
                      " bytes of the kernel's parameters among them.",
                      k->constant_bytes, k->parameter_bytes);
    gr_section_number(section, "constant_bytes", (double)k->constant_bytes, "bytes");
    gr_section_number(section, "parameter_bytes", (double)k->parameter_bytes, "bytes");
    gr_section_number(section, "barriers", k->barriers, "");
}

const struct gr_analysis gr_analysis_resources = {
    .order = 20, .title = "Resources", .applies = applies, .explain = explain};
