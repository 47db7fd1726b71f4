/* cublas.c: finds cuBLAS and reads its version. SPDX-License-Identifier: MIT */
#include "peer/cublas.h"

#include "gpu/cuda_folders.h"

#include <stdio.h>

const char *const gr_cublas_files[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                       "libcublas.so", 0};

char **gr_cublas_folders(void)
{
    return gr_cuda_folders();
}

void gr_cublas_tell_version(const struct gr_peer *peer, char *text, size_t size)
{
    typedef int property_fn(int property, int *value);
    property_fn *ask = (property_fn *)gr_peer_symbol(peer, "cublasGetProperty");
    int parts[3] = {0};
    for (int i = 0; ask && i < 3; i++)
        ask(i, &parts[i]);
    snprintf(text, size, "%d.%d.%d", parts[0], parts[1], parts[2]);
}
