/* vendor.c: what is requested of every vendor's driver in the same way. SPDX-License-Identifier:
 * MIT */
#include "gpu/vendor.h"

#include "core/error.h"

#include <string.h>

const struct gr_gpu_vendor *gr_gpu_vendor_of(const char *arch)
{
    for (int i = 0; gr_gpu_vendor_all[i]; i++)
        if (strncmp(arch, gr_gpu_vendor_all[i]->arch_prefix,
                    strlen(gr_gpu_vendor_all[i]->arch_prefix)) == 0)
            return gr_gpu_vendor_all[i];
    return NULL;
}

enum gradus_status gr_gpu_check(const struct gr_gpu_driver *driver, gr_gpu_result result,
                                const char *what, struct gradus_error *error)
{
    static const enum gradus_status statuses[] = {[GR_GPU_REFUSED] = GRADUS_LAUNCH,
                                                  [GR_GPU_NO_MEMORY] = GRADUS_NO_MEMORY,
                                                  [GR_GPU_KERNEL_FAULT] = GRADUS_CRASHED};
    if (result == GR_GPU_SUCCESS)
        return GRADUS_OK;
    const char *name = NULL, *text = NULL;
    const enum gr_gpu_failure failure = driver->vendor->judge(result);
    driver->error_name(result, &name);
    if (failure == GR_GPU_CODE_TOO_NEW) {
        char version[32];
        driver->vendor->version(driver, version);
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%s: the driver, of %s, does not take the compiler's code (%s): %s", what,
                       version, name ? name : "?", driver->vendor->too_new_remedy);
    }
    driver->error_text(result, &text);
    return gr_fail(error, statuses[failure], "%s: %s (%s)", what, text ? text : "unknown error",
                   name ? name : "?");
}

enum gradus_status gr_gpu_device_read(const struct gr_gpu_driver *driver, int ordinal,
                                      struct gr_gpu_device *device, struct gradus_error *error)
{
    *device = (struct gr_gpu_device){.ordinal = ordinal};
    if (ordinal < 0 || ordinal >= driver->devices)
        return gr_fail(error, GRADUS_INVALID, "GPU %d: there %s %d: %s%d", ordinal,
                       driver->devices == 1 ? "is" : "are", driver->devices,
                       driver->devices == 1 ? "" : "0 to ", driver->devices - 1);
    size_t bytes = 0;
    enum gradus_status status = gr_gpu_check(driver, driver->device_get(&device->handle, ordinal),
                                             "finding the GPU", error);
    if (status == GRADUS_OK)
        status = gr_gpu_check(
            driver, driver->device_name(device->name, sizeof device->name, device->handle),
            "asking the GPU's name", error);
    if (status == GRADUS_OK)
        status = gr_gpu_check(driver, driver->device_memory(&bytes, device->handle),
                              "asking the GPU's memory", error);
    device->memory_bytes = (int64_t)bytes;
    return status == GRADUS_OK ? driver->vendor->read_attributes(driver, device, error) : status;
}
