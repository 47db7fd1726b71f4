/* reordered_bits.c: RUNG MxNxK:TRANS[=KERNEL]…: executes a rung's machine code as the compiler made
 * it and with its FFMAs reordered, on the same matrices, and compares the bits of C. Each problem
 * is computed with beta 0 and beta 1. It fails, too, if nothing was reordered, or if KERNEL is not
 * among the kernels that were launched. SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "core/error.h"
#include "files/gpu_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIP = 77, SIDES = 2 };

struct problem {
    int m, n, k;
    bool trans_a, trans_b;
    const char *kernel; /* null: any */
};

static bool read_problem(const char *text, struct problem *p)
{
    char trans[3] = "";
    if (sscanf(text, "%dx%dx%d:%2[nt]", &p->m, &p->n, &p->k, trans) != 4 || strlen(trans) != 2)
        return false;
    p->trans_a = trans[0] == 't';
    p->trans_b = trans[1] == 't';
    const char *equals = strchr(text, '=');
    p->kernel = equals ? equals + 1 : NULL;
    return true;
}

/* Opens the simulated device with the rung, its code reordered or not. */
static enum gradus_status open_rung(const char *rung, const struct problem *p, bool reorder,
                                    struct gr_gpu_kernel *g, struct gradus_error *error)
{
    const struct gr_build build = {.engine = GR_ENGINE_CODE, .reorder_ffma = reorder};
    struct gr_device_ref device;
    struct gr_device_about about;
    const struct gr_kernel *kernel = NULL;
    *g = (struct gr_gpu_kernel){.artifact.pending = -1};
    enum gradus_status status = gr_device_ref_parse("sim:h200", &device, error);
    if (status == GRADUS_OK) {
        g->backend = device.backend;
        status = g->backend->find(&device, &g->found, &about, error);
    }
    if (status == GRADUS_OK)
        status = gr_catalog_load(NULL, GR_LANGUAGE_CUDA, &g->catalog, error);
    if (status == GRADUS_OK)
        status = gr_catalog_find(&g->catalog, rung, &kernel, error);
    if (status == GRADUS_OK)
        status = gr_variant_make(kernel, gr_types_of(GR_F32), p->trans_a, p->trans_b, &g->variant,
                                 error);
    if (status == GRADUS_OK) {
        gr_backend_suit(g->backend, g->found, &g->variant);
        status = g->backend->prepare(g->found, &g->variant, &build, &g->artifact, error);
    }
    if (status == GRADUS_OK)
        status = g->backend->open(&device, &g->opened, error);
    if (status == GRADUS_OK)
        status = g->backend->load(g->opened, &g->artifact, 1, &g->loaded, error);
    return status;
}

/* Prints the kernels; is `wanted` among them? */
static bool print_launches(const struct gr_gpu_kernel *g, const struct gr_problem *p,
                           const char *wanted)
{
    struct gr_device_values values;
    struct gr_plan plan;
    bool found = wanted == NULL;
    g->backend->device_values(g->found, &g->artifact, 1, &values);
    if (g->backend->plan(&g->variant, p, &values, &plan, NULL) != GRADUS_OK)
        return false;
    for (int i = 0; i < plan.launch_count; i++) {
        const char *name = g->variant.kernel->stanzas[plan.launches[i].stanza].kernel.text;
        printf(" %s", name ? name : "kernel");
        found |= wanted && name && strcmp(name, wanted) == 0;
    }
    return found;
}

static void fill(float *to, size_t count, uint64_t seed)
{
    struct gr_rng rng = {seed};
    for (size_t i = 0; i < count; i++)
        to[i] = (float)(gr_rng_unit(&rng) - 0.5);
}

/* Computes both products of a problem to `c`, one after the other. */
static enum gradus_status compute(struct gr_gpu_kernel *g, const struct problem *p, float *c,
                                  struct gradus_error *error)
{
    const size_t elements[3] = {(size_t)p->m * (size_t)p->k, (size_t)p->k * (size_t)p->n,
                                (size_t)p->m * (size_t)p->n};
    void *memory[3] = {NULL, NULL, NULL};
    struct gr_problem problem =
        gr_problem_dense(p->m, p->n, p->k, p->trans_a, p->trans_b, gr_types_of(GR_F32));
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < 3 && status == GRADUS_OK; i++) {
        status =
            g->backend->memory->reserve(g->opened, elements[i] * sizeof(float), &memory[i], error);
        if (status == GRADUS_OK)
            fill(memory[i], elements[i], (uint64_t)i + 1);
    }
    for (int beta = 0; beta < 2 && status == GRADUS_OK; beta++) {
        problem.alpha = beta ? 0.75 : 1;
        problem.beta = beta;
        status = gr_gpu_kernel_run(g, &problem, memory[0], memory[1], memory[2], error);
        if (status == GRADUS_OK)
            memcpy(c + (size_t)beta * elements[2], memory[2], elements[2] * sizeof(float));
    }
    if (status == GRADUS_OK && !print_launches(g, &problem, p->kernel))
        status = gr_fail(error, GRADUS_INVALID, "%s was not launched", p->kernel);
    for (int i = 0; i < 3; i++)
        g->backend->memory->release(g->opened, memory[i]);
    return status;
}

static int compare(const char *rung, const char *text, const struct problem *p)
{
    const size_t count = 2 * (size_t)p->m * (size_t)p->n;
    float *c[SIDES] = {calloc(count, sizeof(float)), calloc(count, sizeof(float))};
    struct gradus_error error = {0};
    enum gradus_status status = GRADUS_OK;
    printf("%s %s:", rung, text);
    for (int side = 0; side < SIDES && status == GRADUS_OK; side++) {
        struct gr_gpu_kernel g;
        status = open_rung(rung, p, side == 1, &g, &error);
        if (status == GRADUS_OK && side == 1 && !strstr(g.artifact.notes, "expected to delay"))
            status = gr_fail(&error, GRADUS_INVALID, "nothing was reordered");
        if (status == GRADUS_OK)
            status = compute(&g, p, c[side], &error);
        gr_gpu_kernel_close(&g);
    }
    int code = 1;
    if (status == GRADUS_UNSUPPORTED)
        code = SKIP;
    else if (status == GRADUS_OK && c[0][0] != 0)
        code = memcmp(c[0], c[1], count * sizeof(float)) != 0;
    printf(": %s%s\n",
           code == 0      ? "the same bits"
           : code == SKIP ? "skip: "
                          : "FAIL ",
           status == GRADUS_OK ? "" : error.text);
    gradus_error_clear(&error);
    free(c[0]);
    free(c[1]);
    return code;
}

int main(int argc, char **argv)
{
    int worst = 0;
    for (int i = 2; i < argc && worst == 0; i++) {
        struct problem p;
        worst = read_problem(argv[i], &p) ? compare(argv[1], argv[i], &p) : 2;
    }
    return argc < 3 ? 2 : worst;
}
