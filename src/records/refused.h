/* refused.h: what a launch is refused for, in the words of all who find it out.
 * SPDX-License-Identifier: MIT */
#ifndef RECORDS_REFUSED_H
#define RECORDS_REFUSED_H

/* Threads of the block, threads that the kernel was compiled for; both long long. */
#define GR_REFUSED_BOUNDS                                                                          \
    "a block of %lld threads, __launch_bounds__ allows at most %lld: a GPU refuses the launch; "   \
    "launch smaller blocks, or raise the bound"

#endif
