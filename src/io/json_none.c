/* json_none.c: replaces the JSON readers in a build without cJSON. SPDX-License-Identifier: MIT */
#include "io/json.h"

#include "core/error.h"

#ifdef GRADUS_HAVE_CJSON

bool gr_json_is_readable(void)
{
    return true;
}

#else

bool gr_json_is_readable(void)
{
    return false;
}

enum gradus_status gr_json_parse_run(const char *name, const char *text, size_t length,
                                     struct gr_run *run, struct gradus_error *error)
{
    (void)text;
    (void)length;
    *run = (struct gr_run){0};
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "%s: found a gradus built without cJSON, which writes JSON and cannot read it: "
                   "apt-get install libcjson-dev, then build again",
                   name);
}

#endif
