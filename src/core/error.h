/* error.h: fills a struct gradus_error, so that a function can report a failure and return its
 * status in one statement. SPDX-License-Identifier: MIT */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include <gradus/gradus.h>

/* Stores the status and a printf-formatted message in *error (which may be null) and returns the
 * status, so that a caller can write `return gr_fail(error, GRADUS_INVALID, "…")`. A log that
 * *error already holds is freed. */
enum gradus_status gr_fail(struct gradus_error *error, enum gradus_status status,
                           const char *format, ...) __attribute__((format(printf, 3, 4)));

/* gr_fail for a failed allocation of `bytes` bytes for `what`. */
enum gradus_status gr_fail_memory(struct gradus_error *error, const char *what, uint64_t bytes);

#endif
