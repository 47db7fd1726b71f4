/* edges_memory.c: blocks whose neighbours fault. SPDX-License-Identifier: MIT */
#include "edges_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP 1
#endif
#endif

#ifdef HEAP

void *edges_block(int64_t bytes, int64_t align)
{
    (void)align;
    void *block = calloc(1, (size_t)bytes + !bytes);
    if (!block)
        abort();
    return block;
}

void edges_free(void *block)
{
    free(block);
}

#else

enum { ARENAS = 4, CAPACITY = 1 << 20 };

/* Mapped once, and used again and again. */
static struct arena {
    char *memory; /* between two pages that fault */
    void *block;  /* null: free */
} arenas[ARENAS];

static char *map_guarded(void)
{
    const long page = sysconf(_SC_PAGESIZE);
    const int around = getenv("GRADUS_TEST_UNGUARDED") ? PROT_READ | PROT_WRITE : PROT_NONE;
    char *all =
        mmap(NULL, (size_t)(CAPACITY + 2 * page), around, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, CAPACITY, PROT_READ | PROT_WRITE)) {
        perror("edges_block");
        exit(1);
    }
    return all + page;
}

void *edges_block(int64_t bytes, int64_t align)
{
    static unsigned turn;
    int i = 0;
    while (i < ARENAS && arenas[i].block)
        i++;
    if (i == ARENAS || bytes > CAPACITY - align) {
        printf("edges_block: no room for %lld bytes\n", (long long)bytes);
        exit(1);
    }
    if (!arenas[i].memory)
        arenas[i].memory = map_guarded();
    /* The last element ends where the page ends, if the block is a whole number of them. */
    char *block = arenas[i].memory;
    if (++turn % 4 != 0)
        block += (CAPACITY - bytes) / align * align;
    memset(block, 0, (size_t)bytes);
    return arenas[i].block = block;
}

void edges_free(void *block)
{
    for (int i = 0; i < ARENAS; i++)
        if (arenas[i].block == block)
            arenas[i].block = NULL;
}

#endif
