// of_batch.h: where the matrices of one product of a batch are.
// SPDX-License-Identifier: MIT
//
// They are `stride` elements apart, or anywhere: then `first` is no matrix, but an array of their
// addresses in the GPU's memory, which is read when the product runs.
//
//     strides    first -> | matrix 0 | .. | matrix 1 | .. | matrix 2 |
//
//     arrays     first -> | address 0 | address 1 | address 2 |
#ifndef OF_BATCH_H
#define OF_BATCH_H

// Of that number: of a grid whose third dimension is the batch, the block's.
template <class Element>
__device__ static inline Element *of_batch(Element *first, long long stride, int arrays,
                                           unsigned product = blockIdx.z)
{
    return arrays ? ((Element *const *)first)[product] : first + product * stride;
}

#endif
