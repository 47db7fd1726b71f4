/* bench_gpus.h: gradus bench --device cuda:all. SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_GPUS_H
#define CLI_BENCH_GPUS_H

#include "cli/verb.h"

/* Benchmarks products over several GPUs, if gr_gpus_arg_is. */
enum gr_exit gr_bench_gpus(const struct gr_args *args);

#endif
