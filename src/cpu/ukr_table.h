/* ukr_table.h: the micro-kernels of this build; the table is generated (cmake/ukr.cmake).
 * SPDX-License-Identifier: MIT */
#ifndef CPU_UKR_TABLE_H
#define CPU_UKR_TABLE_H

#include "ukr.h"

/* Null-terminated; best ISA first, then by name. */
extern const struct ukr *const gr_ukr_all[];

#endif
