/* guarded.c: memory between pages that fault. SPDX-License-Identifier: MIT */
#include "soak/guarded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANARY = 0xa5, CANARIES = 512 };

void guarded_open(struct guarded *g, int64_t capacity)
{
    const int64_t page = sysconf(_SC_PAGESIZE);
    const int64_t inside = (capacity + 2 * CANARIES + page - 1) / page * page;
    char *all = mmap(NULL, (size_t)(inside + 2 * page), PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const bool open = getenv("GRADUS_TEST_UNGUARDED") != NULL;
    if (all == MAP_FAILED ||
        mprotect(all + (open ? 0 : page), (size_t)(inside + (open ? 2 * page : 0)),
                 PROT_READ | PROT_WRITE)) {
        perror("guarded_open");
        exit(1);
    }
    *g = (struct guarded){.memory = all + page, .capacity = inside};
}

void guarded_close(struct guarded *g)
{
    const int64_t page = sysconf(_SC_PAGESIZE);
    munmap(g->memory - page, (size_t)(g->capacity + 2 * page));
    *g = (struct guarded){0};
}

static int64_t before(const struct guarded *g)
{
    const int64_t room = g->block - g->memory;
    return room < CANARIES ? room : CANARIES;
}

static int64_t behind(const struct guarded *g)
{
    const int64_t room = g->memory + g->capacity - (g->block + g->bytes);
    return room < CANARIES ? room : CANARIES;
}

char *guarded_place(struct guarded *g, int64_t bytes, int64_t align, enum guarded_place place)
{
    if (bytes > g->capacity - 2 * CANARIES) {
        fprintf(stderr, "guarded_place: %lld bytes do not fit\n", (long long)bytes);
        exit(1);
    }
    g->bytes = bytes;
    g->block = g->memory;
    if (place == GUARDED_END)
        g->block = g->memory + g->capacity - bytes;
    else if (place == GUARDED_AMID)
        g->block = g->memory + 64 + align;
    memset(g->block - before(g), CANARY, (size_t)before(g));
    memset(g->block + bytes, CANARY, (size_t)behind(g));
    return g->block;
}

static bool all_canaries(const char *at, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if ((unsigned char)at[i] != CANARY)
            return false;
    return true;
}

bool guarded_intact(const struct guarded *g)
{
    return all_canaries(g->block - before(g), before(g)) &&
           all_canaries(g->block + g->bytes, behind(g));
}
