/* one_block.h: a small run time for testing the shim alone. It runs one block at a time, and its
 * threads are contexts of one host thread. SPDX-License-Identifier: MIT */
#ifndef ONE_BLOCK_H
#define ONE_BLOCK_H

#include <stdio.h>

struct one_block_counts {
    long reads[5], writes[5]; /* recorded by the compiler's hooks: accesses of 1, 2, 4, 8 and 16
                                 bytes outside of stacks */
    long ranges;              /* of other sizes */
    long loads, stores, atomics, copies; /* recorded by the shim */
    long load_bytes, store_bytes, atomic_bytes, copy_bytes;
    long phases;
};
extern struct one_block_counts one_block_saw;
extern char one_block_failure[256]; /* the text of a thread that failed; "": none did */
extern int one_block_warp;
extern long one_block_faults;

/* Clears the counts, then runs `kernel` in every thread of each block, one block after another. */
void one_block_run(void (*kernel)(void), unsigned grid_x, unsigned block_x, unsigned block_y,
                   unsigned block_z);
/* Prints the line where `condition` is false, and counts it. */
void one_block_check(int condition, const char *text, const char *file, int line);
#define CHECK(...) one_block_check((__VA_ARGS__) ? 1 : 0, #__VA_ARGS__, __FILE__, __LINE__)

#endif
