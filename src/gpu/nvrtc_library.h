/* nvrtc_library.h: loads the library of NVIDIA's run-time compiler, and declares its functions.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_NVRTC_LIBRARY_H
#define GPU_NVRTC_LIBRARY_H

#include "gpu/nvrtc.h"

typedef struct _nvrtcProgram *nvrtcProgram;

/* The prototypes are from NVRTC's documentation. The functions return an nvrtcResult, 0 for
 * success. */
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
    struct gr_nvrtc_about about;
    char include[512]; /* the folder of the toolkit's headers; "": none */
};

/* Loaded once per process. UNSUPPORTED as in gr_nvrtc_find. */
enum gradus_status gr_nvrtc_open(const struct gr_nvrtc **nvrtc, struct gradus_error *error);

#endif
