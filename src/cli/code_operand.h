/* code_operand.h: an operand that is machine code instead of a kernel's source.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_CODE_OPERAND_H
#define CLI_CODE_OPERAND_H

#include "cli/rungs.h"

/* A cubin. A file may have several for one architecture, one for each source file. */
struct gr_code_image {
    const void *bytes;
    size_t length;
    void *expanded; /* memory that it owns, or null */
};

/* The machine code of one file, for one architecture. */
struct gr_code_operand {
    char *file; /* its content; null: the operand is not machine code */
    struct gr_code_image *images;
    int count;
    char arch[16]; /* for example "sm_90" */
};

/* Is it a file of machine code, by its name or by its first bytes: a cubin, a fatbin, or an ELF
 * file of this machine? */
bool gr_is_code_operand(const char *operand);
/* Reads the code for `arch`. If it is null, takes the only architecture or, among several, one that
 * can be executed here. INVALID: there is no cubin, it is damaged, or it is for another
 * architecture. To be freed also after a failure. */
enum gradus_status gr_code_operand_read(const char *path, const char *arch,
                                        struct gr_code_operand *code, struct gradus_error *error);
void gr_code_operand_free(struct gr_code_operand *code);

/* Adds the kernel of the code, which the options describe, to those of the rungs. */
enum gradus_status gr_code_operand_add(const struct gr_code_operand *code, const char *path,
                                       const struct gr_measuring *m, struct gr_rungs *rungs,
                                       struct gradus_error *error);

#endif
