/* python_interface.h: arrays by the CUDA array interface (__cuda_array_interface__, version 3), for
 * libraries without DLPack. SPDX-License-Identifier: MIT */
#ifndef PYTHON_PYTHON_INTERFACE_H
#define PYTHON_PYTHON_INTERFACE_H

#include "python_array.h"

/* As gr_py_read. */
int gr_interface_read(PyObject *x, const char *name, struct gr_py_queue *queue,
                      struct gr_array *array, struct gr_py_array *about);

#endif
