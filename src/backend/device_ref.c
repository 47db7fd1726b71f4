/* device_ref.c: parses the text of --device into a backend and one of its devices.
 * SPDX-License-Identifier: MIT */
#include "backend/device_ref.h"

#include "backend/backend.h"
#include "base/str.h"
#include "core/error.h"

#include <stdio.h>
#include <string.h>

static enum gradus_status fail_unknown(const char *text, const char *name,
                                       struct gradus_error *error)
{
    enum { MOST = 16 };
    const char *names[MOST];
    size_t count = 0;
    for (; count < MOST && gr_backend_all[count]; count++)
        names[count] = gr_backend_all[count]->name;
    const char *nearest = gr_nearest(name, names, count);
    return gr_fail(error, GRADUS_INVALID, "no device '%.80s'; did you mean '%s'?", text,
                   nearest ? nearest : "cpu");
}

enum gradus_status gr_device_ref_parse(const char *text, struct gr_device_ref *ref,
                                       struct gradus_error *error)
{
    char name[32];
    text = text ? text : "cpu";
    const size_t length = strcspn(text, ":");
    *ref = (struct gr_device_ref){0};
    snprintf(ref->text, sizeof ref->text, "%s", text);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    ref->backend = gr_backend_find(name);
    if (!ref->backend || strlen(text) >= sizeof ref->text)
        return fail_unknown(text, name, error);
    return ref->backend->parse
               ? ref->backend->parse(text[length] ? text + length + 1 : NULL, ref, error)
               : GRADUS_OK;
}

struct gr_device_ref gr_device_ref_cpu(void)
{
    return (struct gr_device_ref){.backend = gr_backend_find("cpu"), .text = "cpu"};
}

bool gr_device_is_host(const struct gr_device_ref *ref)
{
    return !ref->backend->memory;
}

bool gr_device_is_simulated(const struct gr_device_ref *ref)
{
    return ref->backend->simulates;
}
