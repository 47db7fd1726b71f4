/* device_tuned.h: corrects the cost models by measured times. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_TUNED_H
#define DEVICE_DEVICE_TUNED_H

#include "device/device_points.h"

/* Finds the table of measurements for a GPU: the one with its name; otherwise the one with the
 * nearest compute capability, where the same major version counts as nearer than any other; among
 * several of these, the first with the nearest number of multiprocessors. Returns null if there is
 * no table. */
const struct gr_device_points *gr_device_tuned_find(const char *name, int cc, int sms);

/* The factor by which the cost model's estimate is to be multiplied. At a measured point, this is
 * the measured time over the model's. Between points, it is the weighted geometric mean of the
 * factors of all points of the kernel with the same transposes. The weight of a point falls with
 * the fourth power of its distance, whose square is the sum of the squares of log2 of the ratios of
 * m, n and k, plus 1 for each matrix whose rows are aligned at one of the two and not at the other.
 * Returns 1 if there is no point. */
double gr_device_tuned_factor(const struct gr_device_points *points, int kernel,
                              const struct gr_device_given *given);

#endif
