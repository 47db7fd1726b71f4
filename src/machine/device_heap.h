/* device_heap.h: the memory that malloc returns in device code. SPDX-License-Identifier: MIT */
#ifndef MACHINE_DEVICE_HEAP_H
#define MACHINE_DEVICE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_HEAP_BYTES = 1 << 22 };

struct gr_heap;

/* Creates a heap of GR_HEAP_BYTES at this address. Returns null if memory runs out. */
struct gr_heap *gr_heap_create(unsigned char *at);
void gr_heap_free(struct gr_heap *heap);
/* Allocates bytes at a multiple of 16; any host thread may call this. Returns null if the heap is
 * full. */
unsigned char *gr_heap_take(struct gr_heap *heap, uint64_t bytes);
/* Frees an allocation. Returns false if there is none at this address, or it was freed before. */
bool gr_heap_give(struct gr_heap *heap, uint64_t address);

#endif
