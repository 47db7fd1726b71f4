/* workspace.h: what a product needs beside its operands, kept from call to call: threads and
 * packing buffers. SPDX-License-Identifier: MIT */
#ifndef CPU_WORKSPACE_H
#define CPU_WORKSPACE_H

#include "ukr.h"

#include <stdbool.h>
#include <stdint.h>

struct gr_workspace {
    int threads;       /* those it was asked for */
    struct team *team; /* null: the caller alone */
    char *buffer;      /* aligned to 2 MB, in huge pages where the system grants them */
    int64_t buffer_bytes;
    bool lent; /* the buffer is somebody else's and does not grow */
};

/* Takes a workspace that nobody else holds, with a team of `threads` threads (fewer where they
 * cannot be had, no team for 1). Null: out of memory. */
struct gr_workspace *gr_workspace_take(int threads);
/* Makes the buffer at least `bytes` long; what was in it is lost. False: out of memory, it has what
 * it had. */
bool gr_workspace_reserve(struct gr_workspace *workspace, int64_t bytes);
/* Puts it back for the next call. */
void gr_workspace_give(struct gr_workspace *workspace);

/* A block for a call that can get no memory, aligned to a cache line: there is one, and others wait
 * until it is given back. The stack of the caller is no place for it: it may be small. */
enum { GR_LAST_MEMORY_BYTES = 112 << 10 };
char *gr_last_memory_take(void);
void gr_last_memory_give(void);

/* Threads that hold workspaces with a team at this moment. */
int gr_workspace_busy_threads(void);

#endif
