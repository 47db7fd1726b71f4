/* work_guard.c: `work` buffers between canaries and pages without access.
 * SPDX-License-Identifier: MIT */
#include "measure/work_guard.h"

#include "core/error.h"
#include "check/pair.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint64_t no_access_bytes = 16 << 20;

static enum gradus_status make(struct gr_guarded *g, uint64_t bytes, struct gradus_error *error)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t inside = (bytes + GR_WORK_ALIGNMENT + page - 1) / page * page + page;
    g->reserved = inside + 2 * no_access_bytes;
    g->base =
        mmap(NULL, g->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g->base == MAP_FAILED) {
        g->base = NULL;
        return gr_fail_memory(error, "a `work` buffer", g->reserved);
    }
    g->first = g->base + no_access_bytes;
    g->end = g->first + inside;
    if (mprotect(g->first, inside, PROT_READ | PROT_WRITE) != 0)
        return gr_fail_memory(error, "a `work` buffer", inside);
    const uint64_t start = (inside - bytes) / GR_WORK_ALIGNMENT * GR_WORK_ALIGNMENT;
    g->buffer = g->first + start;
    g->bytes = bytes;
    memset(g->first, GR_CANARY, inside);
    return GRADUS_OK;
}

enum gradus_status gr_work_guard_make(struct gr_work_guard *guard, const struct gr_work_item *item,
                                      struct gr_scratch *scratch, struct gradus_error *error)
{
    gr_work_guard_free(guard);
    scratch->count = item->work_count;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < item->work_count && status == GRADUS_OK; i++) {
        status = make(&guard->of[i], (uint64_t)item->work_bytes[i], error);
        guard->count = i + 1;
        scratch->buffer[i] = guard->of[i].buffer;
        scratch->bytes[i] = item->work_bytes[i];
        scratch->zero[i] = item->work_zero[i];
    }
    return status;
}

/* As for operands, the distance is that of the first byte that was written. */
void gr_work_guard_check(const struct gr_work_guard *guard, struct gr_work_written *written)
{
    for (int i = 0; i < guard->count; i++) {
        const struct gr_guarded *g = &guard->of[i];
        const unsigned char *front = g->first, *back = g->buffer + g->bytes;
        while (front < g->buffer && *front == GR_CANARY)
            front++;
        while (back < g->end && *back == GR_CANARY)
            back++;
        written[i].before = front < g->buffer;
        written[i].before_bytes = g->buffer - front;
        written[i].past = back < g->end;
        written[i].past_bytes = back - (g->buffer + g->bytes);
    }
}

bool gr_work_guard_locate(const struct gr_work_guard *guard, const void *address, int *work,
                          int64_t *offset)
{
    const unsigned char *p = address;
    for (int i = 0; i < guard->count; i++) {
        const struct gr_guarded *g = &guard->of[i];
        if (!g->base || p < g->base || p >= g->base + g->reserved)
            continue;
        *work = i;
        *offset = p - g->buffer;
        return true;
    }
    return false;
}

void gr_work_guard_free(struct gr_work_guard *guard)
{
    for (int i = 0; i < GR_MAX_WORKS; i++)
        if (guard->of[i].base)
            munmap(guard->of[i].base, guard->of[i].reserved);
    *guard = (struct gr_work_guard){0};
}
