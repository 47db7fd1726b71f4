/* verb_planted.c: a verb that is added by the test of "one file": it prints the library's
 * micro-kernel for float without vector instructions, its instruction sets, and the error of a
 * product whose types no driver takes. SPDX-License-Identifier: MIT */
#include "cli/verb.h"
#include "cpu/isa.h"
#include "cpu/ukr_table.h"

#include <gradus/gradus.h>
#include <stdio.h>

static enum gr_exit run(const struct gr_args *args)
{
    struct gradus_gemm gemm;
    struct gradus_error error = {0};
    (void)args;
    printf("micro-kernel %s\n", gr_ukr_entry(GR_F32, "portable")->ukr->name);
    for (int i = 0; gr_isa_all[i]; i++)
        printf("instruction set %s\n", gr_isa_all[i]->name);
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
