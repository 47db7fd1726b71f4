// cuda/aligned_size.h: a size with the promise that it and the addresses are multiples of an
// alignment. SPDX-License-Identifier: MIT
#ifndef GR_CUDA_ALIGNED_SIZE_H
#define GR_CUDA_ALIGNED_SIZE_H

namespace cuda
{
template <size_t gr_alignment_bytes> struct aligned_size_t {
    static constexpr size_t align = gr_alignment_bytes;
    size_t value;
    explicit constexpr aligned_size_t(size_t bytes) : value(bytes)
    {
    }
    constexpr operator size_t() const
    {
        return value;
    }
};
enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread
};
} // namespace cuda

#endif
