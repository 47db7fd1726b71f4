/* verb_planted.c: a verb that is added by the test of "one file": it multiplies bytes of types that no driver takes, and
 * prints the error. SPDX-License-Identifier: MIT */
#include "cli/verb.h"

#include <gradus/gradus.h>
#include <stdio.h>

static enum gr_exit run(const struct gr_args *args)
{
    struct gradus_gemm gemm;
    struct gradus_error error = {0};
    (void)args;
    gradus_gemm_init(&gemm, GRADUS_F32);
    gemm.b_type = GRADUS_U8;
    gradus_gemm_run(&gemm, &error);
    puts(error.text);
    gradus_error_clear(&error);
    return GR_EXIT_RIGHT;
}

const struct gr_verb gr_verb_planted = {
    .name = "planted",
    .summary = "a verb that was planted",
    .group = GR_GROUP_OTHER,
    .run = run,
};
