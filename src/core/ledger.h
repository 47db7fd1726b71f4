/* ledger.h: calls counted across processes. `gradus exec` makes a ledger in shared memory, the
 * library in the programs that it runs adds to it, and `gradus exec` prints it.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_LEDGER_H
#define CORE_LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Where the library finds the ledger: the path of a file of sizeof(struct gr_ledger) bytes. */
#define GR_LEDGER_VARIABLE "GRADUS_LEDGER"
/* What the file begins with; it changes with the layout. */
#define GR_LEDGER_MAGIC "gradus-ledger-1"

enum { GR_LEDGER_ROUTINES = 64, GR_LEDGER_SHAPES = 8192, GR_LEDGER_OBJECTS = 32 };

/* What is counted apart. `routine` is a symbol's name, cut where it is longer; the sizes are the
 * caller's. */
struct gr_ledger_key {
    char routine[36];
    uint8_t trans_a, trans_b; /* 0 or 1 */
    uint8_t row_major, unused;
    int64_t m, n, k;
};

/* One place of a table. A place whose writer was killed in the midst of it stays taken and is never
 * ready. */
struct gr_ledger_entry {
    atomic_uint state; /* 0 empty, 1 being written, 2 ready */
    struct gr_ledger_key key;
    atomic_ullong calls, flop, time_ns;
};

/* A shared object with a BLAS-like name, seen in a program that ends. */
struct gr_ledger_object {
    atomic_uint state; /* as above */
    char path[508];
};

struct gr_ledger {
    char magic[16];
    atomic_uint loaded;  /* processes that have the library, forked ones included */
    atomic_uint calling; /* processes that called it */
    atomic_uint callers; /* threads that called it */
    atomic_uint threads; /* the most that one call may use */
    struct gr_ledger_entry routines[GR_LEDGER_ROUTINES]; /* sizes and transposes 0 */
    struct gr_ledger_entry shapes[GR_LEDGER_SHAPES];     /* the first that came */
    struct gr_ledger_object objects[GR_LEDGER_OBJECTS];
};

/* Adds a call of so many products, which took time_ns, to its routine and to its shape. Lock-free;
 * any number of threads and processes may add at a time, and be killed. */
void gr_ledger_add(struct gr_ledger *ledger, const struct gr_ledger_key *key, int64_t products,
                   int64_t time_ns);
/* Notes the path of an object, once. */
void gr_ledger_note_object(struct gr_ledger *ledger, const char *path);
/* True when an entry may be read. */
bool gr_ledger_ready(const atomic_uint *state);

#endif
