/* in_flight.c: the words of shared memory that asynchronous copies are to write.
 * SPDX-License-Identifier: MIT */
#include "engine/in_flight.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 4, PIECE = 64 };

static int64_t word_count(const struct gr_in_flight *f)
{
    return (f->bytes + WORD - 1) / WORD;
}

struct gr_in_flight *gr_in_flight_open(int64_t bytes)
{
    struct gr_in_flight *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->bytes = bytes;
    f->words = calloc((size_t)word_count(f) + 1, sizeof *f->words);
    f->pending = calloc((size_t)word_count(f) / PIECE + 1, sizeof *f->pending);
    if (f->words && f->pending)
        return f;
    gr_in_flight_close(f);
    return NULL;
}

void gr_in_flight_close(struct gr_in_flight *f)
{
    if (f) {
        free(f->words);
        free(f->pending);
    }
    free(f);
}

void gr_in_flight_begin(struct gr_in_flight *f)
{
    if (f->used)
        memset(f->pending, 0, ((size_t)word_count(f) / PIECE + 1) * sizeof *f->pending);
    f->used = false;
}

static bool is_inside(const struct gr_in_flight *f, int64_t offset, int bytes)
{
    return offset >= 0 && offset + bytes <= f->bytes;
}

static int64_t end_of(int64_t offset, int bytes)
{
    return (offset + bytes + WORD - 1) / WORD;
}

void gr_in_flight_add(struct gr_in_flight *f, int64_t offset, int bytes,
                      struct gr_in_flight_word copy)
{
    if (!is_inside(f, offset, bytes))
        return;
    f->used = true;
    for (int64_t i = offset / WORD, end = end_of(offset, bytes); i < end; i++) {
        f->pending[i / PIECE] |= 1ULL << i % PIECE;
        f->words[i] = copy;
    }
}

void gr_in_flight_remove(struct gr_in_flight *f, int64_t offset, int bytes)
{
    if (!is_inside(f, offset, bytes))
        return;
    for (int64_t i = offset / WORD, end = end_of(offset, bytes); i < end; i++)
        f->pending[i / PIECE] &= ~(1ULL << i % PIECE);
}

const struct gr_in_flight_word *gr_in_flight_find(const struct gr_in_flight *f, int64_t offset,
                                                  int bytes)
{
    if (!is_inside(f, offset, bytes))
        return NULL;
    for (int64_t i = offset / WORD, end = end_of(offset, bytes); i < end; i++)
        if (f->pending[i / PIECE] >> i % PIECE & 1)
            return &f->words[i];
    return NULL;
}

bool gr_in_flight_any(const struct gr_in_flight *f, uint64_t lo, uint64_t end)
{
    const uint64_t bytes = (uint64_t)f->bytes;
    const uint64_t first = lo / WORD, last = ((end < bytes ? end : bytes) + WORD - 1) / WORD;
    if (!f->used || first >= last)
        return false;
    const uint64_t a = first / PIECE, b = (last - 1) / PIECE;
    const uint64_t from = ~0ULL << first % PIECE, until = ~0ULL >> (PIECE - 1 - (last - 1) % PIECE);
    if (a == b)
        return (f->pending[a] & from & until) != 0;
    bool any = (f->pending[a] & from) != 0 || (f->pending[b] & until) != 0;
    for (uint64_t i = a + 1; i < b && !any; i++)
        any = f->pending[i] != 0;
    return any;
}
