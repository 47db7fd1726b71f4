/* vendor_cuda.c: NVIDIA: finding its driver and saying what is missing, and what its numbers mean,
 * after the documentation of the CUDA Driver API. SPDX-License-Identifier: MIT */
#include "gpu/vendor.h"

#include "core/error.h"
#include "gpu/cuda_abi.h"
#include "gpu/driver_library.h"
#include "gpu/nvml.h"

#include <stdio.h>
#include <stdlib.h>

static struct gr_gpu_driver table;

/* The last is where WSL puts Windows' driver. */
static const char *const names[] = {"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1",
                                    NULL};
static const struct gr_gpu_symbol symbols[] = {GR_CUDA_SYMBOLS(GR_GPU_SYMBOL)};

static enum gradus_status bind(void *library, struct gradus_error *error)
{
    table.vendor = &gr_gpu_vendor_cuda;
    const char *missing =
        gr_gpu_library_bind(library, symbols, sizeof symbols / sizeof *symbols, &table);
    if (missing)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: the NVIDIA driver %s has no %s: it is older than CUDA 11; get it "
                       "with: apt-get install nvidia-driver",
                       table.path, missing);
    return GRADUS_OK;
}

/* What cuInit says when there is nothing to work on, and the remedy. */
static enum gradus_status refuse(gr_gpu_result result, struct gradus_error *error)
{
    const char *name = NULL;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    table.error_name(result, &name);
    switch (result) {
    case GR_CUDA_NO_DEVICE:
        if (visible)
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "skip: no GPU is visible: CUDA_VISIBLE_DEVICES is '%s'; fix it with: "
                           "unset CUDA_VISIBLE_DEVICES",
                           visible);
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: the NVIDIA driver %s sees no GPU; look for it with: nvidia-smi",
                       table.path);
    case GR_CUDA_STUB_LIBRARY:
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "skip: %s is the toolkit's stub, not a driver; fix it with: unset LD_LIBRARY_PATH",
            table.path);
    case GR_CUDA_SYSTEM_DRIVER_MISMATCH:
    case GR_CUDA_COMPAT_NOT_SUPPORTED:
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: the NVIDIA driver %s does not fit the kernel module that is loaded "
                       "(%s): one of the two was updated alone; fix it with: reboot",
                       table.path, name ? name : "mismatch");
    default:
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "skip: the NVIDIA driver %s cannot start: %s (%d); look for it with: nvidia-smi",
            table.path, name ? name : "unknown error", result);
    }
}

static enum gradus_status open_driver(const struct gr_gpu_driver **driver,
                                      struct gradus_error *error)
{
    static bool is_open;
    *driver = &table;
    if (is_open)
        return GRADUS_OK;
    void *library = NULL;
    enum gradus_status status = gr_gpu_library_open(
        "NVIDIA", "GRADUS_CUDA_DRIVER", names, "apt-get install nvidia-driver", &library, error);
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
        result = GR_CUDA_NO_DEVICE;
    if (result != GR_GPU_SUCCESS)
        return refuse(result, error);
    is_open = true;
    return GRADUS_OK;
}

/* After a kernel's fault "the context cannot be used and must be destroyed". */
static enum gr_gpu_failure judge(gr_gpu_result result)
{
    if (result == GR_CUDA_OUT_OF_MEMORY)
        return GR_GPU_NO_MEMORY;
    if (result == GR_CUDA_NO_BINARY_FOR_GPU || result == GR_CUDA_UNSUPPORTED_PTX_VERSION)
        return GR_GPU_CODE_TOO_NEW;
    const bool fault = result == GR_CUDA_ILLEGAL_ADDRESS || result == GR_CUDA_LAUNCH_TIMEOUT ||
                       (result >= GR_CUDA_HARDWARE_STACK_ERROR && result <= GR_CUDA_LAUNCH_FAILED);
    return fault ? GR_GPU_KERNEL_FAULT : GR_GPU_REFUSED;
}

static void version(const struct gr_gpu_driver *driver, char text[32])
{
    snprintf(text, 32, "CUDA %d.%d", driver->version / 1000, driver->version % 1000 / 10);
}

struct question {
    int attribute;
    int *answer;
};

static enum gradus_status read_attributes(const struct gr_gpu_driver *driver,
                                          struct gr_gpu_device *d, struct gradus_error *error)
{
    int major = 0, minor = 0, l2 = 0, smem_sm = 0, smem_block = 0, registers = 0, domain = 0,
        bus = 0, slot = 0;
    const struct question questions[] = {
        {GR_CUDA_ATTRIBUTE_CC_MAJOR, &major},
        {GR_CUDA_ATTRIBUTE_CC_MINOR, &minor},
        {GR_CUDA_ATTRIBUTE_SMS, &d->sms},
        {GR_CUDA_ATTRIBUTE_WARP_SIZE, &d->warp},
        {GR_CUDA_ATTRIBUTE_CLOCK_RATE_KHZ, &d->clock_khz},
        {GR_CUDA_ATTRIBUTE_MEMORY_CLOCK_KHZ, &d->memory_clock_khz},
        {GR_CUDA_ATTRIBUTE_MEMORY_BUS_BITS, &d->memory_bus_bits},
        {GR_CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &d->threads_per_block},
        {GR_CUDA_ATTRIBUTE_L2_BYTES, &l2},
        {GR_CUDA_ATTRIBUTE_SMEM_PER_SM, &smem_sm},
        {GR_CUDA_ATTRIBUTE_SMEM_PER_BLOCK_OPTIN, &smem_block},
        {GR_CUDA_ATTRIBUTE_REGISTERS_PER_SM, &registers},
        {GR_CUDA_ATTRIBUTE_PCI_DOMAIN_ID, &domain},
        {GR_CUDA_ATTRIBUTE_PCI_BUS_ID, &bus},
        {GR_CUDA_ATTRIBUTE_PCI_DEVICE_ID, &slot},
    };
    enum gradus_status status = GRADUS_OK;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && status == GRADUS_OK; i++)
        status = gr_gpu_check(
            driver,
            driver->device_attribute(questions[i].answer, questions[i].attribute, d->handle),
            "asking the GPU what it is", error);
    d->cc = major * 10 + minor;
    d->l2_bytes = l2;
    d->smem_per_sm_bytes = smem_sm;
    d->smem_per_block_bytes = smem_block;
    d->registers_per_sm = registers;
    /* Instructions of one architecture only (wgmma, setmaxnreg) exist from 9.0 on, behind the `a`.
     */
    snprintf(d->arch, sizeof d->arch, "sm_%d%s", d->cc, d->cc >= 90 ? "a" : "");
    snprintf(d->pci, sizeof d->pci, "%04x:%02x:%02x.0", (unsigned)domain & 0xFFFF,
             (unsigned)bus & 0xFF, (unsigned)slot & 0xFF);
    return status;
}

/* As every NVIDIA GPU since 3.0 gives registers and shared memory. */
static void limits(const struct gr_gpu_device *g, struct gr_device *d)
{
    *d = (struct gr_device){.cc = g->cc,
                            .warp = g->warp,
                            .threads_per_block = g->threads_per_block,
                            .threads_per_sm = g->threads_per_block,
                            .blocks_per_sm = 1,
                            .registers_per_sm = g->registers_per_sm,
                            .registers_per_block = g->registers_per_sm,
                            .registers_per_thread = 255,
                            .register_unit = 256,
                            .schedulers_per_sm = 4,
                            .smem_unit_bytes = 128,
                            .smem_per_block_bytes = g->smem_per_block_bytes};
    snprintf(d->name, sizeof d->name, "%.63s", g->name);
}

static enum gradus_status read_state(const struct gr_gpu_device *device, struct gr_gpu_state *state,
                                     struct gradus_error *error)
{
    return gr_nvml_read(device->pci, state, error);
}

const struct gr_gpu_vendor gr_gpu_vendor_cuda = {
    .name = "cuda",
    .arch_prefix = "sm_",
    .sms = "SMs",
    .smem = "shared memory a block",
    .look = "nvidia-smi",
    .monitor = "nvml",
    .monitor_remedy = "apt-get install libnvidia-ml1",
    .rtc = &gr_rtc_nvrtc,
    .open = open_driver,
    .judge = judge,
    .too_new_remedy = "update the driver, or set GRADUS_NVRTC to the libnvrtc of an older CUDA, as "
                      "of: python3 -m pip "
                      "install nvidia-cuda-nvrtc-cu12",
    .version = version,
    .limits = limits,
    .read_attributes = read_attributes,
    .read_state = read_state,
};
