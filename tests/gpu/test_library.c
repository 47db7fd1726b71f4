/* test_library.c: the library's path to a GPU over the fake driver (fake_driver.h): which launches
 * with which arguments on which stream and device, what is allocated and when, captures, failures
 * at every call of the driver, refusals, where code comes from. Each case is a process of its own,
 * since the driver is opened once. The choices are those of the cost models alone: no table of
 * measured times is linked. SPDX-License-Identifier: MIT
 *
 *     test_library FOLDER       the folder of libfake_driver.so and libfake_nvrtc.so */
#include "library_fake.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct a_case {
    const char *name;
    void (*body)(void);
    const char *cc, *devices;
    bool no_driver, no_compiler, keeps_cache;
    bool by_21; /* GRADUS_MATH_ACCURATE is 21_accurate, which has three launches and a workspace */
} cases[] = {
    {"arguments", case_arguments, "90", "1", false, false, false, false},
    {"batch", case_batch, "90", "1", false, false, false, false},
    {"far arrays", case_far_arrays, "90", "1", false, false, false, false},
    {"epilogue", case_epilogue, "90", "1", false, false, false, false},
    {"rounded", case_rounded, "90", "1", false, false, false, false},
    {"fused", case_fused, "90", "1", false, false, false, false},
    {"host", case_host, "90", "1", false, false, false, false},
    {"allocations", case_allocations, "90", "1", false, false, false, true},
    {"workspace", case_workspace, "90", "1", false, false, false, false},
    {"types", case_types, "90", "1", false, false, false, false},
    {"bytes", case_bytes, "90", "1", false, false, false, false},
    {"early", case_early, "90", "1", false, false, false, true},
    {"spread", case_spread, "90", "1", false, false, false, false},
    {"early_older", case_early_older, "90", "1", false, false, false, true},
    {"zeroed", case_zeroed, "90", "1", false, false, false, false},
    {"capture", case_capture, "90", "1", false, false, false, true},
    {"devices", case_devices, "90", "2", false, false, false, false},
    {"refusals", case_refusals, "90", "1", false, false, false, false},
    {"threads", case_threads, "90", "1", false, false, false, true},
    {"ampere", case_ampere, "87", "1", false, false, false, false},
    {"turing", case_turing, "75", "1", false, false, false, false},
    {"no_compiler", case_no_compiler, "110", "1", false, true, false, false},
    {"compiled", case_compiled, "110", "1", false, false, false, false},
    {"cached", case_cached, "110", "1", false, false, true, false},
    {"cached_alone", case_compiled, "110", "1", false, true, true, false},
    {"no_driver", case_no_driver, "90", "1", true, false, false, false},
};

/* Code 1 is an invalid value, 2 no memory, 719 a fault, 900 a capture. */
static const char *const fails[] = {
    "pointer:999", "pointer:719:1", "context:201", "context:719:2", "load:1",     "load:2",
    "load:719",    "function:500",  "smem:1",      "alloc:2",       "alloc:719",  "capture:900",
    "capture:719", "fill:1",        "fill:719",    "launch:1",      "launch:1:1", "launch:1:3",
    "launch:719",  "launch:719:2",  "load:1:1",    "launch:1:4",    "launch:1:5"};

static const char *const host_fails[] = {"copy:1",     "copy:1:1",   "copy:719:2", "sync:1",
                                         "sync:719:3", "event:1",    "event:1:2",  "alloc:2",
                                         "launch:1",   "launch:1:1", "launch:719", "context:201"};

static void run_case(const struct a_case *c, const char *scratch, const char *fail)
{
    char path[700];
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        failures = 0;
        snprintf(log_path, sizeof log_path, "%s/log", scratch);
        snprintf(nvrtc_log, sizeof nvrtc_log, "%s/nvrtc%d", scratch, strcmp(c->cc, "110") == 0);
        unlink(log_path);
        snprintf(path, sizeof path, "%s/cache%s", scratch, c->keeps_cache ? "" : c->name);
        if (strcmp(c->name, "compiled") == 0)
            snprintf(path, sizeof path, "%s/cache", scratch);
        setenv("XDG_CACHE_HOME", path, 1);
        setenv("GRADUS_FAKE_LOG", log_path, 1);
        setenv("GRADUS_FAKE_NVRTC_LOG", nvrtc_log, 1);
        setenv("GRADUS_FAKE_NVRTC_ARCHS", "80,87,90,110", 1);
        setenv("GRADUS_FAKE_CC", c->cc, 1);
        setenv("GRADUS_FAKE_DEVICES", c->devices, 1);
        if (c->by_21)
            setenv("GRADUS_FAKE_SMEM_MAX", "225000", 1);
        snprintf(path, sizeof path, "%s/lib%s.so", folder, c->no_driver ? "no" : "fake_driver");
        setenv("GRADUS_CUDA_DRIVER", path, 1);
        snprintf(path, sizeof path, "%s/lib%s.so", folder, c->no_compiler ? "no" : "fake_nvrtc");
        setenv("GRADUS_NVRTC", path, 1);
        if (fail)
            setenv("FAIL", fail, 1);
        if (!c->no_driver)
            open_fake();
        c->body();
        fflush(stdout);
        _exit(failures > 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0) {
        printf("case %s %s: status %d\n", c->name, fail ? fail : "", status);
        failures++;
    }
}

int main(int argc, char **argv)
{
    char scratch[] = "/tmp/gradus-library.XXXXXX", command[128];
    if (argc < 2 || !mkdtemp(scratch))
        return 2;
    snprintf(folder, sizeof folder, "%s", argv[1]);
    unsetenv("GRADUS_CACHE_LIMIT");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], scratch, NULL);
    const struct a_case failing = {"failure", case_failure, "90", "1", false, false, false, false};
    for (size_t i = 0; i < sizeof fails / sizeof *fails; i++)
        run_case(&failing, scratch, fails[i]);
    const struct a_case of_host = {
        "host_failure", case_host_failure, "90", "1", false, false, false, false};
    for (size_t i = 0; i < sizeof host_fails / sizeof *host_fails; i++)
        run_case(&of_host, scratch, host_fails[i]);
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    if (system(command) != 0)
        failures++;
    printf("%s\n", failures ? "FAILED" : "all right");
    return failures > 0;
}
