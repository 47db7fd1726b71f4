/* python_product.h: gradus.matmul, its arguments read. SPDX-License-Identifier: MIT */
#ifndef PYTHON_PYTHON_PRODUCT_H
#define PYTHON_PYTHON_PRODUCT_H

#include <Python.h>

#include "python_queue.h"
#include "strided_product.h"

/* The objects are the caller's; null: not given. */
struct gr_py_product {
    PyObject *a, *b, *out, *bias;
    double alpha, beta;
    bool trans_a, trans_b;
    int threads;
    enum gradus_activation activation;
    enum gradus_math math;
    PyObject *stream;
};

/* out or a new array; null with an exception, and then out is as it was. */
PyObject *gr_py_product_run(const struct gr_library *library, const struct gr_py_product *product);
/* Sets the exception for a failure of the library's, clears the error, and returns null. */
PyObject *gr_py_raise(const struct gr_library *library, enum gradus_status status,
                      struct gradus_error *error);

#endif
