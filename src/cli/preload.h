/* preload.h: libgradus.so, or one of its companions, put before another program's libraries.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PRELOAD_H
#define CLI_PRELOAD_H

#include <gradus/gradus.h>
#include <stdbool.h>

/* Whose place is taken. */
enum gr_preload_for { GR_PRELOAD_BLAS, GR_PRELOAD_CUBLAS, GR_PRELOAD_PBLAS };

/* The shared library that belongs to this program, malloc'ed: GRADUS_LIBRARY where it is set, else
 * beside the program, else where an installation has it. NOT_FOUND; INVALID: a path that LD_PRELOAD
 * cannot hold. */
enum gradus_status gr_preload_find(enum gr_preload_for whose, char **path,
                                   struct gradus_error *error);

/* What a program gets in its environment; null: nothing. */
struct gr_preload {
    const char *library; /* loaded first, before what LD_PRELOAD names already */
    const char *ledger;  /* the path of a ledger (core/ledger.h) */
    const char *threads; /* for GRADUS_NUM_THREADS */
    const char *math;    /* for GRADUS_MATH */
    bool timed;          /* GRADUS_GPU_TIME=1 */
};

/* This process's environment, for such a program. Null when memory is out. */
char **gr_preload_environment(const struct gr_preload *preload);
void gr_preload_environment_free(char **environment);

#endif
