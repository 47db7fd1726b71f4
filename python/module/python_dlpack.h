/* python_dlpack.h: what python_array.h does, by DLPack. SPDX-License-Identifier: MIT */
#ifndef PYTHON_PYTHON_DLPACK_H
#define PYTHON_PYTHON_DLPACK_H

#include "dlpack_abi.h"
#include "python_array.h"

int gr_dlpack_read(PyObject *x, const char *name, struct gr_py_queue *queue, struct gr_array *array,
                   struct gr_py_array *about);
void gr_dlpack_release(struct gr_py_array *about);
/* Sets the exception for an array in a device's memory: DLPack's type and number of the device. */
int gr_dlpack_refuse_device(const char *name, long type, long number);

int gr_dlpack_make(struct gr_py_queue *queue, int device, struct gr_array *array,
                   struct gr_py_new *made);
/* A new array of the library of `like` on the queue's GPU, by Python. */
PyObject *gr_dlpack_empty(PyObject *like, const struct gr_py_queue *queue, const char *dtype,
                          const int64_t *shape, int dims);
PyObject *gr_dlpack_finish(struct gr_py_new *made);
void gr_dlpack_discard(struct gr_py_new *made);
int gr_dlpack_written(PyObject *out);

#endif
