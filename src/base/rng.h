/* rng.h: reproducible random numbers. SPDX-License-Identifier: MIT */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014). Any value is a good seed, and `state` may be set
 * directly. */
struct gr_rng {
    uint64_t state;
};

uint64_t gr_rng_next(struct gr_rng *rng);
/* Uniform in [0, 1), with 53 random bits. */
double gr_rng_unit(struct gr_rng *rng);
/* Standard normal, by the Box-Muller transform. */
double gr_rng_normal(struct gr_rng *rng);

/* A 64-bit hash of bytes, for cache keys and for detecting changes. Not cryptographic. */
uint64_t gr_hash(const void *bytes, uint64_t count, uint64_t seed);

#endif
