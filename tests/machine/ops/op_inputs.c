/* op_inputs.c: writes the inputs of the kernels of this folder, the same at each run.
 * SPDX-License-Identifier: MIT
 *
 *     ./inputs N > in.bin           special values with each other first, then random ones
 *     ./inputs 65536 grid > in.bin  f0 and f1 have all pairs of exponents */
#include "../op_inputs.h"

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 4096;
    uint32_t *all = calloc((size_t)n * OP_WORDS, 4);
    if (!all)
        return 1;
    for (uint32_t t = 0; t < n; t++) {
        uint32_t w[OP_WORDS];
        op_inputs(w, t, argc > 2);
        for (uint32_t k = 0; k < OP_WORDS; k++)
            all[(size_t)k * n + t] = w[k];
    }
    return fwrite(all, 4, (size_t)n * OP_WORDS, stdout) != (size_t)n * OP_WORDS;
}
