/* nvrtc.h: NVIDIA's run-time compiler, loaded at run time so that Gradus does not depend on a
 * CUDA installation: compiles CUDA C++ to cubins. No GPU is needed. SPDX-License-Identifier: MIT */
#ifndef GPU_NVRTC_H
#define GPU_NVRTC_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>

enum { GR_NVRTC_MAX_NAMES = 16 };

/* The input of a compilation. Nothing is owned. */
struct gr_nvrtc_source {
    const char *text;
    const char *name; /* the name for the compiler's messages: "my.cu" */
    const char *const
        *header_names; /* headers as text; they take precedence over files of the same name */
    const char *const *header_texts;
    int header_count;
    /* An option "-DT=…" breaks NVRTC's own headers if the macro has a common name; define such
     * macros in the text. */
    const char *const *options;
    int option_count;
    const char *arch;         /* "sm_90a" */
    const char *const *names; /* kernels: "gemm", "gemm<float, 32>" */
    int name_count;           /* at most GR_NVRTC_MAX_NAMES */
};

/* The result of a compilation. Free it with gr_cubin_free. */
struct gr_cubin {
    void *image;
    size_t length;
    /* The symbols of the kernels in the image, in the order of `names`. */
    char *lowered[GR_NVRTC_MAX_NAMES];
    int name_count;
    char compiler[64]; /* "NVRTC 13.0" */
};

void gr_cubin_free(struct gr_cubin *cubin);

/* The compiler that is used. */
struct gr_nvrtc_about {
    char path[512];
    int major, minor;
    int archs[64]; /* the architectures that it supports, ascending: 75, 80, 86 … */
    int arch_count;
};

/* Finds the compiler. Searches $GRADUS_NVRTC (and nothing else if that is set), the loader's
 * path, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, and the nvidia packages of Python environments
 * ($VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, the system's), and loads the newest version found,
 * once per process. UNSUPPORTED: there is none; the message ends in " it with: COMMAND". */
enum gradus_status gr_nvrtc_find(struct gr_nvrtc_about *about, struct gradus_error *error);

/* The include folder of the compiler's toolkit, for <cuda_fp16.h> and others; "" if there is
 * none. Valid for the life of the process. */
const char *gr_nvrtc_include_dir(void);

/* COMPILE: the source is wrong; error->log has the compiler's messages. UNSUPPORTED: there is no
 * compiler, or it does not support the architecture ("NVRTC 11.8 does not know sm_100: it goes
 * up to sm_90; …"). */
enum gradus_status gr_nvrtc_compile(const struct gr_nvrtc_source *source, struct gr_cubin *cubin,
                                    struct gradus_error *error);
/* The same to PTX text (malloc'ed). */
enum gradus_status gr_nvrtc_ptx(const struct gr_nvrtc_source *source, char **ptx,
                                struct gradus_error *error);

#endif
