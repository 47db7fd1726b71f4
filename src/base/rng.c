/* rng.c: random numbers and hashing. SPDX-License-Identifier: MIT */
#include "base/rng.h"

#include <math.h>
#include <string.h>

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t gr_rng_next(struct gr_rng *rng)
{
    rng->state += 0x9e3779b97f4a7c15u;
    return mix(rng->state);
}

double gr_rng_unit(struct gr_rng *rng)
{
    return (double)(gr_rng_next(rng) >> 11) * 0x1p-53;
}

double gr_rng_normal(struct gr_rng *rng)
{
    const double two_pi = 6.283185307179586476925;
    double u = 1.0 - gr_rng_unit(rng), v = gr_rng_unit(rng);
    return sqrt(-2.0 * log(u)) * cos(two_pi * v);
}

/* Four independent lanes, so that hashing runs at memory speed. Operands are hashed after every
 * run. */
uint64_t gr_hash(const void *bytes, uint64_t count, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t lane[4] = {seed, seed + 1, seed + 2, seed + 3};
    for (; count >= 32; count -= 32, p += 32) {
        for (int i = 0; i < 4; i++) {
            uint64_t word;
            memcpy(&word, p + 8 * i, 8);
            lane[i] = (lane[i] ^ word) * 0x9fb21c651e98df25u;
            lane[i] ^= lane[i] >> 29;
        }
    }
    uint64_t tail[4] = {0};
    if (count)
        memcpy(tail, p, count);
    uint64_t hash = count;
    for (int i = 0; i < 4; i++)
        hash = mix(hash ^ lane[i] ^ mix(tail[i] + (uint64_t)i));
    return hash;
}
