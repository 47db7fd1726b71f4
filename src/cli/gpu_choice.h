/* gpu_choice.h: chooses the GPU for which a kernel is explained. It need not exist on this machine.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_GPU_CHOICE_H
#define CLI_GPU_CHOICE_H

#include "cli/verb.h"
#include "model/device.h"

struct gr_gpu_choice {
    struct gr_device device;
    char arch[16]; /* the target of the compiler: --arch or the device's */
    /* Where the data of the device come from, and which other devices were possible. */
    char why[160];
};

/* Chooses by --device-file, --gpu or --arch, or takes the GPU of this machine with --device cuda;
 * without any of these, the H200. `code` is the architecture of existing machine code, or null; the
 * choice then has this architecture. INVALID or NOT_FOUND if there is no such device, or it cannot
 * run code for --arch or `code`. */
enum gradus_status gr_gpu_choose(const struct gr_args *args, const char *code,
                                 struct gr_gpu_choice *choice, struct gradus_error *error);
/* Changes the choice to machine code for `code`. INVALID if the device cannot run it. */
enum gradus_status gr_gpu_admits_code(struct gr_gpu_choice *choice, const char *code,
                                      struct gradus_error *error);

/* Lists the GPUs that --gpu accepts, and their architectures, sorted by name; returns their
 * number. */
enum { GR_GPU_NAMES = 64 };
struct gr_gpu_name {
    char name[32], arch[16];
};
int gr_gpu_names(struct gr_gpu_name names[GR_GPU_NAMES]);

#endif
