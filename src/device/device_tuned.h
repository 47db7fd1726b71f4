/* device_tuned.h: what was measured corrects the cost models. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_TUNED_H
#define DEVICE_DEVICE_TUNED_H

#include "device/device_points.h"

/* The table for a GPU: that of its name; else that of the nearest compute capability, where one of
 * the same generation is nearer than any other, of these that of the nearest number of
 * multiprocessors, and of equals the first. Null: there is none. */
const struct gr_device_points *gr_device_tuned_find(const char *name, int cc, int sms);

/* What to multiply the cost model's estimate by: at a point what was measured over what the model
 * expects there, and between points the mean of these, of the kernel and the transposes, by their
 * logarithms. The weight of a point falls with the fourth power of its distance: the root of the
 * squares of how often m, n and k must be doubled or halved, plus 1 for each matrix whose rows have
 * an alignment other than there. 1 where no point is known. */
double gr_device_tuned_factor(const struct gr_device_points *points, int kernel,
                              const struct gr_device_given *given);

#endif
