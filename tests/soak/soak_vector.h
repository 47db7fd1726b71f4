/* soak_vector.h: a large result by its product with a vector. SPDX-License-Identifier: MIT */
#ifndef TESTS_SOAK_VECTOR_H
#define TESTS_SOAK_VECTOR_H

#include "soak/soak_problem.h"

/* Freivalds' check of matrix `which`: C * s is compared with alpha * op(A) * (op(B) * s) + beta *
 * C0
 * * s, and the bias, for a vector s of random signs. A row with one wrong element fails always, any
 * other wrong row with a probability of a half or more. True where it cannot be made, because sums
 * are rounded or go through an activation. */
bool soak_times_vector_right(const struct soak_problem *p, int64_t which, char text[SOAK_TEXT]);

#endif
