/* verb_worker.c: the process in which kernels run. It is started by Gradus itself.
 * SPDX-License-Identifier: MIT */
#include "cli/verb.h"
#include "measure/protocol.h"

#include <fcntl.h>
#include <stdlib.h>

static enum gr_exit run(const struct gr_args *args)
{
    const int threads = atoi(args->operands[0]);
    const int callers = args->operand_count > 1 ? atoi(args->operands[1]) : 1;
    if (threads < 1 || callers < 1 || fcntl(GR_FD_SOCKET, F_GETFD) == -1)
        return gr_cli_refuse("`worker` is started by gradus itself");
    return (enum gr_exit)gr_worker_main(threads, callers);
}

const struct gr_verb gr_verb_worker = {
    .name = "worker",
    .operands = "THREADS [CALLERS]",
    .summary = "run kernels for another gradus",
    .group = GR_GROUP_OTHER,
    .hidden = true,
    .run = run,
};
