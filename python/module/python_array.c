/* python_array.c: reads and makes arrays of Python's libraries. SPDX-License-Identifier: MIT */
#include "python_array.h"

#include "dlpack_abi.h"
#include "numpy_abi.h"

#include <stdlib.h>
#include <string.h>

#define FRAMEWORKS "gradus._frameworks"

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

static bool type_of_dlpack(const struct gr_dl_tensor *t, enum gradus_type *type)
{
    static const struct {
        uint8_t code, bits;
        enum gradus_type type;
    } types[] = {{GR_DL_FLOAT, 32, GRADUS_F32},   {GR_DL_FLOAT, 64, GRADUS_F64},
                 {GR_DL_BFLOAT, 16, GRADUS_BF16}, {GR_DL_INT, 8, GRADUS_S8},
                 {GR_DL_UINT, 8, GRADUS_U8},      {GR_DL_INT, 32, GRADUS_S32}};
    for (size_t i = 0; t->dtype.lanes == 1 && i < sizeof types / sizeof types[0]; i++)
        if (t->dtype.code == types[i].code && t->dtype.bits == types[i].bits) {
            *type = types[i].type;
            return true;
        }
    return false;
}

static int read_tensor(const struct gr_dl_tensor *t, const char *name, struct gr_array *array,
                       struct gr_py_array *about)
{
    if (t->dims < 0 || t->dims > GR_ARRAY_DIMS - 2) {
        PyErr_Format(PyExc_ValueError, "gradus.matmul: %s: found %d dimensions, wanted up to %d",
                     name, (int)t->dims, GR_ARRAY_DIMS - 2);
        return -1;
    }
    about->known = type_of_dlpack(t, &array->type);
    if (!about->known)
        array->type = GRADUS_S8;
    const int64_t bytes = gr_type_bytes(array->type);
    array->data = (char *)t->data + t->offset_bytes;
    array->swapped = false;
    array->dims = t->dims;
    for (int i = 0; i < t->dims; i++) {
        array->shape[i] = t->shape[i];
        array->step[i] = t->step ? t->step[i] * bytes : 0;
    }
    if (!t->step)
        gr_array_set_contiguous_steps(array);
    return 0;
}

static int refuse_device(const char *name, long type, long number)
{
    const char *kind = type == GR_DL_CUDA ? "CUDA" : type == GR_DL_ROCM ? "ROCm" : "another";
    PyErr_Format(PyExc_NotImplementedError,
                 "gradus.matmul: %s: found an array on %s device (DLPack's type %ld, number %ld), "
                 "wanted one in the host's memory: copy it there first, as by .cpu()",
                 name,
                 *kind == 'a'   ? kind
                 : *kind == 'C' ? "a CUDA"
                                : "a ROCm",
                 type, number);
    return -1;
}

/* Asks before the memory is handed over: a library may start to copy then. */
static int check_device(PyObject *x, const char *name)
{
    PyObject *pair = PyObject_CallMethod(x, "__dlpack_device__", NULL);
    PyObject *type = pair ? PySequence_GetItem(pair, 0) : NULL;
    PyObject *number = type ? PySequence_GetItem(pair, 1) : NULL;
    const long t = number ? PyLong_AsLong(type) : -1, n = number ? PyLong_AsLong(number) : -1;
    Py_XDECREF(number);
    Py_XDECREF(type);
    Py_XDECREF(pair);
    if (PyErr_Occurred())
        return -1;
    return t == GR_DL_CPU || t == GR_DL_CUDA_HOST || t == GR_DL_ROCM_HOST
               ? 0
               : refuse_device(name, t, n);
}

/* The capsule: of version 1 where the library knows versions. */
static PyObject *capsule_of(PyObject *x)
{
    static PyObject *empty, *options;
    if (!options) {
        empty = PyTuple_New(0);
        options = Py_BuildValue("{s(ii)}", "max_version", GR_DL_MAJOR, 0);
        if (!empty || !options)
            return NULL;
    }
    PyObject *method = PyObject_GetAttrString(x, "__dlpack__");
    if (!method)
        return NULL;
    PyObject *capsule = PyObject_Call(method, empty, options);
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        capsule = PyObject_Call(method, empty, NULL);
    }
    Py_DECREF(method);
    return capsule;
}

/* A capsule that nobody takes over frees its array itself. */
static int read_dlpack(PyObject *x, const char *name, struct gr_array *array,
                       struct gr_py_array *about)
{
    if (check_device(x, name))
        return -1;
    PyObject *capsule = capsule_of(x);
    if (!capsule)
        return -1;
    about->object = x;
    about->owner = capsule;
    if (PyCapsule_IsValid(capsule, GR_DL_CAPSULE)) {
        const struct gr_dl_managed *m = PyCapsule_GetPointer(capsule, GR_DL_CAPSULE);
        about->writable = true;
        return read_tensor(&m->tensor, name, array, about);
    }
    const struct gr_dl_versioned *v = PyCapsule_GetPointer(capsule, GR_DL_VERSIONED_CAPSULE);
    if (!v)
        return -1;
    if (v->version.major != GR_DL_MAJOR) {
        PyErr_Format(PyExc_NotImplementedError,
                     "gradus.matmul: %s: found an array of DLPack %u, wanted %d", name,
                     (unsigned)v->version.major, GR_DL_MAJOR);
        return -1;
    }
    about->writable = !(v->flags & GR_DL_READ_ONLY);
    return read_tensor(&v->tensor, name, array, about);
}

/* A list, a scalar, an object with __array__ or a buffer: what NumPy makes of it. */
static int read_converted(PyObject *x, const char *name, struct gr_array *array,
                          struct gr_py_array *about)
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
    const int failed = read_dlpack(converted, name, array, about);
    about->object = x;
    Py_DECREF(converted); /* the capsule keeps it */
    return failed;
}

int gr_py_read(PyObject *x, const char *name, struct gr_array *array, struct gr_py_array *about)
{
    about->owner = NULL;
    about->numpy = false;
    if (gr_py_is_numpy(x)) {
        read_numpy(x, array, about);
        return 0;
    }
    if (PyObject_HasAttrString((PyObject *)Py_TYPE(x), "__dlpack__"))
        return read_dlpack(x, name, array, about);
    if (PyObject_HasAttrString(x, "__cuda_array_interface__"))
        return refuse_device(name, GR_DL_CUDA, 0);
    return read_converted(x, name, array, about);
}

void gr_py_release(struct gr_py_array *about)
{
    Py_CLEAR(about->owner);
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

static void free_memory(struct gr_dl_managed *memory)
{
    free(memory->context);
    free(memory);
}

/* Its shape and steps are behind it. */
static int make_memory(struct gr_array *array, struct gr_py_new *made)
{
    const size_t dims = (size_t)array->dims,
                 bytes = (size_t)(gr_array_count(array) * gr_type_bytes(array->type));
    struct gr_dl_managed *m = calloc(1, sizeof *m + 2 * dims * sizeof(int64_t));
    void *data = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!m || !data) {
        free(m);
        free(data);
        PyErr_NoMemory();
        return -1;
    }
    *m = (struct gr_dl_managed){.context = data, .deleter = free_memory};
    m->tensor.data = array->data = data;
    m->tensor.device.type = GR_DL_CPU;
    m->tensor.dims = array->dims;
    m->tensor.dtype.code = array->type == GRADUS_S32 ? GR_DL_INT : GR_DL_FLOAT;
    m->tensor.dtype.bits = (uint8_t)(8 * gr_type_bytes(array->type));
    m->tensor.dtype.lanes = 1;
    m->tensor.shape = (int64_t *)(m + 1);
    m->tensor.step = m->tensor.shape + dims;
    for (size_t i = 0; i < dims; i++) {
        m->tensor.shape[i] = array->shape[i];
        m->tensor.step[i] = array->step[i] / gr_type_bytes(array->type);
    }
    made->memory = m;
    return 0;
}

int gr_py_make(const struct gr_py_array *like, struct gr_array *array, struct gr_py_new *made)
{
    *made = (struct gr_py_new){.like = like->object};
    array->swapped = false;
    gr_array_set_contiguous_steps(array);
    return like->numpy ? make_numpy(array, made) : make_memory(array, made);
}

int gr_py_written(const struct gr_py_array *out)
{
    if (out->numpy)
        return 0;
    PyObject *frameworks = PyImport_ImportModule(FRAMEWORKS);
    PyObject *done =
        frameworks ? PyObject_CallMethod(frameworks, "written", "O", out->object) : NULL;
    Py_XDECREF(frameworks);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static void free_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, GR_DL_CAPSULE))
        free_memory(PyCapsule_GetPointer(capsule, GR_DL_CAPSULE));
}

PyObject *gr_py_finish(struct gr_py_new *made)
{
    if (made->numpy) {
        PyObject *array = made->numpy;
        made->numpy = NULL;
        return NUMPY_FUNCTION(gr_numpy_return, GR_NUMPY_AT_RETURN)(array);
    }
    PyObject *capsule = PyCapsule_New(made->memory, GR_DL_CAPSULE, free_capsule);
    if (!capsule)
        return NULL;
    made->memory = NULL;
    PyObject *frameworks = PyImport_ImportModule(FRAMEWORKS);
    PyObject *array =
        frameworks ? PyObject_CallMethod(frameworks, "wrap", "OO", made->like, capsule) : NULL;
    Py_XDECREF(frameworks);
    Py_DECREF(capsule);
    return array;
}

void gr_py_discard(struct gr_py_new *made)
{
    Py_CLEAR(made->numpy);
    if (made->memory)
        free_memory(made->memory);
    made->memory = NULL;
}
