/* workspace.h: threads and packing buffers, which a GEMM needs in addition to its operands and
 * which are kept between calls. SPDX-License-Identifier: MIT */
#ifndef CPU_WORKSPACE_H
#define CPU_WORKSPACE_H

#include "ukr.h"

#include <stdbool.h>
#include <stdint.h>

struct gr_workspace {
    int threads;          /* the number that was requested */
    struct gr_team *team; /* null: only the caller's thread */
    char *buffer;         /* aligned to 2 MB, in huge pages where the system grants them */
    int64_t buffer_bytes;
    bool lent; /* the buffer belongs to the caller of the library and does not grow */
};

/* Takes a workspace that no other call uses, with a team of `threads` threads (fewer if they cannot
 * be created, no team for 1). Null: out of memory. */
struct gr_workspace *gr_workspace_take(int threads);
/* Makes the buffer at least `bytes` long; its contents are lost. Returns false if memory is
 * exhausted; the buffer is then unchanged. */
bool gr_workspace_reserve(struct gr_workspace *workspace, int64_t bytes);
/* Returns the workspace for the next call. */
void gr_workspace_give(struct gr_workspace *workspace);

/* Memory for a call that can get no other, aligned to a cache line. There is only one such block,
 * and other calls wait until it is given back. It is not on the stack, since the caller's may be
 * too small. */
enum { GR_LAST_MEMORY_BYTES = 112 << 10 };
char *gr_last_memory_take(void);
void gr_last_memory_give(void);

/* The number of threads that hold a workspace with a team at this moment. */
int gr_workspace_busy_threads(void);

#endif
