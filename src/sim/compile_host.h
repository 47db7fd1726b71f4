/* compile_host.h: compiles a kernel with the system's C++ compiler and links it with the run time
 * (simrt/). SPDX-License-Identifier: MIT */
#ifndef SIM_COMPILE_HOST_H
#define SIM_COMPILE_HOST_H

#include "sim/host_flags.h"
#include "sim/unit.h"

struct gr_sim_build_order {
    const struct gr_variant *variant;
    struct gr_sim_target target;
    enum gr_sim_kind kind;
    const char *compiler;       /* null: the first of $CXX, g++, clang++, c++ that runs */
    const char *flags;          /* in addition to ours; may be null */
    const char *const *defines; /* null-terminated; may be null */
    bool no_cache;
};

struct gr_sim_built {
    char path[512];     /* temporary: the caller removes it (base/temporary.h) */
    int pending;        /* its slot */
    char compiler[160]; /* "g++ 12.2.0 -O3 -march=native" */
    char notes[256];    /* "host functions left out: main"; "" */
};

/* COMPILE: the compiler's messages are in error->log. UNSUPPORTED: there is no compiler, or the
 * kernel uses what is not modelled. */
enum gradus_status gr_sim_build(const struct gr_sim_build_order *order, struct gr_sim_built *built,
                                struct gradus_error *error);

/* The name of the compiler that is used by default: "g++ 12.2.0". UNSUPPORTED: there is none; the
 * text says how to install one. */
enum gradus_status gr_sim_compiler(char name[96], struct gradus_error *error);

#endif
