/* tbb.h: the number of threads of a library whose threads are those of oneTBB.
 * SPDX-License-Identifier: MIT */
#ifndef PEER_TBB_H
#define PEER_TBB_H

#include "peer/library.h"

/* Binds the functions of the TBB that the library depends on. False if it depends on none. */
bool gr_tbb_bind(const struct gr_peer *peer);

/* Sets the number of threads with which gr_tbb_run runs work for the calling thread. */
void gr_tbb_set_threads(int threads);
/* Calls work(context), whose parallel loops have this number of threads. */
void gr_tbb_run(void (*work)(const void *context), const void *context);

#endif
