/* launch.c: runs the kernels of this folder on a GPU, and keeps what they write.
 * SPDX-License-Identifier: MIT
 *
 *     gcc launch.c -ldl -o launch && ./launch IN N CUBIN KERNEL WORDS OUT [CUBIN KERNEL WORDS OUT…]
 *
 * IN has 32 words for each of N threads, as ops.h says; OUT gets WORDS words for each, which is
 * what the line `//@ words` of the kernel says. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *driver;

/* Calls a function of the driver with pointers and integers, which all are 64 bits here. */
static int call(const char *name, uint64_t a, uint64_t b, uint64_t c)
{
    union {
        void *object;
        int (*function)(uint64_t, uint64_t, uint64_t);
    } u = {dlsym(driver, name)};
    int status = u.object ? u.function(a, b, c) : -1;
    if (status) {
        fprintf(stderr, "%s: %d\n", name, status);
        exit(1);
    }
    return status;
}

static void launch(uint64_t function, unsigned threads, uint64_t in, uint64_t out)
{
    union {
        void *object;
        int (*function)(uint64_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, void *, void **, void **);
    } u = {dlsym(driver, "cuLaunchKernel")};
    void *arguments[] = {&in, &out};
    int status = u.function(function, threads / 128, 1, 1, 128, 1, 1, 0, 0, arguments, 0);
    if (status) {
        fprintf(stderr, "cuLaunchKernel: %d\n", status);
        exit(1);
    }
    call("cuCtxSynchronize", 0, 0, 0);
}

int main(int argc, char **argv)
{
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver || argc < 7) {
        fprintf(stderr, "no driver, or too few arguments\n");
        return 1;
    }
    unsigned threads = (unsigned)atoi(argv[2]);
    size_t in_bytes = (size_t)threads * 32 * 4;
    uint64_t context = 0, in = 0;
    call("cuInit", 0, 0, 0);
    call("cuDevicePrimaryCtxRetain", (uint64_t)(uintptr_t)&context, 0, 0);
    call("cuCtxSetCurrent", context, 0, 0);
    char *words = malloc(in_bytes);
    FILE *file = fopen(argv[1], "rb");
    if (!file || fread(words, 1, in_bytes, file) != in_bytes)
        return 1;
    fclose(file);
    call("cuMemAlloc_v2", (uint64_t)(uintptr_t)&in, in_bytes, 0);
    call("cuMemcpyHtoD_v2", in, (uint64_t)(uintptr_t)words, in_bytes);
    for (int i = 3; i + 3 < argc; i += 4) {
        uint64_t module = 0, function = 0, out = 0;
        size_t bytes = (size_t)threads * (size_t)atoi(argv[i + 2]) * 4;
        call("cuModuleLoad", (uint64_t)(uintptr_t)&module, (uint64_t)(uintptr_t)argv[i], 0);
        call("cuModuleGetFunction", (uint64_t)(uintptr_t)&function, module,
             (uint64_t)(uintptr_t)argv[i + 1]);
        call("cuMemAlloc_v2", (uint64_t)(uintptr_t)&out, bytes, 0);
        launch(function, threads, in, out);
        char *results = malloc(bytes);
        call("cuMemcpyDtoH_v2", (uint64_t)(uintptr_t)results, out, bytes);
        file = fopen(argv[i + 3], "wb");
        if (!file || fwrite(results, 1, bytes, file) != bytes || fclose(file))
            return 1;
        free(results);
        call("cuMemFree_v2", out, 0, 0);
    }
    free(words);
    return 0;
}
