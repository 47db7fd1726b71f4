/* fake_peers.c: what several GPUs need of a driver: copies of rows and from one GPU to another,
 * which check whose memory they are given. SPDX-License-Identifier: MIT */
#include "fake_driver.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { OF_GPU = 2, PEER_ACCESS_UNSUPPORTED = 217, ALREADY_ENABLED = 704, DEVICES = 16 };

/* CUDA_MEMCPY2D and CUDA_MEMCPY3D_PEER, of which only device memory is taken. */
struct rows {
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    gr_gpu_address from;
    void *from_array;
    size_t from_pitch, to_x, to_y;
    int to_kind;
    void *to_host;
    gr_gpu_address to;
    void *to_array;
    size_t to_pitch, row_bytes, rows;
};

struct peer_rows {
    size_t from_x, from_y, from_z, from_level;
    int from_kind;
    const void *from_host;
    gr_gpu_address from;
    void *from_array;
    gr_gpu_context_handle from_context;
    size_t from_pitch, from_height, to_x, to_y, to_z, to_level;
    int to_kind;
    void *to_host;
    gr_gpu_address to;
    void *to_array;
    gr_gpu_context_handle to_context;
    size_t to_pitch, to_height, row_bytes, rows, depth;
};

EXPORT gr_gpu_result cuMemcpy2DAsync_v2(const struct rows *copy, gr_gpu_stream stream);
EXPORT gr_gpu_result cuMemcpyPeerAsync(gr_gpu_address to, gr_gpu_context_handle to_context,
                                       gr_gpu_address from, gr_gpu_context_handle from_context,
                                       size_t bytes, gr_gpu_stream stream);
EXPORT gr_gpu_result cuMemcpy3DPeerAsync(const struct peer_rows *copy, gr_gpu_stream stream);
EXPORT gr_gpu_result cuDeviceCanAccessPeer(int *yes, int device, int peer);
EXPORT gr_gpu_result cuCtxEnablePeerAccess(gr_gpu_context_handle peer, unsigned flags);
EXPORT gr_gpu_result cuStreamCreateWithPriority(gr_gpu_stream *stream, unsigned flags,
                                                int priority);

static gr_gpu_result copy_rows(gr_gpu_stream stream, gr_gpu_address to, size_t to_pitch,
                               int to_device, gr_gpu_address from, size_t from_pitch,
                               int from_device, size_t row_bytes, size_t rows)
{
    if (rows == 0 || row_bytes == 0 || to_pitch < row_bytes || from_pitch < row_bytes)
        return FAKE_INVALID_VALUE;
    if (fake_memory_owner(to, (rows - 1) * to_pitch + row_bytes) != to_device ||
        fake_memory_owner(from, (rows - 1) * from_pitch + row_bytes) != from_device)
        return FAKE_INVALID_VALUE;
    for (size_t i = 0; i < rows; i++) {
        fake_order_touch(stream, to + i * to_pitch, row_bytes, 1);
        fake_order_touch(stream, from + i * from_pitch, row_bytes, 0);
        memcpy((void *)(uintptr_t)(to + i * to_pitch), (void *)(uintptr_t)(from + i * from_pitch),
               row_bytes);
    }
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuMemcpy2DAsync_v2(const struct rows *c, gr_gpu_stream stream)
{
    const gr_gpu_result result = fake_outcome("copy");
    const int device = fake_device_in_use();
    if (result != GR_GPU_SUCCESS)
        return result;
    if (c->from_kind != OF_GPU || c->to_kind != OF_GPU)
        return FAKE_INVALID_VALUE;
    return copy_rows(stream, c->to, c->to_pitch, device, c->from, c->from_pitch, device,
                     c->row_bytes, c->rows);
}

gr_gpu_result cuMemcpyPeerAsync(gr_gpu_address to, gr_gpu_context_handle to_context,
                                gr_gpu_address from, gr_gpu_context_handle from_context,
                                size_t bytes, gr_gpu_stream stream)
{
    const gr_gpu_result result = fake_outcome("peer");
    return result != GR_GPU_SUCCESS ? result
                                    : copy_rows(stream, to, bytes, fake_device_of(to_context), from,
                                                bytes, fake_device_of(from_context), bytes, 1);
}

gr_gpu_result cuMemcpy3DPeerAsync(const struct peer_rows *c, gr_gpu_stream stream)
{
    const gr_gpu_result result = fake_outcome("peer");
    if (result != GR_GPU_SUCCESS)
        return result;
    if (c->from_kind != OF_GPU || c->to_kind != OF_GPU || c->depth != 1)
        return FAKE_INVALID_VALUE;
    return copy_rows(stream, c->to, c->to_pitch, fake_device_of(c->to_context), c->from,
                     c->from_pitch, fake_device_of(c->from_context), c->row_bytes, c->rows);
}

gr_gpu_result cuDeviceCanAccessPeer(int *yes, int device, int peer)
{
    *yes = device != peer && fake_number("GRADUS_FAKE_PEERS", 1) != 0;
    return GR_GPU_SUCCESS;
}

/* Once for each pair, as a context remembers it. */
gr_gpu_result cuCtxEnablePeerAccess(gr_gpu_context_handle peer, unsigned flags)
{
    static char enabled[DEVICES][DEVICES];
    char *const pair = &enabled[fake_device_in_use()][fake_device_of(peer)];
    const gr_gpu_result result = fake_outcome("access");
    if (result != GR_GPU_SUCCESS || flags)
        return result != GR_GPU_SUCCESS ? result : FAKE_INVALID_VALUE;
    if (fake_number("GRADUS_FAKE_PEERS", 1) == 0)
        return PEER_ACCESS_UNSUPPORTED;
    if (*pair)
        return ALREADY_ENABLED;
    *pair = 1;
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuStreamCreateWithPriority(gr_gpu_stream *stream, unsigned flags, int priority)
{
    (void)priority;
    return cuStreamCreate(stream, flags);
}
