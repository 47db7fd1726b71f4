/* tuned_table.h: a file with the parameter values that `gradus tune` has found on a device
 * (docs/tuning.md). SPDX-License-Identifier: MIT */
#ifndef MEASURE_TUNED_TABLE_H
#define MEASURE_TUNED_TABLE_H

#include "base/str.h"
#include "catalog/variant.h"
#include "measure/tune.h"
#include "records/row.h"

/* What a line of the file is about, and the values that it has. */
struct gr_tuned_entry {
    char *kernel, *dtype, *trans; /* "05_simd", "f32", "nn" */
    int64_t m, n, k;
    int threads;  /* 0: a GPU */
    char *values; /* "TM=6 TV=2" */
};

struct gr_tuned_table {
    char *path;
    char *device;
    struct gr_tuned_entry *entries;
    int count;
};

/* The head of a file: where its values are from. `driver` may be null. */
void gr_tuned_format_head(const char *device, const char *driver,
                          const struct gr_environment *environment, struct gr_str *out);
/* Appends the line of one tuning that has chosen values. */
void gr_tuned_format(const struct gr_tune *tune, int threads, struct gr_str *out);

/* IO; INVALID: "path:line: what was found, what was wanted". Free it in any case. */
enum gradus_status gr_tuned_read(const char *path, struct gr_tuned_table *table,
                                 struct gradus_error *error);
void gr_tuned_free(struct gr_tuned_table *table);

/* Sets the parameters to the values of the entry for the variant's kernel, types and transposes
 * whose problem and number of threads are nearest: the least sum of the distances of the logarithms
 * of m, n, k and threads. *used is that entry; null: there is none, and nothing is set. INVALID: it
 * has a parameter or a value that the kernel's file does not allow. */
enum gradus_status gr_tuned_apply(const struct gr_tuned_table *table,
                                  const struct gr_problem *problem, int threads,
                                  struct gr_variant *variant, const struct gr_tuned_entry **used,
                                  struct gradus_error *error);

#endif
