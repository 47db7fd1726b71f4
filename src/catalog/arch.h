/* arch.h: names of GPU architectures in `arch` and `expect` lines: "sm_90a", "gfx90a", "gfx11".
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_ARCH_H
#define CATALOG_ARCH_H

#include <stdbool.h>

/* Does it begin like the name of an architecture, with sm_ or gfx and a digit? */
bool gr_arch_is_name(const char *name);
/* Is `arch` one of the architectures that `claimed` names? "sm_90" includes sm_90a, and "sm_90a" is
 * only sm_90a. AMD's names consist of the major version, a digit for the minor version and a digit
 * for the stepping: "gfx11" includes gfx1100 and gfx1151, and "gfx90a" is only gfx90a. */
bool gr_arch_is_of(const char *claimed, const char *arch);
/* Does `arch`, whose compute capability is `cc` (0: not an NVIDIA GPU), match a kernel's `arch`
 * line:
 * ">= sm_80", or a list of names? */
bool gr_arch_fits(const char *line, const char *arch, int cc);

#endif
