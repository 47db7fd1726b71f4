/* context.c: the contexts of the GPUs that this process uses. SPDX-License-Identifier: MIT */
#include "gpu/context.h"

#include "core/error.h"
#include "gpu/vendor.h"

#include <stdlib.h>

struct entry {
    struct gr_gpu_context context;
    struct entry *next;
};

static struct entry *opened;
static const struct gr_gpu_context *in_use;

static enum gradus_status take(const struct gr_gpu_vendor *vendor, int ordinal,
                               struct gr_gpu_context *c, struct gradus_error *error)
{
    enum gradus_status status = vendor->open(&c->driver, error);
    const struct gr_gpu_driver *driver = c->driver;
    if (status == GRADUS_OK)
        status = gr_gpu_device_read(driver, ordinal, &c->device, error);
    if (status == GRADUS_OK)
        status = gr_gpu_check(driver, driver->context_retain(&c->context, c->device.handle),
                              "taking the GPU", error);
    if (status == GRADUS_OK)
        status = gr_gpu_check(driver, driver->context_set(c->context), "taking the GPU", error);
    if (status == GRADUS_OK)
        status = gr_gpu_check(driver, driver->stream_create(&c->stream, GR_GPU_STREAM_NON_BLOCKING),
                              "making a stream", error);
    return status;
}

enum gradus_status gr_gpu_context_open(const struct gr_gpu_vendor *vendor, int ordinal,
                                       const struct gr_gpu_context **context,
                                       struct gradus_error *error)
{
    struct entry *entry = opened;
    while (entry &&
           (entry->context.driver->vendor != vendor || entry->context.device.ordinal != ordinal))
        entry = entry->next;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!entry)
            return gr_fail_memory(error, "a GPU", sizeof *entry);
        enum gradus_status status = take(vendor, ordinal, &entry->context, error);
        if (status != GRADUS_OK) {
            free(entry);
            return status;
        }
        entry->next = opened;
        opened = entry;
        in_use = &entry->context;
    }
    gr_gpu_context_use(&entry->context);
    *context = &entry->context;
    return GRADUS_OK;
}

void gr_gpu_context_use(const struct gr_gpu_context *context)
{
    if (in_use != context)
        context->driver->context_set(context->context);
    in_use = context;
}

const struct gr_gpu_context *gr_gpu_context(void)
{
    return in_use;
}
