/* fake_driver.h: what the parts of the fake driver share. SPDX-License-Identifier: MIT
 *
 * libfake_driver.so stands in for libcuda.so.1 on machines without a GPU (GRADUS_CUDA_DRIVER=its
 * path). It executes nothing: device memory is the host's, copies and fills are done at once, and a
 * launch is checked against the limits of an H200 and written down. The environment turns its
 * knobs:
 *
 *   GRADUS_FAKE_LOG=FILE       each launch (of a graph: each time it is played) appends one line:
 *                              "SYMBOL grid X,Y,Z block X,Y,Z smem BYTES cluster X,Y,Z args HEX HEX
 * …"; an argument is its bytes as they lie in memory, two digits each; "cluster 0,0,0" where none
 * is asked GRADUS_FAKE_DEVICES=N      that many GPUs (1) GRADUS_FAKE_INIT=CODE      cuInit fails so
 *   GRADUS_FAKE_VERSION=13000  the CUDA version of the driver
 *   GRADUS_FAKE_CC=75          the compute capability (90)
 *   GRADUS_FAKE_MEMORY=BYTES   the memory of a GPU; an allocation beyond it is
 * CUDA_ERROR_OUT_OF_MEMORY GRADUS_FAKE_FAIL=WHAT:CODE what is one of alloc, copy, load, function,
 * launch, sync, graph, event; with WHAT:CODE:N the first N calls succeed. A code from 700 on stays:
 * later calls fail with it as well, as a context does that a kernel broke. */
#ifndef GPU_FAKE_DRIVER_H
#define GPU_FAKE_DRIVER_H

#include "fake_image.h"
#include "gpu/driver.h"

#include <stdbool.h>

enum { FAKE_INVALID_VALUE = 1, FAKE_INVALID_IMAGE = 200, FAKE_NOT_FOUND = 500 };

/* CUresults that Gradus does not tell apart have no name in driver.h; these are the CUDA Driver
 * API's. */
#define FAKE_EXPORT(member, symbol, parameters)                                                    \
    __attribute__((visibility("default"))) CUresult symbol parameters;
GR_CUDA_FUNCTIONS(FAKE_EXPORT, FAKE_EXPORT)
#undef FAKE_EXPORT

/* The number in the environment variable, or `usual`. */
long fake_number(const char *variable, long usual);
/* What a call of that kind returns: success, or what GRADUS_FAKE_FAIL asks for. */
CUresult fake_outcome(const char *what);

#endif
