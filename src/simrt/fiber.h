/* fiber.h: fibers. Each GPU thread of a block has a stack of its own, and one host thread switches
 * between them. SPDX-License-Identifier: MIT */
#ifndef SIMRT_FIBER_H
#define SIMRT_FIBER_H

#include <stdbool.h>
#include <stddef.h>

/* Saves the running stack in *save and continues on `to`, which was saved in this way or made by
 * gr_fiber_start. */
void gr_fiber_switch(void **save, void *to);

/* A stack whose first switch calls `entry`, which never returns. `top` is its end. */
void *gr_fiber_start(char *top, void (*entry)(void));

/* Allocates `count` stacks; below each is a page that faults, so that an overflow is noticed. Null:
 * no memory. *stride: bytes from one stack to the next. Freed stacks are reused without clearing
 * them. */
char *gr_fiber_stacks(int count, size_t bytes, size_t *stride);
void gr_fiber_stacks_free(char *stacks, int count, size_t stride);

#endif
