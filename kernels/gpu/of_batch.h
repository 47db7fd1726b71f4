// of_batch.h: the addresses of the matrices of one product of a batch. SPDX-License-Identifier: MIT
//
// The matrices are `stride` elements apart, or at any addresses. In the latter case `first` is not
// a matrix but an array of their addresses in the GPU's memory, which is read when the product
// runs.
//
//     strides    first -> | matrix 0 | .. | matrix 1 | .. | matrix 2 |
//
//     arrays     first -> | address 0 | address 1 | address 2 |
#ifndef OF_BATCH_H
#define OF_BATCH_H

// The matrix of product number `product`. If the third dimension of the grid is the batch, this is
// the product of this block.
template <class Element>
__device__ static inline Element *of_batch(Element *first, long long stride, int arrays,
                                           unsigned product = blockIdx.z)
{
    return arrays ? ((Element *const *)first)[product] : first + product * stride;
}

#endif
