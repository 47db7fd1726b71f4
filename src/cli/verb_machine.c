/* verb_machine.c: the process that executes and traces machine code. It is started by Gradus
 * itself. SPDX-License-Identifier: MIT */
#include "cli/verb.h"
#include "engine/traced_machine.h"

#include <stddef.h>

static enum gr_exit run(const struct gr_args *args)
{
    char *argv[] = {(char *)"machine", (char *)(uintptr_t)args->operands[0],
                    (char *)(uintptr_t)args->operands[1], NULL};
    return (enum gr_exit)gr_traced_machine(args->operand_count == 2 ? 3 : 0, argv);
}

const struct gr_verb gr_verb_machine = {
    .name = "machine",
    .operands = "JOB RESULT",
    .summary = "execute machine code for another gradus",
    .group = GR_GROUP_OTHER,
    .hidden = true,
    .run = run,
};
