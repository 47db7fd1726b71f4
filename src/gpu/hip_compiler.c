/* hip_compiler.c: the compiler for AMD's GPUs: hipRTC where it is found, else clang.
 * SPDX-License-Identifier: MIT */
#include "gpu/rtc.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

/* The compilers in the order in which they are asked; null-terminated. */
static const struct gr_rtc *const *compilers(void)
{
    static const struct gr_rtc *const both[] = {&gr_rtc_hiprtc, &gr_rtc_clang, NULL};
    static const struct gr_rtc *const hiprtc[] = {&gr_rtc_hiprtc, NULL};
    static const struct gr_rtc *const clang[] = {&gr_rtc_clang, NULL};
    if (is_set("GRADUS_HIPRTC"))
        return hiprtc;
    return is_set("GRADUS_HIP_CLANG") ? clang : both;
}

/* The first that is found. Which of them compiles a source depends on its architecture, so that
 * together they are the compiler's identity. */
static enum gradus_status find(struct gr_rtc_about *about, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_UNSUPPORTED;
    uint64_t identity = 0;
    for (const struct gr_rtc *const *rtc = compilers(); *rtc; rtc++) {
        struct gr_rtc_about found = {0};
        gradus_error_clear(error);
        const enum gradus_status here = (*rtc)->find(&found, status == GRADUS_OK ? NULL : error);
        if (here == GRADUS_OK && status != GRADUS_OK)
            *about = found;
        if (here == GRADUS_OK)
            status = GRADUS_OK;
        identity ^= found.identity;
    }
    about->identity = identity;
    return status;
}

static const char *include_dir(void)
{
    return "";
}

/* A file that hipRTC refuses, for example because its own headers have other things of a host
 * header than our stand-ins for it, may be accepted by clang. The first compiler that refuses it is
 * quoted if no other accepts it. */
static enum gradus_status compile(const struct gr_rtc_source *source, struct gr_rtc_code *code,
                                  struct gradus_error *error)
{
    enum gradus_status status = GRADUS_UNSUPPORTED;
    struct gradus_error refusal = {0};
    for (const struct gr_rtc *const *rtc = compilers(); *rtc && status != GRADUS_OK; rtc++) {
        struct gradus_error here = {0};
        status = (*rtc)->compile(source, code, &here);
        if (status != GRADUS_OK && refusal.status != GRADUS_COMPILE) {
            gradus_error_clear(&refusal);
            refusal = here;
        } else {
            gradus_error_clear(&here);
        }
        if (status != GRADUS_OK && status != GRADUS_UNSUPPORTED && status != GRADUS_COMPILE)
            break;
    }
    if (status == GRADUS_OK || !error) {
        gradus_error_clear(&refusal);
        return status;
    }
    *error = refusal;
    return refusal.status;
}

static enum gradus_status assembly(const struct gr_rtc_source *source, char **text,
                                   struct gradus_error *error)
{
    enum gradus_status status = GRADUS_UNSUPPORTED;
    for (const struct gr_rtc *const *rtc = compilers(); *rtc && status == GRADUS_UNSUPPORTED;
         rtc++) {
        gradus_error_clear(error);
        status = (*rtc)->assembly(source, text, error);
    }
    return status;
}

const struct gr_rtc gr_rtc_hip = {.name = "hip",
                                  .find = find,
                                  .include_dir = include_dir,
                                  .compile = compile,
                                  .assembly = assembly};
