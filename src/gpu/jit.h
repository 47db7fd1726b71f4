/* jit.h: a run-time compiler with a cache: what was compiled once is read from the user's cache
 * directory.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_JIT_H
#define GPU_JIT_H

#include "gpu/rtc.h"

/* As rtc->compile. With `use_cache`, an entry of the same text, headers, options, architecture,
 * names and compiler version is taken instead; without one, what was compiled is kept (a folder
 * that cannot be written is no error). Entries that are cut short, changed or of another version of
 * Gradus are compiled again. Safe with other processes at work on the same entry. */
enum gradus_status gr_jit_compile(const struct gr_rtc *rtc, const struct gr_rtc_source *source,
                                  bool use_cache, struct gr_rtc_code *cubin,
                                  struct gradus_error *error);

#endif
