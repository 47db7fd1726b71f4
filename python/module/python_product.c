/* python_product.c: numpy.matmul's rules for shapes and dtypes, and the product.
 * SPDX-License-Identifier: MIT */
#include "python_product.h"

#include "python_array.h"
#include "python_dlpack.h"

#include <inttypes.h>
#include <stdio.h>

/* From as many multiply-adds on, other Python threads run during the product. Below, which is some
 * microseconds, giving them way would take longer than the product. */
#define WORK_THAT_GIVES_WAY 1e5

/* Arrays as Python gave them, and what is computed of them. */
struct call {
    const struct gr_py_product *asked;
    struct gr_py_array a, b, out, bias;
    struct gr_py_new made;
    struct gr_py_queue queue;
    PyObject *lent; /* the workspace of a graph, or null */
    struct gr_py_array lent_about;
    bool vector_a, vector_b; /* one dimension: a row on the left, a column on the right */
    int kept_dims;           /* the dimensions of the result: those of c less those of vectors */
    int64_t kept[GR_ARRAY_DIMS];
    struct gr_strided_product product;
};

struct types {
    enum gradus_type a, b, c;
};

/* A line of text for a shape, as Python writes a tuple. */
struct shape_text {
    char text[160];
};

static struct shape_text text_of(const int64_t *shape, int dims)
{
    struct shape_text t;
    int at = snprintf(t.text, sizeof t.text, "(");
    for (int i = 0; i < dims && at < (int)sizeof t.text - 32; i++)
        at += snprintf(t.text + at, sizeof t.text - (size_t)at, "%s%" PRId64, i ? ", " : "",
                       shape[i]);
    snprintf(t.text + at, sizeof t.text - (size_t)at, dims == 1 ? ",)" : ")");
    return t;
}

/* As the user gave it, before transposes and before vectors became matrices. */
static struct shape_text text_of_operand(const struct gr_array *x, bool vector, bool is_a)
{
    if (vector)
        return text_of(&x->shape[is_a ? 1 : 0], 1);
    return text_of(x->shape, x->dims);
}

static const char *name_of(enum gradus_type type)
{
    static const char *const names[] = {"float32", "float64", "bfloat16", "int8",
                                        "uint8",   "int32",   "float16"};
    return names[type];
}

static PyObject *dtype_of(PyObject *x)
{
    PyObject *dtype = PyObject_GetAttrString(x, "dtype");
    if (dtype)
        return dtype;
    PyErr_Clear();
    return PyUnicode_FromString("of no name");
}

static bool is_float(enum gradus_type type)
{
    return type == GRADUS_F32 || type == GRADUS_F64;
}

static bool is_eight_bits(enum gradus_type type)
{
    return type == GRADUS_S8 || type == GRADUS_U8;
}

static int refuse_dtype(const char *name, const struct gr_py_array *about)
{
    const char *const wanted = about->device < 0 ? "float32, float64, bfloat16, int8 or uint8"
                                                 : "float32, float64, bfloat16 or float16";
    PyObject *dtype = dtype_of(about->owner && about->numpy ? about->owner : about->object);
    PyErr_Format(PyExc_TypeError, "gradus.matmul: %s: found dtype %S%s, wanted %s", name, dtype,
                 about->device < 0 ? "" : " on a GPU", wanted);
    Py_XDECREF(dtype);
    return -1;
}

static bool has_product(const struct gr_py_array *about, enum gradus_type type)
{
    if (!about->known)
        return false;
    return about->device < 0 ? type != GRADUS_S32 && type != GRADUS_F16
                             : is_float(type) || type == GRADUS_BF16 || type == GRADUS_F16;
}

/* On a GPU, where nothing is copied, and so no float32 to float64. */
static int choose_types_on_gpu(enum gradus_type a, enum gradus_type b, struct types *types)
{
    if (a == b) {
        *types = (struct types){a, b, a == GRADUS_F64 ? a : GRADUS_F32};
        return 0;
    }
    PyErr_Format(PyExc_TypeError,
                 "gradus.matmul: a, b: found dtypes %s and %s on a GPU, wanted the same",
                 name_of(a), name_of(b));
    return -1;
}

/* The types that a and b are taken as, and the product's. */
static int choose_types(const struct call *call, struct types *types)
{
    const enum gradus_type a = call->product.a.type, b = call->product.b.type;
    if (!has_product(&call->a, a))
        return refuse_dtype("a", &call->a);
    if (!has_product(&call->b, b))
        return refuse_dtype("b", &call->b);
    if (call->a.device >= 0)
        return choose_types_on_gpu(a, b, types);
    if (is_float(a) && is_float(b)) {
        const enum gradus_type common = a == b ? a : GRADUS_F64;
        *types = (struct types){common, common, common};
        return 0;
    }
    if (is_eight_bits(a) && is_eight_bits(b)) {
        *types = (struct types){a, b, GRADUS_S32};
        return 0;
    }
    if (a == GRADUS_BF16 && b == GRADUS_BF16) {
        *types = (struct types){a, b, GRADUS_F32};
        return 0;
    }
    PyErr_Format(
        PyExc_TypeError,
        "gradus.matmul: a, b: found dtypes %s and %s, wanted both float, both bfloat16, or "
        "both of 8 bits",
        name_of(a), name_of(b));
    return -1;
}

/* All arrays are where a is; those on GPUs have joined a queue on one. */
static int check_place(const struct call *call, const char *name, const struct gr_py_array *about)
{
    if (about->device == call->a.device)
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "gradus.matmul: %s: found an array in the host's memory, wanted one on GPU %d, "
                 "where a is",
                 name, call->a.device);
    return -1;
}

/* Reads a (or b), transposes it, and makes a matrix of a vector. */
static int read_operand(struct call *call, bool is_a)
{
    PyObject *const object = is_a ? call->asked->a : call->asked->b;
    const char *const name = is_a ? "a" : "b";
    const bool transposed = is_a ? call->asked->trans_a : call->asked->trans_b;
    struct gr_array *x = is_a ? &call->product.a : &call->product.b;
    struct gr_py_array *about = is_a ? &call->a : &call->b;
    bool *vector = is_a ? &call->vector_a : &call->vector_b;
    if (gr_py_read(object, name, &call->queue, x, about) || check_place(call, name, about))
        return -1;
    if (x->dims == 0) {
        PyErr_Format(PyExc_ValueError,
                     "gradus.matmul: %s: found a scalar, wanted at least one dimension", name);
        return -1;
    }
    *vector = x->dims == 1;
    if (*vector && transposed) {
        PyErr_Format(PyExc_ValueError,
                     "gradus.matmul: trans_%s: %s has one dimension, wanted two or more", name,
                     name);
        return -1;
    }
    if (*vector)
        gr_array_expand(x, is_a ? 0 : 1);
    if (transposed)
        gr_array_transpose(x);
    return 0;
}

/* c's dimension i of `dims`, broadcast; -1: the stacks do not fit. */
static int64_t broadcast(const struct gr_array *a, const struct gr_array *b, int i, int dims)
{
    const int at_a = i - (dims - a->dims), at_b = i - (dims - b->dims);
    const int64_t size_a = at_a < 0 ? 1 : a->shape[at_a], size_b = at_b < 0 ? 1 : b->shape[at_b];
    return size_a == size_b || size_b == 1 ? size_a : size_a == 1 ? size_b : -1;
}

/* What is broadcast may be larger than any memory. */
static int check_size(const struct gr_array *c)
{
    int64_t bytes = 8; /* of the largest element */
    bool too_large = false, none = false;
    for (int i = 0; i < c->dims; i++) {
        none = none || c->shape[i] == 0;
        too_large = too_large || __builtin_mul_overflow(bytes, c->shape[i], &bytes);
    }
    if (!too_large || none)
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "gradus.matmul: the product would be of shape %s, which is beyond all memory",
                 text_of(c->shape, c->dims).text);
    return -1;
}

static int find_shape(struct call *call)
{
    const struct gr_array *a = &call->product.a, *b = &call->product.b;
    struct gr_array *c = &call->product.c;
    const int64_t k = a->shape[a->dims - 1], rows_b = b->shape[b->dims - 2];
    if (k != rows_b) {
        PyErr_Format(PyExc_ValueError,
                     "gradus.matmul: a has %lld columns and b %lld rows (shapes %s and %s), wanted "
                     "as many",
                     (long long)k, (long long)rows_b, text_of_operand(a, call->vector_a, true).text,
                     text_of_operand(b, call->vector_b, false).text);
        return -1;
    }
    c->dims = a->dims > b->dims ? a->dims : b->dims;
    for (int i = 0; i < c->dims - 2; i++) {
        c->shape[i] = broadcast(a, b, i, c->dims);
        if (c->shape[i] < 0) {
            PyErr_Format(PyExc_ValueError,
                         "gradus.matmul: the stacks %s of a and %s of b cannot be broadcast "
                         "together",
                         text_of(a->shape, a->dims - 2).text, text_of(b->shape, b->dims - 2).text);
            return -1;
        }
    }
    c->shape[c->dims - 2] = a->shape[a->dims - 2];
    c->shape[c->dims - 1] = b->shape[b->dims - 1];
    return check_size(c);
}

/* The result's shape: c's, less the dimensions that vectors have not. */
static void find_kept_shape(struct call *call)
{
    const struct gr_array *c = &call->product.c;
    call->kept_dims = 0;
    for (int i = 0; i < c->dims; i++)
        if (!(i == c->dims - 2 && call->vector_a) && !(i == c->dims - 1 && call->vector_b))
            call->kept[call->kept_dims++] = c->shape[i];
}

/* Puts back the dimensions that the result of a vector has not. */
static void expand_result(const struct call *call, struct gr_array *c)
{
    if (call->vector_b)
        gr_array_expand(c, c->dims);
    if (call->vector_a)
        gr_array_expand(c, c->dims - 1);
}

static int check_out(struct call *call, enum gradus_type wanted, enum gradus_type other)
{
    const struct gr_array *c = &call->product.c;
    bool same = c->dims == call->kept_dims;
    for (int i = 0; same && i < c->dims; i++)
        same = c->shape[i] == call->kept[i];
    if (!same) {
        PyErr_Format(PyExc_ValueError, "gradus.matmul: out: found shape %s, wanted %s",
                     text_of(c->shape, c->dims).text, text_of(call->kept, call->kept_dims).text);
        return -1;
    }
    if (!call->out.known || (c->type != wanted && c->type != other)) {
        PyObject *dtype = dtype_of(call->asked->out);
        PyErr_Format(PyExc_TypeError, "gradus.matmul: out: found dtype %S, wanted %s%s%s", dtype,
                     name_of(wanted), other == wanted ? "" : " or ",
                     other == wanted ? "" : name_of(other));
        Py_XDECREF(dtype);
        return -1;
    }
    if (!call->out.writable) {
        PyErr_SetString(
            PyExc_ValueError,
            "gradus.matmul: out: found a read-only array, wanted one that can be written");
        return -1;
    }
    return 0;
}

/* Reads out, whose memory must be its own: a list would be converted, and its copy written. */
static int read_out(struct call *call, enum gradus_type wanted, enum gradus_type other)
{
    PyObject *const out = call->asked->out;
    if (gr_py_read(out, "out", &call->queue, &call->product.c, &call->out) ||
        check_place(call, "out", &call->out))
        return -1;
    if (call->out.owner && call->out.numpy) {
        PyErr_Format(PyExc_TypeError,
                     "gradus.matmul: out: found %S, wanted a NumPy array or one with __dlpack__",
                     (PyObject *)Py_TYPE(out));
        return -1;
    }
    return check_out(call, wanted, other);
}

static int make_out(struct call *call, enum gradus_type type)
{
    if (call->asked->beta != 0) {
        PyErr_SetString(PyExc_ValueError,
                        "gradus.matmul: beta: found a number other than 0 without out, wanted out, "
                        "which it multiplies");
        return -1;
    }
    struct gr_array *c = &call->product.c;
    c->type = type;
    c->dims = call->kept_dims;
    for (int i = 0; i < c->dims; i++)
        c->shape[i] = call->kept[i];
    return gr_py_make(&call->a, &call->queue, c, &call->made);
}

/* One number for each column of the result, or for each row: of a shape that broadcasts so. */
static int read_bias(struct call *call, enum gradus_type sums)
{
    struct gr_strided_product *p = &call->product;
    struct gr_array *x = &p->bias;
    if (gr_py_read(call->asked->bias, "bias", &call->queue, x, &call->bias) ||
        check_place(call, "bias", &call->bias))
        return -1;
    if (!call->bias.known || x->type != sums) {
        PyObject *dtype = dtype_of(call->asked->bias);
        PyErr_Format(PyExc_TypeError, "gradus.matmul: bias: found dtype %S, wanted %s", dtype,
                     name_of(sums));
        Py_XDECREF(dtype);
        return -1;
    }
    const int64_t m = p->c.shape[p->c.dims - 2], n = p->c.shape[p->c.dims - 1];
    const struct shape_text found = text_of(x->shape, x->dims);
    if (call->vector_b && x->dims == 1)
        gr_array_expand(x, 1);
    while (x->dims < 2)
        gr_array_expand(x, 0);
    const bool per_column = x->dims == 2 && x->shape[0] == 1 && x->shape[1] == n;
    const bool per_row = x->dims == 2 && x->shape[1] == 1 && x->shape[0] == m;
    if (!per_column && !per_row) {
        PyErr_Format(PyExc_ValueError,
                     "gradus.matmul: bias: found shape %s, wanted one number for each column of "
                     "the product (%lld,) or for each row (%lld, 1)",
                     found.text, (long long)n, (long long)m);
        return -1;
    }
    p->has_bias = true;
    p->bias_per_row = !per_column;
    x->dims = 1;
    if (per_column) {
        x->shape[0] = x->shape[1];
        x->step[0] = x->step[1];
    }
    return 0;
}

PyObject *gr_py_raise(const struct gr_library *library, enum gradus_status status,
                      struct gradus_error *error)
{
    PyObject *kind = status == GRADUS_INVALID       ? PyExc_ValueError
                     : status == GRADUS_UNSUPPORTED ? PyExc_NotImplementedError
                     : status == GRADUS_NO_MEMORY   ? PyExc_MemoryError
                                                    : PyExc_RuntimeError;
    PyErr_SetString(kind, error->text);
    library->error_clear(error);
    return NULL;
}

/* Memory that stays with the graph, from the library of a: the other threads' turn is over for so
 * long. */
static void *lend(void *context, int64_t bytes)
{
    struct call *call = context;
    struct gr_array array;
    const int64_t elements = (bytes + 3) / 4;
    const PyGILState_STATE state = PyGILState_Ensure();
    call->lent = gr_dlpack_empty(call->asked->a, &call->queue, "float32", &elements, 1);
    const bool good = call->lent && !gr_py_read(call->lent, "the workspace", &call->queue, &array,
                                                &call->lent_about);
    PyGILState_Release(state);
    return good ? array.data : NULL;
}

static int compute(const struct gr_library *library, const struct gr_strided_product *product)
{
    struct gradus_error error;
    error.status = GRADUS_OK;
    error.text[0] = 0;
    error.log = NULL;
    const bool gives_way =
        product->on_gpu || gr_strided_product_work(product) >= WORK_THAT_GIVES_WAY;
    PyThreadState *state = gives_way ? PyEval_SaveThread() : NULL;
    const enum gradus_status status = gr_strided_product_run(library, product, &error);
    if (gives_way)
        PyEval_RestoreThread(state);
    if (status && PyErr_Occurred()) /* of what the graph was to be lent */
        library->error_clear(&error);
    else if (status)
        gr_py_raise(library, status, &error);
    return status ? -1 : 0;
}

/* a's place is that of all. */
static int note_place(struct call *call)
{
    call->queue.host = call->a.device < 0;
    if (call->a.device >= 0 || !call->asked->stream)
        return 0;
    PyErr_SetString(PyExc_ValueError, "gradus.matmul: stream: found one for an array in the host's "
                                      "memory, wanted None, or arrays on a GPU");
    return -1;
}

static void set_queue(struct call *call)
{
    struct gr_strided_product *p = &call->product;
    p->on_gpu = call->a.device >= 0;
    p->math = p->on_gpu ? call->asked->math : GRADUS_MATH_DEFAULT;
    p->stream = p->on_gpu ? (void *)call->queue.stream : NULL;
    p->lend = p->on_gpu && gr_py_queue_is_captured(&call->queue) ? lend : NULL;
    p->lend_context = call;
}

/* Reads and checks everything, then computes: an error finds out as it was. */
static int run(const struct gr_library *library, struct call *call)
{
    const struct gr_py_product *asked = call->asked;
    struct gr_strided_product *p = &call->product;
    struct types types = {GRADUS_F32, GRADUS_F32, GRADUS_F32};
    if ((asked->stream && gr_py_queue_give(asked->stream, &call->queue)) ||
        read_operand(call, true) || note_place(call) || read_operand(call, false) ||
        choose_types(call, &types) || find_shape(call))
        return -1;
    find_kept_shape(call);
    p->a_type = types.a;
    p->b_type = types.b;
    p->alpha = asked->alpha;
    p->beta = asked->beta;
    p->threads = asked->threads;
    p->activation = asked->activation;
    p->has_bias = p->bias_per_row = false;
    if (asked->bias && read_bias(call, types.c))
        return -1;
    const bool half = types.a == GRADUS_BF16 || types.a == GRADUS_F16;
    if (asked->out ? read_out(call, types.c, half ? types.a : types.c) : make_out(call, types.c))
        return -1;
    expand_result(call, &p->c);
    set_queue(call);
    if (compute(library, p))
        return -1;
    return asked->out ? gr_py_written(&call->out) : 0;
}

PyObject *gr_py_product_run(const struct gr_library *library, const struct gr_py_product *asked)
{
    struct call call;
    call.asked = asked;
    call.a.owner = call.b.owner = call.out.owner = call.bias.owner = NULL;
    call.a.held = call.b.held = call.out.held = call.bias.held = NULL;
    call.made = (struct gr_py_new){0};
    call.queue = (struct gr_py_queue){0};
    call.lent = NULL;
    call.lent_about.owner = NULL;
    call.lent_about.held = NULL;
    const int failed = run(library, &call);
    PyObject *result = NULL;
    if (!failed && asked->out) {
        Py_INCREF(asked->out);
        result = asked->out;
    } else if (!failed) {
        result = gr_py_finish(&call.made);
    }
    /* What frees an array may be Python code, which must not see the exception. */
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    gr_py_discard(&call.made);
    gr_py_release(&call.a);
    gr_py_release(&call.b);
    gr_py_release(&call.out);
    gr_py_release(&call.bias);
    gr_py_release(&call.lent_about);
    Py_XDECREF(call.lent);
    PyErr_Restore(kind, value, trace);
    return result;
}
