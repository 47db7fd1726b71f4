/* size.h: the size of a product. SPDX-License-Identifier: MIT */
#ifndef MEASURE_SIZE_H
#define MEASURE_SIZE_H

#include <stdint.h>

struct gr_size {
    int64_t m, n, k;
};

#endif
