/* loader.c: loader MODULE WORD…: loads a caller as Python loads an extension module, so that the
 * BLAS that it was linked with is in no scope but its own, and runs it on the words.
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(int argc, char **argv) = NULL;
    if (module)
        *(void **)&run = dlsym(module, "main");
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    return run(argc - 1, argv + 1);
}
