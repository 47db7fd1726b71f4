/* device_simulated.h: the library's launches on the simulator: a driver that runs them there, and
 * the kernels of its table, compiled for that. SPDX-License-Identifier: MIT */
#ifndef UNIT_DEVICE_SIMULATED_H
#define UNIT_DEVICE_SIMULATED_H

#include "base/temporary.h"
#include "catalog/catalog.h"
#include "catalog/variant.h"
#include "core/error.h"
#include "device/device_gpu.h"
#include "sim/compile_host.h"
#include "simrt/simrt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static gr_sim_run_fn *simulated;
static unsigned most_rows_of_blocks; /* of a grid: fewer than the launch asks for; 0: as it asks */
static int launch_count;

/* A function's handle is the number of its stanza, and 1. */
static int launch(gr_device_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                  void *stream, void **parameters, void **extra)
{
    (void)stream, (void)extra;
    struct gr_sim_outcome outcome;
    struct gr_sim_launch ask = {.stanza = (int)(intptr_t)function - 1,
                                .grid = {grid_x, grid_y, grid_z},
                                .block = {block_x, block_y, block_z},
                                .warp = 32,
                                .smem_bytes = shared_bytes,
                                .parameters = parameters,
                                .threads = 1};
    if (most_rows_of_blocks && grid_y > most_rows_of_blocks)
        ask.grid[1] = most_rows_of_blocks;
    simulated(&ask, &outcome);
    launch_count++;
    return outcome.status == GR_SIM_DONE ? 0 : 1;
}

static const struct gr_device_driver driver = {.launch = launch};
static struct gr_device_loaded loaded;
static struct gr_device_gpu gpu = {
    .driver = &driver, .cc = 90, .sms = 132, .warp = 32, .smem_max = 232448};

/* Compiles an entry of the table, for transposes 0 to 3, and loads it. False: there is no compiler.
 */
static bool build(int number, int trans)
{
    const struct gr_device_kernel *entry = &gr_device_kernels[number];
    struct gradus_error error = {0};
    struct gr_kernel *kernel = NULL;
    struct gr_types types;
    struct gr_variant variant;
    struct gr_sim_built built;
    char name[128], *rest = NULL, path[128];
    snprintf(path, sizeof path, "kernels/%s/%s.cu", entry->finishes ? "library" : "gpu",
             entry->file);
    const struct gr_embedded *file = gr_embedded_find(path);
    assert_non_null(file);
    assert_int_equal(gr_kernel_parse(path, file->text, NULL, &kernel, &error), 0);
    kernel->built_in = true;
    snprintf(name, sizeof name, "%s", entry->name);
    strtok_r(name, " ", &rest);
    assert_true(gr_types_parse(strtok_r(NULL, " ", &rest), &types));
    assert_int_equal(gr_variant_make(kernel, types, trans & 2, trans & 1, &variant, &error), 0);
    for (char *word; (word = strtok_r(NULL, " ", &rest));)
        assert_int_equal(gr_variant_set(&variant, word, &error), 0);
    const struct gr_sim_build_order order = {
        .variant = &variant, .target = {"NVIDIA H200", "sm_90a", 90, 32}, .kind = GR_SIM_FAST};
    const enum gradus_status status = gr_sim_build(&order, &built, &error);
    if (status != GRADUS_OK)
        print_message("%s\n%s\n", error.text, error.log ? error.log : "");
    gradus_error_clear(&error);
    gr_kernel_free(kernel);
    if (status == GRADUS_UNSUPPORTED)
        return false;
    assert_int_equal(status, GRADUS_OK);
    void *object = dlopen(built.path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    gr_temporary_remove(built.path, built.pending);
    assert_non_null(object);
    *(void **)&simulated = dlsym(object, "gr_sim_run");
    assert_non_null(simulated);
    for (int i = 0; i < entry->stanza_count; i++) {
        loaded.functions[i] = (gr_device_function)(intptr_t)(i + 1);
        atomic_store(&loaded.smem_allowed[i], gpu.smem_max);
    }
    atomic_store(&gpu.loaded[number][trans], &loaded);
    return true;
}

#endif
