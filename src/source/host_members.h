/* host_members.h: member functions of a class that only the host can call.
 * SPDX-License-Identifier: MIT */
#ifndef SOURCE_HOST_MEMBERS_H
#define SOURCE_HOST_MEMBERS_H

#include "source/scan.h"

/* Replaces the bodies of host member functions, in the classes that [begin, end) defines, by `;` in
 * `text`, a copy of the scanned one: those that are not __device__ and that use what a run-time
 * compiler does not have, such as cudaMalloc or std::vector. Lines stay lines. */
void gr_host_members_cut(const struct gr_scan *scan, int begin, int end, char *text);

#endif
