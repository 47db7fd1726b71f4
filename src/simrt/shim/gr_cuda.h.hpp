// gr_cuda.h: CUDA C++ for a host's compiler. It is included before a kernel's file (-include) and
// declares what nvcc declares without an #include: qualifiers, built-in variables and functions,
// and vector types. SPDX-License-Identifier: MIT
//
// An access must be recorded at the line of the user's source that makes it. So a function that
// needs a value takes it by value: the load is then a plain load in the user's line. A function
// that takes a pointer is not inlined in the traced mode and is not instrumented; it records the
// access itself, with its return address. Template parameters have names that begin with gr_, since
// a file's own macros (T, N, BM) are defined before the headers that the file includes.
#ifndef GR_CUDA_H
#define GR_CUDA_H

#include <cstddef>
/* The special functions of C++17 (std::cyl_bessel_j, std::beta), which no CUDA header declares, are
 * half of what a small kernel's compilation has to parse. libstdc++ leaves them out without this. */
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <type_traits>

#include "gr_sim.h"
#include "gr_words.h"
#include "gr_vectors.h"
#include "gr_warp.h"
#include "gr_memory.h"
#include "gr_atomic.h"
#include "gr_arithmetic.h"
#include "gr_math.h"
#include "gr_host.h"
#include <assert.h>
#if GRADUS_GFX // AMD's compilers define HIP's names without an #include
#include <hip/hip_runtime.h>
#endif

#endif
