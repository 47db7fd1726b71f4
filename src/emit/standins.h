/* standins.h: headers that files of CUDA include and a run-time compiler lacks.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_STANDINS_H
#define EMIT_STANDINS_H

struct gr_standin {
    const char *name, *text;
};

/* The i-th, or null past the end. They say no more than device code may need of them: what host
 * code uses is cut. */
const struct gr_standin *gr_standin_at(int i);

/* What the compiler driver gives without an #include, and a run-time compiler does not; and names
 * that host headers give and device code uses without having included them. */
extern const char gr_standin_prologue[];

#endif
