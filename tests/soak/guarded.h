/* guarded.h: memory between pages that fault, for operands whose neighbours nobody may touch.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include <stdbool.h>
#include <stdint.h>

/* Where in its memory a block lies: its first byte behind a page that faults, its last byte before
 * one, or amid bytes of which is known what they were. */
enum guarded_place { GUARDED_START, GUARDED_END, GUARDED_AMID };

/* One operand's memory, used again for one block after the other. */
struct guarded {
    char *memory; /* between the pages */
    int64_t capacity;
    char *block; /* the block at hand */
    int64_t bytes;
};

/* Maps it; exits with a line when it cannot. Whole pages; at least `capacity` bytes. With
 * GRADUS_TEST_UNGUARDED in the environment the pages around it can be touched: for emulators that
 * read more than an instruction asks for. */
void guarded_open(struct guarded *guarded, int64_t capacity);
void guarded_close(struct guarded *guarded);
/* A block of `bytes` bytes, `align` the least alignment of its place: with GUARDED_AMID it is that
 * and no more. The bytes around it that do not fault are canaries. */
char *guarded_place(struct guarded *guarded, int64_t bytes, int64_t align,
                    enum guarded_place place);
/* False when a canary has been written over. */
bool guarded_intact(const struct guarded *guarded);

#endif
