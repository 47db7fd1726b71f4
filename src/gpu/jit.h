/* jit.h: compiles with NVRTC and caches the result in the user's cache folder.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_JIT_H
#define GPU_JIT_H

#include "gpu/nvrtc.h"

/* Like gr_nvrtc_compile. With `use_cache`, returns a cached result for the same text, headers,
 * options, architecture, names and compiler version; if there is none, the new result is cached
 * (an unwritable cache folder is not an error). Entries that are truncated, changed or from
 * another version of Gradus are compiled again. Other processes may use the cache at the same
 * time. */
enum gradus_status gr_jit_compile(const struct gr_nvrtc_source *source, bool use_cache,
                                  struct gr_cubin *cubin, struct gradus_error *error);

#endif
