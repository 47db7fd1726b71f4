/* python_queue.c: which stream it is, and events that make it wait for others. The driver is the
 * one that the array's library has loaded. SPDX-License-Identifier: MIT */
#include "python_queue.h"

#include <dlfcn.h>
#include <stdlib.h>

#define FRAMEWORKS "gradus._frameworks"

enum { EVENT_WITHOUT_TIMES = 2, POINTER_ORDINAL = 9, NO_SUCH_DEVICE = 101 };

/* X(member, symbol, parameters): functions of the CUDA driver. A result is 0 for success. */
#define DRIVER(X)                                                                                  \
    X(init, cuInit, (unsigned flags))                                                              \
    X(device_get, cuDeviceGet, (int *device, int ordinal))                                         \
    X(context_retain, cuDevicePrimaryCtxRetain, (void **context, int device))                      \
    X(context_push, cuCtxPushCurrent_v2, (void *context))                                          \
    X(context_pop, cuCtxPopCurrent_v2, (void **context))                                           \
    X(pointer_attribute, cuPointerGetAttribute, (void *value, int attribute, uint64_t pointer))    \
    X(event_create, cuEventCreate, (void **event, unsigned flags))                                 \
    X(event_record, cuEventRecord, (void *event, void *stream))                                    \
    X(event_destroy, cuEventDestroy_v2, (void *event))                                             \
    X(stream_wait, cuStreamWaitEvent, (void *stream, void *event, unsigned flags))                 \
    X(is_capturing, cuStreamIsCapturing, (void *stream, int *status))

static struct {
#define MEMBER(member, symbol, parameters) int(*member) parameters;
    DRIVER(MEMBER)
#undef MEMBER
    bool is_there;
} cuda;

/* Tried again where there was none: the next call may find one. */
static bool open_driver(void)
{
    const char *named = getenv("GRADUS_CUDA_DRIVER");
    void *file = cuda.is_there ? NULL : dlopen(named && *named ? named : "libcuda.so.1", RTLD_NOW);
    if (!file)
        return cuda.is_there;
    bool all = true;
#define FIND(member, symbol, parameters)                                                           \
    *(void **)&cuda.member = dlsym(file, #symbol);                                                 \
    all = all && cuda.member;
    DRIVER(FIND)
#undef FIND
    cuda.is_there = all && cuda.init(0) == 0;
    return cuda.is_there;
}

static int refuse_driver(const char *name)
{
    PyErr_Format(PyExc_NotImplementedError,
                 "gradus.matmul: %s: found an array on a GPU, and no driver of CUDA that works "
                 "(libcuda.so.1), wanted one: install it, or give arrays in the host's memory",
                 name);
    return -1;
}

static int check(int result, const char *name, const char *what)
{
    if (result)
        PyErr_Format(PyExc_RuntimeError, "gradus.matmul: %s: %s: the driver returned error %d",
                     name, what, result);
    return result ? -1 : 0;
}

/* The default stream has two numbers. */
static bool is_same(uintptr_t x, uintptr_t y)
{
    return x == y || (x <= 1 && y <= 1);
}

/* The primary context of a GPU, which is the one that array libraries use. It is retained once. */
static int context_of(int device, void **context)
{
    enum { GPUS = 64 };
    static void *kept[GPUS];
    int handle, result = 0;
    if (device < 0 || device >= GPUS)
        return NO_SUCH_DEVICE;
    if (!kept[device]) {
        result = cuda.device_get(&handle, device);
        if (!result)
            result = cuda.context_retain(&kept[device], handle);
    }
    *context = kept[device];
    return result;
}

/* The product's stream waits for what is in another one now; the host does not. */
static int wait_for(const char *name, int device, uintptr_t other, uintptr_t stream)
{
    void *context = NULL, *event = NULL, *left;
    if (is_same(other, stream))
        return 0;
    if (!open_driver())
        return refuse_driver(name);
    int result = context_of(device, &context);
    if (!result)
        result = cuda.context_push(context);
    if (result)
        return check(result, name, "its GPU");
    result = cuda.event_create(&event, EVENT_WITHOUT_TIMES);
    if (!result)
        result = cuda.event_record(event, (void *)other);
    if (!result)
        result = cuda.stream_wait((void *)stream, event, 0);
    if (event)
        cuda.event_destroy(event); /* the driver does, once it has been recorded */
    cuda.context_pop(&left);
    return check(result, name, "waiting for the stream that writes it");
}

/* ---- The stream that the caller gave ---- */

/* What PyTorch's streams and CuPy's call their address. */
static PyObject *handle_of(PyObject *stream)
{
    static const char *const names[] = {"cuda_stream", "ptr", "handle"};
    if (PyLong_Check(stream)) {
        Py_INCREF(stream);
        return stream;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PyObject *found = PyObject_GetAttrString(stream, names[i]);
        if (found && PyLong_Check(found))
            return found;
        Py_XDECREF(found);
        PyErr_Clear();
    }
    return NULL;
}

int gr_py_queue_give(PyObject *stream, struct gr_py_queue *queue)
{
    PyObject *number = handle_of(stream);
    const unsigned long long handle = number ? PyLong_AsUnsignedLongLong(number) : 0;
    if (!number || PyErr_Occurred()) {
        Py_XDECREF(number);
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "gradus.matmul: stream: found %R, wanted a stream of PyTorch or CuPy, or the "
                     "address of one as a number",
                     stream);
        return -1;
    }
    Py_DECREF(number);
    queue->given = true;
    queue->stream = (uintptr_t)handle;
    return 0;
}

/* ---- Arrays ---- */

static int ask_exchange(const char *name, const struct gr_dl_exchange *exchange, int device,
                        uintptr_t *stream)
{
    void *found = NULL;
    if (exchange->current_stream(GR_DL_CUDA, device, &found)) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_RuntimeError,
                         "gradus.matmul: %s: its library does not tell its current stream", name);
        return -1;
    }
    *stream = (uintptr_t)found;
    return 0;
}

static int ask_framework(PyObject *x, const char *name, int device, uintptr_t *stream)
{
    PyObject *module = PyImport_ImportModule(FRAMEWORKS);
    PyObject *found =
        module ? PyObject_CallMethod(module, "current_stream", "Osi", x, name, device) : NULL;
    Py_XDECREF(module);
    *stream = found ? (uintptr_t)PyLong_AsUnsignedLongLong(found) : 0;
    Py_XDECREF(found);
    return PyErr_Occurred() ? -1 : 0;
}

static int check_device(const char *name, int device, struct gr_py_queue *queue)
{
    if (queue->host) {
        PyErr_Format(
            PyExc_ValueError,
            "gradus.matmul: %s: found an array on GPU %d, wanted one in the host's memory, "
            "where a is: copy it there first, as by .cpu()",
            name, device);
        return -1;
    }
    if (queue->known && queue->device != device) {
        PyErr_Format(
            PyExc_ValueError,
            "gradus.matmul: %s: found an array on GPU %d, wanted one on GPU %d, where a is", name,
            device, queue->device);
        return -1;
    }
    queue->device = device;
    return 0;
}

int gr_py_queue_join(PyObject *x, const char *name, const struct gr_dl_exchange *exchange,
                     int device, struct gr_py_queue *queue, int64_t *argument)
{
    const bool decides = !queue->known && !queue->given;
    uintptr_t current = 0;
    if (check_device(name, device, queue))
        return -1;
    queue->known = true;
    *argument = -1;
    if (queue->owner == Py_TYPE(x))
        return 0;
    if (decides || exchange)
        if (exchange ? ask_exchange(name, exchange, device, &current)
                     : ask_framework(x, name, device, &current))
            return -1;
    if (decides) {
        queue->stream = current;
        queue->owner = Py_TYPE(x);
        return 0;
    }
    if (exchange)
        return wait_for(name, device, current, queue->stream);
    *argument = queue->stream ? (int64_t)queue->stream : 1; /* DLPack's number of the default one */
    return 0;
}

int gr_py_queue_join_stream(const char *name, int device, const uintptr_t *stream,
                            struct gr_py_queue *queue)
{
    const bool decides = !queue->known && !queue->given;
    if (check_device(name, device, queue))
        return -1;
    queue->known = true;
    if (decides)
        queue->stream = stream ? *stream : 0;
    return stream ? wait_for(name, device, *stream, queue->stream) : 0;
}

int gr_py_queue_device_of(const char *name, uintptr_t address, int *device)
{
    if (!open_driver())
        return refuse_driver(name);
    return check(cuda.pointer_attribute(device, POINTER_ORDINAL, address), name,
                 "asking whose memory it is");
}

bool gr_py_queue_is_captured(const struct gr_py_queue *queue)
{
    int status = 0;
    return open_driver() && cuda.is_capturing((void *)queue->stream, &status) == 0 && status != 0;
}
