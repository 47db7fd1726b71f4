/* show_sass.c: compiles a rung for sm_90, and lists its blocks of FFMAs.
 * SPDX-License-Identifier: MIT */
#include "cli/show_sass.h"

#include "backend/gpu_compile.h"
#include "catalog/variant.h"
#include "code/code.h"
#include "code/decode.h"
#include "core/error.h"
#include "sass/bank_cost.h"
#include "sass/reschedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CC = 90, BYTES = 16 };

enum gradus_status gr_show_sass_catalog(const struct gr_args *args, struct gr_catalog *catalog,
                                        struct gradus_error *error)
{
    return gr_catalog_load(gr_args_get(args, "kernel-dir"), GR_LANGUAGE_CUDA, catalog, error);
}

/* The code as the compiler made it, and the reordered code. */
struct both {
    struct gr_rtc_code cubin;
    void *reordered;
    struct gr_rescheduled report;
};

static enum gradus_status compile(const struct gr_args *args, const struct gr_kernel *kernel,
                                  struct both *b, struct gradus_error *error)
{
    static const struct gr_gpu_target target = {"NVIDIA H200", "sm_90a", CC};
    static const struct gr_build build = {0};
    const struct gr_types types = kernel->type_count > 0 ? kernel->types[0] : gr_types_of(GR_F32);
    bool trans_a = false, trans_b = false;
    char notes[256];
    struct gr_variant variant;
    gr_kernel_trans(kernel, false, &trans_a, &trans_b);
    enum gradus_status status = gr_variant_make(kernel, types, trans_a, trans_b, &variant, error);
    if (status == GRADUS_OK)
        gr_variant_suit(&variant, target.arch, 32);
    for (int i = 0; gr_args_get_at(args, "param", i) && status == GRADUS_OK; i++)
        status = gr_variant_set(&variant, gr_args_get_at(args, "param", i), error);
    if (status == GRADUS_OK)
        status = gr_gpu_compile(&variant, &build, &target, &b->cubin, notes, sizeof notes, error);
    if (status != GRADUS_OK)
        return status;
    b->reordered = malloc(b->cubin.length);
    if (!b->reordered)
        return gr_fail_memory(error, "machine code", b->cubin.length);
    memcpy(b->reordered, b->cubin.image, b->cubin.length);
    return gr_reschedule(b->reordered, b->cubin.length, &b->report, error);
}

static void add_summary(const struct gr_rescheduled_block *b, struct gr_str *out)
{
    const double ffmas = b->ffmas;
    gr_str_printf(out,
                  "\n  0x%x, %d instructions: %d FFMA\n"
                  "  expected to wait for registers, cycles an FFMA: %.3f; reordered %.3f\n",
                  b->first * BYTES, b->count, b->ffmas, b->lost_before / ffmas,
                  b->lost_after / ffmas);
    if (*b->why)
        gr_str_printf(out, "  not reordered: %s\n", b->why);
}

static void add_block(const unsigned char *text, const struct gr_rescheduled_block *b,
                      const struct gr_sass_op *ops, int *each, struct gr_str *out)
{
    add_summary(b, out);
    gr_banks_lost(ops + b->first, b->count, each);
    for (int i = 0; i < b->count; i++) {
        const struct gr_sass_word word = gr_sass_get(text, b->first + i);
        const uint64_t address = (uint64_t)(b->first + i) * BYTES;
        struct gr_decoded decoded;
        char line[256] = "?", waits[16] = "";
        if (gr_decode(CC, word.low, word.high, address, &decoded))
            gr_decoded_text(&decoded, line, sizeof line);
        if (each[i])
            snprintf(waits, sizeof waits, "+%d", each[i]);
        gr_str_printf(out, "  %5llx %3s  %.66s\n", (unsigned long long)address, waits, line);
    }
}

static enum gradus_status add_kernel(const struct gr_code_kernel *code,
                                     const struct gr_rescheduled_kernel *k, struct gr_str *out,
                                     struct gradus_error *error)
{
    const int count = (int)(code->text_bytes / BYTES);
    struct gr_sass_op *ops = calloc((size_t)count + 1, sizeof *ops);
    int *each = calloc((size_t)count + 1, sizeof *each);
    enum gradus_status status = GRADUS_OK;
    if (ops && each) {
        gr_sass_effects(CC, code->text, count, ops);
        for (int i = 0; i < k->block_count; i++)
            add_block(code->text, &k->blocks[i], ops, each, out);
    } else {
        status = gr_fail_memory(error, "machine code", (size_t)count * sizeof *ops);
    }
    free(ops);
    free(each);
    return status;
}

static enum gradus_status add_kernels(const struct both *b, bool reordered, struct gr_str *out,
                                      struct gradus_error *error)
{
    struct gr_code code = {0};
    const void *image = reordered ? b->reordered : b->cubin.image;
    enum gradus_status status = gr_code_read(image, b->cubin.length, &code, error);
    for (int i = 0; i < b->report.count && status == GRADUS_OK; i++) {
        const struct gr_rescheduled_kernel *k = &b->report.kernels[i];
        const struct gr_code_kernel *found = gr_code_find(&code, k->symbol);
        gr_str_printf(out, "\n%.78s\n", k->symbol);
        if (k->block_count == 0)
            gr_str_printf(out, "  %s\n", *k->why ? k->why : "no straight code with many FFMA");
        else if (found)
            status = add_kernel(found, k, out, error);
    }
    gr_code_free(&code);
    return status;
}

enum gradus_status gr_show_sass(const struct gr_args *args, const struct gr_kernel *kernel,
                                struct gr_str *out, struct gradus_error *error)
{
    const bool reordered = gr_args_get(args, "reorder-ffma") != NULL;
    struct both b = {0};
    enum gradus_status status = compile(args, kernel, &b, error);
    if (status == GRADUS_OK) {
        gr_str_printf(out, "%s: machine code for sm_90a by %s%s\n", kernel->name, b.cubin.compiler,
                      reordered ? ", FFMAs reordered" : "");
        gr_str_add(out, "+1: an FFMA that is expected to wait a cycle for the banks of registers.\n"
                        "Expected by a rule measured on an H200; kernels gained at most a third of "
                        "what it predicts.\n");
        status = add_kernels(&b, reordered, out, error);
    }
    gr_rtc_code_free(&b.cubin);
    gr_rescheduled_free(&b.report);
    free(b.reordered);
    return status;
}
