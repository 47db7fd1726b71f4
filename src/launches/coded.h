/* coded.h: a kernel of the catalogue that is made of machine code: a cubin says what a kernel is
 * called and how large its parameters are, and options say what they mean.
 * SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_CODED_H
#define LAUNCHES_CODED_H

#include "core/dtype.h"
#include "records/kernel.h"

#include <gradus/gradus.h>
#include <stddef.h>

struct gr_coded_order {
    const char *path; /* of the file that has the code, for messages */
    const void *image;
    size_t length;
    /* By its symbol, or by its name in C++ or the end of it, with or without template arguments;
     * null: the only one. */
    const char *kernel;
    const char *args;  /* the option --args; null: not given */
    const char *extra; /* lines of options, as for gr_kernel_parse, without one for the kernel */
    /* Of A, B and C, if they were given or the symbol does not say them. */
    struct gr_types types;
    bool types_given;
};

/* Copies the image. NOT_FOUND: the file has no such kernel; the message lists those that it has.
 * INVALID: the file is damaged, it is open which kernel is meant, or something that machine code
 * does not say was not given: arguments, grid, block. */
enum gradus_status gr_coded_kernel(const struct gr_coded_order *order, struct gr_kernel **kernel,
                                   struct gradus_error *error);

#endif
