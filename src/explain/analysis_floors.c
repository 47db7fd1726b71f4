/* analysis_floors.c: lower bounds of the time that the problem takes on the device.
 * SPDX-License-Identifier: MIT */
#include "explain/amounts.h"
#include "explain/analysis.h"

#include "model/floors.h"

static bool applies(const struct gr_analysis_input *s)
{
    return s->bytes > 0;
}

static void say_gemm(const struct gr_analysis_input *s, const struct gr_floors *f,
                     struct gr_section *section)
{
    gr_section_printf(section,
                      "Arithmetic: 2 M N K = %.4g GFLOP at the peak of %.4g TFLOP/s (plain %s, no "
                      "tensor cores) take %s.",
                      f->flops * 1e-9, f->gflops * 1e-3, gr_dtype_name(s->problem->types.acc),
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
    struct gr_floors f = gr_floors_of(s->flops, s->bytes, s->problem->types.acc, s->device);
    double least_ns = f.compute_ns > f.memory_ns ? f.compute_ns : f.memory_ns;
    gr_section_number(section, "flops", f.flops, "FLOP");
    gr_section_number(section, "bytes", f.bytes, "bytes");
    gr_section_number(section, "floor.compute_ns", f.compute_ns, "ns");
    gr_section_number(section, "floor.memory_ns", f.memory_ns, "ns");
    gr_section_number(section, "floor_ns", least_ns, "ns");
    if (gr_kernel_has_workload(s->variant->kernel))
        say_other(s, &f, section);
    else
        say_gemm(s, &f, section);
    gr_section_printf(section, "No kernel takes less than the longer of them, %s: %s.",
                      gr_amount_time(least_ns).text,
                      f.compute_ns > f.memory_ns ? "arithmetic decides" : "memory decides");
}

const struct gr_analysis gr_analysis_floors = {.order = 50,
                                               .title = "Time floors",
                                               .of_problem = true,
                                               .applies = applies,
                                               .explain = explain};
