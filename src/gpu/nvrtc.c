/* nvrtc.c: NVIDIA's run-time compiler: the architectures that it knows, machine code and PTX.
 * SPDX-License-Identifier: MIT */
#include "gpu/rtc.h"

#include "core/error.h"
#include "gpu/nvrtc_library.h"

#include <stdlib.h>
#include <string.h>

/* "sm_90a" is 90. */
static enum gradus_status check_arch(const struct gr_nvrtc *n, const char *arch,
                                     struct gradus_error *error)
{
    const struct gr_rtc_about *about = &n->rtc.about;
    int wanted = atoi(arch + strcspn(arch, "0123456789"));
    for (int i = 0; i < about->arch_count; i++)
        if (about->archs[i] == wanted)
            return GRADUS_OK;
    if (about->arch_count == 0)
        return GRADUS_OK; /* it does not say; its own error will */
    int least = about->archs[0], most = about->archs[about->arch_count - 1];
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: NVRTC %d.%d does not know %s: it compiles for sm_%d to sm_%d; %s",
                   about->major, about->minor, arch, least, most,
                   wanted > most
                       ? "get a newer one with: python3 -m pip install -U nvidia-cuda-nvrtc"
                       : "older GPUs need the NVRTC of an older CUDA: python3 -m pip install "
                         "nvidia-cuda-nvrtc-cu12");
}

static enum gradus_status compile_code(const struct gr_rtc_source *source, struct gr_rtc_code *code,
                                       struct gradus_error *error)
{
    const struct gr_nvrtc *n;
    *code = (struct gr_rtc_code){0};
    enum gradus_status status = gr_nvrtc_open(&n, error);
    if (status == GRADUS_OK)
        status = check_arch(n, source->arch, error);
    return status == GRADUS_OK ? gr_rtc_library_compile(&n->rtc, source, code, error) : status;
}

static enum gradus_status compile_ptx(const struct gr_rtc_source *source, char **ptx,
                                      struct gradus_error *error)
{
    const struct gr_nvrtc *n;
    gr_rtc_program program = NULL;
    size_t bytes = 0;
    *ptx = NULL;
    enum gradus_status status = gr_nvrtc_open(&n, error);
    if (status == GRADUS_OK)
        status = check_arch(n, source->arch, error);
    if (status == GRADUS_OK)
        status = gr_rtc_library_build(&n->rtc, source, &program, error);
    if (status == GRADUS_OK) {
        int result = n->ptx_size(program, &bytes);
        *ptx = result == 0 ? calloc(bytes + 1, 1) : NULL;
        if (result == 0 && *ptx)
            result = n->ptx(program, *ptx);
        if (result != 0)
            status = gr_rtc_library_fail(&n->rtc, program, source, result, error);
        else if (!*ptx)
            status = gr_fail_memory(error, "PTX", bytes);
    }
    if (program)
        n->rtc.destroy(&program);
    return status;
}

const struct gr_rtc gr_rtc_nvrtc = {.name = "nvrtc",
                                    .find = gr_nvrtc_find,
                                    .include_dir = gr_nvrtc_include_dir,
                                    .compile = compile_code,
                                    .assembly = compile_ptx};
