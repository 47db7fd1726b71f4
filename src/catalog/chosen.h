/* chosen.h: decides which of a file's functions is the kernel. SPDX-License-Identifier: MIT */
#ifndef CATALOG_CHOSEN_H
#define CATALOG_CHOSEN_H

#include "base/str.h"
#include "source/scan.h"
#include "records/kernel.h"

/* In the message that the file has no function of a name. */
#define GR_NO_FUNCTION "has no function '"

/* In the message that the file has only declarations of kernels. */
#define GR_ONLY_DECLARED "only declares its kernels"

/* The function that the stanza names ("k", "space::k", "k<16>"), or else the file's only kernel,
 * as an index into scan->functions. INVALID if there is none or there are several. */
enum gradus_status gr_kernel_choose(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                                    const struct gr_scan *scan, int *function,
                                    struct gradus_error *error);
/* INVALID: the file has no kernel. */
enum gradus_status gr_kernel_none(const char *path, const struct gr_scan *scan,
                                  enum gr_language language, struct gradus_error *error);
/* Does the file have the function that the stanza names or, if it names none, any kernel? */
bool gr_kernel_is_there(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                        const struct gr_scan *scan);
/* Appends the names of the kernels in `text`, separated by commas, and returns their number. */
int gr_kernel_names(const struct gr_kernel *kernel, const char *text, struct gr_str *names);

/* The functions of the file that may be its kernel. For C, those that take A, B and C, preferably
 * the ones that are void and not static; if none does, all void ones that are neither static nor
 * main. For CUDA, the __global__ ones. Fills `list` with indices into scan->functions and returns
 * their number. */
int gr_kernel_candidates(const char *path, const struct gr_scan *scan, enum gr_language language,
                         int *list, int most);
/* Of several candidates, those that may be a GEMM by themselves. For CUDA not one that has no loop
 * or adds no products, or takes only one or two pointers and no structure, as those that convert or
 * fill a matrix; for C not one that another candidate calls. They become the first of the list,
 * which is not changed if none may; returns their number. */
int gr_kernel_likely(const char *path, const struct gr_scan *scan, enum gr_language language,
                     int *list, int count);
/* Do its parameters, A, B and C, or does its name say that the function is a GEMM? */
bool gr_kernel_is_named_gemm(const char *path, const struct gr_scan *scan,
                             const struct gr_function *function);

#endif
