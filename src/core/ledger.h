/* ledger.h: counts the calls of library routines over several processes. `gradus exec` creates a
 * ledger in shared memory, the library adds to it in every program that it runs, and `gradus exec`
 * prints it at the end. SPDX-License-Identifier: MIT */
#ifndef CORE_LEDGER_H
#define CORE_LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The environment variable with the ledger's path; the file has sizeof(struct gr_ledger) bytes. */
#define GR_LEDGER_VARIABLE "GRADUS_LEDGER"
/* The first bytes of the file; they change when the layout changes. */
#define GR_LEDGER_MAGIC "gradus-ledger-2"

enum {
    GR_LEDGER_ROUTINES = 128,
    GR_LEDGER_SHAPES = 8192,
    GR_LEDGER_OBJECTS = 32,
    GR_LEDGER_REFUSALS = 4
};

/* Calls with equal keys are counted together. `routine` is the name of a symbol, truncated if it is
 * longer; the sizes are as the caller gave them. */
struct gr_ledger_key {
    char routine[36];
    uint8_t trans_a, trans_b; /* 0 or 1 */
    uint8_t row_major;
    uint8_t passed; /* enum gr_passed_on: not 0 where another library computed it */
    int64_t m, n, k;
};

/* One slot of a table. If its writer is killed while writing, the slot remains in state 1 and is
 * never read. */
struct gr_ledger_entry {
    atomic_uint state; /* 0 empty, 1 being written, 2 ready */
    struct gr_ledger_key key;
    atomic_ullong calls, flop, time_ns;
    atomic_ullong timed, gpu_flop,
        gpu_ns; /* those of the calls whose time on the GPU was measured */
};

/* A shared object whose name looks like a BLAS library, found loaded when a program ended; or the
 * text of an error. */
struct gr_ledger_object {
    atomic_uint state; /* as in gr_ledger_entry */
    char path[508];
};

struct gr_ledger {
    char magic[16];
    atomic_uint loaded;  /* processes that have loaded the library, including forked ones */
    atomic_uint calling; /* processes that have called it */
    atomic_uint callers; /* threads that have called it */
    atomic_uint threads; /* the largest number of threads that one call may use */
    struct gr_ledger_entry routines[GR_LEDGER_ROUTINES]; /* with sizes and transposes 0 */
    struct gr_ledger_entry shapes[GR_LEDGER_SHAPES];     /* the first ones that were called */
    struct gr_ledger_object objects[GR_LEDGER_OBJECTS];
    struct gr_ledger_object refusals[GR_LEDGER_REFUSALS]; /* the first errors, each once */
};

/* Adds a call that computed `products` matrix products in time_ns to the entries of its routine and
 * of its shape. Lock-free: any number of threads and processes may add at the same time, and may be
 * killed while they do. */
void gr_ledger_add(struct gr_ledger *ledger, const struct gr_ledger_key *key, int64_t products,
                   int64_t time_ns);
/* What a GPU took for one of the calls that were added with that key. */
void gr_ledger_add_gpu(struct gr_ledger *ledger, const struct gr_ledger_key *key, int64_t products,
                       int64_t gpu_ns);
/* Records the path of a shared object; a path that is already recorded is not repeated. */
void gr_ledger_note_object(struct gr_ledger *ledger, const char *path);
/* The same for the text of an error. */
void gr_ledger_note_refusal(struct gr_ledger *ledger, const char *text);
/* True when an entry may be read. */
bool gr_ledger_ready(const atomic_uint *state);

#endif
