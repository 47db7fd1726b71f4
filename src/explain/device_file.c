/* device_file.c: finds the file that describes a device. SPDX-License-Identifier: MIT */
#include "explain/device_file.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "model/roofs.h"

#include <stdio.h>
#include <string.h>

/* "sim:t4" is described by devices/t4.txt. */
static enum gradus_status read_simulated(const char *model, struct gr_device *device,
                                         struct gradus_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "devices/%s.txt", model);
    const struct gr_embedded *file = gr_embedded_find(path);
    return file ? gr_device_read(path, file->text, device, error)
                : gr_fail(error, GRADUS_INVALID, "%s: no such device file", path);
}

/* Finds the file by the driver's name of the GPU. */
static enum gradus_status read_present(const char *name, struct gr_device *device,
                                       struct gradus_error *error)
{
    const struct gr_embedded *file;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; (file = gr_embedded_at(i)) && status == GRADUS_OK; i++) {
        if (!gr_starts_with(file->path, "devices/"))
            continue;
        status = gr_device_read(file->path, file->text, device, error);
        if (status == GRADUS_OK && gr_starts_with(name, device->name))
            return GRADUS_OK;
    }
    return status ? status
                  : gr_fail(error, GRADUS_UNSUPPORTED, "no device file of the %.80s", name);
}

enum gradus_status gr_device_file_find(const struct gr_device_ref *device, const char *present,
                                       struct gr_device *found, struct gradus_error *error)
{
    return gr_device_is_simulated(device) ? read_simulated(device->model, found, error)
                                          : read_present(present, found, error);
}

void gr_device_file_roofs(const struct gr_device_ref *device, const char *present,
                          struct gr_environment *environment)
{
    struct gr_device found;
    struct gradus_error ignored = {0};
    if (!gr_device_is_host(device) &&
        gr_device_file_find(device, present, &found, &ignored) == GRADUS_OK)
        environment->roofs = gr_roofs_of(&found);
    gradus_error_clear(&ignored);
}
