/* devices_vendors.c: finds what --device cuda and --device hip need: the driver and its GPUs, the
 * compilers, and the library that reports clocks and power. GPUs are queried without creating a
 * context. SPDX-License-Identifier: MIT */
#include "cli/devices.h"

#include "base/str.h"
#include "gpu/driver.h"
#include "gpu/rtc.h"
#include "gpu/vendor.h"

#include <stdio.h>
#include <string.h>

enum { GPUS_SHOWN = 16, VENDORS_SHOWN = 2 };

/* Adds the message "skip: WHAT IS WRONG; fix it with: COMMAND" as a missing part and its remedy. */
static void add_missing(struct gr_devices *devices, const char *name, const char *usual_remedy,
                        struct gradus_error *error)
{
    static const char skip[] = "skip: ", with[] = " it with: ";
    const char *text = error->text + (gr_starts_with(error->text, skip) ? strlen(skip) : 0);
    const char *command = strstr(text, with), *end = strrchr(text, ';');
    int length = (int)(command && end ? end - text : (ptrdiff_t)strlen(text));
    struct gr_device_part *part =
        gr_devices_add(devices, GR_DEVICES_GPU, name, false, "%.*s", length, text);
    if (part)
        part->remedy = gr_strdup(command ? command + strlen(with) : usual_remedy);
    gradus_error_clear(error);
}

/* Appends what differs among AMD's GPUs: the size of a wave, and the clock. NVIDIA's warps always
 * have 32 threads, and NVML reports the clock. */
static void tell_waves(const struct gr_gpu_vendor *vendor, const struct gr_gpu_device *d,
                       char text[64])
{
    *text = 0;
    if (vendor != &gr_gpu_vendor_hip)
        return;
    const int length = snprintf(text, 64, " with waves of %d", d->warp);
    if (d->clock_khz > 0)
        snprintf(text + length, 64 - (size_t)length, " at up to %d MHz", d->clock_khz / 1000);
}

static void add_gpu(struct gr_devices *devices, const struct gr_gpu_vendor *vendor,
                    const struct gr_gpu_device *d)
{
    char waves[64];
    tell_waves(vendor, d, waves);
    static char names[VENDORS_SHOWN][GPUS_SHOWN][16];
    char *name = names[vendor == &gr_gpu_vendor_hip][d->ordinal];
    snprintf(name, sizeof names[0][0], "%s:%d", vendor->name, d->ordinal);
    gr_devices_add(
        devices, GR_DEVICES_GPU, name, true, "%s, %s, %d %s%s, %.1f GB, L2 %.0f MB, %lld KB of %s",
        d->name, d->arch, d->sms, vendor->sms, waves, (double)d->memory_bytes * 1e-9,
        (double)d->l2_bytes / (1 << 20), (long long)(d->smem_per_block_bytes >> 10), vendor->smem);
}

/* The monitor is opened at the PCI address of the first GPU. */
static void find_monitor(struct gr_devices *devices, const struct gr_gpu_vendor *vendor,
                         const struct gr_gpu_device *first)
{
    struct gradus_error error = {0};
    struct gr_gpu_state state;
    if (vendor->read_state(first, &state, &error) == GRADUS_OK)
        gr_devices_add(devices, GR_DEVICES_GPU, vendor->monitor, true,
                       "driver %s; %s is at %d MHz (memory %d), %.0f W, %d C", state.driver,
                       first->name, state.sm_clock_mhz, state.memory_clock_mhz,
                       state.power_mw * 1e-3, state.temperature_c);
    else {
        struct gr_device_part *part =
            gr_devices_add(devices, GR_DEVICES_GPU, vendor->monitor, false, "%s", error.text);
        if (part)
            part->remedy = gr_strdup(vendor->monitor_remedy);
    }
    gradus_error_clear(&error);
}

static void find_driver(struct gr_devices *devices, const struct gr_gpu_vendor *vendor)
{
    struct gradus_error error = {0};
    const struct gr_gpu_driver *driver;
    char version[32];
    if (vendor->open(&driver, &error) != GRADUS_OK) {
        add_missing(devices, vendor->name, vendor->look, &error);
        return;
    }
    vendor->version(driver, version);
    struct gr_device_part *part =
        gr_devices_add(devices, GR_DEVICES_GPU, vendor->name, true, "%s, %d GPU%s", version,
                       driver->devices, driver->devices == 1 ? "" : "s");
    if (part)
        part->path = gr_strdup(driver->path);
    for (int i = 0; i < driver->devices && i < GPUS_SHOWN; i++) {
        struct gr_gpu_device d;
        if (gr_gpu_device_read(driver, i, &d, &error) != GRADUS_OK) {
            add_missing(devices, vendor->name, vendor->look, &error);
            continue;
        }
        add_gpu(devices, vendor, &d);
        if (i == 0)
            find_monitor(devices, vendor, &d);
    }
}

/* Adds a compiler and its architectures, such as "CUDA 13.0, sm_75 to sm_121". */
static void find_compiler(struct gr_devices *devices, const struct gr_rtc *rtc, const char *title,
                          const char *(*arch)(int number), bool has_headers)
{
    struct gradus_error error = {0};
    struct gr_rtc_about about;
    if (rtc->find(&about, &error) != GRADUS_OK) {
        add_missing(devices, rtc->name, "gradus help devices", &error);
        return;
    }
    struct gr_str text = {0};
    gr_str_printf(&text, "%s %d.%d", title, about.major, about.minor);
    if (about.arch_count > 0) {
        gr_str_printf(&text, ", %s", arch(about.archs[0]));
        gr_str_printf(&text, " to %s", arch(about.archs[about.arch_count - 1]));
    }
    if (has_headers)
        gr_str_printf(&text, "; the toolkit's headers: %s",
                      *rtc->include_dir() ? rtc->include_dir() : "none, not needed");
    struct gr_device_part *part =
        gr_devices_add(devices, GR_DEVICES_GPU, rtc->name, true, "%s", gr_str_text(&text));
    if (part)
        part->path = gr_strdup(about.path);
    gr_str_free(&text);
}

static const char *nvidia_arch(int number)
{
    static char text[16];
    snprintf(text, sizeof text, "sm_%d", number);
    return text;
}

static const char *amd_arch(int number)
{
    static char text[16];
    snprintf(text, sizeof text, "gfx%x", (unsigned)number);
    return text;
}

void gr_devices_find_nvidia(struct gr_devices *devices)
{
    find_driver(devices, &gr_gpu_vendor_cuda);
    find_compiler(devices, &gr_rtc_nvrtc, "CUDA", nvidia_arch, true);
}

void gr_devices_find_amd(struct gr_devices *devices)
{
    find_driver(devices, &gr_gpu_vendor_hip);
    find_compiler(devices, &gr_rtc_hiprtc, "hipRTC", amd_arch, false);
    find_compiler(devices, &gr_rtc_clang, "clang", amd_arch, false);
}
