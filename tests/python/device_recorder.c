/* device_recorder.c: a library in place of libgradus.so that keeps what a product on a GPU was
 * called with, and computes it by the CPU's products of the library that GRADUS_REAL_LIBRARY names:
 * the fake driver's memory is the host's. SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>

#include <dlfcn.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

/* Of the last call: the device, math, the stream, the batch, the strides, the bytes of workspace,
 * whether there are arrays of addresses, the types of A and C; and the number of calls. */
EXPORTED int64_t recorded[12];
/* What is asked for, and the status of calls. */
EXPORTED int64_t workspace_wanted, status_wanted;

static void *real(const char *name)
{
    static void *file;
    if (!file)
        file = dlopen(getenv("GRADUS_REAL_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    return file ? dlsym(file, name) : NULL;
}

static void record(const struct gradus_gemm *g)
{
    const int64_t all[] = {g->device,
                           g->math,
                           (int64_t)(intptr_t)g->stream,
                           g->batch,
                           g->stride_a,
                           g->stride_b,
                           g->stride_c,
                           g->workspace ? g->workspace_bytes : 0,
                           g->c_array != NULL,
                           g->a_type,
                           g->c_type};
    for (int i = 0; i < 11; i++)
        recorded[i] = all[i];
    recorded[11]++;
}

enum gradus_status gradus_gemm_run(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    enum gradus_status (*run)(const struct gradus_gemm *, struct gradus_error *) = NULL;
    struct gradus_gemm on_cpu = *gemm;
    record(gemm);
    if (status_wanted) {
        error->status = (enum gradus_status)status_wanted;
        return error->status;
    }
    on_cpu.device = GRADUS_CPU;
    on_cpu.workspace = NULL;
    on_cpu.workspace_bytes = 0;
    *(void **)&run = real("gradus_gemm_run");
    return gemm->a_type == GRADUS_F16 ? GRADUS_OK : run(&on_cpu, error);
}

int64_t gradus_gemm_workspace(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    (void)gemm;
    if (workspace_wanted < 0)
        error->status = GRADUS_UNSUPPORTED;
    return workspace_wanted;
}

const char *gradus_version(void)
{
    return "0.1.0";
}

int gradus_set_threads(int threads)
{
    return threads;
}

void gradus_error_clear(struct gradus_error *error)
{
    error->text[0] = 0;
}
