/* cublas_real.c: finds the libraries that this one replaces. SPDX-License-Identifier: MIT */
#include "cublas/cublas_real.h"

#include <dlfcn.h>
#include <stddef.h>

static const char *const files[2][4] = {
    {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", NULL},
    {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", NULL}};

/* The handles of dlopen are never closed, so that the functions stay loaded. */
static void *library(enum gr_cublas_library which)
{
    static _Atomic(void *) found[2];
    void *handle = atomic_load_explicit(&found[which], memory_order_acquire);
    for (int i = 0; files[which][i] && !handle; i++)
        handle = dlopen(files[which][i], RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        atomic_store_explicit(&found[which], handle, memory_order_release);
    return handle;
}

void *gr_cublas_real(struct gr_cublas_function *function)
{
    void *address = atomic_load_explicit(&function->address, memory_order_acquire);
    if (address)
        return address;
    void *from = library(function->library);
    address = dlsym(from ? from : RTLD_NEXT, function->symbol);
    atomic_store_explicit(&function->address, address, memory_order_release);
    return address;
}
