/* driver.c: loads the driver, and reports what is missing. SPDX-License-Identifier: MIT */
#include "gpu/driver.h"

#include "core/error.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gr_cuda table;

/* The last is where WSL puts the driver of Windows. */
static const char *const names[] = {"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"};

static void *open_library(struct gradus_error *error)
{
    const char *asked = getenv("GRADUS_CUDA_DRIVER");
    if (asked && *asked) {
        void *library = dlopen(asked, RTLD_NOW | RTLD_GLOBAL);
        if (!library)
            gr_fail(error, GRADUS_UNSUPPORTED,
                    "skip: no NVIDIA driver: GRADUS_CUDA_DRIVER: %s; mend it with: unset "
                    "GRADUS_CUDA_DRIVER",
                    dlerror());
        return library;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
        if (library)
            return library;
    }
    gr_fail(
        error, GRADUS_UNSUPPORTED,
        "skip: no NVIDIA driver (libcuda.so.1) here; get it with: apt-get install nvidia-driver");
    return NULL;
}

static enum gradus_status bind(void *library, struct gradus_error *error)
{
    const char *missing = NULL;
#define NEEDED(member, symbol, parameters)                                                         \
    *(void **)&table.member = dlsym(library, #symbol);                                             \
    if (!table.member)                                                                             \
        missing = #symbol;
#define OPTIONAL(member, symbol, parameters) *(void **)&table.member = dlsym(library, #symbol);
    GR_CUDA_FUNCTIONS(NEEDED, OPTIONAL)
#undef NEEDED
#undef OPTIONAL
    struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
        snprintf(table.path, sizeof table.path, "%s", map->l_name);
    if (missing)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: the NVIDIA driver %s has no %s: it is older than CUDA 11; get it "
                       "with: apt-get install nvidia-driver",
                       table.path, missing);
    return GRADUS_OK;
}

/* Explains cuInit's errors, with the remedy. */
static enum gradus_status refuse(CUresult result, struct gradus_error *error)
{
    const char *name = NULL;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    table.error_name(result, &name);
    switch (result) {
    case GR_CUDA_NO_DEVICE:
        if (visible)
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "skip: no GPU is visible: CUDA_VISIBLE_DEVICES is '%s'; mend it with: "
                           "unset CUDA_VISIBLE_DEVICES",
                           visible);
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: the NVIDIA driver %s sees no GPU; look for it with: nvidia-smi",
                       table.path);
    case GR_CUDA_STUB_LIBRARY:
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "skip: %s is the toolkit's stub, not a driver; mend it with: unset LD_LIBRARY_PATH",
            table.path);
    case GR_CUDA_SYSTEM_DRIVER_MISMATCH:
    case GR_CUDA_COMPAT_NOT_SUPPORTED:
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: the NVIDIA driver %s does not fit the kernel module that is loaded "
                       "(%s): one of the two was updated alone; mend it with: reboot",
                       table.path, name ? name : "mismatch");
    default:
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "skip: the NVIDIA driver %s cannot start: %s (%d); look for it with: nvidia-smi",
            table.path, name ? name : "unknown error", result);
    }
}

enum gradus_status gr_cuda_open(const struct gr_cuda **cuda, struct gradus_error *error)
{
    static bool is_open;
    *cuda = &table;
    if (is_open)
        return GRADUS_OK;
    void *library = open_library(error);
    if (!library)
        return GRADUS_UNSUPPORTED;
    enum gradus_status status = bind(library, error);
    if (status != GRADUS_OK)
        return status;
    CUresult result = table.init(0);
    if (result == GR_CUDA_SUCCESS)
        result = table.driver_version(&table.version);
    if (result == GR_CUDA_SUCCESS)
        result = table.device_count(&table.devices);
    if (result == GR_CUDA_SUCCESS && table.devices == 0)
        result = GR_CUDA_NO_DEVICE;
    if (result != GR_CUDA_SUCCESS)
        return refuse(result, error);
    is_open = true;
    return GRADUS_OK;
}

/* Errors caused by a kernel, after which the context is unusable (CUDA Driver API, CUresult:
 * "the context cannot be used and must be destroyed"). */
static bool is_fault(CUresult result)
{
    return result == GR_CUDA_ILLEGAL_ADDRESS || result == GR_CUDA_LAUNCH_TIMEOUT ||
           (result >= 714 && result <= 719);
}

/* A driver's errors for code from a newer compiler. */
static bool is_too_new(CUresult result)
{
    return result == GR_CUDA_NO_BINARY_FOR_GPU || result == GR_CUDA_UNSUPPORTED_PTX_VERSION;
}

enum gradus_status gr_cuda_check(const struct gr_cuda *cuda, CUresult result, const char *what,
                                 struct gradus_error *error)
{
    if (result == GR_CUDA_SUCCESS)
        return GRADUS_OK;
    const char *name = NULL, *text = NULL;
    cuda->error_name(result, &name);
    if (is_too_new(result))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%s: the driver, of CUDA %d.%d, does not take the compiler's code "
                       "(%s): update the driver, or set GRADUS_NVRTC to the libnvrtc of an older "
                       "CUDA, as of: python3 -m pip install nvidia-cuda-nvrtc-cu12",
                       what, cuda->version / 1000, cuda->version % 1000 / 10, name ? name : "?");
    cuda->error_text(result, &text);
    enum gradus_status status = result == GR_CUDA_OUT_OF_MEMORY ? GRADUS_NO_MEMORY
                                : is_fault(result)              ? GRADUS_CRASHED
                                                                : GRADUS_LAUNCH;
    return gr_fail(error, status, "%s: %s (%s)", what, text ? text : "unknown error",
                   name ? name : "?");
}
