/* device_heap.h: the memory that malloc of device code gives. SPDX-License-Identifier: MIT */
#ifndef MACHINE_DEVICE_HEAP_H
#define MACHINE_DEVICE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_HEAP_BYTES = 1 << 22 };

struct gr_heap;

/* A heap of GR_HEAP_BYTES at that address. Null: no memory. */
struct gr_heap *gr_heap_create(unsigned char *at);
void gr_heap_free(struct gr_heap *heap);
/* Bytes at a multiple of 16, by any host thread. Null: no room is left. */
unsigned char *gr_heap_take(struct gr_heap *heap, uint64_t bytes);
/* False: they were not taken, or were given back before. */
bool gr_heap_give(struct gr_heap *heap, uint64_t address);

#endif
