/* refused.h: the messages for launches that a GPU refuses, shared by all parts that detect one.
 * SPDX-License-Identifier: MIT */
#ifndef RECORDS_REFUSED_H
#define RECORDS_REFUSED_H

/* Arguments: the threads of the block, and those that the kernel was compiled for; both long
 * long. */
#define GR_REFUSED_BOUNDS                                                                          \
    "a block of %lld threads, __launch_bounds__ allows at most %lld: a GPU refuses the launch; "   \
    "launch smaller blocks, or raise the bound"

#endif
