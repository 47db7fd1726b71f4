/* preload.h: preloads libgradus.so, or one of its companions, before the libraries of another
 * program. SPDX-License-Identifier: MIT */
#ifndef CLI_PRELOAD_H
#define CLI_PRELOAD_H

#include <gradus/gradus.h>
#include <stdbool.h>

/* The library that is replaced. */
enum gr_preload_for { GR_PRELOAD_BLAS, GR_PRELOAD_CUBLAS, GR_PRELOAD_PBLAS };

/* Finds the shared library that belongs to this program: GRADUS_LIBRARY if it is set; otherwise
 * next to the program, or in the folder of an installation. malloc'ed. NOT_FOUND; INVALID:
 * LD_PRELOAD cannot hold the path. */
enum gradus_status gr_preload_find(enum gr_preload_for whose, char **path,
                                   struct gradus_error *error);

/* What is added to the environment of a program; null: nothing. */
struct gr_preload {
    const char *library; /* loaded first, before the libraries that LD_PRELOAD already lists */
    const char *ledger;  /* the path of a ledger (core/ledger.h) */
    const char *threads; /* for GRADUS_NUM_THREADS */
    const char *math;    /* for GRADUS_MATH */
    bool timed;          /* GRADUS_GPU_TIME=1 */
};

/* Returns this process's environment with these additions. Null: memory ran out. */
char **gr_preload_environment(const struct gr_preload *preload);
void gr_preload_environment_free(char **environment);

#endif
