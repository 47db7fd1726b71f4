/* python.h: the CUDA text in the strings of a Python file, as load_inline of PyTorch and
 * RawModule of CuPy take it. SPDX-License-Identifier: MIT */
#ifndef SOURCE_PYTHON_H
#define SOURCE_PYTHON_H

#include <stdbool.h>

bool gr_is_python_path(const char *path);
/* The text of a Python file with everything blanked but its strings of CUDA or C++, malloc'ed; null
 * if out of memory. Lines stay the same. Escapes have their meaning, and a name in the braces of an
 * f-string is replaced by the number that the file assigns to it. */
char *gr_python_device_text(const char *text);

#endif
