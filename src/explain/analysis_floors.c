/* analysis_floors.c: lower bounds of the time that the problem takes on the device.
 * SPDX-License-Identifier: MIT */
#include "explain/amounts.h"
#include "explain/analysis.h"

#include <stdio.h>

static bool applies(const struct gr_analysis_input *s)
{
    return s->bytes > 0;
}

/* "plain f32, no tensor cores", "tensor cores, f16" */
static const char *units(const struct gr_analysis_input *s, bool tensor, char text[], size_t size)
{
    const char *math = s->variant->kernel->math;
    const struct gr_types types = s->problem->types;
    if (tensor)
        snprintf(text, size, "tensor cores, %s",
                 types.a == GR_F32 && math ? math : gr_dtype_name(types.a));
    else
        snprintf(text, size, "plain %s, no tensor cores", gr_dtype_name(types.acc));
    return text;
}

static void say_gemm(const struct gr_analysis_input *s, const struct gr_floors *f, bool tensor,
                     struct gr_section *section)
{
    char by[64];
    gr_section_printf(section,
                      "Arithmetic: 2 M N K = %.4g GFLOP at the peak of %.4g TFLOP/s (%s) take %s.",
                      f->flops * 1e-9, f->gflops * 1e-3, units(s, tensor, by, sizeof by),
                      gr_amount_time(f->compute_ns).text);
    gr_section_printf(
        section,
        "Memory: A and B read once and C written once%s are %.4g MB, and at %g GB/s take "
        "%s.",
        s->problem->beta == 0 ? " (beta is 0: it is not read)" : " and read once", f->bytes * 1e-6,
        (double)s->device->memory_gbps, gr_amount_time(f->memory_ns).text);
}

/* The floors of a workload that the file's `flop`, `bytes` and `array` lines describe. */
static void say_other(const struct gr_analysis_input *s, const struct gr_floors *f,
                      struct gr_section *section)
{
    if (f->flops > 0)
        gr_section_printf(
            section,
            "Arithmetic: %.4g GFLOP at the peak of %.4g TFLOP/s (plain %s, multiply-adds, "
            "no tensor cores) take %s.",
            f->flops * 1e-9, f->gflops * 1e-3, gr_dtype_name(s->problem->types.acc),
            gr_amount_time(f->compute_ns).text);
    gr_section_printf(section, "Memory: %.4g MB%s, at %g GB/s take %s.", f->bytes * 1e-6,
                      s->variant->kernel->bytes.text ? "" : ", each array moved once",
                      (double)s->device->memory_gbps, gr_amount_time(f->memory_ns).text);
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    const bool gemm = !gr_kernel_has_workload(s->variant->kernel), uses = s->uses_tensor_cores;
    const struct gr_floors plain =
        gr_floors_of(s->flops, s->bytes, s->problem->types.acc, s->device);
    bool tensor = false;
    const struct gr_floors f = gemm ? gr_input_least_floors(s, &tensor) : plain;
    double least_ns = f.compute_ns > f.memory_ns ? f.compute_ns : f.memory_ns;
    gr_section_number(section, "flops", f.flops, "FLOP");
    gr_section_number(section, "bytes", f.bytes, "bytes");
    gr_section_number(section, "floor.compute_ns", f.compute_ns, "ns");
    gr_section_number(section, "floor.memory_ns", f.memory_ns, "ns");
    gr_section_number(section, "floor_ns", least_ns, "ns");
    if (gemm)
        say_gemm(s, &f, tensor, section);
    else
        say_other(s, &f, section);
    if (tensor && !uses)
        gr_section_printf(section,
                          "This kernel uses no tensor cores: its multiply-adds take %s at the peak "
                          "of %.4g TFLOP/s (plain %s).",
                          gr_amount_time(plain.compute_ns).text, plain.gflops * 1e-3,
                          gr_dtype_name(s->problem->types.acc));
    gr_section_printf(section, "%s takes less than the longer of them, %s: %s.",
                      !tensor && uses ? "Without tensor cores, no kernel" : "No kernel",
                      gr_amount_time(least_ns).text,
                      f.compute_ns > f.memory_ns ? "arithmetic decides" : "memory decides");
}

const struct gr_analysis gr_analysis_floors = {.order = 50,
                                               .title = "Time floors",
                                               .of_problem = true,
                                               .applies = applies,
                                               .explain = explain};
