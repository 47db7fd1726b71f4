/* card.h: shows what a kernel file declares. SPDX-License-Identifier: MIT */
#ifndef CLI_CARD_H
#define CLI_CARD_H

#include "base/str.h"
#include "records/kernel.h"

/* Appends lines for each fact that the front matter declares, such as "params    BM = 64
 * {32,64}". */
void gr_card_add(struct gr_str *out, int columns, const struct gr_kernel *kernel);

#endif
