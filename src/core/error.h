/* error.h: filling a struct gradus_error. SPDX-License-Identifier: MIT */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include <gradus/gradus.h>

/* Stores status and a printf-formatted line in *error (may be null) and returns status, so that a
 * caller writes `return gr_fail(error, GRADUS_INVALID, "…")`. An earlier log is freed. */
enum gradus_status gr_fail(struct gradus_error *error, enum gradus_status status,
                           const char *format, ...) __attribute__((format(printf, 3, 4)));

/* gr_fail for a failed allocation of `bytes` bytes for `what`. */
enum gradus_status gr_fail_memory(struct gradus_error *error, const char *what, uint64_t bytes);

#endif
