/* tuned_table.h: a file with the parameter values that `gradus tune` has found on a device
 * (docs/tuning.md). SPDX-License-Identifier: MIT */
#ifndef MEASURE_TUNED_TABLE_H
#define MEASURE_TUNED_TABLE_H

#include "base/str.h"
#include "catalog/variant.h"
#include "measure/tune.h"
#include "records/row.h"

/* A line of the file: a kernel, types, transposes and problem, and the values for these. */
struct gr_tuned_entry {
    char *kernel, *dtype, *trans; /* for example "05_simd", "f32", "nn" */
    int64_t m, n, k;
    int threads;  /* 0: on a GPU */
    char *values; /* for example "TM=6 TV=2" */
};

struct gr_tuned_table {
    char *path;
    char *device;
    struct gr_tuned_entry *entries;
    int count;
};

/* Appends the head of a file, which describes where the values were measured. `driver` may be
 * null. */
void gr_tuned_format_head(const char *device, const char *driver,
                          const struct gr_environment *environment, struct gr_str *out);
/* Appends the line of a tuning that has chosen values. */
void gr_tuned_format(const struct gr_tune *tune, int threads, struct gr_str *out);

/* Errors: IO; INVALID with "path:line: what was found, what was wanted". To be freed in any
 * case. */
enum gradus_status gr_tuned_read(const char *path, struct gr_tuned_table *table,
                                 struct gradus_error *error);
void gr_tuned_free(struct gr_tuned_table *table);

/* Sets the parameters to the values of the entry for the variant's kernel, types and transposes
 * whose problem and number of threads are nearest, by the sum of the absolute differences of the
 * logarithms of m, n, k and threads. `problem` is as it was requested (gr_kernel_shown), as those
 * of the table are. *used is this entry; if it is null, nothing is set. INVALID: the entry has a
 * parameter or a value that the kernel's file does not permit. */
enum gradus_status gr_tuned_apply(const struct gr_tuned_table *table,
                                  const struct gr_problem *problem, int threads,
                                  struct gr_variant *variant, const struct gr_tuned_entry **used,
                                  struct gradus_error *error);

#endif
