/* be_planted.c: a backend that is added by the test of "one file", and has no device.
 * SPDX-License-Identifier: MIT */
#include "backend/backend.h"
#include "backend/device_ref.h"

#include "core/error.h"

static enum gradus_status find(const struct gr_device_ref *ref, void **found,
                               struct gr_device_about *about, struct gradus_error *error)
{
    *found = NULL;
    *about = (struct gr_device_about){0};
    return gr_fail(error, GRADUS_UNSUPPORTED, "skip: no device is planted at %s", ref->text);
}

static void forget(void *found)
{
    (void)found;
}

const struct gr_backend gr_backend_planted = {
    .name = "planted", .takes = "N", .find = find, .forget = forget};
