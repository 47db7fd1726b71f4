/* context.c: the process's context and stream. SPDX-License-Identifier: MIT */
#include "gpu/context.h"

#include "core/error.h"

static struct gr_cuda_context current;
static bool is_open;

enum gradus_status gr_cuda_context_open(int ordinal, const struct gr_cuda_context **context,
                                        struct gradus_error *error)
{
    *context = &current;
    if (is_open && current.device.ordinal == ordinal)
        return GRADUS_OK;
    if (is_open)
        return gr_fail(error, GRADUS_INVALID, "GPU %d: this process works on GPU %d already",
                       ordinal, current.device.ordinal);
    enum gradus_status status = gr_cuda_open(&current.cuda, error);
    const struct gr_cuda *cuda = current.cuda;
    if (status == GRADUS_OK)
        status = gr_cuda_device_read(cuda, ordinal, &current.device, error);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cuda, cuda->context_retain(&current.context, current.device.handle),
                               "taking the GPU", error);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cuda, cuda->context_set(current.context), "taking the GPU", error);
    if (status == GRADUS_OK)
        status =
            gr_cuda_check(cuda, cuda->stream_create(&current.stream, GR_CUDA_STREAM_NON_BLOCKING),
                          "making a stream", error);
    is_open = status == GRADUS_OK;
    return status;
}

const struct gr_cuda_context *gr_cuda_context(void)
{
    return is_open ? &current : NULL;
}
