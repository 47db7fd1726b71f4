/* backend.c: the list of backends. SPDX-License-Identifier: MIT */
#include "backend/backend.h"

#include "core/error.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

extern const struct gr_backend *const gr_backend_all[];

const struct gr_backend *gr_backend_find(const char *name)
{
    for (int i = 0; gr_backend_all[i]; i++)
        if (strcmp(gr_backend_all[i]->name, name) == 0)
            return gr_backend_all[i];
    return NULL;
}

enum gradus_status gr_backend_of(const char *device, const struct gr_backend **backend,
                                 struct gradus_error *error)
{
    enum { MOST = 16 };
    const char *names[MOST];
    size_t count = 0;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(device, ":"), device);
    *backend = gr_backend_find(name);
    if (*backend)
        return GRADUS_OK;
    if (strcmp(name, "hip") == 0)
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "skip: --device %.80s: this version does not run on AMD's GPUs; --device sim "
            "takes HIP files too, without a GPU",
            device);
    while (count < MOST && gr_backend_all[count]) {
        names[count] = gr_backend_all[count]->name;
        count++;
    }
    const char *nearest = gr_nearest(name, names, count);
    return gr_fail(error, GRADUS_INVALID, "no device '%.80s'; did you mean '%s'?", device,
                   nearest ? nearest : "cpu");
}
