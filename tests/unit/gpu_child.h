/* gpu_child.h: the driver and the compiler are opened once a process, so each case of the GPU's
 * tests has a process and an environment of its own, with the stand-ins of tests/gpu.
 * SPDX-License-Identifier: MIT */
#ifndef UNIT_GPU_CHILD_H
#define UNIT_GPU_CHILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAKE_DRIVER "GRADUS_CUDA_DRIVER=" GRADUS_BINARY_DIR "/tests/gpu/libfake_driver.so"
#define FAKE_NVRTC_PATH GRADUS_BINARY_DIR "/tests/gpu/libfake_nvrtc.so"
#define FAKE_NVRTC "GRADUS_NVRTC=" FAKE_NVRTC_PATH
#define FAKE_HIP "GRADUS_HIP_DRIVER=" GRADUS_BINARY_DIR "/tests/gpu/libfake_hip.so"
#define FAKE_HIP5 "GRADUS_HIP_DRIVER=" GRADUS_BINARY_DIR "/tests/gpu/libfake_hip5.so"
#define FAKE_HIPRTC_PATH GRADUS_BINARY_DIR "/tests/gpu/libfake_hiprtc.so"
#define FAKE_HIPRTC "GRADUS_HIPRTC=" FAKE_HIPRTC_PATH

enum { CHILD_VARIABLES = 8 };

/* What a child found: a status and the error's line, or what else `deed` wrote there. */
struct outcome {
    enum gradus_status status;
    char text[512];
};

typedef void (*deed)(struct outcome *outcome);

static inline void set_environment(const char *const *variables)
{
    static const char *const cleared[] = {
        "CUDA_VISIBLE_DEVICES", "GRADUS_NVRTC",         "GRADUS_CUDA_DRIVER", "GRADUS_FAKE_FAIL",
        "HIP_VISIBLE_DEVICES",  "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "GRADUS_HIP_DRIVER",
        "GRADUS_HIPRTC",        "GRADUS_HIP_CLANG",     "ROCM_PATH"};
    for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++)
        unsetenv(cleared[i]);
    for (int i = 0; i < CHILD_VARIABLES && variables[i]; i++)
        putenv((char *)(uintptr_t)variables[i]);
}

/* Runs the deed in a child of that environment ("NAME=value", the last one null). */
static inline struct outcome in_child(deed act, const char *const *variables)
{
    struct outcome outcome = {.status = GRADUS_INTERNAL, .text = "the child died"};
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        set_environment(variables);
        memset(&outcome, 0, sizeof outcome);
        act(&outcome);
        _exit(write(ends[1], &outcome, sizeof outcome) == (ssize_t)sizeof outcome ? 0 : 1);
    }
    close(ends[1]);
    struct outcome reported;
    if (read(ends[0], &reported, sizeof reported) == (ssize_t)sizeof reported)
        outcome = reported;
    close(ends[0]);
    waitpid(child, &status, 0);
    return outcome;
}

/* For a deed that ends with an error or without: its status and line. */
static inline void report(struct outcome *outcome, enum gradus_status status,
                          struct gradus_error *error)
{
    outcome->status = status;
    snprintf(outcome->text, sizeof outcome->text, "%s", error->text);
    gradus_error_clear(error);
}

static inline void assert_says(const struct outcome *outcome, enum gradus_status status,
                               const char *words)
{
    if (outcome->status != status || !strstr(outcome->text, words))
        fail_msg("found %s, '%s'; wanted %s, '%s'", gradus_status_name(outcome->status),
                 outcome->text, gradus_status_name(status), words);
}

#endif
