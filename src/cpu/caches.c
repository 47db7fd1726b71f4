/* caches.c: the sizes of the caches, from sysfs or from the C library. SPDX-License-Identifier:
 * MIT
 *
 * sysfs is read first: on AMD the C library reports the level 3 cache of a whole socket (384 MB),
 * and sysfs the part that one core can reach (32 MB). */
#include "cpu/cpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static int64_t from_sysconf(int level)
{
    static const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                _SC_LEVEL3_CACHE_SIZE};
    return sysconf(names[level - 1]);
}

/* The first word of a file of sysfs; "" when it cannot be read. */
static void read_word(int index, const char *file, char word[32])
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, file);
    word[0] = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return;
    if (fscanf(f, "%31s", word) != 1)
        word[0] = 0;
    fclose(f);
}

/* sysfs writes a size as "32K" or "36608K". */
static int64_t from_sysfs(int level)
{
    for (int index = 0; index < 8; index++) {
        char word[32], type[32];
        int found_level;
        int64_t size;
        char unit = 0;
        read_word(index, "level", word);
        read_word(index, "type", type);
        if (sscanf(word, "%d", &found_level) != 1 || found_level != level || type[0] == 'I')
            continue;
        read_word(index, "size", word);
        if (sscanf(word, "%" SCNd64 "%c", &size, &unit) >= 1)
            return size * (unit == 'K' ? 1024 : unit == 'M' ? 1024 * 1024 : 1);
    }
    return 0;
}

int64_t gr_cpu_cache_bytes(int level)
{
    /* The sizes are needed before every product, and reading sysfs is slow, so each is read once;
     * -1 means that it has not been read yet. If two threads read it at the same time, both store
     * the same value. */
    static _Atomic int64_t known[] = {-1, -1, -1};
    if (level < 1 || level > 3)
        return 0;
    int64_t bytes = known[level - 1];
    if (bytes >= 0)
        return bytes;
    bytes = from_sysfs(level);
    if (bytes <= 0)
        bytes = from_sysconf(level);
    known[level - 1] = bytes > 0 ? bytes : 0;
    return known[level - 1];
}
