/* amdgpu.c: reads what amdgpu reports. SPDX-License-Identifier: MIT */
#include "gpu/amdgpu.h"

#include "base/file.h"
#include "base/str.h"
#include "core/error.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum gradus_status gr_amdgpu_admits(const char *node, struct gradus_error *error)
{
    if (access(node, R_OK | W_OK) == 0)
        return GRADUS_OK;
    if (access(node, F_OK) != 0)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: there is no AMD GPU that computes, or the kernel's driver for it is "
                       "not loaded: no %s; load it with: modprobe amdgpu",
                       node);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: this user may not open %s, so that no AMD GPU can be used; fix it with: "
                   "usermod -aG render,video USER, as root, and log in again",
                   node);
}

/* The number in a file of the monitor's folder; -1 where there is none. */
static long long number_in(const char *folder, const char *file)
{
    char *path = gr_printf("%s/%s", folder, file), *text = NULL;
    long long value = -1;
    if (path && gr_file_read(path, &text, NULL, NULL) == GRADUS_OK && text[0])
        value = strtoll(text, NULL, 10);
    free(text);
    free(path);
    return value;
}

/* In other units; -1 stays. */
static int scaled(long long value, long long units)
{
    return value < 0 ? -1 : (int)(value / units);
}

/* The driver that is loaded: AMD's own package has a version, the kernel's has the kernel's. */
static void tell_driver(const char *sysfs, char *driver, size_t size)
{
    char *path = gr_printf("%s/module/amdgpu/version", sysfs), *text = NULL;
    struct utsname kernel;
    if (path && gr_file_read(path, &text, NULL, NULL) == GRADUS_OK)
        snprintf(driver, size, "amdgpu %.*s", (int)strcspn(text, "\n"), text);
    else if (uname(&kernel) == 0)
        snprintf(driver, size, "Linux %.24s", kernel.release);
    free(text);
    free(path);
}

enum gradus_status gr_amdgpu_read(const char *sysfs, const char *pci, struct gr_gpu_state *state,
                                  struct gradus_error *error)
{
    const long long hz_per_mhz = 1000000, microwatts = 1000, millidegrees = 1000;
    char *pattern = gr_printf("%s/bus/pci/devices/%s/hwmon/hwmon*", sysfs, pci);
    glob_t found = {0};
    *state = (struct gr_gpu_state){-1, -1, -1, -1, ""};
    const bool there = pattern && glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;
    if (there) {
        const char *folder = found.gl_pathv[0];
        /* Older GPUs report an average of the power only. */
        const long long power = number_in(folder, "power1_input");
        state->sm_clock_mhz = scaled(number_in(folder, "freq1_input"), hz_per_mhz);
        state->memory_clock_mhz = scaled(number_in(folder, "freq2_input"), hz_per_mhz);
        state->power_mw =
            scaled(power < 0 ? number_in(folder, "power1_average") : power, microwatts);
        state->temperature_c = scaled(number_in(folder, "temp1_input"), millidegrees);
        tell_driver(sysfs, state->driver, sizeof state->driver);
    }
    globfree(&found);
    free(pattern);
    return there ? GRADUS_OK
                 : gr_fail(error, GRADUS_UNSUPPORTED,
                           "amdgpu reports no clocks and no power for the GPU at %s", pci);
}
