/* backend.c: the list of backends, and what they have in common. SPDX-License-Identifier: MIT */
#include "backend/backend.h"

#include <string.h>

const struct gr_backend *gr_backend_find(const char *name)
{
    for (int i = 0; gr_backend_all[i]; i++)
        if (strcmp(gr_backend_all[i]->name, name) == 0)
            return gr_backend_all[i];
    return NULL;
}

void gr_backend_suit(const struct gr_backend *backend, const void *found,
                     struct gr_variant *variant)
{
    const struct gr_device *device = backend->limits ? backend->limits(found) : NULL;
    if (device && device->warp > 0)
        gr_variant_suit(variant, device->arch, (int)device->warp);
}

enum gr_dtype gr_backend_burst_type(const struct gr_backend *backend, struct gr_types types)
{
    const bool tensor = types.a == types.b && (types.a == GR_F16 || types.a == GR_BF16 ||
                                               types.a == GR_E4M3 || types.a == GR_E5M2);
    return backend->burst && tensor ? types.a : types.acc;
}
