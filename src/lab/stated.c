/* stated.c: from a session to a device file. SPDX-License-Identifier: MIT */
#include "lab/stated.h"

#include "base/error.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "model/roofs.h"

#include <stdio.h>
#include <string.h>

/* "sim:t4" is what devices/t4.txt describes. */
static enum gradus_status read_simulated(const char *name, struct gr_device *device,
                                         struct gradus_error *error)
{
    char path[64];
    const char *colon = strchr(name, ':');
    snprintf(path, sizeof path, "devices/%.40s.txt", colon ? colon + 1 : "h200");
    const struct gr_embedded *file = gr_embedded_find(path);
    return file ? gr_device_read(path, file->text, device, error)
                : gr_fail(error, GRADUS_INVALID, "%s: no such device file", path);
}

/* By the name that the driver gives it. */
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

enum gradus_status gr_stated_device(const struct gr_session *session, struct gr_device *device,
                                    struct gradus_error *error)
{
    const char *name = session->options.device;
    return name && gr_starts_with(name, "sim") ? read_simulated(name, device, error)
                                               : read_present(session->about.name, device, error);
}

void gr_session_state_roofs(const struct gr_session *session, struct gr_environment *environment)
{
    struct gr_device device;
    struct gradus_error ignored = {0};
    const char *name = session->options.device;
    bool gpu = name && strcmp(name, "cpu") != 0;
    if (gpu && gr_stated_device(session, &device, &ignored) == GRADUS_OK)
        environment->roofs = gr_roofs_of(&device);
    gradus_error_clear(&ignored);
}
