/* arrays.h: the arrays of a traced launch: operands and work buffers, each alone in a wide space
 * that faults, and the shared variables, found by the program's own symbols.
 * SPDX-License-Identifier: MIT */
#ifndef SIMRT_ARRAYS_H
#define SIMRT_ARRAYS_H

#include "simrt/simrt.h"

#include <stddef.h>
#include <stdint.h>

enum { GR_ARRAYS = 64 };

struct gr_array {
    char name[GR_TRACE_NAME];
    enum gr_space space;
    int element_bytes;
    /* Global: addresses. Shared: distances from the start of the thread's shared memory
     * (gr_shared_base). */
    uint64_t lo, hi;
    bool dynamic;           /* shared: as large as the launch says */
    int64_t columns, ld;    /* as the ask has them */
    unsigned char *written; /* global, a byte for each 4 bytes: which launch did, 0: none; null: all
                               of it is defined */
    unsigned char *seen;    /* global, a byte for each sector: the grid touched it */
    uint64_t reach;         /* where the highest byte that was touched in it ends */
    volatile char loaded, stored;           /* in this launch */
    volatile char ever_loaded, ever_stored; /* in any */
    volatile char read_early;               /* before it was written */
    volatile uint32_t store_code;           /* of one of the stores */
};

extern struct gr_array gr_arrays[GR_ARRAYS];
extern int gr_array_count;

/* Makes the ask's arrays and finds the shared variables. Null, or why not. */
const char *gr_arrays_open(const struct gr_sim_job *job);
/* For a launch: zeroes what is to be zeroed, sizes dynamic shared memory, forgets what was touched.
 */
void gr_arrays_launch(const struct gr_sim_job *job, const struct gr_sim_job_launch *launch);
/* Takes back the marks of what that launch has written. */
void gr_arrays_forget(unsigned char mark);
/* Zeroes what is to be zeroed before a launch: it begins again. */
void gr_arrays_clear(const struct gr_sim_job *job);
/* Elements of array i that nothing has written, and the first of them; -1: all of it was defined
 * from the start. */
int64_t gr_array_unwritten(int i, int64_t *first);
/* True where array i was read before it was written, and has NaN, which it held before, where it is
 * written now. */
bool gr_array_old_reached(int i);
/* The address of the ask's array i. */
uint64_t gr_array_address(int i);

/* Where this host thread's shared memory starts, and how far it reaches. */
uintptr_t gr_shared_base(void);
uint64_t gr_shared_extent(void);
/* Does a byte that the compiler keeps beside a variable with a constructor stand there? Not the
 * kernel's to touch. The address counts from gr_shared_base. */
bool gr_shared_is_guard(uint64_t address);

/* The array that holds the bytes, or null; addresses of shared memory as gr_shared_base counts
 * them. `space`: where the address lies, in an array or beside one. */
const struct gr_array *gr_array_find(enum gr_space space, uint64_t lo, uint64_t hi);
/* The array of that space that is nearest; null where there is none. */
const struct gr_array *gr_array_nearest(enum gr_space space, uint64_t address);
/* Is it in the space of the operands, which has an array or a gap at every address? */
bool gr_in_arena(uint64_t address);

/* From now on a touch of a gap maps it, and one of anything else stops the thread. */
void gr_kernel_signals_catch(void);

#endif
