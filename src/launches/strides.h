/* strides.h: finds the integers that are the distances between rows and between columns of a
 * kernel's array, as in A[row * stride_am + k * stride_ak]. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_STRIDES_H
#define LAUNCHES_STRIDES_H

#include "launches/assignments.h"

/* Is parameter q one of the only two that indices of one array are multiplied by, and that are
 * multiplied for no other array? *array is that of the array, and *second says that q comes after
 * the other one. */
bool gr_is_stride(const struct gr_assigner *a, int q, int *array, bool *second);

#endif
