/* measure_machine.c: SIZE FILE.cu…: executes blocks of each kernel's machine code on one thread of
 * the host, and prints for each the median and the quartiles, in nanoseconds of processor time, of
 * what a warp's instruction takes that does not access memory, and of what an access takes that
 * nobody watches. SPDX-License-Identifier: MIT
 *
 * Accesses are told from the rest by a second run in which they do nothing: the kernels' branches
 * do not depend on what they load. */
#include "backend/backend.h"
#include "backend/device_ref.h"
#include "backend/gpu_image.h"
#include "catalog/catalog.h"
#include "machine/cluster_blocks.h"
#include "plan/plan_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 11, BLOCKS = 2 };

static const struct gr_backend *sim;
static void *found;
static struct gr_launch product;
static struct gr_machine_memory memory;

static void check(enum gradus_status status, const struct gradus_error *error)
{
    if (status == GRADUS_OK)
        return;
    printf("%s\n%s\n", error->text, error->log ? error->log : "");
    exit(1);
}

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool accesses(const struct gr_decoded *d)
{
    static const char *const begins[] = {"LDG", "STG", "LDS", "STS", "LDSM", "RED", "ATOM"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(d->mnemonic, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static void nothing(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    (void)w;
    (void)s;
    (void)active;
}

/* What a load leaves, so that those who compute with it do not compute with denormal numbers. */
static void load_ones(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    (void)active;
    for (int k = 0; k < (s->bytes + 3) / 4; k++)
        for (int i = 0; i < GR_WARP_LANES; i++)
            w->v[s->d + k][i] = 0x3f800000;
}

static bool is_load(const struct gr_decoded *d)
{
    return strncmp(d->mnemonic, "LDG", 3) == 0 ? strncmp(d->mnemonic, "LDGSTS", 6) != 0
                                               : strcmp(d->mnemonic, "LDS") == 0;
}

/* Executes a few blocks. Returns the time; *counts: instructions that access memory, and others. */
static double execute(struct gr_block *b, const struct gr_program *p, int64_t counts[2])
{
    counts[0] = counts[1] = 0;
    memset(b->executed, 0, (size_t)p->count * sizeof *b->executed);
    int64_t begun = cpu_ns();
    for (unsigned i = 0; i < BLOCKS; i++)
        gr_block_run(b, i % b->launch->grid[0], i / b->launch->grid[0] % b->launch->grid[1], 0);
    int64_t ns = cpu_ns() - begun;
    for (int i = 0; i < p->count; i++)
        counts[!accesses(&p->decoded[i])] += b->executed[i].warps;
    return (double)ns;
}

static void print(const char *what, double *ns)
{
    qsort(ns, ROUNDS, sizeof *ns, compare);
    printf(" %s %.2f %.2f %.2f", what, ns[ROUNDS / 2], ns[ROUNDS / 4], ns[ROUNDS - 1 - ROUNDS / 4]);
}

static void measure(const char *name, struct gr_program *p, const struct gr_program_launch *how)
{
    double arithmetic[ROUNDS], access[ROUNDS];
    struct gr_block block;
    gr_step_fn **run = calloc((size_t)p->count, sizeof *run);
    if (!run || !gr_block_open(&block, p, how, &memory, NULL))
        exit(1);
    for (int i = 0; i < p->count; i++)
        run[i] = p->steps[i].run;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t counts[2];
        double whole = execute(&block, p, counts);
        for (int i = 0; i < p->count; i++)
            if (accesses(&p->decoded[i]))
                p->steps[i].run = is_load(&p->decoded[i]) ? load_ones : nothing;
        double rest = execute(&block, p, counts);
        for (int i = 0; i < p->count; i++)
            p->steps[i].run = run[i];
        arithmetic[round] = rest / (double)(counts[0] + counts[1]);
        access[round] = (whole - rest) / (double)(counts[0] ? counts[0] : 1);
    }
    if (block.status != GR_BLOCK_DONE)
        printf("%s: %s\n", name, block.text);
    printf("%s", name);
    print("arithmetic", arithmetic);
    print("access", access);
    printf("\n");
    gr_block_close(&block);
    free(run);
}

/* Of the plan, the launch with the most shared memory, which is the one that multiplies. */
static void measure_file(const char *path, const struct gr_problem *p)
{
    static struct gr_plan plan;
    static struct gr_artifact artifact;
    static struct gr_scratch scratch;
    const struct gr_build build = {.engine = GR_ENGINE_CODE};
    struct gradus_error error = {0};
    struct gr_kernel *kernel;
    struct gr_variant variant;
    struct gr_device_values values;
    struct gr_gpu_image image;
    struct gr_program program;
    union gr_plan_value value[GR_MAX_PARAMETERS];
    const void *pointers[GR_MAX_PARAMETERS];
    int64_t args[GR_MAX_ARGS], work_bytes[GR_MAX_WORKS];
    check(gr_kernel_read(path, NULL, &kernel, &error), &error);
    check(gr_variant_make(kernel, p->types, false, false, &variant, &error), &error);
    check(sim->prepare(found, &variant, &build, &artifact, &error), &error);
    sim->device_values(found, &artifact, 1, &values);
    check(gr_variant_args(&variant, p, &values, args, work_bytes, &error), &error);
    check(sim->plan(&variant, p, &values, &plan, &error), &error);
    check(gr_gpu_image_read(artifact.path, &image, &error), &error);
    product.args = args;
    for (int i = 0; i < kernel->work_count; i++) {
        const uint64_t bytes = (uint64_t)work_bytes[i] + 16;
        scratch.buffer[i] = calloc(1, bytes);
        gr_memory_add(&memory, (uintptr_t)scratch.buffer[i], bytes);
    }
    const struct gr_plan_launch *most = &plan.launches[0];
    for (int i = 1; i < plan.launch_count; i++)
        if (artifact.code[plan.launches[i].stanza].smem_bytes + plan.launches[i].smem_bytes >
            artifact.code[most->stanza].smem_bytes + most->smem_bytes)
            most = &plan.launches[i];
    struct gr_program_launch how = {.dynamic_smem_bytes = most->smem_bytes, .parameters = pointers};
    memcpy(how.grid, most->grid, sizeof how.grid);
    memcpy(how.block, most->block, sizeof how.block);
    for (int i = 0; i < most->parameter_count; i++) {
        gr_plan_value(&most->parameters[i], &product, &scratch, &value[i]);
        pointers[i] = &value[i];
    }
    check(gr_program_load(image.code, image.length, image.symbols[most->stanza], &how, NULL,
                          &program, &error),
          &error);
    measure(kernel->name, &program, &how);
    gr_program_free(&program);
    gr_gpu_image_free(&image);
    sim->discard(&artifact);
}

static void make_operands(const struct gr_problem *p)
{
    size_t elements = (size_t)(p->m * p->n);
    float *all = aligned_alloc(4096, 3 * elements * sizeof *all);
    if (!all)
        exit(1);
    for (size_t i = 0; i < 3 * elements; i++)
        all[i] = (float)(i * 2654435761u % 1000) / 1000;
    gr_memory_add(&memory, (uintptr_t)all, 3 * elements * sizeof *all);
    product = (struct gr_launch){.m = p->m,
                                 .n = p->n,
                                 .k = p->k,
                                 .lda = p->lda,
                                 .ldb = p->ldb,
                                 .ldc = p->ldc,
                                 .alpha = 1,
                                 .a = all,
                                 .b = all + elements,
                                 .c = all + 2 * elements};
}

int main(int argc, char **argv)
{
    struct gradus_error error = {0};
    struct gr_device_about about;
    struct gr_device_ref ref;
    int size = argc > 2 ? atoi(argv[1]) : 0;
    if (size <= 0 || size % 4) {
        puts("measure_machine SIZE RUNG.cu…: SIZE is a multiple of 4");
        return 2;
    }
    struct gr_problem p = gr_problem_dense(size, size, size, false, false, gr_types_of(GR_F32));
    p.alpha = 1;
    check(gr_device_ref_parse("sim", &ref, &error), &error);
    sim = ref.backend;
    check(sim->find(&ref, &found, &about, &error), &error);
    make_operands(&p);
    for (int i = 2; i < argc; i++)
        measure_file(argv[i], &p);
    return 0;
}
