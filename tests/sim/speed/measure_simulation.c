/* measure_simulation.c: SIZE FILE.cu [FILE.cu…]: multiplies SIZE^3 with each kernel file on the
 * simulator's fast mode, one thread of the host, interleaved, and prints the medians of its
 * processor time and the quotient of each to the next file of its pair. SPDX-License-Identifier:
 * MIT */
#include "backend/backend.h"
#include "backend/device_ref.h"
#include "catalog/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FILES = 16, ROUNDS = 15 };

struct candidate {
    struct gr_kernel *kernel;
    struct gr_variant variant;
    struct gr_artifact artifact;
    struct gr_plan plan;
    void *loaded;
    int64_t ns[ROUNDS];
};

static const struct gr_backend *sim;
static void *found, *opened;
static struct gr_launch launch;

static void check(enum gradus_status status, const struct gradus_error *error)
{
    if (status == GRADUS_OK)
        return;
    printf("%s\n%s\n", error->text, error->log ? error->log : "");
    exit(1);
}

static void prepare(struct candidate *e, const char *path, const struct gr_problem *p)
{
    struct gradus_error error = {0};
    struct gr_device_values device_values;
    check(gr_kernel_read(path, NULL, &e->kernel, &error), &error);
    check(gr_variant_make(e->kernel, p->types, false, false, &e->variant, &error), &error);
    check(sim->prepare(found, &e->variant, &(struct gr_build){0}, &e->artifact, &error), &error);
    sim->device_values(found, &e->artifact, 1, &device_values);
    check(sim->plan(&e->variant, p, &device_values, &e->plan, &error), &error);
    check(sim->load(opened, &e->artifact, 1, &e->loaded, &error), &error);
}

/* Of this thread alone: others may be at work on the machine. */
static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int64_t multiply(struct candidate *e)
{
    struct gradus_error error = {0};
    struct gr_scratch none = {0};
    int64_t begun = cpu_ns();
    check(sim->enqueue(e->loaded, &launch, &e->plan, &none, &error), &error);
    return cpu_ns() - begun;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void make_operands(const struct gr_problem *p)
{
    size_t elements = (size_t)(p->m * p->n);
    float *all = malloc(3 * elements * sizeof *all);
    if (!all)
        exit(1);
    for (size_t i = 0; i < 3 * elements; i++)
        all[i] = (float)(i * 2654435761u % 1000) / 1000;
    launch = (struct gr_launch){.m = p->m,
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
    static struct candidate candidates[FILES];
    struct gradus_error error = {0};
    struct gr_device_about about;
    struct gr_device_ref ref;
    int size = argc > 2 ? atoi(argv[1]) : 0, count = argc - 2;
    if (size <= 0 || count > FILES || count % 2) {
        puts("measure_simulation SIZE RUNG.cu PLAIN.cu [RUNG.cu PLAIN.cu…]");
        return 2;
    }
    struct gr_problem p = gr_problem_dense(size, size, size, false, false, gr_types_of(GR_F32));
    p.alpha = 1;
    check(gr_device_ref_parse("sim", &ref, &error), &error);
    sim = ref.backend;
    check(sim->find(&ref, &found, &about, &error), &error);
    check(sim->open(&ref, &opened, &error), &error);
    make_operands(&p);
    for (int i = 0; i < count; i++) {
        prepare(&candidates[i], argv[i + 2], &p);
        multiply(&candidates[i]);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++)
            candidates[i].ns[round] = multiply(&candidates[i]);
    for (int i = 0; i < count; i++)
        qsort(candidates[i].ns, ROUNDS, sizeof candidates[i].ns[0], compare);
    printf("%-16s %12s %12s %8s\n", "kernel", "simulated", "plain loops", "ratio");
    for (int i = 0; i < count; i += 2) {
        double fibers = (double)candidates[i].ns[ROUNDS / 2],
               loops = (double)candidates[i + 1].ns[ROUNDS / 2];
        printf("%-16s %9.2f ms %9.2f ms %8.2f\n", candidates[i].kernel->name, fibers * 1e-6,
               loops * 1e-6, fibers / loops);
    }
    return 0;
}
