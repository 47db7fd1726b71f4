/* nvml.c: reads clocks and power. SPDX-License-Identifier: MIT */
#include "gpu/nvml.h"

#include "core/error.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct nvmlDevice_st *nvmlDevice;
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 };

/* The functions of NVML that are used, from its documentation; they return 0 on success. */
static struct {
    int (*init)(void);
    int (*by_pci)(const char *bus_id, nvmlDevice *device);
    int (*clock)(nvmlDevice device, int domain, unsigned *mhz);
    int (*power)(nvmlDevice device, unsigned *milliwatts);
    int (*temperature)(nvmlDevice device, int sensor, unsigned *celsius);
    int (*driver)(char *version, unsigned length);
    bool started;
} nvml;

static bool start(void)
{
    static bool tried;
    if (tried)
        return nvml.started;
    tried = true;
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("/usr/lib/wsl/lib/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    *(void **)&nvml.init = dlsym(library, "nvmlInit_v2");
    *(void **)&nvml.by_pci = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&nvml.clock = dlsym(library, "nvmlDeviceGetClockInfo");
    *(void **)&nvml.power = dlsym(library, "nvmlDeviceGetPowerUsage");
    *(void **)&nvml.temperature = dlsym(library, "nvmlDeviceGetTemperature");
    *(void **)&nvml.driver = dlsym(library, "nvmlSystemGetDriverVersion");
    bool whole =
        nvml.init && nvml.by_pci && nvml.clock && nvml.power && nvml.temperature && nvml.driver;
    nvml.started = whole && nvml.init() == 0;
    return nvml.started;
}

enum gradus_status gr_nvml_read(const char *pci, struct gr_gpu_state *state,
                                struct gradus_error *error)
{
    nvmlDevice device = NULL;
    unsigned value = 0;
    *state = (struct gr_gpu_state){-1, -1, -1, -1, ""};
    if (!start())
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "no NVML (libnvidia-ml.so.1), which comes with NVIDIA's driver");
    nvml.driver(state->driver, sizeof state->driver);
    if (nvml.by_pci(pci, &device) != 0)
        return gr_fail(error, GRADUS_UNSUPPORTED, "NVML knows no GPU at %s", pci);
    if (nvml.clock(device, CLOCK_SM, &value) == 0)
        state->sm_clock_mhz = (int)value;
    if (nvml.clock(device, CLOCK_MEMORY, &value) == 0)
        state->memory_clock_mhz = (int)value;
    if (nvml.power(device, &value) == 0)
        state->power_mw = (int)value;
    if (nvml.temperature(device, SENSOR_GPU, &value) == 0)
        state->temperature_c = (int)value;
    return GRADUS_OK;
}
