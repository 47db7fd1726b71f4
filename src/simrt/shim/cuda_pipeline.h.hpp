// cuda_pipeline.h: CUDA's functions for asynchronous copies by one thread. Copies complete
// immediately. SPDX-License-Identifier: MIT
#ifndef GR_CUDA_PIPELINE_PRIMITIVES_H
#define GR_CUDA_PIPELINE_PRIMITIVES_H

#include <cuda/pipeline>

GR_PLACED static void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                              size_t zeros = 0)
{
    gr_sim_copy_async(to, from, (int)bytes, (int)(bytes - zeros), GR_SITE);
}
GR_INLINE void __pipeline_commit()
{
}
GR_INLINE void __pipeline_wait_prior(size_t)
{
}

#endif
