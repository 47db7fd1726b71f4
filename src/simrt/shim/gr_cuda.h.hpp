// gr_cuda.h: CUDA C++ for a host's compiler. Included in front of a kernel's file (-include), it gives what nvcc gives
// without an #include: qualifiers, built-in variables and functions, vector types. SPDX-License-Identifier: MIT
//
// An access must be told of at the line of the user's that makes it. So what is given a value takes it by value: the
// load stands in the user's line, as a plain load. What is given a pointer is never inlined where accesses are observed,
// is not instrumented, and tells of the access itself, with its return address. Parameters of templates have names of
// ours: a file's own macros (T, N, BM) are defined behind this header, but in front of those that the file includes.
#ifndef GR_CUDA_H
#define GR_CUDA_H

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

#endif
