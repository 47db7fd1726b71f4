/* sum_in_f16.h: how the finding of a kernel that adds in f16 begins.
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_SUM_IN_F16_H
#define CHECK_SUM_IN_F16_H

#define GR_SUM_IN_F16 "the sum is kept in f16"

#endif
