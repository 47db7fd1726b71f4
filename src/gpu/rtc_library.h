/* rtc_library.h: a run-time compiler that is a shared library, NVRTC or hipRTC: their functions
 * have the same parameters under other names. SPDX-License-Identifier: MIT */
#ifndef GPU_RTC_LIBRARY_H
#define GPU_RTC_LIBRARY_H

#include "gpu/rtc.h"

typedef struct gr_rtc_program_s *gr_rtc_program;

/* The prototypes are of NVRTC's and hipRTC's documentation; a result is 0 for success. */
struct gr_rtc_library {
    const char *title;       /* "NVRTC" */
    const char *arch_option; /* what precedes the architecture: "--gpu-architecture=" */
    int (*version)(int *major, int *minor);
    int (*create)(gr_rtc_program *program, const char *text, const char *name, int header_count,
                  const char *const *headers, const char *const *header_names);
    int (*destroy)(gr_rtc_program *program);
    int (*add_name)(gr_rtc_program program, const char *expression);
    int (*compile)(gr_rtc_program program, int option_count, const char *const *options);
    int (*log_size)(gr_rtc_program program, size_t *bytes);
    int (*log)(gr_rtc_program program, char *text);
    int (*lowered_name)(gr_rtc_program program, const char *expression, const char **symbol);
    int (*image_size)(gr_rtc_program program, size_t *bytes); /* of machine code */
    int (*image)(gr_rtc_program program, char *image);
    const char *(*error_text)(int result);
    struct gr_rtc_about about;
};

/* Where a function comes from: `member` is the offset in struct gr_rtc_library, or in a structure
 * that begins with one. */
struct gr_rtc_symbol {
    const char *symbol;
    size_t member;
};

/* Opens a file and fills the functions, version and path. False: it is not such a library; what
 * `functions` then holds is of no use. The library is never closed, which is unsafe after it has
 * run. */
bool gr_rtc_library_open(const char *file, const struct gr_rtc_symbol *symbols, size_t count,
                         struct gr_rtc_library *functions);

/* Compiles, and creates *program with the result, which is to be destroyed in any case. Statuses as
 * gr_rtc.compile. */
enum gradus_status gr_rtc_library_build(const struct gr_rtc_library *rtc,
                                        const struct gr_rtc_source *source, gr_rtc_program *program,
                                        struct gradus_error *error);

/* The whole of gr_rtc.compile. */
enum gradus_status gr_rtc_library_compile(const struct gr_rtc_library *rtc,
                                          const struct gr_rtc_source *source,
                                          struct gr_rtc_code *code, struct gradus_error *error);

/* COMPILE: "NAME: NVRTC 13.0 does not compile it for sm_90a: …", the compiler's log with it. */
enum gradus_status gr_rtc_library_fail(const struct gr_rtc_library *rtc, gr_rtc_program program,
                                       const struct gr_rtc_source *source, int result,
                                       struct gradus_error *error);

#endif
