/* python_module.c: the module gradus._gradus: loads the library, and reads the arguments of calls.
 * SPDX-License-Identifier: MIT */
#include <Python.h>

#include "python_array.h"
#include "python_product.h"

#include <dlfcn.h>
#include <string.h>

/* How versions begin that have the structures of this gradus.h. */
#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)
#define INTERFACE STRING(GRADUS_VERSION_MAJOR) "." STRING(GRADUS_VERSION_MINOR) "."

static struct gr_library library;

/* The arguments of matmul, in the order of their positions. */
enum {
    A,
    B,
    OUT,
    ALPHA,
    BETA,
    TRANS_A,
    TRANS_B,
    THREADS,
    BIAS,
    ACTIVATION,
    MATH,
    STREAM,
    ARGUMENTS
};
static const char *const argument_names[ARGUMENTS] = {"a",    "b",          "out",     "alpha",
                                                      "beta", "trans_a",    "trans_b", "threads",
                                                      "bias", "activation", "math",    "stream"};
static PyObject *interned[ARGUMENTS], *requires_grad;

/* Calls name their arguments by the strings of the compiler, which are interned. */
static int argument_of(PyObject *name)
{
    for (int i = 0; i < ARGUMENTS; i++)
        if (name == interned[i])
            return i;
    for (int i = 0; i < ARGUMENTS; i++)
        if (PyUnicode_Compare(name, interned[i]) == 0)
            return i;
    return -1;
}

/* Places arguments; null: not given. */
static int place(PyObject *const *args, Py_ssize_t count, PyObject *names,
                 PyObject *placed[ARGUMENTS])
{
    if (count > ARGUMENTS) {
        PyErr_Format(PyExc_TypeError, "gradus.matmul: found %zd arguments, wanted up to %d", count,
                     (int)ARGUMENTS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < ARGUMENTS; i++)
        placed[i] = i < count ? args[i] : NULL;
    const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GetItem(names, i);
        const int at = argument_of(name);
        if (at < 0 || placed[at]) {
            PyErr_Format(PyExc_TypeError,
                         at < 0 ? "gradus.matmul: there is no argument '%U'"
                                : "gradus.matmul: the argument '%U' was given twice",
                         name);
            return -1;
        }
        placed[at] = args[count + i];
    }
    for (int i = 0; i <= B; i++)
        if (!placed[i]) {
            PyErr_Format(PyExc_TypeError, "gradus.matmul: the argument '%s' is missing",
                         argument_names[i]);
            return -1;
        }
    return 0;
}

static int read_number(PyObject *x, double *number)
{
    if (x)
        *number = PyFloat_AsDouble(x);
    return x && *number == -1 && PyErr_Occurred() ? -1 : 0;
}

static int read_truth(PyObject *x, bool *truth)
{
    const int found = x ? PyObject_IsTrue(x) : 0;
    *truth = found > 0;
    return found < 0 ? -1 : 0;
}

static int read_threads(PyObject *x, int *threads)
{
    const double number = PyFloat_AsDouble(x);
    if (number == -1 && PyErr_Occurred())
        return -1;
    if (!(number >= 0 && number <= 4096) || number != (int)number) {
        PyErr_Format(PyExc_ValueError, "gradus: threads: found %R, wanted a number from 0 to 4096",
                     x);
        return -1;
    }
    *threads = (int)number;
    return 0;
}

/* The place of a string among names, or -1. */
static int name_among(PyObject *x, const char *const *names, int count)
{
    for (int i = 0; i < count && PyUnicode_Check(x); i++)
        if (PyUnicode_CompareWithASCIIString(x, names[i]) == 0)
            return i;
    return -1;
}

static int read_activation(PyObject *x, enum gradus_activation *activation)
{
    *activation = GRADUS_LINEAR;
    if (!x || x == Py_None)
        return 0;
    static const char *const names[] = {"", "relu", "gelu", "gelu_tanh"};
    const int found = name_among(x, names, 4);
    if (found <= 0) {
        PyErr_Format(
            PyExc_ValueError,
            "gradus.matmul: activation: found %R, wanted None, 'relu', 'gelu' or 'gelu_tanh'", x);
        return -1;
    }
    *activation = (enum gradus_activation)found;
    return 0;
}

static int read_math(PyObject *x, enum gradus_math *math)
{
    *math = GRADUS_MATH_DEFAULT;
    if (!x || x == Py_None)
        return 0;
    static const char *const names[] = {"default", "ieee", "accurate", "scaled", "tf32"};
    const int found = name_among(x, names, 5);
    if (found < 0) {
        PyErr_Format(PyExc_ValueError,
                     "gradus.matmul: math: found %R, wanted None, 'default', 'ieee', 'accurate', "
                     "'scaled' or 'tf32'",
                     x);
        return -1;
    }
    *math = (enum gradus_math)found;
    return 0;
}

/* True for PyTorch's tensors that take part in differentiation. */
static bool needs_gradient(PyObject *x)
{
    if (!x || x == Py_None || gr_py_is_numpy(x))
        return false;
    PyObject *found = PyObject_GetAttr(x, requires_grad);
    const bool needs = found && PyObject_IsTrue(found) > 0;
    Py_XDECREF(found);
    PyErr_Clear();
    return needs;
}

/* The same call of the operation that PyTorch differentiates. */
static PyObject *differentiated(PyObject *const placed[ARGUMENTS])
{
    PyObject *module = PyImport_ImportModule("gradus.torch");
    PyObject *function = module ? PyObject_GetAttrString(module, "differentiated") : NULL;
    PyObject *args = function ? PyTuple_New(0) : NULL, *options = args ? PyDict_New() : NULL;
    bool good = options;
    for (int i = 0; good && i < ARGUMENTS; i++)
        good = !placed[i] || PyDict_SetItem(options, interned[i], placed[i]) == 0;
    PyObject *result = good ? PyObject_Call(function, args, options) : NULL;
    Py_XDECREF(options);
    Py_XDECREF(args);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return result;
}

static PyObject *matmul(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *placed[ARGUMENTS];
    if (place(args, count, names, placed))
        return NULL;
    if (needs_gradient(placed[A]) || needs_gradient(placed[B]) || needs_gradient(placed[OUT]) ||
        needs_gradient(placed[BIAS]))
        return differentiated(placed);
    struct gr_py_product asked = {.a = placed[A],
                                  .b = placed[B],
                                  .out = placed[OUT] == Py_None ? NULL : placed[OUT],
                                  .bias = placed[BIAS] == Py_None ? NULL : placed[BIAS],
                                  .alpha = 1};
    if (read_number(placed[ALPHA], &asked.alpha) || read_number(placed[BETA], &asked.beta) ||
        read_truth(placed[TRANS_A], &asked.trans_a) || read_truth(placed[TRANS_B], &asked.trans_b))
        return NULL;
    if (placed[THREADS] && placed[THREADS] != Py_None &&
        read_threads(placed[THREADS], &asked.threads))
        return NULL;
    if (read_activation(placed[ACTIVATION], &asked.activation) ||
        read_math(placed[MATH], &asked.math))
        return NULL;
    asked.stream = placed[STREAM] == Py_None ? NULL : placed[STREAM];
    return gr_py_product_run(&library, &asked);
}

static PyObject *set_threads(PyObject *module, PyObject *x)
{
    (void)module;
    int threads;
    return read_threads(x, &threads) ? NULL : PyLong_FromLong(library.set_threads(threads));
}

static PyObject *version(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return PyUnicode_FromString(library.version());
}

/* The first name of the library's that is not there, or null. */
static const char *find_functions(void *file, struct gr_library *found)
{
    const struct {
        const char *name;
        void *to;
    } functions[] = {{"gradus_version", &found->version},
                     {"gradus_set_threads", &found->set_threads},
                     {"gradus_gemm_run", &found->gemm_run},
                     {"gradus_gemm_workspace", &found->gemm_workspace},
                     {"gradus_error_clear", &found->error_clear}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *const function = dlsym(file, functions[i].name);
        if (!function)
            return functions[i].name;
        memcpy(functions[i].to, &function, sizeof function);
    }
    return NULL;
}

/* load(path): the version, as gradus.h's structures are those of a version. OSError: the loader's
 * line. */
static PyObject *load(PyObject *module, PyObject *path)
{
    (void)module;
    PyObject *bytes = NULL;
    if (!PyUnicode_FSConverter(path, &bytes))
        return NULL;
    void *file = dlopen(PyBytes_AsString(bytes), RTLD_NOW | RTLD_LOCAL);
    Py_DECREF(bytes);
    if (!file)
        return PyErr_Format(PyExc_OSError, "%s", dlerror());
    struct gr_library found;
    const char *const missing = find_functions(file, &found);
    if (missing) {
        dlclose(file);
        return PyErr_Format(PyExc_OSError, "it has no function %s", missing);
    }
    if (strncmp(found.version(), INTERFACE, strlen(INTERFACE)) != 0) {
        PyErr_Format(PyExc_OSError,
                     "it is version %s, wanted " INTERFACE
                     "x; install the package and the library of one version",
                     found.version());
        dlclose(file);
        return NULL;
    }
    library = found;
    return version(NULL, NULL);
}

static const char matmul_text[] =
    "matmul(a, b, out=None, alpha=1, beta=0, trans_a=False, trans_b=False, threads=None, "
    "bias=None, activation=None, math=None, stream=None)\n--\n\n"
    "activation(alpha * op(a) @ op(b) + beta * out + bias), by libgradus.\n"
    "\n"
    "a, b: arrays of NumPy, PyTorch, CuPy or any library with __dlpack__ or\n"
    "__cuda_array_interface__, or what numpy.asarray takes, of float32, float64,\n"
    "bfloat16, or int8 and uint8 (the product is int32, exact, modulo 2**32); float32\n"
    "with float64 is computed as float64. Shapes as numpy.matmul: a vector is a row on\n"
    "the left and a column on the right, dimensions before the last two are stacks of\n"
    "matrices and broadcast.\n"
    "\n"
    "out: where the product goes, of its shape and dtype, of any strides; it is\n"
    "returned. It may overlap the other arrays. bfloat16: out may be float32, as\n"
    "without it, or bfloat16. Without out the product is an array of the library of a.\n"
    "alpha, beta: numbers; whole ones for int8 and uint8. Where beta is 0, out is not\n"
    "read, else out must be given.\n"
    "trans_a, trans_b: take the last two dimensions exchanged. An array's .T does the\n"
    "same, and is not copied either.\n"
    "threads: at most so many; None: set_threads' number.\n"
    "bias: a number for each column of the product, of shape (n,), or for each row, (m,\n"
    "1), of the product's dtype (16 bits: float32).\n"
    "activation: None, 'relu', 'gelu' (the form with erf) or 'gelu_tanh' (its\n"
    "approximation by tanh); the last two not for int8 and uint8.\n"
    "\n"
    "On a CUDA device all arrays are on the same one, of one dtype: float32, float64,\n"
    "bfloat16 or float16 (the product is float32, or as out says). The product is\n"
    "queued, and the call returns; nothing is copied, so that rows or columns must lie\n"
    "together, and out must have no element in common with the others.\n"
    "math: how float32 is computed there: None or 'default', 'ieee', 'accurate',\n"
    "'scaled', 'tf32' (gradus.h says what each does).\n"
    "stream: where it is queued, of PyTorch or CuPy, or an address; None: the current\n"
    "stream of the library of a. Whoever reads the product on another stream waits for\n"
    "that one.\n"
    "\n"
    "In the host's memory, matrices whose rows or columns lie together are not copied;\n"
    "others, and those of mixed dtypes or of another byte order, are. While the library\n"
    "computes a large product, other Python threads run. Tensors of PyTorch that\n"
    "require gradients are differentiated.\n"
    "\n"
    "TypeError: dtypes. ValueError: shapes, an out that is read-only, numbers, arrays\n"
    "in different memories. NotImplementedError: this library, CPU or GPU cannot.";

static const char set_threads_text[] = "set_threads(threads, /)\n--\n\n"
                                       "Sets how many threads products called by this thread use "
                                       "where `threads` is not given; 0: as many\n"
                                       "as GRADUS_NUM_THREADS, OMP_NUM_THREADS, or the process's "
                                       "affinity mask and cgroup allow. Returns\n"
                                       "the number before.";

static PyMethodDef methods[] = {
    {"matmul", (PyCFunction)(void (*)(void))matmul, METH_FASTCALL | METH_KEYWORDS, matmul_text},
    {"set_threads", set_threads, METH_O, set_threads_text},
    {"version", version, METH_NOARGS, "version()\n--\n\nThe library's version, as \"0.1.0\"."},
    {"load", load, METH_O, NULL},
    {0}};

static PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                 .m_name = "gradus._gradus",
                                 .m_size = -1,
                                 .m_methods = methods};

PyMODINIT_FUNC PyInit__gradus(void)
{
    for (int i = 0; i < ARGUMENTS; i++)
        if (!(interned[i] = PyUnicode_InternFromString(argument_names[i])))
            return NULL;
    if (!(requires_grad = PyUnicode_InternFromString("requires_grad")))
        return NULL;
    return PyModule_Create(&definition);
}
