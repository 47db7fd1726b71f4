/* context.c: the contexts of the GPUs that this process uses. SPDX-License-Identifier: MIT */
#include "gpu/context.h"

#include "core/error.h"

#include <stdlib.h>

struct entry {
    struct gr_cuda_context context;
    struct entry *next;
};

static struct entry *opened;
static const struct gr_cuda_context *in_use;

static enum gradus_status take(int ordinal, struct gr_cuda_context *c, struct gradus_error *error)
{
    enum gradus_status status = gr_cuda_open(&c->cuda, error);
    const struct gr_cuda *cuda = c->cuda;
    if (status == GRADUS_OK)
        status = gr_cuda_device_read(cuda, ordinal, &c->device, error);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cuda, cuda->context_retain(&c->context, c->device.handle),
                               "taking the GPU", error);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cuda, cuda->context_set(c->context), "taking the GPU", error);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cuda, cuda->stream_create(&c->stream, GR_CUDA_STREAM_NON_BLOCKING),
                               "making a stream", error);
    return status;
}

enum gradus_status gr_cuda_context_open(int ordinal, const struct gr_cuda_context **context,
                                        struct gradus_error *error)
{
    struct entry *entry = opened;
    while (entry && entry->context.device.ordinal != ordinal)
        entry = entry->next;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!entry)
            return gr_fail_memory(error, "a GPU", sizeof *entry);
        enum gradus_status status = take(ordinal, &entry->context, error);
        if (status != GRADUS_OK) {
            free(entry);
            return status;
        }
        entry->next = opened;
        opened = entry;
        in_use = &entry->context;
    }
    gr_cuda_context_use(&entry->context);
    *context = &entry->context;
    return GRADUS_OK;
}

void gr_cuda_context_use(const struct gr_cuda_context *context)
{
    if (in_use != context)
        context->cuda->context_set(context->context);
    in_use = context;
}

const struct gr_cuda_context *gr_cuda_context(void)
{
    return in_use;
}
