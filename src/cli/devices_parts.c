/* devices_parts.c: finds compilers and software for GPUs, by looking for programs and loading
 * libraries. SPDX-License-Identifier: MIT */
#include "cli/devices.h"

#include "base/file.h"
#include "base/process.h"
#include "base/str.h"
#include "gpu/rtc.h"
#include "sim/compile_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void first_line(const char *command, char *line, int size)
{
    line[0] = 0;
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return;
    if (!fgets(line, size, pipe))
        line[0] = 0;
    line[strcspn(line, "\n")] = 0;
    /* Reads the rest, because otherwise the program would be killed by SIGPIPE. */
    while (fgetc(pipe) != EOF)
        ;
    pclose(pipe);
}

struct program {
    const char *name, *version_command, *remedy;
};

static void find_programs(struct gr_devices *devices, enum gr_devices_section section,
                          const struct program *programs, int count)
{
    for (int i = 0; i < count; i++) {
        const struct program *p = &programs[i];
        char line[160] = "missing";
        char *path = gr_program_find(p->name);
        if (path)
            first_line(p->version_command, line, sizeof line);
        struct gr_device_part *part =
            gr_devices_add(devices, section, p->name, path != NULL, "%s", line);
        if (part && !path)
            part->remedy = gr_strdup(p->remedy);
        if (part)
            part->path = path;
        else
            free(path);
    }
}

void gr_devices_find_compilers(struct gr_devices *devices)
{
    static const struct program compilers[] = {
        {"cc", "cc --version 2>/dev/null", "apt-get install gcc"},
        {"gcc", "gcc --version 2>/dev/null", "apt-get install gcc"},
        {"clang", "clang --version 2>/dev/null", "apt-get install clang"},
        {"g++", "g++ --version 2>/dev/null", "apt-get install g++"},
    };
    find_programs(devices, GR_DEVICES_COMPILERS, compilers, sizeof compilers / sizeof *compilers);
}

/* Finds the version, such as "535.183.01", in "NVRM version: NVIDIA UNIX x86_64 Kernel Module
 * 535.183.01 …". */
static void find_nvidia_driver(struct gr_devices *devices)
{
    char *text = NULL, version[32] = "";
    if (gr_file_read("/proc/driver/nvidia/version", &text, NULL, NULL) == GRADUS_OK) {
        const char *module = strstr(text, "Module");
        if (module)
            sscanf(module + strcspn(module, "0123456789\n"), "%31[0-9.]", version);
    }
    free(text);
    struct gr_device_part *part =
        gr_devices_add(devices, GR_DEVICES_GPU, "nvidia driver", version[0] != 0, "%s",
                       *version ? version : "missing");
    if (part && !*version)
        part->remedy = gr_strdup("apt-get install nvidia-driver");
}

/* Finds what the simulator needs: this machine's own compiler, and NVIDIA's for the widths of
 * accesses. */
static void find_simulator(struct gr_devices *devices)
{
    char name[96];
    struct gr_rtc_about about;
    struct gradus_error error = {0};
    enum gradus_status status = gr_sim_compiler(name, &error);
    if (status != GRADUS_OK) {
        const bool missing = status == GRADUS_UNSUPPORTED; /* otherwise the query failed */
        struct gr_device_part *part =
            gr_devices_add(devices, GR_DEVICES_GPU, "sim", false, "%s",
                           missing ? "missing: no C++ compiler" : error.text);
        if (part && missing)
            part->remedy = gr_strdup("apt-get install g++");
    } else if (gr_rtc_nvrtc.find(&about, &error) == GRADUS_OK) {
        gr_devices_add(devices, GR_DEVICES_GPU, "sim", true,
                       "by %s; widths of accesses and registers as nvrtc compiles", name);
    } else {
        struct gr_device_part *part =
            gr_devices_add(devices, GR_DEVICES_GPU, "sim", true,
                           "by %s; widths of accesses are guessed and registers unknown without "
                           "nvrtc",
                           name);
        if (part)
            part->remedy = gr_strdup("python3 -m pip install nvidia-cuda-nvrtc");
    }
    gradus_error_clear(&error);
}

void gr_devices_find_gpu(struct gr_devices *devices)
{
    static const struct program smi[] = {
        {"nvidia-smi", "nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null",
         "apt-get install nvidia-smi"}};
    find_nvidia_driver(devices);
    find_programs(devices, GR_DEVICES_GPU, smi, 1);
    gr_devices_find_nvidia(devices);
    gr_devices_find_amd(devices);
    find_simulator(devices);
}
