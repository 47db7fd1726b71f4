/* device_nvrtc.c: compiles the source of a kernel with NVRTC, which is loaded at run time.
 * SPDX-License-Identifier: MIT */
#include "device/device_code.h"

#include "core/error.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct gr_device_program_s *program;

static struct {
    int (*version)(int *major, int *minor);
    int (*create)(program *p, const char *text, const char *name, int header_count,
                  const char *const *headers, const char *const *header_names);
    int (*destroy)(program *p);
    int (*add_name)(program p, const char *expression);
    int (*compile)(program p, int option_count, const char *const *options);
    int (*log_size)(program p, size_t *bytes);
    int (*log)(program p, char *text);
    int (*lowered_name)(program p, const char *expression, const char **symbol);
    int (*image_size)(program p, size_t *bytes);
    int (*image)(program p, char *image);
    const char *(*error_text)(int result);
} nvrtc;
static bool is_there;
static char include_options[2][4096 + 16];
static int include_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Where NVRTC may be, besides the loader's own search path: CUDA toolkits and Python packages. The
 * first string is the name of an environment variable, or "". */
static const char *const places[][2] = {
    {"CUDA_HOME", "/lib64/libnvrtc.so*"},
    {"CUDA_PATH", "/lib64/libnvrtc.so*"},
    {"", "/usr/local/cuda*/lib64/libnvrtc.so*"},
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so*"},
    {"CONDA_PREFIX", "/lib/libnvrtc.so*"},
    {"CONDA_PREFIX", "/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so*"},
    {"HOME", "/.local/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so*"},
    {"", "/usr/local/lib/python3*/dist-packages/nvidia/*/lib/libnvrtc.so*"},
    {"", "/usr/local/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so*"},
    {"", "/usr/lib/python3/dist-packages/nvidia/*/lib/libnvrtc.so*"},
};

static void *open_in_places(void)
{
    void *library = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !library; i++) {
        const char *root = *places[i][0] ? secure_getenv(places[i][0]) : "";
        char pattern[4096];
        glob_t found = {0};
        if (!root || (*places[i][0] && *root != '/') ||
            snprintf(pattern, sizeof pattern, "%s%s", root, places[i][1]) >= (int)sizeof pattern)
            continue;
        if (glob(pattern, 0, NULL, &found) == 0)
            for (size_t j = 0; j < found.gl_pathc && !library; j++)
                library = dlopen(found.gl_pathv[j], RTLD_NOW | RTLD_LOCAL);
        globfree(&found);
    }
    return library;
}

static void *open_library(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "libnvrtc.so"};
    const char *path = secure_getenv("GRADUS_NVRTC");
    if (path && *path)
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    return open_in_places();
}

/* Loads libnvrtc-builtins from the folder of NVRTC, since NVRTC itself looks for it by name alone,
 * and finds the CUDA headers: a toolkit has them beside its libraries, and Python packages in a
 * folder of their own. */
static void find_neighbours(void *library)
{
    static const char *const includes[] = {"../include", "../../include", "../../../include",
                                           "../../cuda_runtime/include"};
    struct link_map *map = NULL;
    char path[4096];
    glob_t found = {0};
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map)
        return;
    const char *slash = strrchr(map->l_name, '/');
    const int length = slash ? (int)(slash + 1 - map->l_name) : 0;
    if (!slash || length > (int)sizeof path - 64)
        return;
    snprintf(path, sizeof path, "%.*slibnvrtc-builtins.so*", length, map->l_name);
    if (glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            (void)dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    for (size_t i = 0; i < sizeof includes / sizeof *includes && !include_count; i++) {
        snprintf(path, sizeof path, "%.*s%s/cuda_fp16.h", length, map->l_name, includes[i]);
        if (access(path, R_OK) != 0)
            continue;
        snprintf(include_options[0], sizeof include_options[0], "-I%.*s%s", length, map->l_name,
                 includes[i]);
        snprintf(include_options[1], sizeof include_options[1], "-I%.*s%s/cccl", length,
                 map->l_name, includes[i]);
        include_count = 2;
    }
}

static void open_once(void)
{
    static const struct {
        const char *symbol;
        void **member;
    } symbols[] = {
        {"nvrtcVersion", (void **)(void *)&nvrtc.version},
        {"nvrtcCreateProgram", (void **)(void *)&nvrtc.create},
        {"nvrtcDestroyProgram", (void **)(void *)&nvrtc.destroy},
        {"nvrtcAddNameExpression", (void **)(void *)&nvrtc.add_name},
        {"nvrtcCompileProgram", (void **)(void *)&nvrtc.compile},
        {"nvrtcGetProgramLogSize", (void **)(void *)&nvrtc.log_size},
        {"nvrtcGetProgramLog", (void **)(void *)&nvrtc.log},
        {"nvrtcGetLoweredName", (void **)(void *)&nvrtc.lowered_name},
        {"nvrtcGetCUBINSize", (void **)(void *)&nvrtc.image_size},
        {"nvrtcGetCUBIN", (void **)(void *)&nvrtc.image},
        {"nvrtcGetErrorString", (void **)(void *)&nvrtc.error_text},
    };
    void *library = open_library();
    is_there = library != NULL;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols && is_there; i++)
        is_there = (*symbols[i].member = dlsym(library, symbols[i].symbol)) != NULL;
    if (is_there)
        find_neighbours(library);
}

static enum gradus_status fail_compile(program p, const struct gr_device_kernel *kernel,
                                       const char *arch, int result, struct gradus_error *error)
{
    size_t bytes = 0;
    enum gradus_status status =
        gr_fail(error, GRADUS_COMPILE, "gradus_gemm_run: %s: NVRTC does not compile it for %s: %s",
                kernel->file, arch, nvrtc.error_text(result));
    if (error && p && nvrtc.log_size(p, &bytes) == 0 && bytes &&
        (error->log = calloc(bytes + 1, 1)))
        nvrtc.log(p, error->log);
    return status;
}

static int compile(program p, const struct gr_device_kernel *kernel, const char *arch)
{
    char option[64];
    const char *options[8] = {"--std=c++17", "--device-as-default-execution-space", option};
    int count = 3, result = 0;
    snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
    for (int i = 0; i < include_count; i++)
        options[count++] = include_options[i];
    for (int i = 0; i < kernel->stanza_count && result == 0; i++)
        result = nvrtc.add_name(p, kernel->stanzas[i].name);
    return result == 0 ? nvrtc.compile(p, count, options) : result;
}

/* Stores the symbols, one on each line, and the image after them. */
static int take(program p, const struct gr_device_kernel *kernel, char **bytes, size_t *head,
                size_t *length)
{
    const char *symbols[GR_DEVICE_STANZAS];
    size_t image = 0;
    int result = nvrtc.image_size(p, &image);
    *head = 0;
    for (int i = 0; i < kernel->stanza_count && result == 0; i++) {
        result = nvrtc.lowered_name(p, kernel->stanzas[i].name, &symbols[i]);
        if (result == 0)
            *head += strlen(symbols[i]) + 1;
    }
    *length = *head + image;
    *bytes = result == 0 ? malloc(*length + 1) : NULL;
    if (!*bytes)
        return result;
    char *at = *bytes;
    for (int i = 0; i < kernel->stanza_count; i++)
        at += sprintf(at, "%s\n", symbols[i]);
    return nvrtc.image(p, at);
}

static enum gradus_status make_code(const struct gr_device_kernel *kernel, int trans,
                                    const char *arch, char **bytes, size_t *head, size_t *length,
                                    struct gradus_error *error)
{
    enum { HEADERS = 64 };
    const char *names[HEADERS], *texts[HEADERS];
    int count = 0, major = 0, minor = 0;
    program p = NULL;
    *bytes = NULL;
    pthread_once(&once, open_once);
    if (!is_there)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: this libgradus was built without machine code for "
                       "%s, and found no NVRTC to make it; get one with: python3 -m pip install "
                       "nvidia-cuda-nvrtc",
                       arch);
    nvrtc.version(&major, &minor);
    for (; count < gr_device_header_count && count < HEADERS; count++) {
        names[count] = gr_device_headers[count].name;
        texts[count] = gr_device_headers[count].text;
    }
    int result = nvrtc.create(&p, kernel->texts[trans], kernel->file, count, texts, names);
    if (result == 0)
        result = compile(p, kernel, arch);
    if (result == 0)
        result = take(p, kernel, bytes, head, length);
    enum gradus_status status = GRADUS_OK;
    if (result != 0)
        status = fail_compile(p, kernel, arch, result, error);
    else if (!*bytes)
        status = gr_fail_memory(error, "machine code", *length);
    if (status != GRADUS_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    if (p)
        nvrtc.destroy(&p);
    return status;
}

struct order {
    const struct gr_device_kernel *kernel;
    int trans;
    const char *arch;
    char **bytes;
    size_t *head, *length;
    struct gradus_error *error;
    enum gradus_status status;
};

static void *carry_out(void *order)
{
    struct order *o = order;
    o->status = make_code(o->kernel, o->trans, o->arch, o->bytes, o->head, o->length, o->error);
    return NULL;
}

/* The compiler has functions that need 80 KB of stack each, and the caller's stack may be small.
 * Therefore it runs on a thread of its own, in which all signals of the program are blocked. */
enum gradus_status gr_device_nvrtc(const struct gr_device_kernel *kernel, int trans,
                                   const char *arch, char **bytes, size_t *head, size_t *length,
                                   struct gradus_error *error)
{
    const size_t stack = (size_t)16 << 20;
    struct order order = {kernel, trans, arch, bytes, head, length, error, GRADUS_OK};
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    *bytes = NULL;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int result = pthread_create(&thread, &attributes, carry_out, &order);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (result != 0)
        return gr_fail_memory(error, "the compiler's stack", stack);
    pthread_join(thread, NULL);
    return order.status;
}
