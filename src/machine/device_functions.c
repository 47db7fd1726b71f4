/* device_functions.c: the functions of the driver that device code calls. SPDX-License-Identifier:
 * MIT */
#include "machine/device_functions.h"

#include "machine/block.h"
#include "machine/device_heap.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_ARGUMENT = 4 /* R4 */, MOST_TEXT = 120 };

static uint64_t pair(const struct gr_warp *w, int reg, int lane)
{
    return w->v[reg][lane] | (uint64_t)w->v[reg + 1][lane] << 32;
}

/* Reads a string from global memory, and truncates it to MOST_TEXT bytes. */
static void read_text(const struct gr_warp *w, uint64_t address, char text[MOST_TEXT + 1])
{
    const struct gr_memory_range *range = gr_memory_find(w->block->memory, address);
    size_t room = range ? (size_t)(range->hi - address) : 0;
    room = room < MOST_TEXT ? room : MOST_TEXT;
    text[0] = 0;
    if (room == 0)
        return;
    const char *from = (const char *)(uintptr_t)address;
    size_t length = strnlen(from, room);
    memcpy(text, from, length);
    text[length] = 0;
}

/* __assertfail(message, file, line, function, bytes of a character). */
static void assertion(struct gr_warp *w, int lane)
{
    char message[MOST_TEXT + 1], file[MOST_TEXT + 1];
    const char *name;
    read_text(w, pair(w, FIRST_ARGUMENT, lane), message);
    read_text(w, pair(w, FIRST_ARGUMENT + 2, lane), file);
    name = strrchr(file, '/');
    gr_block_fail(w, GR_BLOCK_FAILED,
                  "assertion failed: %.100s: line %u of %.40s, thread %d of block (%u,%u,%u)",
                  message, w->v[FIRST_ARGUMENT + 4][lane], name ? name + 1 : file,
                  w->number * GR_WARP_LANES + lane, w->block->index[0], w->block->index[1],
                  w->block->index[2]);
}

static void set_result(struct gr_warp *w, int lane, uint64_t value)
{
    w->v[FIRST_ARGUMENT][lane] = (uint32_t)value;
    w->v[FIRST_ARGUMENT + 1][lane] = (uint32_t)(value >> 32);
}

/* If the heap is full, the launch ends and malloc does not return null, because the heap of a GPU
 * is larger than this one. */
static void allocate(struct gr_warp *w, uint32_t active)
{
    for (uint32_t left = active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint64_t bytes = pair(w, FIRST_ARGUMENT, lane);
        struct gr_heap *heap = w->block->program->heap;
        unsigned char *at = heap ? gr_heap_take(heap, bytes) : NULL;
        if (!at) {
            gr_block_fail(w, GR_BLOCK_NOT_MODELLED,
                          "malloc of device code beyond %d bytes in use at once, asked for %llu",
                          (int)GR_HEAP_BYTES, (unsigned long long)bytes);
            return;
        }
        set_result(w, lane, (uintptr_t)at);
    }
}

static void release(struct gr_warp *w, uint32_t active)
{
    for (uint32_t left = active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint64_t address = pair(w, FIRST_ARGUMENT, lane);
        struct gr_heap *heap = w->block->program->heap;
        if (address != 0 && (!heap || !gr_heap_give(heap, address)))
            gr_block_fail(w, GR_BLOCK_FAILED,
                          "free of 0x%llx, which malloc has not given or which was freed before, "
                          "thread %d of block (%u,%u,%u)",
                          (unsigned long long)address, w->number * GR_WARP_LANES + lane,
                          w->block->index[0], w->block->index[1], w->block->index[2]);
    }
}

void gr_driver_call(struct gr_warp *w, uint32_t active, unsigned number)
{
    switch (number) {
    case GR_DRIVER_VPRINTF: /* what a kernel prints is discarded; the result is the number of
                               arguments */
        for (uint32_t left = active; left; left &= left - 1)
            w->v[FIRST_ARGUMENT][__builtin_ctz(left)] = 0;
        return;
    case GR_DRIVER_ASSERTFAIL:
        assertion(w, __builtin_ctz(active));
        return;
    case GR_DRIVER_MALLOC:
        allocate(w, active);
        return;
    case GR_DRIVER_FREE:
        release(w, active);
        return;
    default:
        gr_block_fail(w, GR_BLOCK_FAILED, "a call of function %u of the driver", number);
    }
}
