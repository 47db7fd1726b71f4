/* device_driver.c: opens NVIDIA's driver. SPDX-License-Identifier: MIT */
#include "device/device_driver.h"

#include "core/error.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* CUresult */
enum {
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    STUB_LIBRARY = 34,
    NO_DEVICE = 100,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_TIMEOUT = 702,
    ASSERT = 710,
    HARDWARE_STACK_ERROR = 714,
    LAUNCH_FAILED = 719,
    FIRST_OF_CAPTURE = 900,
    LAST_OF_CAPTURE = 908
};

static struct gr_device_driver table;
static struct gradus_error failure; /* why the driver could not be opened */
static enum gradus_status outcome;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_open, is_forked;

static void note_fork(void)
{
    if (atomic_load_explicit(&is_open, memory_order_relaxed))
        atomic_store_explicit(&is_forked, true, memory_order_relaxed);
}

/* Looks up all functions. Returns the name of the first required one that the library lacks, or
 * null. */
static const char *bind(void *library)
{
    const char *missing = NULL;
#define BIND(member, symbol, parameters)                                                           \
    *(void **)(void *)&table.member = dlsym(library, #symbol);                                     \
    if (!table.member && !missing)                                                                 \
        missing = #symbol;
    GR_DEVICE_DRIVER_NEEDED(BIND)
#undef BIND
#define BIND(member, symbol, parameters) *(void **)(void *)&table.member = dlsym(library, #symbol);
    GR_DEVICE_DRIVER_OPTIONAL(BIND)
#undef BIND
    return missing;
}

static enum gradus_status refuse(int result)
{
    const char *name = NULL, *visible = getenv("CUDA_VISIBLE_DEVICES");
    table.error_name(result, &name);
    if (result == NO_DEVICE && visible)
        return gr_fail(&failure, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: no GPU is visible: CUDA_VISIBLE_DEVICES is '%s'; "
                       "fix it with: unset CUDA_VISIBLE_DEVICES",
                       visible);
    if (result == STUB_LIBRARY)
        return gr_fail(&failure, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: libcuda.so.1 is the toolkit's stub and not a "
                       "driver; fix it with: unset LD_LIBRARY_PATH");
    if (result == NOT_INITIALIZED)
        return gr_fail(&failure, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: the driver does not start (%s): found a process "
                       "that was forked from one that has used the GPU, wanted one that was "
                       "started anew (exec, posix_spawn, Python's 'spawn')",
                       name ? name : "not initialized");
    return gr_fail(&failure, GRADUS_UNSUPPORTED,
                   "gradus_gemm_run: device: NVIDIA's driver does not start: %s (%d); look for "
                   "the GPU with: nvidia-smi",
                   name ? name : "unknown error", result);
}

static enum gradus_status open_library(void)
{
    const char *path = secure_getenv("GRADUS_CUDA_DRIVER");
    void *library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return gr_fail(&failure, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: found no NVIDIA driver (%s); get it with: "
                       "apt-get install nvidia-driver",
                       dlerror());
    const char *missing = bind(library);
    if (missing)
        return gr_fail(&failure, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: NVIDIA's driver has no %s: it is older than CUDA "
                       "11; get a newer one with: apt-get install nvidia-driver",
                       missing);
    int result = table.init(0);
    if (result == 0)
        result = table.device_count(&table.devices);
    if (result == 0 && table.devices == 0)
        result = NO_DEVICE;
    return result == 0 ? GRADUS_OK : refuse(result);
}

static void open_once(void)
{
    pthread_atfork(NULL, NULL, note_fork);
    outcome = open_library();
    atomic_store_explicit(&is_open, true, memory_order_relaxed);
}

enum gradus_status gr_device_driver_open(const struct gr_device_driver **driver,
                                         struct gradus_error *error)
{
    pthread_once(&once, open_once);
    *driver = &table;
    if (atomic_load_explicit(&is_forked, memory_order_relaxed) && outcome == GRADUS_OK)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: found a process that was forked from one that "
                       "has used the GPU, wanted one that was started anew (exec, posix_spawn, "
                       "Python's 'spawn')");
    return outcome == GRADUS_OK ? GRADUS_OK : gr_fail(error, outcome, "%s", failure.text);
}

static bool stays(int result)
{
    return result == ILLEGAL_ADDRESS || result == LAUNCH_TIMEOUT || result == ASSERT ||
           (result >= HARDWARE_STACK_ERROR && result <= LAUNCH_FAILED);
}

enum gradus_status gr_device_check(const struct gr_device_driver *driver, int result,
                                   const char *what, struct gradus_error *error)
{
    const char *name = NULL, *text = NULL;
    if (result == 0)
        return GRADUS_OK;
    driver->error_name(result, &name);
    driver->error_text(result, &text);
    if (!name)
        name = "unknown error";
    if (stays(result))
        return gr_fail(error, GRADUS_CRASHED,
                       "gradus_gemm_run: %s: an earlier kernel of this process, from any library, "
                       "has faulted (%s), and every call of the GPU fails from then on; start the "
                       "process anew, and find the kernel with: compute-sanitizer",
                       what, name);
    if (result >= FIRST_OF_CAPTURE && result <= LAST_OF_CAPTURE)
        return gr_fail(error, GRADUS_LAUNCH,
                       "gradus_gemm_run: %s: a stream is being captured, in a mode that does not "
                       "allow it (%s); compute one product of this kind before the capture",
                       what, name);
    return gr_fail(error, result == OUT_OF_MEMORY ? GRADUS_NO_MEMORY : GRADUS_LAUNCH,
                   "gradus_gemm_run: %s: %s (%s)", what, text ? text : "the driver refuses", name);
}
