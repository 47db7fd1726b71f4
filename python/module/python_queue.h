/* python_queue.h: the stream of a GPU that a product is queued on, and what it must come after.
 * Functions return -1 with a Python exception set where they fail. SPDX-License-Identifier: MIT */
#ifndef PYTHON_PYTHON_QUEUE_H
#define PYTHON_PYTHON_QUEUE_H

#include <Python.h>

#include "dlpack_abi.h"

#include <stdbool.h>
#include <stdint.h>

/* The product's device and stream. Unless the caller gave a stream, the first array on a GPU
 * decides: the current stream of its library on that GPU. */
struct gr_py_queue {
    bool given; /* by the caller */
    bool known; /* the device is; and the stream */
    bool host;  /* a is in the host's memory: no array on a GPU joins */
    int device;
    uintptr_t stream;    /* a CUstream: 0 and 1 are the default one */
    PyTypeObject *owner; /* a type whose arrays are ready on it, or null */
};

/* The stream that the caller gave: a number, or a stream of PyTorch, CuPy or another library. */
int gr_py_queue_give(PyObject *stream, struct gr_py_queue *queue);

/* Called for each array on a GPU. Of a library with `exchange`, the product's stream then comes
 * after the library's current one. Otherwise *argument is what its __dlpack__ is to be given: -1,
 * or a stream that it makes wait for its own. */
int gr_py_queue_join(PyObject *x, const char *name, const struct gr_dl_exchange *exchange,
                     int device, struct gr_py_queue *queue, int64_t *argument);
/* The same of an array that names the stream on which it is written; null: none. */
int gr_py_queue_join_stream(const char *name, int device, const uintptr_t *stream,
                            struct gr_py_queue *queue);

/* The GPU whose memory contains the address. */
int gr_py_queue_device_of(const char *name, uintptr_t address, int *device);
/* Is the stream being captured into a graph? */
bool gr_py_queue_is_captured(const struct gr_py_queue *queue);

#endif
