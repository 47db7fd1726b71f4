/* vendor_sown.c: a GPU vendor that is added by the test of "one file", whose driver is nowhere.
 * SPDX-License-Identifier: MIT */
#include "gpu/vendor.h"

#include "core/error.h"

static enum gradus_status open_driver(const struct gr_gpu_driver **driver,
                                      struct gradus_error *error)
{
    (void)driver;
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: the driver of the vendor that was planted is missing");
}

static enum gradus_status find(struct gr_rtc_about *about, struct gradus_error *error)
{
    (void)about;
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: the compiler of the vendor that was planted is missing");
}

static const char *include_dir(void)
{
    return "";
}

static enum gradus_status compile(const struct gr_rtc_source *source, struct gr_rtc_code *code,
                                  struct gradus_error *error)
{
    (void)source;
    *code = (struct gr_rtc_code){0};
    return find(NULL, error);
}

static const struct gr_rtc rtc = {
    .name = "sown", .find = find, .include_dir = include_dir, .compile = compile};

const struct gr_gpu_vendor gr_gpu_vendor_sown = {
    .name = "sown", .arch_prefix = "sown_", .rtc = &rtc, .open = open_driver};
