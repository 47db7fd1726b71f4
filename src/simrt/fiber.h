/* fiber.h: a thread of the GPU as a stack of its own. SPDX-License-Identifier: MIT */
#ifndef SIMRT_FIBER_H
#define SIMRT_FIBER_H

#include <stdbool.h>
#include <stddef.h>

/* Saves this stack in *save and goes on with `to`, which was saved so or made by gr_fiber_start. */
void gr_fiber_switch(void **save, void *to);

/* A stack whose first switch calls `entry`, which never returns. `top` is its end. */
void *gr_fiber_start(char *top, void (*entry)(void));

/* `count` stacks, each below a page that faults. Null: no memory. *stride: bytes from one to the
 * next. */
char *gr_fiber_stacks(int count, size_t bytes, size_t *stride);
void gr_fiber_stacks_free(char *stacks, int count, size_t stride);

#endif
