/* in_flight.c: the words of shared memory that asynchronous copies are to write.
 * SPDX-License-Identifier: MIT */
#include "engine/in_flight.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4 };

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
    if (f->words)
        return f;
    free(f);
    return NULL;
}

void gr_in_flight_close(struct gr_in_flight *f)
{
    if (f)
        free(f->words);
    free(f);
}

void gr_in_flight_begin(struct gr_in_flight *f)
{
    if (f->count > 0)
        memset(f->words, 0, (size_t)word_count(f) * sizeof *f->words);
    f->count = 0;
}

static bool is_inside(const struct gr_in_flight *f, int64_t offset, int bytes)
{
    return offset >= 0 && offset + bytes <= f->bytes;
}

void gr_in_flight_add(struct gr_in_flight *f, int64_t offset, int bytes,
                      struct gr_in_flight_word copy)
{
    if (!is_inside(f, offset, bytes))
        return;
    for (int64_t i = offset / WORD; i * WORD < offset + bytes; i++) {
        f->count += f->words[i].code == 0;
        f->words[i] = copy;
    }
}

void gr_in_flight_remove(struct gr_in_flight *f, int64_t offset, int bytes)
{
    if (!is_inside(f, offset, bytes))
        return;
    for (int64_t i = offset / WORD; i * WORD < offset + bytes; i++) {
        f->count -= f->words[i].code != 0;
        f->words[i].code = 0;
    }
}

const struct gr_in_flight_word *gr_in_flight_find(const struct gr_in_flight *f, int64_t offset,
                                                  int bytes)
{
    if (f->count == 0 || !is_inside(f, offset, bytes))
        return NULL;
    for (int64_t i = offset / WORD; i * WORD < offset + bytes; i++)
        if (f->words[i].code)
            return &f->words[i];
    return NULL;
}
