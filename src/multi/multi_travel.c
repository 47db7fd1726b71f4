/* multi_travel.c: moves panels from one GPU to another. SPDX-License-Identifier: MIT
 *
 * With copies, each rank reads what it needs from the memory of the others by the copy engines, so
 * that the products keep all multiprocessors. With NCCL, each rank sends and receives in one group;
 * parts that are not contiguous are packed before and unpacked afterwards. */
#include "multi/multi_run.h"

/* The location of a part at the sender or the receiver. */
struct end {
    uint64_t address;
    int64_t pitch; /* bytes from one row to the next */
};

static int64_t row_bytes(const struct gr_multi_run *r, int operand,
                         const struct gr_multi_rect *part)
{
    return part->cols * gr_multi_element(r->gemm, operand);
}

/* The location in the panel that `needs_it` needs; for host operands, in `holder`'s copy of it. */
static struct end in_panel(const struct gr_multi_run *r, int operand, int64_t holder,
                           int64_t needs_it, int64_t tile, const struct gr_multi_rect *part)
{
    const struct gr_multi_rect panel = gr_multi_needed(r->gemm, &r->plan, operand, needs_it, tile);
    const int64_t element = gr_multi_element(r->gemm, operand);
    struct end e = {.pitch = gr_multi_pitch(panel.cols, element)};
    e.address = r->all[holder].places[operand][gr_multi_place(&r->plan, operand, tile)] +
                (uint64_t)((part->row - panel.row) * e.pitch + (part->col - panel.col) * element);
    return e;
}

static struct end in_block(const struct gr_multi_run *r, int operand, int64_t owner,
                           const struct gr_multi_rect *part)
{
    const struct gr_multi_rect own = gr_multi_own(r->gemm, operand, owner);
    const int64_t element = gr_multi_element(r->gemm, operand);
    struct end e = {.pitch = r->all[owner].ld[operand] * element};
    e.address = r->all[owner].own[operand] +
                (uint64_t)((part->row - own.row) * e.pitch + (part->col - own.col) * element);
    return e;
}

static struct end source(const struct gr_multi_run *r, int operand, int64_t from, int64_t to,
                         int64_t tile, const struct gr_multi_rect *part)
{
    return r->gemm->resident ? in_block(r, operand, from, part)
                             : in_panel(r, operand, from, to, tile, part);
}

/* Bytes of a contiguous part. Two panels of the same shape are copied together with the padding
 * between their rows. */
static int64_t whole_bytes(const struct gr_multi_run *r, int operand, const struct end *e,
                           const struct gr_multi_rect *part)
{
    const int64_t row = row_bytes(r, operand, part);
    return r->gemm->resident ? row * part->rows : (part->rows - 1) * e->pitch + row;
}

static bool is_piece(const struct gr_multi_run *r, int operand, const struct end *e,
                     const struct gr_multi_rect *part)
{
    return !r->gemm->resident || part->rows == 1 || e->pitch == row_bytes(r, operand, part);
}

static enum gradus_status copy_here(struct gr_multi_run *r, struct end to, struct end from,
                                    int64_t bytes, int64_t rows)
{
    const struct gr_device_rows copy = {.from_kind = GR_DEVICE_MEMORY_OF_GPU,
                                        .from = from.address,
                                        .from_pitch = (size_t)from.pitch,
                                        .to_kind = GR_DEVICE_MEMORY_OF_GPU,
                                        .to = to.address,
                                        .to_pitch = (size_t)to.pitch,
                                        .row_bytes = (size_t)bytes,
                                        .rows = (size_t)rows};
    const struct gr_device_driver *const d = r->gpu->driver;
    void *const stream = r->gpu->streams[GR_MULTI_TRAVEL];
    const int result = rows == 1 ? d->copy_bytes(to.address, from.address, (size_t)bytes, stream)
                                 : d->copy_rows(&copy, stream);
    return gr_multi_check(r->gpu, result, "copying a panel", r->error);
}

static enum gradus_status copy_from(struct gr_multi_run *r, int64_t peer, struct end to,
                                    struct end from, int64_t bytes, int64_t rows)
{
    const struct gr_device_driver *const d = r->gpu->driver;
    void *const stream = r->gpu->streams[GR_MULTI_TRAVEL];
    const gr_device_context here = r->gpu->gpu->context, there = r->all[peer].context;
    const struct gr_device_peer_rows copy = {.from_kind = GR_DEVICE_MEMORY_OF_GPU,
                                             .from = from.address,
                                             .from_context = there,
                                             .from_pitch = (size_t)from.pitch,
                                             .from_height = (size_t)rows,
                                             .to_kind = GR_DEVICE_MEMORY_OF_GPU,
                                             .to = to.address,
                                             .to_context = here,
                                             .to_pitch = (size_t)to.pitch,
                                             .to_height = (size_t)rows,
                                             .row_bytes = (size_t)bytes,
                                             .rows = (size_t)rows,
                                             .depth = 1};
    r->received_bytes += bytes * rows;
    const int result =
        rows == 1 ? d->copy_peer(to.address, here, from.address, there, (size_t)bytes, stream)
                  : d->copy_peer_rows(&copy, stream);
    return gr_multi_check(r->gpu, result, "copying a panel from another GPU", r->error);
}

/* Copies one part to this rank. */
static enum gradus_status fetch(struct gr_multi_run *r, int operand, int64_t from, int64_t tile,
                                const struct gr_multi_rect *part)
{
    const int64_t me = r->comm->rank;
    const struct end to = in_panel(r, operand, me, me, tile, part);
    const struct end at = source(r, operand, from, me, tile, part);
    int64_t bytes = row_bytes(r, operand, part), rows = part->rows;
    if (at.pitch == to.pitch && is_piece(r, operand, &at, part))
        bytes = whole_bytes(r, operand, &at, part), rows = 1;
    return from == me ? copy_here(r, to, at, bytes, rows) : copy_from(r, from, to, at, bytes, rows);
}

static enum gradus_status fetch_all(struct gr_multi_run *r, int64_t tile)
{
    const int64_t me = r->comm->rank;
    const int place = (int)(tile % GR_MULTI_PLACES);
    struct gr_multi_rect part;
    enum gradus_status status = GRADUS_OK;
    for (int x = 0; x < GR_MULTI_OPERANDS; x++)
        for (int64_t i = 1; i <= r->comm->size && status == GRADUS_OK; i++) {
            const int64_t from = (me + i) % r->comm->size; /* each rank begins with another one */
            if ((from == me && !r->gemm->resident) ||
                !gr_multi_part(r->gemm, &r->plan, x, from, me, tile, &part))
                continue;
            if (!r->gemm->resident)
                status =
                    gr_multi_check(r->gpu,
                                   r->gpu->driver->stream_wait(r->gpu->streams[GR_MULTI_TRAVEL],
                                                               r->all[from].uploaded[place], 0),
                                   "ordering two streams", r->error);
            if (status == GRADUS_OK)
                status = fetch(r, x, from, tile, &part);
        }
    return status;
}

/* ---- NCCL ---- */

/* The part of a tile that this rank sends to a peer (`out`) or receives from it. */
static bool part_with(const struct gr_multi_run *r, int operand, int64_t peer, bool out,
                      int64_t tile, struct gr_multi_rect *part)
{
    const int64_t me = r->comm->rank;
    return peer != me &&
           gr_multi_part(r->gemm, &r->plan, operand, out ? me : peer, out ? peer : me, tile, part);
}

static struct end end_with(const struct gr_multi_run *r, int operand, int64_t peer, bool out,
                           int64_t tile, const struct gr_multi_rect *part)
{
    const int64_t me = r->comm->rank;
    return out ? source(r, operand, me, peer, tile, part)
               : in_panel(r, operand, me, me, tile, part);
}

static int64_t rounded(int64_t bytes)
{
    enum { BOUNDARY = 256 };
    return (bytes + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
}

void gr_multi_packed_bytes(const struct gr_multi_run *r, int64_t tile, int64_t *out, int64_t *in)
{
    struct gr_multi_rect part;
    *out = *in = 0;
    for (int x = 0; x < GR_MULTI_OPERANDS && r->gpu->nccl && r->gemm->resident; x++)
        for (int64_t peer = 0; peer < r->comm->size; peer++)
            for (int way = 0; way < 2; way++)
                if (part_with(r, x, peer, way == 0, tile, &part))
                    *(way == 0 ? out : in) += rounded(row_bytes(r, x, &part) * part.rows);
}

/* Packs what is sent (`out`), or unpacks what has been received. */
static enum gradus_status pack(struct gr_multi_run *r, int64_t tile, bool out)
{
    uint64_t packed = out ? r->packed_out : r->packed_in;
    struct gr_multi_rect part;
    enum gradus_status status = GRADUS_OK;
    for (int x = 0; x < GR_MULTI_OPERANDS; x++)
        for (int64_t peer = 0; peer < r->comm->size && status == GRADUS_OK; peer++) {
            if (!part_with(r, x, peer, out, tile, &part))
                continue;
            const struct end loose = end_with(r, x, peer, out, tile, &part);
            const int64_t bytes = row_bytes(r, x, &part);
            const struct end tight = {packed, bytes};
            if (is_piece(r, x, &loose, &part))
                continue;
            status = copy_here(r, out ? tight : loose, out ? loose : tight, bytes, part.rows);
            packed += (uint64_t)rounded(bytes * part.rows);
        }
    return status;
}

/* Sends and receives all parts of a tile. */
static int exchange(struct gr_multi_run *r, int64_t tile)
{
    const struct gr_multi_nccl *const n = r->gpu->nccl;
    void *const comm = r->gpu->nccl_comm, *const stream = r->gpu->streams[GR_MULTI_TRAVEL];
    uint64_t packed[2] = {r->packed_out, r->packed_in};
    struct gr_multi_rect part;
    int result = n->group_start();
    for (int x = 0; x < GR_MULTI_OPERANDS; x++)
        for (int64_t peer = 0; peer < r->comm->size; peer++)
            for (int way = 0; way < 2 && result == 0; way++) {
                const bool out = way == 0;
                if (!part_with(r, x, peer, out, tile, &part))
                    continue;
                const struct end e = end_with(r, x, peer, out, tile, &part);
                const int64_t bytes = whole_bytes(r, x, &e, &part);
                uint64_t address = e.address;
                if (!is_piece(r, x, &e, &part)) {
                    address = packed[way];
                    packed[way] += (uint64_t)rounded(bytes);
                }
                *(out ? &r->sent_bytes : &r->received_bytes) += bytes;
                result = out ? n->send((const void *)(uintptr_t)address, (size_t)bytes,
                                       GR_MULTI_NCCL_BYTES, (int)peer, comm, stream)
                             : n->receive((void *)(uintptr_t)address, (size_t)bytes,
                                          GR_MULTI_NCCL_BYTES, (int)peer, comm, stream);
            }
    const int ended = n->group_end();
    return result == 0 ? ended : result;
}

static enum gradus_status exchange_all(struct gr_multi_run *r, int64_t tile)
{
    struct gr_multi_rect part;
    enum gradus_status status = GRADUS_OK;
    for (int x = 0; x < GR_MULTI_OPERANDS && status == GRADUS_OK && r->gemm->resident; x++)
        if (gr_multi_part(r->gemm, &r->plan, x, r->comm->rank, r->comm->rank, tile, &part))
            status = fetch(r, x, r->comm->rank, tile, &part);
    if (status == GRADUS_OK && r->gemm->resident)
        status = pack(r, tile, true);
    if (status == GRADUS_OK)
        status = gr_multi_nccl_check(r->gpu->nccl, exchange(r, tile), "sending panels", r->error);
    if (status == GRADUS_OK && r->gemm->resident)
        status = pack(r, tile, false);
    return status;
}

enum gradus_status gr_multi_travel(struct gr_multi_run *r, int64_t tile)
{
    const struct gr_device_driver *const d = r->gpu->driver;
    void *const stream = r->gpu->streams[GR_MULTI_TRAVEL];
    void *const begin = gr_multi_event(r, tile, GR_MULTI_TRAVEL_BEGIN);
    void *const end = gr_multi_event(r, tile, GR_MULTI_TRAVEL_END);
    const int place = (int)(tile % GR_MULTI_PLACES);
    int result = 0;
    if (tile >= GR_MULTI_PLACES) /* the product that read this place has ended */
        result = d->stream_wait(stream, r->gpu->done[place], 0);
    if (result == 0 && !r->gemm->resident)
        result = d->stream_wait(stream, r->gpu->uploaded[place], 0);
    if (result == 0 && begin)
        result = d->event_record(begin, stream);
    enum gradus_status status = gr_multi_check(r->gpu, result, "ordering two streams", r->error);
    if (status == GRADUS_OK)
        status = r->gpu->nccl && r->comm->size > 1 ? exchange_all(r, tile) : fetch_all(r, tile);
    if (status != GRADUS_OK)
        return status;
    if (end)
        result = d->event_record(end, stream);
    if (result == 0)
        result = d->event_record(r->gpu->arrived[place], stream);
    return gr_multi_check(r->gpu, result, "recording an event", r->error);
}
