/* op_inputs.h: the inputs of the kernels in ops/, the same at each run: 32 words for each thread,
 * as ops/ops.h says. SPDX-License-Identifier: MIT */
#ifndef MACHINE_OP_INPUTS_H
#define MACHINE_OP_INPUTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OP_WORDS = 32 };

static uint64_t random_state = 88172645463325252u;
static uint32_t random32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state * 0x2545F4914F6CDD1Du >> 32);
}
static uint64_t random64(void)
{
    uint64_t high = random32();
    return high << 32 | random32();
}

static const uint32_t integers[] = {
    0,    1,    2,    0xffffffff, 0xfffffffe, 0x80000000, 0x7fffffff, 0x80000001,
    31,   32,   33,   63,         64,         65,         5,          8,
    16,   24,   255,  256,        0xffff,     0x10000,    0x8000,     0x7fff,
    0xff, 0x80, 0x7f, 0x12345678, 0xdeadbeef, 100};
static const uint32_t floats[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
    0xffc12345, 1,          0x80000001, 0x7fffff,   0x807fffff, 0x800000,   0x80800000, 0x7f7fffff,
    0xff7fffff, 0x3f7fffff, 0x3f800001, 0x40000000, 0x3f000000, 0x4b000000, 0x4b800000, 0xcb000001,
    0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x477fe000, 0x477ff000,
    0x47800000, 0x33000000, 0x33800000, 0x387fc000, 0x38800000, 0x7e800000, 0x7f000000, 0x00400000,
    0x01000000, 0x43e00000, 0x43f00000, 0x437f0000, 0x437f8000, 0xc3000000, 0xc3008000, 0x3fc00000,
    0x40200000, 0xc0200000, 0x3effffff, 0x42fe0000, 0xc2fc0000, 0xc3150000, 0x43000000};
static const uint64_t doubles[] = {0,
                                   0x8000000000000000,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0x7ff0000000000001,
                                   0xfff8123456789abc,
                                   1,
                                   0x8000000000000001,
                                   0xfffffffffffff,
                                   0x10000000000000,
                                   0x7fefffffffffffff,
                                   0xffefffffffffffff,
                                   0x3fefffffffffffff,
                                   0x3ff0000000000001,
                                   0x4340000000000000,
                                   0x43e0000000000000,
                                   0xc3e0000000000000,
                                   0x43f0000000000000,
                                   0x41dfffffffc00000,
                                   0x41e0000000000000,
                                   0xc1e0000000000000,
                                   0xc1e0000000200000,
                                   0x41efffffffe00000,
                                   0x47efffffe0000000,
                                   0x47effffff0000000,
                                   0x36a0000000000000,
                                   0x3690000000000000,
                                   0x380fffffffffffff,
                                   0x3810000000000000,
                                   0x40effc0000000000,
                                   0x40effe0000000000,
                                   0x3e70000000000000,
                                   0x3e60000000000000,
                                   0x4004000000000000,
                                   0x3fe0000000000000,
                                   0x3ff8000000000000};
static const uint16_t halves[] = {
    0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xffff, 1,      0x8001, 0x3ff,
    0x83ff, 0x400,  0x8400, 0x7bff, 0xfbff, 0x3bff, 0x3c01, 0x4000, 0x3800, 0x3f80, 0xbf80, 0x7f80,
    0xff80, 0x7fc0, 0x7f81, 0x7f7f, 0x0080, 0x007f, 0x5bf8, 0x5bfc, 0x4248, 0x6400, 0x6401};
#define COUNT(list) (uint32_t)(sizeof(list) / sizeof *(list))

static uint32_t any_float(void)
{
    uint32_t special = floats[random32() % COUNT(floats)];
    switch (random32() % 6) {
    case 0:
        return special;
    case 1:
        return random32();
    case 2:
        return special + random32() % 5 - 2;
    case 3: /* of like size */
    {
        uint32_t first = random32() & 0x807fffff;
        uint32_t second = (115 + random32() % 24) << 23;
        return first | second;
    }
    case 4: /* with few bits */
    {
        uint32_t first = random32() & 0x80700000;
        uint32_t second = (119 + random32() % 16) << 23;
        return first | second;
    }
    default: /* very small or very large */
    {
        uint32_t first = random32() & 0x807fffff;
        uint32_t second = (random32() % 2 ? random32() % 30 : 225 + random32() % 30) << 23;
        return first | second;
    }
    }
}

static uint32_t any_half(void)
{
    switch (random32() % 4) {
    case 0:
        return halves[random32() % COUNT(halves)];
    case 1:
        return random32() & 0xffff;
    case 2: {
        uint32_t first = random32() & 0x83ff;
        uint32_t second = (10 + random32() % 10) << 10;
        return first | second;
    }
    default: {
        uint32_t first = random32() & 0x807f;
        uint32_t second = (122 + random32() % 10) << 7;
        return first | second;
    }
    }
}

static uint32_t any_integer(void)
{
    switch (random32() % 5) {
    case 0:
        return integers[random32() % COUNT(integers)];
    case 1:
        return random32();
    case 2:
        return random32() % 40;
    default: {
        uint32_t first = any_half();
        uint32_t second = any_half() << 16;
        return first | second;
    }
    }
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}
static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}
static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static uint64_t any_double(void)
{
    switch (random32() % 4) {
    case 0:
        return doubles[random32() % COUNT(doubles)];
    case 1:
        return random64();
    case 2: {
        uint64_t first = random64() & 0x800fffffffffffff;
        uint64_t second = (uint64_t)(983 + random32() % 80) << 52;
        return first | second;
    }
    default: /* near to a float */
    {
        uint64_t first = bits_of(float_of(any_float()));
        uint64_t second = random32() % 3;
        return first + second - 1;
    }
    }
}

static uint64_t any_long(void)
{
    uint64_t first = random64();
    uint64_t second = random32() % 64;
    uint64_t x = first >> second;
    if (random32() % 3 == 0) {
        uint64_t upper = (uint64_t)any_integer() << 32;
        uint64_t lower = any_integer();
        x = upper | lower;
    }
    return random32() % 4 ? x : 0 - x;
}

static void set_long(uint32_t *words, int w, uint64_t x)
{
    words[w] = (uint32_t)x;
    words[w + 1] = (uint32_t)(x >> 32);
}

static void random_set(uint32_t *w)
{
    for (int k = 0; k < 4; k++)
        w[k] = any_integer();
    if (random32() % 3 == 0)
        w[1] = random32() % 70;
    if (random32() % 3 == 0)
        w[2] = random32() % 70;
    if (random32() % 8 == 0)
        w[1] = w[0];
    uint64_t l[3], d[3];
    for (int k = 0; k < 3; k++) {
        l[k] = any_long();
        w[10 + k] = any_float();
        d[k] = any_double();
        w[19 + k] = any_half();
    }
    if (random32() % 8 == 0)
        l[1] = (l[0] & 0xffffffff) | l[1] << 32;
    if (random32() % 8 == 0)
        l[1] = l[0];
    if (random32() % 8 == 0)
        w[11] = w[10] ^ (random32() & 0x80000000);
    if (random32() % 8 == 0) { /* almost cancels in a fused product and sum */
        float product = -float_of(w[10]) * float_of(w[11]);
        memcpy(&w[12], &product, 4);
    }
    if (random32() % 8 == 0)
        d[1] = d[0];
    if (random32() % 8 == 0)
        d[2] = bits_of(-double_of(d[0]) * double_of(d[1]));
    for (int k = 0; k < 3; k++) {
        set_long(w, 4 + 2 * k, l[k]);
        set_long(w, 13 + 2 * k, d[k]);
    }
    w[22] = random32() & 1;
    w[23] = random32() & 1;
}

/* The first sets have all pairs of special values. */
static void pair_up(uint32_t *w, uint32_t t)
{
    if (t < COUNT(integers) * COUNT(integers)) {
        w[0] = integers[t / COUNT(integers)];
        w[1] = integers[t % COUNT(integers)];
    }
    if (t < COUNT(floats) * COUNT(floats)) {
        w[10] = floats[t / COUNT(floats)];
        w[11] = floats[t % COUNT(floats)];
    }
    if (t < COUNT(doubles) * COUNT(doubles)) {
        set_long(w, 13, doubles[t / COUNT(doubles)]);
        set_long(w, 15, doubles[t % COUNT(doubles)]);
    }
    if (t < COUNT(halves) * COUNT(halves)) {
        w[19] = halves[t / COUNT(halves)];
        w[20] = halves[t % COUNT(halves)];
        w[2] = w[19] | w[20] << 16;
    }
}

/* To be called for each thread in turn, from 0 on. grid: f0 and f1 have all pairs of exponents. */
static void op_inputs(uint32_t w[OP_WORDS], uint32_t t, int grid)
{
    memset(w, 0, OP_WORDS * sizeof *w);
    random_set(w);
    pair_up(w, t);
    if (grid) {
        w[10] = (random32() & 0x807fffff) | (t >> 8 & 255) << 23;
        w[11] = (random32() & 0x807fffff) | (t & 255) << 23;
    }
}

#endif
