/* python_array.c: whose array it is; NumPy's arrays, read and made. SPDX-License-Identifier: MIT */
#include "python_array.h"

#include "numpy_abi.h"
#include "python_dlpack.h"
#include "python_interface.h"

/* NumPy's table of functions. `array_type` is null as long as NumPy is not imported, and where its
 * binary interface is another one; its arrays are read by DLPack then. */
static struct {
    bool tried;
    void **table;
    PyTypeObject *array_type;
    int bfloat16; /* the number that ml_dtypes' dtype has in this process, or 0 */
} numpy;

/* A function of the table. */
#define NUMPY_FUNCTION(T, at) (*(T **)&numpy.table[at])

static bool is_imported(const char *name)
{
    PyObject *key = PyUnicode_FromString(name), *module = key ? PyImport_GetModule(key) : NULL;
    Py_XDECREF(key);
    Py_XDECREF(module);
    PyErr_Clear();
    return module != NULL;
}

static void **table_of(const char *name)
{
    PyObject *module = PyImport_ImportModule(name);
    PyObject *capsule = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
    void **table = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    PyErr_Clear();
    return table;
}

static void find_numpy(void)
{
    if (numpy.tried || !is_imported("numpy"))
        return;
    numpy.tried = true;
    void **table = table_of("numpy._core._multiarray_umath");
    if (!table)
        table = table_of("numpy.core._multiarray_umath");
    if (!table)
        return;
    numpy.table = table;
    const unsigned version = NUMPY_FUNCTION(gr_numpy_version, GR_NUMPY_AT_VERSION)();
    if (version != GR_NUMPY_VERSION_1 && version != GR_NUMPY_VERSION_2)
        return;
    numpy.array_type = table[GR_NUMPY_AT_ARRAY_TYPE];
}

bool gr_py_is_numpy(PyObject *x)
{
    if (!numpy.array_type)
        find_numpy();
    return numpy.array_type &&
           (Py_TYPE(x) == numpy.array_type || PyType_IsSubtype(Py_TYPE(x), numpy.array_type));
}

static bool is_bfloat16(const struct gr_numpy_dtype *dtype)
{
    if (dtype->number < GR_NUMPY_FIRST_OF_USERS)
        return false;
    if (dtype->number == numpy.bfloat16)
        return true;
    PyObject *name = PyObject_GetAttrString((PyObject *)dtype, "name");
    const bool found =
        name && PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "bfloat16") == 0;
    Py_XDECREF(name);
    PyErr_Clear();
    if (found)
        numpy.bfloat16 = dtype->number;
    return found;
}

static bool type_of_numpy(const struct gr_numpy_dtype *dtype, enum gradus_type *type)
{
    switch (dtype->number) {
    case GR_NUMPY_FLOAT64:
        *type = GRADUS_F64;
        return true;
    case GR_NUMPY_FLOAT32:
        *type = GRADUS_F32;
        return true;
    case GR_NUMPY_INT8:
        *type = GRADUS_S8;
        return true;
    case GR_NUMPY_UINT8:
        *type = GRADUS_U8;
        return true;
    case GR_NUMPY_INT32:
        *type = GRADUS_S32;
        return true;
    default:
        *type = GRADUS_BF16;
        return is_bfloat16(dtype);
    }
}

static void read_numpy(PyObject *x, struct gr_array *array, struct gr_py_array *about)
{
    const struct gr_numpy_array *n = (const struct gr_numpy_array *)x;
    const char foreign = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<';
    array->data = n->data;
    array->swapped = n->dtype->byte_order == foreign;
    array->dims = n->dims;
    for (int i = 0; i < n->dims; i++) {
        array->shape[i] = n->shape[i];
        array->step[i] = n->step[i];
    }
    about->object = x;
    about->numpy = true;
    about->writable = n->flags & GR_NUMPY_WRITEABLE;
    about->known = type_of_numpy(n->dtype, &array->type);
}

/* A list, a scalar, an object with __array__ or a buffer: what NumPy makes of it. */
static int read_converted(PyObject *x, const char *name, struct gr_py_queue *queue,
                          struct gr_array *array, struct gr_py_array *about)
{
    PyObject *module = PyImport_ImportModule("numpy");
    if (!module) {
        PyErr_Format(PyExc_TypeError,
                     "gradus.matmul: %s: found %S, wanted an array with __dlpack__, or NumPy to "
                     "convert it (pip install numpy)",
                     name, (PyObject *)Py_TYPE(x));
        return -1;
    }
    about->owner = PyObject_CallMethod(module, "asarray", "O", x);
    Py_DECREF(module);
    if (!about->owner)
        return -1;
    if (gr_py_is_numpy(about->owner)) {
        read_numpy(about->owner, array, about);
        return 0;
    }
    PyObject *converted = about->owner;
    about->owner = NULL;
    const int failed = gr_dlpack_read(converted, name, queue, array, about);
    about->object = x;
    Py_DECREF(converted); /* the capsule keeps it */
    return failed;
}

int gr_py_read(PyObject *x, const char *name, struct gr_py_queue *queue, struct gr_array *array,
               struct gr_py_array *about)
{
    about->owner = NULL;
    about->held = NULL;
    about->numpy = false;
    about->device = -1;
    if (gr_py_is_numpy(x)) {
        read_numpy(x, array, about);
        return 0;
    }
    if (PyObject_HasAttrString((PyObject *)Py_TYPE(x), "__dlpack__"))
        return gr_dlpack_read(x, name, queue, array, about);
    if (PyObject_HasAttrString(x, "__cuda_array_interface__"))
        return gr_interface_read(x, name, queue, array, about);
    return read_converted(x, name, queue, array, about);
}

void gr_py_release(struct gr_py_array *about)
{
    Py_CLEAR(about->owner);
    gr_dlpack_release(about);
}

static int numpy_number(enum gradus_type type)
{
    return type == GRADUS_F32   ? GR_NUMPY_FLOAT32
           : type == GRADUS_F64 ? GR_NUMPY_FLOAT64
                                : GR_NUMPY_INT32;
}

static int make_numpy(struct gr_array *array, struct gr_py_new *made)
{
    Py_ssize_t shape[GR_ARRAY_DIMS];
    for (int i = 0; i < array->dims; i++)
        shape[i] = (Py_ssize_t)array->shape[i];
    made->numpy = NUMPY_FUNCTION(gr_numpy_new, GR_NUMPY_AT_NEW)(
        numpy.array_type, array->dims, shape, numpy_number(array->type), NULL, NULL, 0, 0, NULL);
    if (!made->numpy)
        return -1;
    array->data = ((struct gr_numpy_array *)made->numpy)->data;
    return 0;
}

int gr_py_make(const struct gr_py_array *like, struct gr_py_queue *queue, struct gr_array *array,
               struct gr_py_new *made)
{
    *made = (struct gr_py_new){.like = like->object};
    array->swapped = false;
    gr_array_set_contiguous_steps(array);
    return like->numpy ? make_numpy(array, made) : gr_dlpack_make(queue, like->device, array, made);
}

int gr_py_written(const struct gr_py_array *out)
{
    return out->numpy ? 0 : gr_dlpack_written(out->object);
}

PyObject *gr_py_finish(struct gr_py_new *made)
{
    if (!made->numpy)
        return gr_dlpack_finish(made);
    PyObject *array = made->numpy;
    made->numpy = NULL;
    return NUMPY_FUNCTION(gr_numpy_return, GR_NUMPY_AT_RETURN)(array);
}

void gr_py_discard(struct gr_py_new *made)
{
    Py_CLEAR(made->numpy);
    gr_dlpack_discard(made);
}
