/* arrays.h: the arrays of a traced launch. Operands and work buffers are far apart in reserved
 * address space, so that an index outside one of them does not reach another. Shared variables
 * are found by the program's own symbols. SPDX-License-Identifier: MIT */
#ifndef SIMRT_ARRAYS_H
#define SIMRT_ARRAYS_H

#include "simrt/simrt.h"

#include <stdatomic.h>
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
    bool dynamic;           /* shared memory whose size the launch sets */
    int64_t columns, ld;    /* as in the job */
    bool is_result;         /* likewise */
    unsigned char *written; /* global, a byte for each 4 bytes: the launch that has written them, 0:
                               none; null: all of the array is defined from the start */
    unsigned char *seen;    /* global, a byte for each sector: 1 where the grid has accessed it */
    atomic_ullong reach;    /* the end of the highest byte that was accessed */
    unsigned char loaded, stored;           /* in this launch */
    unsigned char ever_loaded, ever_stored; /* in any */
    unsigned char read_early;               /* an element was read before it was written */
    atomic_uint store_code;                 /* the code of one of the stores */
};

/* Host threads set such marks without a lock, and never set one mark to different values. */
static inline unsigned char gr_marked(const unsigned char *mark)
{
    return __atomic_load_n(mark, __ATOMIC_RELAXED);
}

static inline void gr_mark(unsigned char *mark, unsigned char value)
{
    if (gr_marked(mark) != value) /* the line of the cache stays shared */
        __atomic_store_n(mark, value, __ATOMIC_RELAXED);
}

extern struct gr_array gr_arrays[GR_ARRAYS];
extern int gr_array_count;

/* Makes the job's arrays and finds the shared variables. Returns null, or why it failed. */
const char *gr_arrays_open(const struct gr_sim_job *job);
/* Zeroed memory of the operands' space for a module's variables, at most GR_VARIABLE_BYTES bytes.
 * Null if there is no room. */
enum { GR_VARIABLE_BYTES = 1 << 23 };
void *gr_arrays_variables(uint64_t bytes);
/* Adds a variable there as an array. */
bool gr_arrays_add_variable(const char *name, uint64_t address, uint64_t bytes);
/* Prepares one of the job's launches: sets the size of dynamic shared memory, forgets earlier
 * accesses and, before the first launch, zeroes the arrays that the job names. */
void gr_arrays_launch(const struct gr_sim_job *job, const struct gr_sim_job_launch *launch);
/* Removes that launch's marks from `written`. */
void gr_arrays_forget(unsigned char mark);
/* Zeroes these arrays again, since the first launch is repeated. */
void gr_arrays_clear(const struct gr_sim_job *job);
/* Elements of array i that nothing has written, and the first of them; -1: all of it was defined
 * from the start. */
int64_t gr_array_unwritten(int i, int64_t *first);
/* True if array i was read before it was written, and elements that were written since contain NaN,
 * which was its content before. */
bool gr_array_old_reached(int i);
/* The address of the job's array i. */
uint64_t gr_array_address(int i);

/* Finds the variables in shared memory, which gr_arrays_open calls. Returns null, or why it failed.
 * Each engine has its own. */
const char *gr_shared_open(void);
/* Where this host thread's shared memory starts, and how far it reaches. */
uintptr_t gr_shared_base(void);
uint64_t gr_shared_extent(void);
/* Is it the address of a guard byte that the compiler keeps for a variable with a constructor?
 * The kernel itself never accesses those. The address counts from gr_shared_base. */
bool gr_shared_is_guard(uint64_t address);

/* The array that holds the bytes from `lo` up to `hi`, or null. Addresses of shared memory count
 * from gr_shared_base. `space`: where the address is, in an array or beside one. */
const struct gr_array *gr_array_find(enum gr_space space, uint64_t lo, uint64_t hi);
/* The nearest array of that space; null if there is none. */
const struct gr_array *gr_array_nearest(enum gr_space space, uint64_t address);
/* Is it in the space of the operands, which has an array or a gap at every address? */
bool gr_in_arena(uint64_t address);

/* Handles the signals of the kernel's threads from now on: an access to a gap between arrays maps
 * the page, and any other access outside arrays ends the thread. */
void gr_kernel_signals_catch(void);

#endif
