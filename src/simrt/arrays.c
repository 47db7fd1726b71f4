/* arrays.c: lays out the arrays of a traced launch, and finds the array of an address.
 * SPDX-License-Identifier: MIT */
#include "simrt/arrays.h"
#include "simrt/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct gr_array gr_arrays[GR_ARRAYS];
int gr_array_count;

/* With a 32-bit index and elements of 16 bytes, an access reaches up to 64 GB from any place in an
 * array. Arrays are further apart than that, so that no access through one pointer reaches another
 * pointer's array. If the system does not grant so much address space (ulimit -v), the gaps are as
 * wide as possible. */
static const uint64_t widest_gap_bytes = 1ULL << 40, least_gap_bytes = 1ULL << 24;
static uint64_t arena_lo, arena_hi;

bool gr_in_arena(uint64_t address)
{
    return address - arena_lo < arena_hi - arena_lo;
}

uint64_t gr_array_address(int i)
{
    return gr_arrays[i].lo;
}

/* ---- Global memory. ---- */

/* NaN in every floating-point type of that width. */
static uint64_t nan_of(int element_bytes)
{
    return element_bytes == 8   ? 0x7ff4a5a5a5a5a5a5ULL
           : element_bytes == 4 ? 0x7fa5a5a57fa5a5a5ULL
                                : 0x7fc57fc57fc57fc5ULL;
}

static bool is_nan(uint64_t bits, int element_bytes)
{
    if (element_bytes == 8)
        return (bits & 0x7fffffffffffffffULL) > 0x7ff0000000000000ULL;
    return element_bytes == 4 ? (bits & 0x7fffffff) > 0x7f800000 : (bits & 0x7fff) > 0x7c00;
}

/* A file of floating-point numbers between 1 and 2 in elements of that width, or of NaN. */
static int make_pattern(int element_bytes, size_t bytes, uint64_t seed, bool nan)
{
    int fd = memfd_create("gradus-operand", MFD_CLOEXEC);
    unsigned char *at = fd < 0 || ftruncate(fd, (off_t)bytes) != 0
                            ? MAP_FAILED
                            : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return -1;
    uint64_t state = seed;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        uint64_t word = element_bytes == 8 ? state >> 12 | 0x3ff0000000000000ULL
                        : element_bytes == 4
                            ? (state >> 9 & 0x007fffff007fffffULL) | 0x3f8000003f800000ULL
                            : (state & 0x03ff03ff03ff03ffULL) | 0x3c003c003c003c00ULL;
        if (nan)
            word = nan_of(element_bytes);
        memcpy(at + i, &word, 8);
    }
    munmap(at, bytes);
    return fd;
}

static uint64_t pages(uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page) / page * page; /* at least one */
}

static bool map_zeros(uint64_t lo, uint64_t bytes)
{
    return mmap((void *)lo, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

/* Maps one pattern repeatedly, so that pages take no memory until they are written. */
static bool map_contents(const struct gr_sim_job_array *from, uint64_t seed, uint64_t lo,
                         uint64_t bytes)
{
    const uint64_t least = 2 << 20, most_pieces = 2048;
    const uint64_t wanted = pages(bytes / most_pieces), most = wanted > least ? wanted : least;
    const uint64_t piece = bytes < most ? bytes : most;
    bool is_c = from->ld > 0 && !from->written; /* and beta is 0 */
    if ((!from->written && !is_c) || from->zero)
        return map_zeros(lo, bytes);
    int fd = make_pattern(from->element_bytes, piece, seed, is_c);
    bool whole = fd >= 0;
    for (uint64_t at = 0; at < bytes && whole; at += piece)
        whole =
            mmap((void *)(lo + at), bytes - at < piece ? bytes - at : piece, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) != MAP_FAILED;
    if (fd >= 0)
        close(fd);
    return whole;
}

/* Memory that is zero, and takes no physical pages until it is written. */
static void *zeros(uint64_t bytes)
{
    void *at = mmap(NULL, pages(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static uint64_t seen_bytes(const struct gr_array *a)
{
    return (a->hi - a->lo) / gr_sector_bytes + 2;
}

/* Allocates the marks of the array's elements. */
static bool watch(struct gr_array *a, bool written)
{
    a->seen = zeros(seen_bytes(a));
    if (!written)
        a->written = zeros((a->hi - a->lo) / 4 + 1);
    return a->seen && (written || a->written);
}

/* Reserves address space for all arrays, with the widest possible gaps around each. Returns the
 * width of a gap; 0: there is no room. */
static uint64_t reserve_arena(const struct gr_sim_job *job)
{
    uint64_t arrays = 0, count = (uint64_t)job->array_count;
    for (int i = 0; i < job->array_count; i++)
        arrays += pages((uint64_t)job->arrays[i].bytes);
    for (uint64_t gap = widest_gap_bytes; gap >= least_gap_bytes; gap /= 2) {
        uint64_t total = arrays + gap * (count + 1);
        void *arena =
            mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena == MAP_FAILED)
            continue;
        arena_lo = (uintptr_t)arena;
        arena_hi = arena_lo + total;
        return gap;
    }
    return 0;
}

static const char *open_global(const struct gr_sim_job *job)
{
    static const char none[] = "no memory for the operands";
    const uint64_t gap_bytes = reserve_arena(job);
    uint64_t at = arena_lo + gap_bytes;
    if (gap_bytes == 0)
        return none;
    for (int i = 0; i < job->array_count; i++) {
        const struct gr_sim_job_array *from = &job->arrays[i];
        uint64_t bytes = (uint64_t)from->bytes;
        /* If results are requested, they must differ when operands are exchanged. */
        const uint64_t seed = job->kept > 0 ? 1 + (uint64_t)i : 1;
        struct gr_array *a = &gr_arrays[gr_array_count++];
        *a = (struct gr_array){.space = GR_SPACE_GLOBAL,
                               .element_bytes = from->element_bytes,
                               .columns = from->columns,
                               .ld = from->ld,
                               .is_result = from->is_result,
                               .lo = at,
                               .hi = at + bytes};
        memcpy(a->name, from->name, sizeof a->name);
        bool whole = job->checked
                         ? map_zeros(at, pages(bytes))
                         : map_contents(from, seed, at, pages(bytes)) && watch(a, from->written);
        if (!whole)
            return none;
        at += pages(bytes) + gap_bytes;
    }
    return NULL;
}

void *gr_arrays_variables(uint64_t bytes)
{
    const uint64_t at = arena_lo + pages(1); /* in the gap before the first array */
    return bytes <= GR_VARIABLE_BYTES && map_zeros(at, pages(bytes)) ? (void *)at : NULL;
}

bool gr_arrays_add_variable(const char *name, uint64_t address, uint64_t bytes)
{
    if (gr_array_count == GR_ARRAYS || bytes == 0)
        return false;
    struct gr_array *a = &gr_arrays[gr_array_count];
    *a = (struct gr_array){
        .space = GR_SPACE_GLOBAL, .element_bytes = 4, .lo = address, .hi = address + bytes};
    snprintf(a->name, sizeof a->name, "%s", name);
    if (!watch(a, true))
        return false;
    gr_array_count++;
    return true;
}

/* ---- Both spaces. ---- */

const char *gr_arrays_open(const struct gr_sim_job *job)
{
    const char *why = open_global(job);
    return why ? why : gr_shared_open();
}

void gr_arrays_launch(const struct gr_sim_job *job, const struct gr_sim_job_launch *launch)
{
    for (int i = 0; i < gr_array_count; i++) {
        struct gr_array *a = &gr_arrays[i];
        a->loaded = a->stored = 0;
        a->reach = a->lo;
        if (a->dynamic)
            a->hi = a->lo + (uint64_t)launch->smem_bytes;
        if (a->seen)
            madvise(a->seen, pages(seen_bytes(a)), MADV_DONTNEED); /* zeros again */
        if (i < job->array_count && job->arrays[i].zero && launch == job->launches)
            madvise((void *)a->lo, pages(a->hi - a->lo), MADV_DONTNEED);
    }
}

void gr_arrays_forget(unsigned char mark)
{
    for (int i = 0; i < gr_array_count; i++) {
        const struct gr_array *a = &gr_arrays[i];
        unsigned char *at = a->stored ? a->written : NULL, *end = at + (a->hi - a->lo) / 4 + 1;
        while (at && (at = memchr(at, mark, (size_t)(end - at))) != NULL)
            *at++ = 0;
    }
}

void gr_arrays_clear(const struct gr_sim_job *job)
{
    for (int i = 0; i < job->array_count; i++)
        if (job->arrays[i].zero)
            memset((void *)gr_arrays[i].lo, 0, gr_arrays[i].hi - gr_arrays[i].lo);
}

/* Is element `e` part of the matrix, and not of the padding between two rows? */
static bool is_element(const struct gr_array *a, int64_t e)
{
    return a->ld <= 0 || e % a->ld < a->columns;
}

static bool is_written(const struct gr_array *a, int64_t e)
{
    return a->written[e * a->element_bytes / 4] != 0;
}

int64_t gr_array_unwritten(int i, int64_t *first)
{
    const struct gr_array *a = &gr_arrays[i];
    int64_t count = 0, elements = (int64_t)(a->hi - a->lo) / a->element_bytes;
    *first = -1;
    if (!a->written)
        return -1;
    for (int64_t e = elements - 1; e >= 0; e--)
        if (!is_written(a, e) && is_element(a, e)) {
            *first = e;
            count++;
        }
    return count;
}

bool gr_array_old_reached(int i)
{
    const struct gr_array *a = &gr_arrays[i];
    int64_t elements = (int64_t)(a->hi - a->lo) / a->element_bytes;
    if (!a->written || !a->read_early)
        return false;
    for (int64_t e = 0; e < elements; e++) {
        uint64_t bits = 0;
        if (!is_written(a, e))
            continue;
        memcpy(&bits, (const char *)a->lo + e * a->element_bytes, (size_t)a->element_bytes);
        if (is_nan(bits, a->element_bytes))
            return true;
    }
    return false;
}

const struct gr_array *gr_array_find(enum gr_space space, uint64_t lo, uint64_t hi)
{
    for (int i = 0; i < gr_array_count; i++)
        if (gr_arrays[i].space == space && lo >= gr_arrays[i].lo && hi <= gr_arrays[i].hi)
            return &gr_arrays[i];
    return NULL;
}

const struct gr_array *gr_array_nearest(enum gr_space space, uint64_t address)
{
    const struct gr_array *nearest = NULL;
    uint64_t least = ~0ULL;
    for (int i = 0; i < gr_array_count; i++) {
        const struct gr_array *a = &gr_arrays[i];
        uint64_t distance = address < a->lo ? a->lo - address : address - a->hi;
        if (a->space == space && distance < least) {
            least = distance;
            nearest = a;
        }
    }
    return nearest;
}
