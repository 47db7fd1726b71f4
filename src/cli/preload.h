/* preload.h: libgradus.so put before another program's libraries. SPDX-License-Identifier: MIT */
#ifndef CLI_PRELOAD_H
#define CLI_PRELOAD_H

#include <gradus/gradus.h>

/* The shared library that belongs to this program, malloc'ed: GRADUS_LIBRARY where it is set, else
 * beside the program, else where an installation has it. NOT_FOUND; INVALID: a path that LD_PRELOAD
 * cannot hold. */
enum gradus_status gr_preload_find(char **path, struct gradus_error *error);

/* This process's environment, for a program that loads `library` first: before what LD_PRELOAD
 * names already. ledger: the path of a ledger (core/ledger.h), or null; threads: for
 * GRADUS_NUM_THREADS, or null. Null when memory is out. */
char **gr_preload_environment(const char *library, const char *ledger, const char *threads);
void gr_preload_environment_free(char **environment);

#endif
