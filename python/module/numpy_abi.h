/* numpy_abi.h: the part of NumPy's binary interface that is the same in NumPy 1.7 to 2: the members
 * at the head of an array and of a dtype, and places in the table of functions. NumPy itself is not
 * needed to compile this. SPDX-License-Identifier: MIT */
#ifndef PYTHON_NUMPY_ABI_H
#define PYTHON_NUMPY_ABI_H

#include <Python.h>

struct gr_numpy_dtype {
    PyObject head;
    PyTypeObject *scalar;
    char kind, letter, byte_order, reserved;
    int number;
};

struct gr_numpy_array {
    PyObject head;
    char *data;
    int dims;
    Py_ssize_t *shape, *step;
    PyObject *base;
    struct gr_numpy_dtype *dtype;
    int flags;
};

enum { GR_NUMPY_WRITEABLE = 0x0400 };

/* Numbers of dtypes. Those of other packages, as ml_dtypes' bfloat16, begin at 256. */
enum {
    GR_NUMPY_INT8 = 1,
    GR_NUMPY_UINT8 = 2,
    GR_NUMPY_INT32 = 5,
    GR_NUMPY_FLOAT32 = 11,
    GR_NUMPY_FLOAT64 = 12,
    GR_NUMPY_FIRST_OF_USERS = 256
};

/* Places in the table of functions, and the versions of the table with these places. */
enum {
    GR_NUMPY_AT_VERSION = 0,
    GR_NUMPY_AT_ARRAY_TYPE = 2,
    GR_NUMPY_AT_RETURN = 76,
    GR_NUMPY_AT_NEW = 93
};
#define GR_NUMPY_VERSION_1 0x01000009u
#define GR_NUMPY_VERSION_2 0x02000000u

typedef unsigned gr_numpy_version(void);
/* Replaces an array without dimensions by a scalar; takes over the reference. */
typedef PyObject *gr_numpy_return(PyObject *array);
typedef PyObject *gr_numpy_new(PyTypeObject *type, int dims, const Py_ssize_t *shape, int number,
                               const Py_ssize_t *step, void *data, int element_bytes, int flags,
                               PyObject *like);

#endif
