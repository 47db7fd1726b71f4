/* dist_bound.h: lower bounds for the number of words that a rank must receive or send for its share
 * of a product. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_BOUND_H
#define DIST_DIST_BOUND_H

#include <stdint.h>

/* C (m x n) = A (m x k) B (k x n); all elements have the same size. */
struct gr_dist_problem {
    int64_t m, n, k;
    int64_t element_bytes;
};

/* Both bounds count the words of A and B that a rank receives and the words of C that it sends, for
 * the rank with the most. They assume that the multiplications or the elements are divided evenly,
 * and that there is one copy of A, B and C before and after. */
struct gr_dist_bound {
    /* The bound for unlimited memory: Al Daas, Ballard, Grigori, Kumar and Rouse, arXiv:2205.13407,
     * theorem 3, with the sizes in falling order m >= n >= k: D - (mn + mk + nk)/P, where D is (1)
     * nk + (mn + mk)/P up to P = m/n, (2) 2 sqrt(mnk^2/P) + mn/P up to P = mn/k^2, (3) 3
     * (mnk/P)^(2/3) beyond. */
    double independent;
    int regime; /* 1, 2 or 3 */
    /* The bound for a memory of S words: 2mnk/(P sqrt(S)) - 2S, by Loomis and Whitney's inequality
     * with the constant that COSMA's schedule attains (arXiv:1908.09606; Smith, Lowery, Langou, van
     * de Geijn, arXiv:1702.02017). 0 without a limit. */
    double dependent;
    double words; /* the larger one */
};

/* Computes the bounds. `memory_words` 0: no limit. */
struct gr_dist_bound gr_dist_bound(const struct gr_dist_problem *problem, int64_t ranks,
                                   int64_t memory_words);

#endif
