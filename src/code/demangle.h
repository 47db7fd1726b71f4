/* demangle.h: the name and the parameter types of a function in its symbol, as the C++ ABI of the
 * Itanium encodes them and as NVIDIA's compilers write them for kernels. SPDX-License-Identifier:
 * MIT */
#ifndef CODE_DEMANGLE_H
#define CODE_DEMANGLE_H

#include <stdbool.h>

enum { GR_DEMANGLED_TYPES = 64 };

struct gr_demangled {
    char *name; /* "space::tile<16, float>"; where it cannot be read, the symbol */
    /* Of the parameters, const in front: "const float *". */
    char *types[GR_DEMANGLED_TYPES];
    int count;
    bool typed; /* the symbol tells the parameters; false for `extern "C"` */
};

/* Reads a symbol. One that is not mangled, or in a way that few kernels are, is its own name, or
 * has a name but no types. False: memory is out. The caller frees the result in any case. */
bool gr_demangle(const char *symbol, struct gr_demangled *out);
void gr_demangled_free(struct gr_demangled *demangled);

#endif
