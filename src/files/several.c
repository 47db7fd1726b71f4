/* several.c: matrices in host memory on several GPUs. SPDX-License-Identifier: MIT */
#include "files/several.h"

#include "multi/multi_gpus.h"

enum gradus_status gr_several_multiply(const struct gr_gemm_files *request,
                                       const struct gradus_gemm *gemm,
                                       struct gr_gemm_files_outcome *outcome,
                                       struct gradus_error *error)
{
    struct gradus_gpus *gpus = NULL;
    struct gr_multi_plan plan = {.steps = 0};
    const struct gr_multi_told told = {&plan, request->timeline ? outcome->timelines : NULL};
    enum gradus_status status = gradus_gpus_open(request->gpu_count ? request->gpus : NULL,
                                                 request->gpu_count, &gpus, error);
    if (status == GRADUS_OK)
        status = gr_multi_gpus_host(gemm, gpus, request->memory_bytes, &told, error);
    gradus_gpus_close(gpus);
    outcome->plan = plan.model;
    return status;
}
