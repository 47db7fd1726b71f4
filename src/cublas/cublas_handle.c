/* cublas_handle.c: remembers the workspace of each handle, since cuBLAS has a function to set it
 * and none to ask for it. SPDX-License-Identifier: MIT */
#include "cublas/cublas_abi.h"
#include "cublas/cublas_call.h"
#include "cublas/cublas_memory.h"
#include "cublas/cublas_real.h"

#include <pthread.h>

GR_CUBLAS_EXPORT int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
GR_CUBLAS_EXPORT int cublasSetStream_v2(void *handle, void *stream);
GR_CUBLAS_EXPORT int cublasDestroy_v2(void *handle);

/* If there are more handles than this, the workspaces of some are not known. */
enum { HANDLES = 256 };
static struct {
    void *handle, *workspace;
    size_t bytes;
} handles[HANDLES];
static int handle_count; /* entries in use, including emptied ones */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(void *handle, void *workspace, size_t bytes)
{
    int place = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < handle_count && (place < 0 || handles[place].handle != handle); i++)
        if (handles[i].handle == handle || (!handles[i].handle && place < 0))
            place = i;
    if (place < 0 && workspace && handle_count < HANDLES)
        place = handle_count++;
    if (place >= 0 && (workspace || handles[place].handle == handle)) {
        handles[place].handle = workspace ? handle : NULL;
        handles[place].workspace = workspace;
        handles[place].bytes = bytes;
    }
    pthread_mutex_unlock(&lock);
}

void *gr_cublas_workspace_of(void *handle, size_t *bytes)
{
    void *workspace = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < handle_count && handle; i++)
        if (handles[i].handle == handle) {
            workspace = handles[i].workspace;
            *bytes = handles[i].bytes;
        }
    pthread_mutex_unlock(&lock);
    return workspace;
}

int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes)
{
    static struct gr_cublas_function function = {GR_CUBLAS_LIBRARY, "cublasSetWorkspace_v2", NULL};
    int (*real)(void *, void *, size_t) = NULL;
    *(void **)&real = gr_cublas_real(&function);
    const int status = real ? real(handle, workspace, bytes) : GR_CUBLAS_NOT_INITIALIZED;
    if (status == GR_CUBLAS_SUCCESS)
        note(handle, workspace, bytes);
    return status;
}

/* cublasSetStream resets the handle's workspace to cuBLAS's own. */
int cublasSetStream_v2(void *handle, void *stream)
{
    static struct gr_cublas_function function = {GR_CUBLAS_LIBRARY, "cublasSetStream_v2", NULL};
    int (*real)(void *, void *) = NULL;
    *(void **)&real = gr_cublas_real(&function);
    note(handle, NULL, 0);
    return real ? real(handle, stream) : GR_CUBLAS_NOT_INITIALIZED;
}

int cublasDestroy_v2(void *handle)
{
    static struct gr_cublas_function function = {GR_CUBLAS_LIBRARY, "cublasDestroy_v2", NULL};
    int (*real)(void *) = NULL;
    *(void **)&real = gr_cublas_real(&function);
    note(handle, NULL, 0);
    return real ? real(handle) : GR_CUBLAS_NOT_INITIALIZED;
}
