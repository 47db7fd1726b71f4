/* analysis_intensity.c: the arithmetic intensities of the problem, the kernel and the device,
 * and what limits the kernel. SPDX-License-Identifier: MIT */
#include "explain/analysis.h"

#include "model/intensity.h"

#include <inttypes.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The tile of C that a block computes with one read of its operands. */
struct tile {
    int64_t m, n;
    bool of_thread; /* 1 x 1: threads share no data */
};

static bool applies(const struct gr_analysis_input *s)
{
    return s->bytes > 0 && gr_input_computes(s);
}

/* Without shared memory and with one thread per element of C, each thread reads its own row of A
 * and column of B. Otherwise the names of the file's parameters give the tile. */
static bool find_tile(const struct gr_analysis_input *s, struct tile *tile)
{
    static const char *const names[][2] = {
        {"BM", "BN"}, {"BS", "BS"}, {"TILE", "TILE"}, {"BLOCK_SIZE", "BLOCK_SIZE"}};
    int64_t elements = s->problem->m * s->problem->n;
    bool compiled = s->kernel && s->launch;
    if (gr_kernel_has_workload(s->variant->kernel))
        return false;
    if (compiled && gr_input_smem_bytes(s) == 0 &&
        (double)gr_input_blocks(s) * (double)gr_input_threads(s) >= (double)elements) {
        *tile = (struct tile){1, 1, true};
        return true;
    }
    tile->of_thread = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((i > 0 && !compiled) || !gr_input_value(s, names[i][0], &tile->m) ||
            !gr_input_value(s, names[i][1], &tile->n) || tile->m < 1 || tile->n < 1)
            continue;
        tile->m = least(tile->m, s->problem->m); /* nothing is read beyond the matrix */
        tile->n = least(tile->n, s->problem->n);
        return true;
    }
    return false;
}

static void say_problem(const struct gr_analysis_input *s, double problem, double device,
                        struct gr_section *section)
{
    const char *what = gr_kernel_has_workload(s->variant->kernel) ? "computation" : "product";
    bool tensor = false;
    gr_input_least_floors(s, &tensor);
    tensor &= !gr_kernel_has_workload(s->variant->kernel);
    if (device <= 0) {
        gr_section_printf(section,
                          "The problem offers %.4g FLOP for each byte that must be moved. The rate "
                          "of the %s cores that the kernel uses is not known for %s.",
                          problem, gr_input_is_amd(s) ? "matrix" : "tensor",
                          gr_dtype_name(s->problem->types.a));
        return;
    }
    gr_section_printf(
        section,
        "The problem offers %.4g FLOP for each byte that must be moved. The device can do "
        "%.4g FLOP%s in the time in which its memory delivers a byte. So the %s is "
        "%s.",
        problem, device,
        s->uses_tensor_cores ? " by tensor cores"
        : tensor             ? " without tensor cores"
                             : "",
        what,
        problem > device ? "compute bound: a good kernel need not wait for memory"
                         : "memory bound: the best kernel moves bytes at full speed, and "
                           "its arithmetic units wait");
}

static void say_tile(const struct tile *tile, double kernel, struct gr_section *section)
{
    if (tile->of_thread)
        gr_section_printf(
            section,
            "The kernel: each thread reads a row of A and a column of B for itself, for "
            "one element of C. That is %.4g FLOP a byte, before caches help.",
            kernel);
    else
        gr_section_printf(section,
                          "The kernel: a block reads %" PRId64 " rows of A and %" PRId64
                          " columns of B, %" PRId64 " numbers for each k, and makes %" PRId64
                          " multiply-adds of them. That is %.4g FLOP a byte, before L2 helps.",
                          tile->m, tile->n, tile->m + tile->n, tile->m * tile->n, kernel);
}

/* The distinct bytes that each block accesses, summed over the blocks; 0: not simulated. */
static double block_bytes(const struct gr_analysis_input *s)
{
    double bytes = 0;
    for (int i = 0; s->trace && i < s->trace->array_count; i++)
        if (s->trace->arrays[i].space == GR_SPACE_GLOBAL)
            bytes += (double)s->trace->arrays[i].block_distinct_bytes;
    return bytes;
}

/* Compares the kernel's intensity with the ridge point of the roofline. */
static void say_verdict(const struct gr_analysis_input *s, double problem, double kernel,
                        double device, struct gr_section *section)
{
    struct gr_floors f = gr_input_floors(s);
    double reach = kernel * (double)s->device->memory_gbps;
    if (device <= 0)
        return;
    gr_section_word(section, "bound", kernel < device ? "memory" : "compute");
    if (kernel < device)
        gr_section_printf(
            section,
            "%.4g is below the device's %.4g: where caches do not help, the kernel is "
            "memory bound. Memory feeds it at most %.4g TFLOP/s, %.1f %% of the peak. %s",
            kernel, device, reach * 1e-3, 100 * reach / f.gflops,
            kernel < 0.9 * problem
                ? "Each byte must be used more often: a larger tile."
                : "A larger tile would not help: the problem has no more to offer.");
    else
        gr_section_printf(section,
                          "%.4g is above the device's %.4g: global memory does not limit the "
                          "kernel. The limit is inside the SM: shared memory, latency, the other "
                          "instructions.",
                          kernel, device);
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    double problem = s->flops / s->bytes;
    double device = gr_input_floors(s).gflops / (double)s->device->memory_gbps;
    struct tile tile;
    gr_section_number(section, "intensity.problem", problem, "FLOP/byte");
    if (device > 0)
        gr_section_number(section, "intensity.device", device, "FLOP/byte");
    say_problem(s, problem, device, section);
    bool has_tile = find_tile(s, &tile);
    double bytes = has_tile ? 0 : block_bytes(s);
    if (!has_tile && bytes > 0) {
        double traced = s->flops / bytes;
        gr_section_number(section, "intensity.kernel", traced, "FLOP/byte");
        gr_section_printf(
            section,
            "The kernel: its blocks touch %.4g MB, each block's counted once. That is "
            "%.4g FLOP a byte, before L2 helps.",
            bytes * 1e-6, traced);
        say_verdict(s, problem, traced, device, section);
        return;
    }
    if (!has_tile) {
        gr_section_printf(section, "The kernel's own intensity is not known: %s.",
                          s->kernel
                              ? "name the tile that a block computes in the file, as `//@ param "
                                "BM 128, BN 128`"
                              : "the file does not name its tile (BM, BN), and there is no "
                                "compiler to look closer");
        return;
    }
    double kernel = gr_intensity_tile(s->problem, tile.m, tile.n);
    gr_section_number(section, "intensity.kernel", kernel, "FLOP/byte");
    say_tile(&tile, kernel, section);
    say_verdict(s, problem, kernel, device, section);
}

const struct gr_analysis gr_analysis_intensity = {
    .order = 60, .title = "Arithmetic intensity", .applies = applies, .explain = explain};
