/* rtc.h: a run-time compiler for GPUs, found at run time: the text of a kernel in, machine code
 * out. Needs no GPU.
 *
 * NVRTC and hipRTC have the same functions under other names; each is one struct gr_rtc.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_RTC_H
#define GPU_RTC_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_RTC_MAX_NAMES = 16 };

/* What is to be compiled. Nothing is owned. */
struct gr_rtc_source {
    const char *text;
    const char *name; /* shown in the compiler's messages: "my.cu" */
    const char *const
        *header_names; /* headers given as text; they win over files of the same name */
    const char *const *header_texts;
    int header_count;
    const char *const *options; /* "-DT=…" breaks NVRTC's own headers where the macro is a usual
                                 * name: put such macros into the text */
    int option_count;
    const char *arch;         /* "sm_90a" */
    const char *const *names; /* kernels: "gemm", "gemm<float, 32>" */
    int name_count;           /* at most GR_RTC_MAX_NAMES */
};

/* What came of it. Freed with gr_rtc_code_free. */
struct gr_rtc_code {
    void *image;
    size_t length;
    char *lowered[GR_RTC_MAX_NAMES]; /* the kernels' symbols in the image, in the order of `names`
                                      */
    int name_count;
    char compiler[64]; /* "NVRTC 13.0" */
};

void gr_rtc_code_free(struct gr_rtc_code *code);

/* The compiler that was found. */
struct gr_rtc_about {
    char path[512];
    int major, minor;
    int archs[64]; /* ascending: 75, 80, 86 …; all that it compiles for. For AMD hexadecimal:
                    * gfx90a is 0x90a; the newest, where they are more */
    int arch_count;
    uint64_t identity; /* changes with the compiler's file and what it adds to a source; 0: the path
                        * and the version say it all */
};

struct gr_rtc {
    const char *name; /* "nvrtc" */
    /* The newest version that is found is opened, once a process. UNSUPPORTED: none; the line ends
     * in " it with: COMMAND".
     */
    enum gradus_status (*find)(struct gr_rtc_about *about, struct gradus_error *error);
    /* The toolkit's include folder that belongs to the compiler, for <cuda_fp16.h> and others; ""
     * where there is none. Valid for the life of the process. */
    const char *(*include_dir)(void);
    /* COMPILE: the kernel's fault; error->log has the compiler's words. UNSUPPORTED: no compiler,
     * or one that does not know the architecture ("NVRTC 11.8 does not know sm_100: it goes up to
     * sm_90; …"). */
    enum gradus_status (*compile)(const struct gr_rtc_source *source, struct gr_rtc_code *code,
                                  struct gradus_error *error);
    /* The same, to assembly (PTX for NVIDIA), malloc'ed. */
    enum gradus_status (*assembly)(const struct gr_rtc_source *source, char **text,
                                   struct gradus_error *error);
};

/* NVIDIA's. It is looked for at $GRADUS_NVRTC (the only place then), where the loader looks, in
 * $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, and in the nvidia packages of the Python environments
 * ($VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, the system's). */
extern const struct gr_rtc gr_rtc_nvrtc;

/* AMD's: hipRTC where it is found and knows the architecture, else a clang; only the one that
 * GRADUS_HIPRTC or GRADUS_HIP_CLANG names, if one of them is set. */
extern const struct gr_rtc gr_rtc_hip;
/* hipRTC of ROCm 5 or later. It is looked for at $GRADUS_HIPRTC (the only place then), in
 * $ROCM_PATH, where the loader looks, and in /opt/rocm*. */
extern const struct gr_rtc gr_rtc_hiprtc;
/* A clang with the AMDGPU back end (gpu/amd_llvm.h), of ROCm or of a distribution, without ROCm's
 * headers and device libraries: kernels may use what gpu/amd_prelude.hpp declares. */
extern const struct gr_rtc gr_rtc_clang;

#endif
