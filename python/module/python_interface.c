/* python_interface.c: reads the dictionary that describes an array in a GPU's memory:
 * https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html.
 * SPDX-License-Identifier: MIT */
#include "python_interface.h"

static int complain(const char *name, const char *key, const char *wanted)
{
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError,
                 "gradus.matmul: %s: __cuda_array_interface__: found another '%s' than the "
                 "interface has, wanted %s",
                 name, key, wanted);
    return -1;
}

/* Numbers of a tuple, at most `most` of them; -1: it is none, or has more. */
static int read_numbers(PyObject *tuple, int64_t *numbers, int most)
{
    const Py_ssize_t count = tuple && PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;
    if (count < 0 || count > most)
        return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        numbers[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
        if (numbers[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return (int)count;
}

/* "<f4": the order of bytes, the kind, the bytes of an element. */
static int read_type(PyObject *text, const char *name, struct gr_array *array,
                     struct gr_py_array *about)
{
    static const struct {
        const char *text;
        enum gradus_type type;
    } types[] = {{"f4", GRADUS_F32}, {"f8", GRADUS_F64}, {"f2", GRADUS_F16}};
    PyObject *bytes = text && PyUnicode_Check(text) ? PyUnicode_AsASCIIString(text) : NULL;
    const char *found = bytes ? PyBytes_AsString(bytes) : NULL;
    const bool good = found && found[0] && found[1];
    about->known = false;
    array->type = GRADUS_S8; /* of no meaning where it is not known */
    for (size_t i = 0; good && i < sizeof types / sizeof *types; i++)
        if (found[0] != '>' && found[1] == types[i].text[0] && found[2] == types[i].text[1] &&
            !found[3]) {
            about->known = true;
            array->type = types[i].type;
        }
    Py_XDECREF(bytes);
    return good ? 0 : complain(name, "typestr", "as '<f4'");
}

static int read_shape(PyObject *about, const char *name, struct gr_array *array)
{
    PyObject *strides = PyDict_GetItemString(about, "strides");
    array->dims =
        read_numbers(PyDict_GetItemString(about, "shape"), array->shape, GR_ARRAY_DIMS - 2);
    for (int i = 0; i < array->dims; i++)
        if (array->shape[i] < 0)
            return complain(name, "shape", "sizes of 0 or more");
    if (array->dims < 0)
        return complain(name, "shape", "a tuple of up to 64 numbers");
    if (!strides || strides == Py_None)
        gr_array_set_contiguous_steps(array);
    else if (read_numbers(strides, array->step, array->dims) != array->dims)
        return complain(name, "strides", "None, or as many numbers as in 'shape'");
    return 0;
}

/* The address and whether the memory may only be read. */
static int read_data(PyObject *data, const char *name, struct gr_array *array,
                     struct gr_py_array *about)
{
    const bool pair = data && PyTuple_Check(data) && PyTuple_Size(data) == 2;
    const unsigned long long address =
        pair ? PyLong_AsUnsignedLongLong(PyTuple_GetItem(data, 0)) : 0;
    const int only_read = pair ? PyObject_IsTrue(PyTuple_GetItem(data, 1)) : -1;
    if (!pair || only_read < 0 || PyErr_Occurred())
        return complain(name, "data", "a tuple of an address and whether it is read-only");
    array->data = (char *)(uintptr_t)address;
    about->writable = !only_read;
    return 0;
}

/* *stream is *room, or null where there is nothing to wait for. */
static int read_stream(PyObject *found, const char *name, uintptr_t *room, uintptr_t **stream)
{
    *stream = NULL;
    if (!found || found == Py_None)
        return 0;
    const unsigned long long handle = PyLong_Check(found) ? PyLong_AsUnsignedLongLong(found) : 0;
    if (PyErr_Occurred() || handle == 0)
        return complain(name, "stream", "None or a number other than 0");
    *room = (uintptr_t)handle;
    *stream = room;
    return 0;
}

static int read_interface(PyObject *dict, const char *name, struct gr_py_queue *queue,
                          struct gr_array *array, struct gr_py_array *about)
{
    uintptr_t room, *stream;
    PyObject *mask = PyDict_GetItemString(dict, "mask");
    if (mask && mask != Py_None)
        return complain(name, "mask", "None");
    if (read_type(PyDict_GetItemString(dict, "typestr"), name, array, about) ||
        read_shape(dict, name, array) ||
        read_data(PyDict_GetItemString(dict, "data"), name, array, about) ||
        read_stream(PyDict_GetItemString(dict, "stream"), name, &room, &stream))
        return -1;
    about->device = queue->known ? queue->device : 0; /* of an array without elements */
    if (gr_array_count(array) &&
        gr_py_queue_device_of(name, (uintptr_t)array->data, &about->device))
        return -1;
    return gr_py_queue_join_stream(name, about->device, stream, queue);
}

int gr_interface_read(PyObject *x, const char *name, struct gr_py_queue *queue,
                      struct gr_array *array, struct gr_py_array *about)
{
    PyObject *dict = PyObject_GetAttrString(x, "__cuda_array_interface__");
    if (!dict)
        return -1;
    about->object = x;
    about->owner = dict;
    array->swapped = false;
    if (!PyDict_Check(dict))
        return complain(name, "type", "a dictionary");
    return read_interface(dict, name, queue, array, about);
}
