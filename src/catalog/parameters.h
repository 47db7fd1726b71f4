/* parameters.h: the parameters of a function, and the meaning of their types and names.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_PARAMETERS_H
#define CATALOG_PARAMETERS_H

#include "records/kernel.h"
#include "source/scan.h"

/* Reads the parameters of one function, roles not yet given. */
enum gradus_status gr_signature_parse(const char *path, const struct gr_scan *scan,
                                      const struct gr_function *function,
                                      struct gr_signature *signature, struct gradus_error *error);
void gr_signature_free(struct gr_signature *signature);

/* The words of a type after resolving a few levels of the file's own typedefs and macros. */
void gr_type_resolved(const struct gr_scan *scan, const char *type, char bare[64]);
/* The class of a parameter's type, without const, restrict and the like, and after resolving the
 * file's own typedefs. */
enum gr_type_class gr_parameter_class(const struct gr_scan *scan,
                                      const struct gr_parameter *parameter);
/* The class of the type that a pointer parameter points to, and its bits if that is an integer;
 * OTHER if it is not a pointer to a number. */
enum gr_type_class gr_parameter_pointee(const struct gr_scan *scan,
                                        const struct gr_parameter *parameter, int *bits);
/* The element type that a pointer or real parameter names. False for T, void and unknown types. */
bool gr_parameter_dtype(const struct gr_scan *scan, const struct gr_parameter *parameter,
                        enum gr_dtype *type);
/* The number of value bits of an integer type, without a sign bit: 31 for int, 63 for int64_t; 0:
 * unknown. */
int gr_integer_bits(const char *type);
/* The same for a parameter's type, after resolving the file's own typedefs. */
int gr_parameter_bits(const struct gr_scan *scan, const struct gr_parameter *parameter);

#endif
