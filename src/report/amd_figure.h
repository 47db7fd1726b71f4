/* amd_figure.h: pictures of a kernel in the words of AMD's documents (explain/amd_words.h).
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_AMD_FIGURE_H
#define REPORT_AMD_FIGURE_H

#include "report/figure.h"

/* Pictures are drawn in CUDA's words. What is called a wavefront there, a turn of the banks, is a
 * pass, since AMD's wavefronts are NVIDIA's warps. `kept` are names that stay, up to a null. The
 * figure's `failed` is set if memory is out. */
void gr_figure_in_amd_words(struct gr_figure *figure, const char *const *kept);
/* The same for one text, malloc'ed; null: memory is out. */
char *gr_figure_amd_words(const char *text, const char *const *kept);
/* The same for a malloc'ed text, which may be null. False: memory is out. */
bool gr_figure_change_words(char **text, const char *const *kept);

#endif
