/* vendor_hip.c: AMD: finding HIP and saying what is missing, and what its numbers mean, after the
 * documentation of HIP. SPDX-License-Identifier: MIT */
#include "gpu/vendor.h"

#include "core/error.h"
#include "base/str.h"
#include "gpu/amdgpu.h"
#include "gpu/driver_library.h"
#include "gpu/hip_abi.h"
#include "gpu/rocm_folders.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kfd[] = "/dev/kfd", sysfs[] = "/sys";
static struct gr_gpu_driver table;

/* Functions of HIP that have other parameters than those of the table. */
static struct {
    gr_gpu_result (*set_device)(int device);
    const char *(*error_name)(gr_gpu_result result);
    const char *(*error_text)(gr_gpu_result result);
    gr_gpu_result (*properties)(void *properties, int device);
    size_t arch_name; /* where it is in the properties */
} hip;

/* HIP has deprecated its contexts: a thread chooses a device, whose one context is used. The handle
 * here is the device's number and 1, so that it is not null. */
static gr_gpu_result context_retain(gr_gpu_context_handle *context, int device)
{
    *context = (gr_gpu_context_handle)((uintptr_t)device + 1);
    return GR_GPU_SUCCESS;
}

static gr_gpu_result context_release(int device)
{
    (void)device;
    return GR_GPU_SUCCESS;
}

static gr_gpu_result context_set(gr_gpu_context_handle context)
{
    return hip.set_device((int)((uintptr_t)context - 1));
}

/* A kernel may use all of its LDS without asking for it. */
static gr_gpu_result function_set_attribute(gr_gpu_function function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return GR_GPU_SUCCESS;
}

static gr_gpu_result error_name(gr_gpu_result result, const char **name)
{
    *name = hip.error_name(result);
    return GR_GPU_SUCCESS;
}

static gr_gpu_result error_text(gr_gpu_result result, const char **text)
{
    *text = hip.error_text(result);
    return GR_GPU_SUCCESS;
}

static bool bind_others(void *library)
{
    *(void **)&hip.set_device = dlsym(library, "hipSetDevice");
    *(void **)&hip.error_name = dlsym(library, "hipGetErrorName");
    *(void **)&hip.error_text = dlsym(library, "hipGetErrorString");
    *(void **)&hip.properties = dlsym(library, GR_HIP_PROPERTIES_6);
    hip.arch_name = hip.properties ? GR_HIP_ARCH_NAME_6 : GR_HIP_ARCH_NAME_5;
    if (!hip.properties)
        *(void **)&hip.properties = dlsym(library, GR_HIP_PROPERTIES_5);
    return hip.set_device && hip.error_name && hip.error_text && hip.properties;
}

static enum gradus_status bind(void *library, struct gradus_error *error)
{
    static const struct gr_gpu_symbol symbols[] = {GR_HIP_SYMBOLS(GR_GPU_SYMBOL)};
    table = (struct gr_gpu_driver){.vendor = &gr_gpu_vendor_hip,
                                   .context_retain = context_retain,
                                   .context_release = context_release,
                                   .context_set = context_set,
                                   .function_set_attribute = function_set_attribute,
                                   .error_name = error_name,
                                   .error_text = error_text};
    const char *missing =
        gr_gpu_library_bind(library, symbols, sizeof symbols / sizeof *symbols, &table);
    if (!missing && !bind_others(library))
        missing = GR_HIP_PROPERTIES_6;
    if (missing)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: the AMD driver %s has no %s: it is older than ROCm 5; get a newer "
                       "one, and install it with: amdgpu-install --usecase=hip",
                       table.path, missing);
    return GRADUS_OK;
}

/* The library of the newest ROCm, which may be where the loader does not look; malloc'ed. */
static char *rocm_library(void)
{
    char **folders = gr_rocm_folders();
    char *path = folders && *folders ? gr_printf("%s/libamdhip64.so", *folders) : NULL;
    gr_rocm_folders_free(folders);
    return path;
}

static enum gradus_status open_library(void **library, struct gradus_error *error)
{
    char *rocm = rocm_library();
    const char *names[] = {
        "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", rocm, NULL};
    enum gradus_status status =
        gr_gpu_library_open("AMD", "GRADUS_HIP_DRIVER", names,
                            "amdgpu-install --usecase=hip (Debian: apt-get install "
                            "libamdhip64-5)",
                            library, error);
    free(rocm);
    return status;
}

/* The variable that hides the GPUs, or null. */
static const char *hiding(void)
{
    static const char *const variables[] = {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                            "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return variables[i];
    return NULL;
}

/* What HIP says when there is nothing to work on, and the remedy. */
static enum gradus_status refuse(gr_gpu_result result, struct gradus_error *error)
{
    const bool none = result == GR_HIP_NO_DEVICE || result == GR_HIP_INVALID_DEVICE ||
                      result == GR_HIP_NOT_INITIALIZED || result == GR_HIP_INSUFFICIENT_DRIVER;
    const char *variable = hiding(), *name = hip.error_name(result);
    if (none && gr_amdgpu_admits(kfd, error) != GRADUS_OK)
        return GRADUS_UNSUPPORTED;
    if (none && variable)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: no AMD GPU is visible: %s is '%s'; fix it with: unset %s", variable,
                       getenv(variable), variable);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   none ? "skip: the AMD driver %s sees no GPU (%s, %d); look for it with: rocminfo"
                        : "skip: the AMD driver %s cannot start: %s (%d); look for it with: "
                          "rocminfo",
                   table.path, name ? name : "unknown error", result);
}

static enum gradus_status open_driver(const struct gr_gpu_driver **driver,
                                      struct gradus_error *error)
{
    static bool is_open;
    void *library = NULL;
    *driver = &table;
    if (is_open)
        return GRADUS_OK;
    enum gradus_status status = open_library(&library, error);
    if (status == GRADUS_OK)
        status = bind(library, error);
    if (status != GRADUS_OK)
        return status;
    gr_gpu_result result = table.init(0);
    if (result == GR_GPU_SUCCESS)
        result = table.driver_version(&table.version);
    if (result == GR_GPU_SUCCESS)
        result = table.device_count(&table.devices);
    if (result == GR_GPU_SUCCESS && table.devices == 0)
        result = GR_HIP_NO_DEVICE;
    if (result != GR_GPU_SUCCESS)
        return refuse(result, error);
    is_open = true;
    return GRADUS_OK;
}

static enum gr_gpu_failure judge(gr_gpu_result result)
{
    switch (result) {
    case GR_HIP_OUT_OF_MEMORY:
        return GR_GPU_NO_MEMORY;
    case GR_HIP_NO_BINARY_FOR_GPU:
        return GR_GPU_CODE_TOO_NEW;
    case GR_HIP_ILLEGAL_ADDRESS:
    case GR_HIP_LAUNCH_TIMEOUT:
    case GR_HIP_ASSERT:
    case GR_HIP_LAUNCH_FAILURE:
    case GR_HIP_UNKNOWN: /* what a queue says that was aborted */
        return GR_GPU_KERNEL_FAULT;
    default:
        return GR_GPU_REFUSED;
    }
}

/* HIP_VERSION is major * 10^7 + minor * 10^5 + patch. */
static void version(const struct gr_gpu_driver *driver, char text[32])
{
    snprintf(text, 32, "HIP %d.%d", driver->version / 10000000, driver->version / 100000 % 100);
}

struct question {
    int attribute;
    bool needed; /* else 0 is as good an answer as none */
    int *answer;
};

static enum gradus_status ask(const struct gr_gpu_driver *driver, const struct question *q,
                              int device, struct gradus_error *error)
{
    const gr_gpu_result result = driver->device_attribute(q->answer, q->attribute, device);
    if (result == GR_GPU_SUCCESS || q->needed)
        return gr_gpu_check(driver, result, "asking the GPU what it is", error);
    *q->answer = 0;
    return GRADUS_OK;
}

/* "gfx90a" of "gfx90a:sramecc+:xnack-": code for it runs with any of these features. */
static enum gradus_status read_arch(const struct gr_gpu_driver *driver, struct gr_gpu_device *d,
                                    struct gradus_error *error)
{
    char *properties = calloc(1, GR_HIP_PROPERTIES_BYTES);
    if (!properties)
        return gr_fail_memory(error, "a device's properties", GR_HIP_PROPERTIES_BYTES);
    enum gradus_status status = gr_gpu_check(driver, hip.properties(properties, d->handle),
                                             "asking the GPU's architecture", error);
    const char *name = properties + hip.arch_name;
    const size_t length = strcspn(name, ":");
    if (status == GRADUS_OK && (strncmp(name, "gfx", 3) != 0 || length >= sizeof d->arch))
        status =
            gr_fail(error, GRADUS_UNSUPPORTED,
                    "the AMD driver %s, of HIP %d.%d, names no gfx target where ROCm 5 to 7 "
                    "do, found '%.15s'",
                    driver->path, driver->version / 10000000, driver->version / 100000 % 100, name);
    if (status == GRADUS_OK)
        snprintf(d->arch, sizeof d->arch, "%.*s", (int)length, name);
    free(properties);
    return status;
}

static enum gradus_status read_attributes(const struct gr_gpu_driver *driver,
                                          struct gr_gpu_device *d, struct gradus_error *error)
{
    int l2 = 0, smem_sm = 0, smem_block = 0, registers = 0, domain = 0, bus = 0, slot = 0;
    const struct question questions[] = {
        {GR_HIP_ATTRIBUTE_SMS, true, &d->sms},
        {GR_HIP_ATTRIBUTE_WARP_SIZE, true, &d->warp},
        {GR_HIP_ATTRIBUTE_MAX_THREADS_PER_BLOCK, true, &d->threads_per_block},
        {GR_HIP_ATTRIBUTE_SMEM_PER_BLOCK, true, &smem_block},
        {GR_HIP_ATTRIBUTE_CLOCK_RATE_KHZ, false, &d->clock_khz},
        {GR_HIP_ATTRIBUTE_MEMORY_CLOCK_KHZ, false, &d->memory_clock_khz},
        {GR_HIP_ATTRIBUTE_MEMORY_BUS_BITS, false, &d->memory_bus_bits},
        {GR_HIP_ATTRIBUTE_L2_BYTES, false, &l2},
        {GR_HIP_ATTRIBUTE_SMEM_PER_SM, false, &smem_sm},
        {GR_HIP_ATTRIBUTE_REGISTERS_PER_BLOCK, false, &registers},
        {GR_HIP_ATTRIBUTE_PCI_DOMAIN_ID, false, &domain},
        {GR_HIP_ATTRIBUTE_PCI_BUS_ID, false, &bus},
        {GR_HIP_ATTRIBUTE_PCI_DEVICE_ID, false, &slot},
    };
    enum gradus_status status = read_arch(driver, d, error);
    for (size_t i = 0; i < sizeof questions / sizeof *questions && status == GRADUS_OK; i++)
        status = ask(driver, &questions[i], d->handle, error);
    d->cc = 0;
    d->l2_bytes = l2;
    d->smem_per_block_bytes = smem_block;
    d->smem_per_sm_bytes = smem_sm ? smem_sm : smem_block;
    d->registers_per_sm = registers;
    snprintf(d->pci, sizeof d->pci, "%04x:%02x:%02x.0", (unsigned)domain & 0xFFFF,
             (unsigned)bus & 0xFF, (unsigned)slot & 0xFF);
    return status;
}

/* The compiler never uses more than the registers of a wave, so that only threads and LDS are
 * checked before a launch. */
static void limits(const struct gr_gpu_device *g, struct gr_device *d)
{
    *d = (struct gr_device){.warp = g->warp,
                            .threads_per_block = g->threads_per_block,
                            .threads_per_sm = g->threads_per_block,
                            .blocks_per_sm = 1,
                            .smem_per_block_bytes = g->smem_per_block_bytes};
    snprintf(d->name, sizeof d->name, "%.63s", g->name);
}

static enum gradus_status read_state(const struct gr_gpu_device *device, struct gr_gpu_state *state,
                                     struct gradus_error *error)
{
    return gr_amdgpu_read(sysfs, device->pci, state, error);
}

const struct gr_gpu_vendor gr_gpu_vendor_hip = {
    .name = "hip",
    .arch_prefix = "gfx",
    .sms = "CUs",
    .smem = "LDS a workgroup",
    .look = "rocminfo",
    .monitor = "amdgpu",
    .monitor_remedy = "modprobe amdgpu",
    .rtc = &gr_rtc_hip,
    .open = open_driver,
    .judge = judge,
    .too_new_remedy = "it is for another gfx target than this GPU's, which `gradus devices` names; "
                      "use the hipRTC of the driver's ROCm, by GRADUS_HIPRTC",
    .version = version,
    .limits = limits,
    .read_attributes = read_attributes,
    .read_state = read_state,
};
