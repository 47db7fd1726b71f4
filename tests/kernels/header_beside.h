// header_next_to.h: a header beside a kernel file: a macro for both sides, and host functions.
// SPDX-License-Identifier: MIT
#pragma once
#define TILES_OF(n, tile) (((n) + (tile)-1) / (tile))
#define WIDTH 32
