/* json_none.c: what stands in for JSON in a build without cJSON. SPDX-License-Identifier: MIT */
#include "io/json.h"

#include "base/error.h"

#ifdef GRADUS_HAVE_CJSON

bool gr_json_is_built_in(void)
{
    return true;
}

#else

static const char missing[] =
    "JSON: built without cJSON: apt-get install libcjson-dev, then build again";

bool gr_json_is_built_in(void)
{
    return false;
}

enum gradus_status gr_json_write_run(const struct gr_run *run, struct gr_str *out,
                                     struct gradus_error *error)
{
    (void)run;
    (void)out;
    return gr_fail(error, GRADUS_UNSUPPORTED, "%s", missing);
}

enum gradus_status gr_json_parse_run(const char *name, const char *text, size_t length,
                                     struct gr_run *run, struct gradus_error *error)
{
    (void)text;
    (void)length;
    *run = (struct gr_run){0};
    return gr_fail(error, GRADUS_UNSUPPORTED, "%s: %s", name, missing);
}

enum gradus_status gr_json_read_run(const char *path, struct gr_run *run,
                                    struct gradus_error *error)
{
    return gr_json_parse_run(path, "", 0, run, error);
}

#endif
