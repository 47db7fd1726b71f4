/* python_array.h: arrays of Python's libraries: NumPy's by its binary interface, all others by
 * DLPack. Functions return -1 with a Python exception set where they fail.
 * SPDX-License-Identifier: MIT */
#ifndef PYTHON_PYTHON_ARRAY_H
#define PYTHON_PYTHON_ARRAY_H

#include <Python.h>

#include "python_queue.h"
#include "strided_array.h"

/* What is known of an array besides its elements. */
struct gr_py_array {
    PyObject *object; /* the array, whose reference is the caller's, or the one that `owner` is */
    PyObject *owner;  /* a reference that keeps the memory, or null */
    struct gr_dl_versioned *held; /* the same of DLPack, or null */
    bool numpy;                   /* it is NumPy's, or was converted by NumPy */
    bool writable;
    bool known; /* its dtype is one of the library's types; else array->type means nothing */
    int device; /* the CUDA device in whose memory it is, or -1: the host's */
};

/* True if NumPy's arrays are known, and x is one. */
bool gr_py_is_numpy(PyObject *x);
/* Reads x; what is no array goes through numpy.asarray. `name` is for errors. An array on a GPU
 * joins the queue. Release it with gr_py_release, also after an error. */
int gr_py_read(PyObject *x, const char *name, struct gr_py_queue *queue, struct gr_array *array,
               struct gr_py_array *about);
void gr_py_release(struct gr_py_array *about);

/* Tells the library of an array that its elements were written. */
int gr_py_written(const struct gr_py_array *out);

/* A new array, in C's order. */
struct gr_py_new {
    PyObject *numpy;                   /* NumPy's, or null */
    struct gr_dl_managed *memory;      /* memory that becomes another library's, or null */
    struct gr_dl_versioned *exchanged; /* made by the functions of its library, or null */
    const struct gr_dl_exchange *exchange;
    PyObject *like;           /* an array of that library, the caller's */
    PyObject *array;          /* made by its library on a GPU, or null */
    struct gr_py_array about; /* of `array` */
};

/* Makes an array of the library of `like`, where that is; array has its shape and type, and gets
 * the rest. */
int gr_py_make(const struct gr_py_array *like, struct gr_py_queue *queue, struct gr_array *array,
               struct gr_py_new *made);
/* The array as a Python object; `made` is empty then. */
PyObject *gr_py_finish(struct gr_py_new *made);
/* Frees what was not finished. */
void gr_py_discard(struct gr_py_new *made);

#endif
