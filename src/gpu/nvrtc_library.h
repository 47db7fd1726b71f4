/* nvrtc_library.h: the compiler's library and its functions. SPDX-License-Identifier: MIT */
#ifndef GPU_NVRTC_LIBRARY_H
#define GPU_NVRTC_LIBRARY_H

#include "gpu/rtc_library.h"

struct gr_nvrtc {
    struct gr_rtc_library rtc; /* the first member, for the offsets of its functions */
    int (*arch_count)(int *count);
    int (*archs)(int *list);
    int (*ptx_size)(gr_rtc_program program, size_t *bytes);
    int (*ptx)(gr_rtc_program program, char *text);
    char include[512]; /* the toolkit's headers; "": none */
};

/* Opened once a process. UNSUPPORTED as gr_rtc_nvrtc.find. */
enum gradus_status gr_nvrtc_open(const struct gr_nvrtc **nvrtc, struct gradus_error *error);

/* For gr_rtc_nvrtc. */
enum gradus_status gr_nvrtc_find(struct gr_rtc_about *about, struct gradus_error *error);
const char *gr_nvrtc_include_dir(void);

#endif
