/* multi_nccl.c: opens NCCL. SPDX-License-Identifier: MIT */
#include "multi/multi_nccl.h"

#include "core/error.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static struct gr_multi_nccl table;
static struct gradus_error failure; /* why NCCL could not be opened */
static enum gradus_status outcome;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Looks up all functions. Returns the name of the first one that the library lacks, or null. */
static const char *bind(void *library)
{
    const char *missing = NULL;
#define BIND(member, symbol, parameters)                                                           \
    *(void **)(void *)&table.member = dlsym(library, #symbol);                                     \
    if (!table.member && !missing)                                                                 \
        missing = #symbol;
    GR_MULTI_NCCL_SYMBOLS(BIND)
#undef BIND
    *(void **)(void *)&table.error_text = dlsym(library, "ncclGetErrorString");
    return table.error_text || missing ? missing : "ncclGetErrorString";
}

static void open_once(void)
{
    const char *path = secure_getenv("GRADUS_NCCL");
    void *library = dlopen(path && *path ? path : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        outcome = gr_fail(&failure, GRADUS_UNSUPPORTED,
                          "gpus: found no NCCL (%.300s); get it with: apt-get install libnccl2",
                          dlerror());
        return;
    }
    const char *missing = bind(library);
    if (missing)
        outcome = gr_fail(&failure, GRADUS_UNSUPPORTED,
                          "gpus: NCCL has no %s: it is older than 2.7; get a newer one with: "
                          "apt-get install libnccl2",
                          missing);
}

enum gradus_status gr_multi_nccl_open(const struct gr_multi_nccl **nccl, struct gradus_error *error)
{
    pthread_once(&once, open_once);
    *nccl = &table;
    return outcome == GRADUS_OK ? GRADUS_OK : gr_fail(error, outcome, "%s", failure.text);
}

enum gradus_status gr_multi_nccl_check(const struct gr_multi_nccl *nccl, int result,
                                       const char *what, struct gradus_error *error)
{
    if (result == 0)
        return GRADUS_OK;
    const char *text = nccl->error_text(result);
    return gr_fail(error, GRADUS_IO,
                   "gpus: NCCL: %s: %s (%d); see why with: NCCL_DEBUG=WARN in the environment",
                   what, text ? text : "unknown error", result);
}
