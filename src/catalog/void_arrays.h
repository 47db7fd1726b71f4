/* void_arrays.h: the element types of arrays that a kernel takes as `void *`.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_VOID_ARRAYS_H
#define CATALOG_VOID_ARRAYS_H

#include "source/scan.h"
#include "records/kernel.h"

/* Replaces `void` in the type of each pointer by the type that the body of the __global__ function
 * first converts it to: `reinterpret_cast<const half *>(a)`, `(T *)a`. One that is converted to no
 * number's type stays as it is. False: out of memory. */
bool gr_void_arrays_name(const struct gr_scan *scan, const struct gr_function *function,
                         struct gr_signature *signature);

#endif
