/* vendor.h: what differs from one maker of GPUs to another: how the driver is found, what its
 * numbers mean, its run-time compiler, its library for clocks and power. One file a vendor:
 * vendor_<name>.c defines `const struct gr_gpu_vendor gr_gpu_vendor_<name>` and the build finds it
 * by name. SPDX-License-Identifier: MIT */
#ifndef GPU_VENDOR_H
#define GPU_VENDOR_H

#include "gpu/driver.h"
#include "gpu/rtc.h"
#include "model/device.h"

/* The consequence of a result of the driver. */
enum gr_gpu_failure {
    GR_GPU_REFUSED, /* this call failed, and others may succeed */
    GR_GPU_NO_MEMORY,
    GR_GPU_KERNEL_FAULT, /* a kernel faulted: the context is of no more use */
    GR_GPU_CODE_TOO_NEW  /* the driver does not take the compiler's code */
};

/* How a GPU is at a moment. */
struct gr_gpu_state {
    int sm_clock_mhz, memory_clock_mhz, power_mw, temperature_c; /* -1: unknown */
    char driver[32];                                             /* "570.86.15" */
};

struct gr_gpu_vendor {
    const char *name;           /* "cuda" */
    const char *arch_prefix;    /* "sm_": how its architectures begin */
    const char *sms;            /* "SMs": what it calls them */
    const char *smem;           /* "shared memory a block" */
    const char *look;           /* the command that shows its GPUs: "nvidia-smi" */
    const char *monitor;        /* what read_state asks: "nvml" */
    const char *monitor_remedy; /* the command that gets it */
    const struct gr_rtc *rtc;
    /* The driver, initialised; opened once a process, never closed. UNSUPPORTED, one line for each
     * reason, which ends in " it with: COMMAND", the command that helps. */
    enum gradus_status (*open)(const struct gr_gpu_driver **driver, struct gradus_error *error);
    enum gr_gpu_failure (*judge)(gr_gpu_result result);
    /* What to do where the code is too new, after "the driver, of CUDA 12.8, does not take the
     * compiler's code (…): ". */
    const char *too_new_remedy;
    /* "CUDA 12.8" */
    void (*version)(const struct gr_gpu_driver *driver, char text[32]);
    /* The values of all GPUs of the vendor that its driver does not report. */
    void (*limits)(const struct gr_gpu_device *device, struct gr_device *limits);
    /* Fills what the driver's attributes say, arch and pci; ordinal and handle are set. */
    enum gradus_status (*read_attributes)(const struct gr_gpu_driver *driver,
                                          struct gr_gpu_device *device, struct gradus_error *error);
    /* UNSUPPORTED where there is no library for it, or no such GPU. */
    enum gradus_status (*read_state)(const struct gr_gpu_device *device, struct gr_gpu_state *state,
                                     struct gradus_error *error);
};

/* All of them; null-terminated. */
extern const struct gr_gpu_vendor *const gr_gpu_vendor_all[];
extern const struct gr_gpu_vendor gr_gpu_vendor_cuda, gr_gpu_vendor_hip;
/* The vendor of an architecture such as "sm_90a"; null: of none. */
const struct gr_gpu_vendor *gr_gpu_vendor_of(const char *arch);

/* OK for success; else one line: `what`, the error's name and its text. Memory that is out gives
 * NO_MEMORY, a fault of a kernel CRASHED, code that the driver does not take UNSUPPORTED with the
 * remedy, all else LAUNCH. */
enum gradus_status gr_gpu_check(const struct gr_gpu_driver *driver, gr_gpu_result result,
                                const char *what, struct gradus_error *error);

/* INVALID: no such ordinal ("there are 2: 0 to 1"). */
enum gradus_status gr_gpu_device_read(const struct gr_gpu_driver *driver, int ordinal,
                                      struct gr_gpu_device *device, struct gradus_error *error);

#endif
