/* python_dlpack.c: reads and makes arrays by DLPack, through the functions of their library where
 * it has them, else through capsules. SPDX-License-Identifier: MIT */
#include "python_dlpack.h"

#include <stdlib.h>

#define FRAMEWORKS "gradus._frameworks"

static bool type_of_dlpack(const struct gr_dl_tensor *t, enum gradus_type *type)
{
    static const struct {
        uint8_t code, bits;
        enum gradus_type type;
    } types[] = {{GR_DL_FLOAT, 32, GRADUS_F32},   {GR_DL_FLOAT, 64, GRADUS_F64},
                 {GR_DL_BFLOAT, 16, GRADUS_BF16}, {GR_DL_FLOAT, 16, GRADUS_F16},
                 {GR_DL_INT, 8, GRADUS_S8},       {GR_DL_UINT, 8, GRADUS_U8},
                 {GR_DL_INT, 32, GRADUS_S32}};
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

int gr_dlpack_refuse_device(const char *name, long type, long number)
{
    PyErr_Format(PyExc_NotImplementedError,
                 "gradus.matmul: %s: found an array on %s device (DLPack's type %ld, number %ld), "
                 "wanted one in the host's memory or on a CUDA device: copy it there first, as by "
                 ".cpu()",
                 name, type == GR_DL_ROCM ? "a ROCm" : "another", type, number);
    return -1;
}

static bool is_host(long type)
{
    return type == GR_DL_CPU || type == GR_DL_CUDA_HOST || type == GR_DL_ROCM_HOST;
}

static bool is_cuda(long type)
{
    return type == GR_DL_CUDA || type == GR_DL_CUDA_MANAGED;
}

/* Asks before the memory is handed over: a library may start to copy then. *device: a CUDA device,
 * or -1. */
static int find_device(PyObject *x, const char *name, int *device)
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
    *device = is_cuda(t) ? (int)n : -1;
    return is_host(t) || is_cuda(t) ? 0 : gr_dlpack_refuse_device(name, t, n);
}

/* The capsule: of version 1 where the library knows versions. */
static PyObject *capsule_of(PyObject *x, PyObject *options, PyObject *older)
{
    static PyObject *empty;
    if (!options || !older || (!empty && !(empty = PyTuple_New(0))))
        return NULL;
    PyObject *method = PyObject_GetAttrString(x, "__dlpack__");
    if (!method)
        return NULL;
    PyObject *capsule = PyObject_Call(method, empty, options);
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        capsule = PyObject_Call(method, empty, older);
    }
    Py_DECREF(method);
    return capsule;
}

static int read_versioned(const struct gr_dl_versioned *v, const char *name, struct gr_array *array,
                          struct gr_py_array *about)
{
    if (v->version.major != GR_DL_MAJOR) {
        PyErr_Format(PyExc_NotImplementedError,
                     "gradus.matmul: %s: found an array of DLPack %u, wanted %d", name,
                     (unsigned)v->version.major, GR_DL_MAJOR);
        return -1;
    }
    if (!is_host(v->tensor.device.type) && !is_cuda(v->tensor.device.type))
        return gr_dlpack_refuse_device(name, v->tensor.device.type, v->tensor.device.number);
    about->writable = !(v->flags & GR_DL_READ_ONLY);
    return read_tensor(&v->tensor, name, array, about);
}

/* The capsule of an array in the host's memory, or of one on a GPU, ready for a stream. */
static PyObject *ask_for_capsule(PyObject *x, const char *name, struct gr_py_queue *queue,
                                 int device)
{
    static PyObject *host_options, *host_older;
    int64_t stream;
    if (device < 0) {
        if (!host_options)
            host_options = Py_BuildValue("{s(ii)}", "max_version", GR_DL_MAJOR, 0);
        if (!host_older)
            host_older = PyDict_New();
        return capsule_of(x, host_options, host_older);
    }
    if (gr_py_queue_join(x, name, NULL, device, queue, &stream))
        return NULL;
    PyObject *options =
        Py_BuildValue("{s(ii)sL}", "max_version", GR_DL_MAJOR, 0, "stream", (long long)stream);
    PyObject *older = Py_BuildValue("{sL}", "stream", (long long)stream);
    PyObject *capsule = capsule_of(x, options, older);
    Py_XDECREF(options);
    Py_XDECREF(older);
    return capsule;
}

/* A capsule that nobody takes over frees its array itself. */
static int read_capsule(PyObject *x, const char *name, struct gr_py_queue *queue,
                        struct gr_array *array, struct gr_py_array *about)
{
    if (find_device(x, name, &about->device))
        return -1;
    PyObject *capsule = ask_for_capsule(x, name, queue, about->device);
    if (!capsule)
        return -1;
    about->owner = capsule;
    if (PyCapsule_IsValid(capsule, GR_DL_CAPSULE)) {
        const struct gr_dl_managed *m = PyCapsule_GetPointer(capsule, GR_DL_CAPSULE);
        about->writable = true;
        return read_tensor(&m->tensor, name, array, about);
    }
    const struct gr_dl_versioned *v = PyCapsule_GetPointer(capsule, GR_DL_VERSIONED_CAPSULE);
    return v ? read_versioned(v, name, array, about) : -1;
}

/* An array that the functions of its library have handed over. */
static int read_exchanged(PyObject *x, const struct gr_dl_exchange *exchange, const char *name,
                          struct gr_py_queue *queue, struct gr_array *array,
                          struct gr_py_array *about)
{
    int64_t none;
    if (read_versioned(about->held, name, array, about))
        return -1;
    if (!is_cuda(about->held->tensor.device.type))
        return 0;
    about->device = about->held->tensor.device.number;
    return gr_py_queue_join(x, name, exchange, about->device, queue, &none);
}

/* The functions of the library of x, or null. They live as long as the process. */
static const struct gr_dl_exchange *exchange_of(PyObject *x)
{
    static PyObject *name;
    if (!name && !(name = PyUnicode_InternFromString("__dlpack_c_exchange_api__")))
        return NULL;
    PyObject *capsule = PyObject_GetAttr((PyObject *)Py_TYPE(x), name);
    const struct gr_dl_exchange *exchange =
        capsule ? PyCapsule_GetPointer(capsule, GR_DL_EXCHANGE_CAPSULE) : NULL;
    Py_XDECREF(capsule);
    PyErr_Clear();
    return exchange && exchange->version.major == GR_DL_MAJOR ? exchange : NULL;
}

int gr_dlpack_read(PyObject *x, const char *name, struct gr_py_queue *queue, struct gr_array *array,
                   struct gr_py_array *about)
{
    about->object = x;
    const struct gr_dl_exchange *exchange = exchange_of(x);
    if (exchange && exchange->from_object(x, &about->held) == 0)
        return read_exchanged(x, exchange, name, queue, array, about);
    PyErr_Clear(); /* the capsule's error names the reason in a line */
    about->held = NULL;
    return read_capsule(x, name, queue, array, about);
}

void gr_dlpack_release(struct gr_py_array *about)
{
    if (about->held && about->held->deleter)
        about->held->deleter(about->held);
    about->held = NULL;
}

static void describe(const struct gr_array *array, int device, struct gr_dl_tensor *t)
{
    t->data = array->data;
    t->device.type = device < 0 ? GR_DL_CPU : GR_DL_CUDA;
    t->device.number = device < 0 ? 0 : device;
    t->dims = array->dims;
    t->dtype.code = array->type == GRADUS_S32 ? GR_DL_INT : GR_DL_FLOAT;
    t->dtype.bits = (uint8_t)(8 * gr_type_bytes(array->type));
    t->dtype.lanes = 1;
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
    array->data = data;
    describe(array, -1, &m->tensor);
    m->tensor.shape = (int64_t *)(m + 1);
    m->tensor.step = m->tensor.shape + dims;
    for (size_t i = 0; i < dims; i++) {
        m->tensor.shape[i] = array->shape[i];
        m->tensor.step[i] = array->step[i] / gr_type_bytes(array->type);
    }
    made->memory = m;
    return 0;
}

static void fail(void *context, const char *kind, const char *text)
{
    (void)context;
    PyErr_Format(PyExc_RuntimeError, "gradus.matmul: out: cannot be made: %s: %s", kind, text);
}

/* By the functions of its library, which take their current stream. */
static int make_exchanged(const struct gr_dl_exchange *exchange, int device, struct gr_array *array,
                          struct gr_py_new *made)
{
    struct gr_dl_tensor wanted = {.shape = array->shape, .step = NULL};
    array->data = NULL;
    describe(array, device, &wanted);
    if (exchange->make(&wanted, &made->exchanged, NULL, fail)) {
        made->exchanged = NULL;
        return -1;
    }
    made->exchange = exchange;
    struct gr_py_array about;
    return read_tensor(&made->exchanged->tensor, "out", array, &about);
}

static const char *dtype_name(enum gradus_type type)
{
    return type == GRADUS_F64 ? "float64" : "float32";
}

PyObject *gr_dlpack_empty(PyObject *like, const struct gr_py_queue *queue, const char *dtype,
                          const int64_t *shape, int dims)
{
    PyObject *sizes = PyTuple_New(dims), *module = PyImport_ImportModule(FRAMEWORKS);
    bool good = sizes && module;
    for (int i = 0; good && i < dims; i++) {
        PyObject *size = PyLong_FromLongLong(shape[i]);
        good = size && PyTuple_SetItem(sizes, i, size) == 0;
    }
    PyObject *given = NULL, *array = NULL;
    if (good && queue->given)
        given = PyLong_FromUnsignedLongLong(queue->stream);
    else if (good)
        given = Py_BuildValue("");
    if (given)
        array =
            PyObject_CallMethod(module, "empty", "OOsiO", like, sizes, dtype, queue->device, given);
    Py_XDECREF(given);
    Py_XDECREF(module);
    Py_XDECREF(sizes);
    return array;
}

/* By Python: on the stream that the caller gave, whose later products may use it. */
static int make_on_gpu(struct gr_py_queue *queue, struct gr_array *array, struct gr_py_new *made)
{
    made->array =
        gr_dlpack_empty(made->like, queue, dtype_name(array->type), array->shape, array->dims);
    if (!made->array)
        return -1;
    queue->owner = Py_TYPE(made->array); /* it is ready on that stream, and is the last one */
    made->about = (struct gr_py_array){0};
    return gr_py_read(made->array, "out", queue, array, &made->about);
}

int gr_dlpack_make(struct gr_py_queue *queue, int device, struct gr_array *array,
                   struct gr_py_new *made)
{
    const struct gr_dl_exchange *exchange = exchange_of(made->like);
    if (exchange && (device < 0 || !queue->given))
        return make_exchanged(exchange, device, array, made);
    return device < 0 ? make_memory(array, made) : make_on_gpu(queue, array, made);
}

static void free_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, GR_DL_CAPSULE))
        free_memory(PyCapsule_GetPointer(capsule, GR_DL_CAPSULE));
}

static PyObject *exchanged_object(struct gr_py_new *made)
{
    void *object = NULL;
    const int failed = made->exchange->to_object(made->exchanged, &object);
    made->exchanged = NULL;
    return failed ? NULL : object;
}

PyObject *gr_dlpack_finish(struct gr_py_new *made)
{
    if (made->exchanged)
        return exchanged_object(made);
    if (made->array) {
        PyObject *array = made->array;
        made->array = NULL;
        return array;
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

void gr_dlpack_discard(struct gr_py_new *made)
{
    if (made->memory)
        free_memory(made->memory);
    if (made->exchanged && made->exchanged->deleter)
        made->exchanged->deleter(made->exchanged);
    made->memory = NULL;
    made->exchanged = NULL;
    gr_py_release(&made->about);
    Py_CLEAR(made->array);
}

int gr_dlpack_written(PyObject *out)
{
    PyObject *frameworks = PyImport_ImportModule(FRAMEWORKS);
    PyObject *done = frameworks ? PyObject_CallMethod(frameworks, "written", "O", out) : NULL;
    Py_XDECREF(frameworks);
    Py_XDECREF(done);
    return done ? 0 : -1;
}
