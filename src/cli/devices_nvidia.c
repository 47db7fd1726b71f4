/* devices_nvidia.c: what --device cuda needs: the driver and its GPUs, the compiler, the clocks'
 * library. GPUs are queried; no context is made. SPDX-License-Identifier: MIT */
#include "cli/devices.h"

#include "base/str.h"
#include "gpu/driver.h"
#include "gpu/nvml.h"
#include "gpu/rtc.h"
#include "gpu/vendor.h"

#include <stdio.h>
#include <string.h>

enum { GPUS_SHOWN = 16 };

/* "skip: WHAT IS WRONG; fix it with: COMMAND" as a part that is missing and its remedy. */
static void add_missing(struct gr_devices *devices, const char *name, struct gradus_error *error)
{
    static const char skip[] = "skip: ", with[] = " it with: ";
    const char *text = error->text + (gr_starts_with(error->text, skip) ? strlen(skip) : 0);
    const char *command = strstr(text, with), *end = strrchr(text, ';');
    int length = (int)(command && end ? end - text : (ptrdiff_t)strlen(text));
    struct gr_device_part *part =
        gr_devices_add(devices, GR_DEVICES_GPU, name, false, "%.*s", length, text);
    if (part)
        part->remedy = gr_strdup(command ? command + strlen(with) : "nvidia-smi");
    gradus_error_clear(error);
}

static void add_gpu(struct gr_devices *devices, const struct gr_gpu_device *d)
{
    static char names[GPUS_SHOWN][16];
    snprintf(names[d->ordinal], sizeof names[d->ordinal], "cuda:%d", d->ordinal);
    gr_devices_add(devices, GR_DEVICES_GPU, names[d->ordinal], true,
                   "%s, %s, %d SMs, %.1f GB, L2 %.0f MB, %lld KB of shared memory a block", d->name,
                   d->arch, d->sms, (double)d->memory_bytes * 1e-9, (double)d->l2_bytes / (1 << 20),
                   (long long)(d->smem_per_block_bytes >> 10));
}

/* Found at the PCI address of the first GPU. */
static void find_nvml(struct gr_devices *devices, const struct gr_gpu_device *first)
{
    struct gradus_error error = {0};
    struct gr_gpu_state state;
    if (gr_nvml_read(first->pci, &state, &error) == GRADUS_OK)
        gr_devices_add(devices, GR_DEVICES_GPU, "nvml", true,
                       "driver %s; %s is at %d MHz (memory %d), %.0f W, %d C", state.driver,
                       first->name, state.sm_clock_mhz, state.memory_clock_mhz,
                       state.power_mw * 1e-3, state.temperature_c);
    else {
        struct gr_device_part *part =
            gr_devices_add(devices, GR_DEVICES_GPU, "nvml", false, "%s", error.text);
        if (part)
            part->remedy = gr_strdup("apt-get install libnvidia-ml1");
    }
    gradus_error_clear(&error);
}

static void find_driver(struct gr_devices *devices)
{
    struct gradus_error error = {0};
    const struct gr_gpu_driver *driver;
    if (gr_gpu_vendor_cuda.open(&driver, &error) != GRADUS_OK) {
        add_missing(devices, "cuda", &error);
        return;
    }
    struct gr_device_part *part = gr_devices_add(
        devices, GR_DEVICES_GPU, "cuda", true, "CUDA %d.%d, %d GPU%s", driver->version / 1000,
        driver->version % 1000 / 10, driver->devices, driver->devices == 1 ? "" : "s");
    if (part)
        part->path = gr_strdup(driver->path);
    for (int i = 0; i < driver->devices && i < GPUS_SHOWN; i++) {
        struct gr_gpu_device d;
        if (gr_gpu_device_read(driver, i, &d, &error) != GRADUS_OK) {
            add_missing(devices, "cuda", &error);
            continue;
        }
        add_gpu(devices, &d);
        if (i == 0)
            find_nvml(devices, &d);
    }
}

static void find_compiler(struct gr_devices *devices)
{
    struct gradus_error error = {0};
    struct gr_rtc_about about;
    if (gr_rtc_nvrtc.find(&about, &error) != GRADUS_OK) {
        add_missing(devices, "nvrtc", &error);
        return;
    }
    struct gr_str text = {0};
    gr_str_printf(&text, "CUDA %d.%d", about.major, about.minor);
    if (about.arch_count > 0)
        gr_str_printf(&text, ", sm_%d to sm_%d", about.archs[0], about.archs[about.arch_count - 1]);
    const char *headers = gr_rtc_nvrtc.include_dir();
    gr_str_printf(&text, "; the toolkit's headers: %s", *headers ? headers : "none, not needed");
    struct gr_device_part *part =
        gr_devices_add(devices, GR_DEVICES_GPU, "nvrtc", true, "%s", gr_str_text(&text));
    if (part)
        part->path = gr_strdup(about.path);
    gr_str_free(&text);
}

void gr_devices_find_nvidia(struct gr_devices *devices)
{
    find_driver(devices);
    find_compiler(devices);
}
