/* device_arg.h: the device that a command line chooses. SPDX-License-Identifier: MIT */
#ifndef CLI_DEVICE_ARG_H
#define CLI_DEVICE_ARG_H

#include "backend/backend.h"
#include "backend/device_ref.h"
#include "cli/verb.h"

/* Returns the device of --device; without it, "cuda" if an operand is a CUDA file, else the CPU.
 * Errors are those of gr_device_ref_parse. */
enum gradus_status gr_device_arg(const struct gr_args *args, struct gr_device_ref *ref,
                                 struct gradus_error *error);
/* The option --engine of verbs that run kernels, and its value. */
#define GR_OPTION_ENGINE                                                                           \
    {                                                                                              \
        "engine", 0, "code|source", false,                                                         \
            "of --device sim: run machine code or source (default: source, where it compiles)"     \
    }
enum gr_engine gr_engine_of(const struct gr_args *args);
/* Reads the value of --engine. INVALID: it is given, but the device is not simulated. */
enum gradus_status gr_engine_arg(const struct gr_args *args, const struct gr_device_ref *ref,
                                 enum gr_engine *engine, struct gradus_error *error);
/* The option --reorder-ffma of verbs that compile kernels for a GPU. */
#define GR_OPTION_REORDER_FFMA                                                                     \
    {                                                                                              \
        "reorder-ffma", 0, NULL, false, "sm_90: machine code with FFMAs in another order"          \
    }
/* Is --reorder-ffma given? INVALID: it is, but no machine code will be executed. */
enum gradus_status gr_reorder_ffma_arg(const struct gr_args *args, const struct gr_device_ref *ref,
                                       bool *reorder, struct gradus_error *error);
/* Does --device choose a simulated GPU? */
bool gr_device_arg_is_simulated(const struct gr_args *args);
/* Does --device choose the CPU, or is it missing? False also for kinds of devices without a
 * backend. */
bool gr_device_arg_is_host(const struct gr_args *args);

#endif
