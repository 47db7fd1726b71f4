/* cuda_device.c: reads the properties of a GPU from its driver. SPDX-License-Identifier: MIT */
#include "gpu/driver.h"

#include "core/error.h"

#include <stdio.h>

struct question {
    int attribute;
    int *answer;
};

static enum gradus_status read_attributes(const struct gr_cuda *cuda, struct gr_cuda_device *d,
                                          struct gradus_error *error)
{
    int major = 0, minor = 0, l2 = 0, smem_sm = 0, smem_block = 0, registers = 0, domain = 0,
        bus = 0, slot = 0;
    const struct question questions[] = {
        {GR_CUDA_ATTRIBUTE_CC_MAJOR, &major},
        {GR_CUDA_ATTRIBUTE_CC_MINOR, &minor},
        {GR_CUDA_ATTRIBUTE_SMS, &d->sms},
        {GR_CUDA_ATTRIBUTE_WARP_SIZE, &d->warp},
        {GR_CUDA_ATTRIBUTE_CLOCK_RATE_KHZ, &d->clock_khz},
        {GR_CUDA_ATTRIBUTE_MEMORY_CLOCK_KHZ, &d->memory_clock_khz},
        {GR_CUDA_ATTRIBUTE_MEMORY_BUS_BITS, &d->memory_bus_bits},
        {GR_CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &d->threads_per_block},
        {GR_CUDA_ATTRIBUTE_L2_BYTES, &l2},
        {GR_CUDA_ATTRIBUTE_SMEM_PER_SM, &smem_sm},
        {GR_CUDA_ATTRIBUTE_SMEM_PER_BLOCK_OPTIN, &smem_block},
        {GR_CUDA_ATTRIBUTE_REGISTERS_PER_SM, &registers},
        {GR_CUDA_ATTRIBUTE_PCI_DOMAIN_ID, &domain},
        {GR_CUDA_ATTRIBUTE_PCI_BUS_ID, &bus},
        {GR_CUDA_ATTRIBUTE_PCI_DEVICE_ID, &slot},
    };
    enum gradus_status status = GRADUS_OK;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && status == GRADUS_OK; i++)
        status = gr_cuda_check(
            cuda, cuda->device_attribute(questions[i].answer, questions[i].attribute, d->handle),
            "asking the GPU what it is", error);
    d->cc = major * 10 + minor;
    d->l2_bytes = l2;
    d->smem_per_sm_bytes = smem_sm;
    d->smem_per_block_bytes = smem_block;
    d->registers_per_sm = registers;
    /* Architecture-specific instructions (wgmma, setmaxnreg) exist from 9.0 on, in the targets
     * with `a`. */
    snprintf(d->arch, sizeof d->arch, "sm_%d%s", d->cc, d->cc >= 90 ? "a" : "");
    snprintf(d->pci, sizeof d->pci, "%04x:%02x:%02x.0", (unsigned)domain & 0xFFFF,
             (unsigned)bus & 0xFF, (unsigned)slot & 0xFF);
    return status;
}

enum gradus_status gr_cuda_device_read(const struct gr_cuda *cuda, int ordinal,
                                       struct gr_cuda_device *device, struct gradus_error *error)
{
    *device = (struct gr_cuda_device){.ordinal = ordinal};
    if (ordinal < 0 || ordinal >= cuda->devices)
        return gr_fail(error, GRADUS_INVALID, "GPU %d: there %s %d: %s%d", ordinal,
                       cuda->devices == 1 ? "is" : "are", cuda->devices,
                       cuda->devices == 1 ? "" : "0 to ", cuda->devices - 1);
    size_t bytes = 0;
    enum gradus_status status =
        gr_cuda_check(cuda, cuda->device_get(&device->handle, ordinal), "finding the GPU", error);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cuda,
                               cuda->device_name(device->name, sizeof device->name, device->handle),
                               "asking the GPU's name", error);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cuda, cuda->device_memory(&bytes, device->handle),
                               "asking the GPU's memory", error);
    device->memory_bytes = (int64_t)bytes;
    return status == GRADUS_OK ? read_attributes(cuda, device, error) : status;
}
