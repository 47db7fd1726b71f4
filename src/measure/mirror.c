/* mirror.c: keeps operands on the host or on a device. SPDX-License-Identifier: MIT */
#include "measure/mirror.h"

#include "core/error.h"
#include "check/pair.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

unsigned char *gr_mirror_at(const struct gr_mirror *m, struct gr_arena_place place)
{
    if (m->memory)
        return m->block[place.segment].address + place.offset;
    if (place.segment >= GR_ROTATION_A)
        return m->rotation.operand[place.segment - GR_ROTATION_A].base + place.offset;
    return m->arena.segment[place.segment] + place.offset;
}

static unsigned char *in_arena(const struct gr_mirror *m, struct gr_arena_place place)
{
    return m->arena.segment[place.segment] + place.offset;
}

/* Allocates `bytes` for a block in device memory; its previous content is lost. */
static enum gradus_status reserve(struct gr_mirror *m, int block, uint64_t bytes,
                                  struct gradus_error *error)
{
    if (m->block[block].bytes >= bytes && m->block[block].address)
        return GRADUS_OK;
    m->memory->release(m->device, m->block[block].address);
    m->block[block].address = NULL;
    m->block[block].bytes = 0;
    void *address = NULL;
    enum gradus_status status = m->memory->reserve(m->device, bytes, &address, error);
    if (status != GRADUS_OK)
        return status;
    m->block[block].address = address;
    m->block[block].bytes = bytes;
    return GRADUS_OK;
}

/* An operand of a trial with the canaries around it that are within its segment. */
struct span {
    struct gr_arena_place from;
    uint64_t bytes;
};

static struct span span_of(const struct gr_mirror *m, const struct gr_work_item *item, char operand)
{
    struct gr_arena_place place = operand == 'A' ? item->a : operand == 'B' ? item->b : item->c;
    uint64_t bytes = gr_operand_bytes(&item->problem, operand);
    uint64_t begin = place.offset < GR_ZONE_BYTES ? 0 : place.offset - GR_ZONE_BYTES;
    uint64_t end = place.offset + bytes + GR_ZONE_BYTES, size = m->arena.size[place.segment];
    place.offset = begin;
    return (struct span){place, (end < size ? end : size) - begin};
}

enum gradus_status gr_mirror_send(struct gr_mirror *m, const struct gr_work_item *item,
                                  struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; m->memory && i < 3 && status == GRADUS_OK; i++) {
        struct span span = span_of(m, item, "ABC"[i]);
        status = reserve(m, span.from.segment, m->arena.size[span.from.segment], error);
        if (status == GRADUS_OK)
            status = m->memory->upload(m->device, gr_mirror_at(m, span.from),
                                       in_arena(m, span.from), span.bytes, error);
    }
    return status;
}

enum gradus_status gr_mirror_fetch(struct gr_mirror *m, const struct gr_work_item *item,
                                   struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; m->memory && i < 3 && status == GRADUS_OK; i++) {
        struct span span = span_of(m, item, "ABC"[i]);
        status = m->memory->download(m->device, in_arena(m, span.from), gr_mirror_at(m, span.from),
                                     span.bytes, error);
    }
    return status;
}

enum gradus_status gr_mirror_snapshot(struct gr_mirror *m, const struct gr_work_item *item,
                                      struct gradus_error *error)
{
    uint64_t bytes = gr_operand_bytes(&item->problem, 'C');
    if (!item->take_snapshot || bytes == 0)
        return GRADUS_OK;
    if (m->memory)
        return m->memory->download(m->device, in_arena(m, item->snapshot), gr_mirror_at(m, item->c),
                                   bytes, error);
    memcpy(in_arena(m, item->snapshot), gr_mirror_at(m, item->c), bytes);
    return GRADUS_OK;
}

enum gradus_status gr_mirror_overwrite(struct gr_mirror *m, const struct gr_work_item *item,
                                       struct gradus_error *error)
{
    const unsigned char garbage = 0x3F;
    uint64_t bytes = gr_operand_bytes(&item->problem, 'C');
    if (bytes == 0)
        return GRADUS_OK;
    if (m->memory)
        return m->memory->fill(m->device, gr_mirror_at(m, item->c), garbage, bytes, error);
    memset(gr_mirror_at(m, item->c), garbage, bytes);
    return GRADUS_OK;
}

static enum gradus_status fill_on_device(struct gr_mirror *m, const struct gr_request *request,
                                         struct gradus_error *error)
{
    const struct gr_rotation_plan *plan = &request->fill.plan;
    enum gradus_status status = GRADUS_OK;
    for (int o = 0; o < 3 && status == GRADUS_OK; o++)
        status = reserve(m, GR_ROTATION_A + o,
                         plan->offset[o] + plan->stride[o] * (uint64_t)plan->sets, error);
    for (int set = request->fill.first; set < plan->sets && status == GRADUS_OK;
         set += request->fill.step)
        for (int o = 0; o < 3 && status == GRADUS_OK; o++) {
            struct gr_arena_place to = {GR_ROTATION_A + o,
                                        plan->offset[o] + (uint64_t)set * plan->stride[o]};
            status = m->memory->upload(m->device, gr_mirror_at(m, to),
                                       in_arena(m, request->fill.operands[o]),
                                       request->fill.bytes[o], error);
        }
    return status;
}

enum gradus_status gr_mirror_fill(struct gr_mirror *m, const struct gr_request *request,
                                  struct gradus_error *error)
{
    if (m->memory)
        return fill_on_device(m, request, error);
    const void *operands[3];
    for (int o = 0; o < 3; o++)
        operands[o] = in_arena(m, request->fill.operands[o]);
    enum gradus_status status = gr_rotation_reserve(&m->rotation, &request->fill.plan, error);
    if (status == GRADUS_OK)
        gr_rotation_fill(&m->rotation, &request->fill.plan, request->fill.first, request->fill.step,
                         operands, request->fill.bytes);
    return status;
}

/* On the host it uses huge pages, as a user's malloc of that size would. */
enum gradus_status gr_mirror_scratch(struct gr_mirror *m, uint64_t bytes, void **buffer,
                                     struct gradus_error *error)
{
    if (m->memory) {
        m->memory->release(m->device, *buffer);
        *buffer = NULL;
        return m->memory->reserve(m->device, bytes, buffer, error);
    }
    free(*buffer);
    *buffer = NULL;
    if (posix_memalign(buffer, 1 << 21, (size_t)bytes + 1) != 0)
        return gr_fail_memory(error, "a `work` buffer", bytes);
    madvise(*buffer, (size_t)bytes, MADV_HUGEPAGE);
    return GRADUS_OK;
}
