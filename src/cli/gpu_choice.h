/* gpu_choice.h: which GPU a kernel is explained for; none need be there. SPDX-License-Identifier:
 * MIT */
#ifndef CLI_GPU_CHOICE_H
#define CLI_GPU_CHOICE_H

#include "cli/verb.h"
#include "model/device.h"

struct gr_gpu_choice {
    struct gr_device device;
    char arch[16]; /* compiled for: --arch, else the device's */
    char why[160]; /* where the device's facts come from, and what else could have been meant */
};

/* By --device-file, --gpu, --arch, or the GPU of this machine with --device cuda; the H200 where
 * nothing is said. `code`: the architecture of machine code that is there already, which is then
 * that of the choice; null: none. INVALID or NOT_FOUND where there is no such device, or it cannot
 * run code of --arch or `code`. */
enum gradus_status gr_gpu_choose(const struct gr_args *args, const char *code,
                                 struct gr_gpu_choice *choice, struct gradus_error *error);
/* INVALID where the device cannot run machine code for `code`; otherwise the choice is for it. */
enum gradus_status gr_gpu_admits_code(struct gr_gpu_choice *choice, const char *code,
                                      struct gradus_error *error);

/* The GPUs that --gpu takes, and their architectures, in the order of the names; returns their
 * number. */
enum { GR_GPU_NAMES = 64 };
struct gr_gpu_name {
    char name[32], arch[16];
};
int gr_gpu_names(struct gr_gpu_name names[GR_GPU_NAMES]);

#endif
