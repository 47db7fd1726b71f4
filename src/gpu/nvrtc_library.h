/* nvrtc_library.h: the compiler's library and its functions. SPDX-License-Identifier: MIT */
#ifndef GPU_NVRTC_LIBRARY_H
#define GPU_NVRTC_LIBRARY_H

#include "gpu/rtc.h"

typedef struct _nvrtcProgram *nvrtcProgram;

/* The prototypes are of NVRTC's documentation; results are nvrtcResult, 0 for success. */
struct gr_nvrtc {
    int (*version)(int *major, int *minor);
    int (*arch_count)(int *count);
    int (*archs)(int *list);
    int (*create)(nvrtcProgram *program, const char *text, const char *name, int header_count,
                  const char *const *headers, const char *const *header_names);
    int (*destroy)(nvrtcProgram *program);
    int (*add_name)(nvrtcProgram program, const char *expression);
    int (*compile)(nvrtcProgram program, int option_count, const char *const *options);
    int (*log_size)(nvrtcProgram program, size_t *bytes);
    int (*log)(nvrtcProgram program, char *text);
    int (*lowered_name)(nvrtcProgram program, const char *expression, const char **symbol);
    int (*cubin_size)(nvrtcProgram program, size_t *bytes);
    int (*cubin)(nvrtcProgram program, char *image);
    int (*ptx_size)(nvrtcProgram program, size_t *bytes);
    int (*ptx)(nvrtcProgram program, char *text);
    const char *(*error_text)(int result);
    struct gr_rtc_about about;
    char include[512]; /* the toolkit's headers; "": none */
};

/* Opened once a process. UNSUPPORTED as gr_rtc_nvrtc.find. */
enum gradus_status gr_nvrtc_open(const struct gr_nvrtc **nvrtc, struct gradus_error *error);

/* For gr_rtc_nvrtc. */
enum gradus_status gr_nvrtc_find(struct gr_rtc_about *about, struct gradus_error *error);
const char *gr_nvrtc_include_dir(void);

#endif
