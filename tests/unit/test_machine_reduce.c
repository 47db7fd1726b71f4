/* test_machine_reduce.c: copies that reduce and atomics on vectors, executed
 * (data/cluster_reduce.cubin, of data/cluster_kernels.cu). SPDX-License-Identifier: MIT */
#include "machine_kernels.h"

#include <math.h>

static int prepare(void **state)
{
    (void)state;
    return kernel_prepare("cluster_reduce.cubin");
}

static int finish(void **state)
{
    (void)state;
    gr_memory_free(&kernel_memory);
    return 0;
}

static enum gr_block_status run(const char *symbol, unsigned blocks, unsigned threads,
                                const void *const *parameters)
{
    const struct gr_program_launch launch = {
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .parameters = parameters};
    return kernel_run(symbol, &launch);
}

/* ---- What an element becomes, computed here by other means. ---- */

static const struct {
    const char *operation;
    char type[6]; /* u, s, f and bits; b16: bf16 */
} to_global[] = {{"add", "u32"}, {"add", "s32"}, {"add", "u64"}, {"add", "f16"}, {"add", "b16"},
                 {"add", "f32"}, {"add", "f64"}, {"min", "u32"}, {"min", "s32"}, {"min", "u64"},
                 {"min", "s64"}, {"min", "f16"}, {"min", "b16"}, {"max", "u32"}, {"max", "s32"},
                 {"max", "u64"}, {"max", "s64"}, {"max", "f16"}, {"max", "b16"}, {"inc", "u32"},
                 {"dec", "u32"}, {"and", "u32"}, {"and", "u64"}, {"or", "u32"},  {"or", "u64"},
                 {"xor", "u32"}, {"xor", "u64"}};

static double half_value(unsigned h)
{
    const int exponent = h >> 10 & 31, mantissa = h & 1023;
    const double x = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return h >> 15 ? -x : x;
}

static double bfloat_value(unsigned h)
{
    const uint32_t bits = (uint32_t)h << 16;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* The finite number of 16 bits that is nearest, with an even last bit where two are: of all. */
static unsigned nearest(double x, double (*value)(unsigned), unsigned infinity)
{
    unsigned best = 0;
    double least = INFINITY;
    for (unsigned h = 0; h < infinity; h++) {
        const double off = fabs(value(h) - fabs(x));
        if (off < least || (off == least && h % 2 == 0)) {
            least = off;
            best = h;
        }
    }
    return best | (signbit(x) ? 0x8000 : 0);
}

static uint64_t of_halves(const char *operation, bool is_bfloat, unsigned old, unsigned value)
{
    double (*const number)(unsigned) = is_bfloat ? bfloat_value : half_value;
    const double a = number(old), b = number(value);
    if (strcmp(operation, "add") == 0)
        return nearest(a + b, number, is_bfloat ? 0x7f80 : 0x7c00);
    return (strcmp(operation, "min") == 0) == (a < b) ? old : value;
}

static uint64_t of_integers(const char *operation, bool is_signed, int bits, uint64_t a, uint64_t b)
{
    const int shift = 64 - bits;
    const int64_t x = (int64_t)(a << shift) >> shift, y = (int64_t)(b << shift) >> shift;
    const bool less = is_signed ? x < y : a < b;
    switch (operation[0] | operation[1] << 8) {
    case 'a' | 'd' << 8:
        return a + b;
    case 'm' | 'i' << 8:
        return less ? a : b;
    case 'm' | 'a' << 8:
        return less ? b : a;
    case 'i' | 'n' << 8:
        return a >= b ? 0 : a + 1;
    case 'd' | 'e' << 8:
        return a == 0 || a > b ? b : a - 1;
    case 'a' | 'n' << 8:
        return a & b;
    case 'o' | 'r' << 8:
        return a | b;
    default:
        return a ^ b;
    }
}

static void expected(const char *operation, const char *type, const void *old, const void *value,
                     void *result)
{
    const int bits = atoi(type + 1);
    uint64_t a = 0, b = 0, r;
    float f, g;
    double d, e;
    memcpy(&a, old, (size_t)bits / 8);
    memcpy(&b, value, (size_t)bits / 8);
    if (bits == 16) {
        r = of_halves(operation, type[0] == 'b', (unsigned)a, (unsigned)b);
    } else if (type[0] != 'f') {
        r = of_integers(operation, type[0] == 's', bits, a, b);
    } else if (bits == 32) {
        memcpy(&f, old, 4), memcpy(&g, value, 4);
        f += g;
        memcpy(&r, &f, 4);
    } else {
        memcpy(&d, old, 8), memcpy(&e, value, 8);
        d += e;
        memcpy(&r, &d, 8);
    }
    memcpy(result, &r, (size_t)bits / 8);
}

/* Random elements; floating-point numbers are finite, and some of them very small. */
static void fill(void *at, size_t bytes, const char *type)
{
    unsigned char *to = at;
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(rand() >> 7);
    const size_t each = (size_t)atoi(type + 1) / 8;
    for (size_t i = each - 1; type[0] != 'u' && type[0] != 's' && i < bytes; i += each)
        to[i] = (unsigned char)((to[i] & 0x83) | (each == 2 && type[0] == 'f' ? 0x28 : 0x38));
    for (size_t i = each - 1; i < bytes && each == 2 && type[0] == 'f'; i += 4 * each)
        to[i] &= 0x83;
    for (int i = 0; i < 16 && type[0] == 'u' && strcmp(type, "u32") == 0; i += 3)
        memset(to + 4 * i, 0, (size_t)(i % 2) * 4);
}

static void globals(void **state)
{
    (void)state;
    int *in = kernel_array(64), early = 0, which;
    unsigned char *out = kernel_array(64), before[64], want[64];
    const void *parameters[] = {&in, &out, &early, &which};
    for (int i = 0; i < 27 * 20; i++) {
        which = i % 27;
        const char *type = to_global[which].type;
        const size_t each = (size_t)atoi(type + 1) / 8;
        fill(in, 64, type);
        fill(out, 64, type);
        memcpy(before, out, 64);
        for (size_t k = 0; k < 64; k += each)
            expected(to_global[which].operation, type, before + k, (unsigned char *)in + k,
                     want + k);
        kernel_is_done(run("to_global", 1, 32, parameters));
        if (memcmp(out, want, 64) != 0)
            print_error("%s.%s\n", to_global[which].operation, type);
        assert_memory_equal(out, want, 64);
    }
    early = 1; /* the block does not wait before it overwrites them with zeros */
    memcpy(before, out, 64);
    kernel_is_done(run("to_global", 1, 32, parameters));
    assert_memory_equal(out, before, 64);
    kernel_release(in);
    kernel_release(out);
}

/* Two NaNs, a NaN and a number, zeros of both signs, infinities; by PTX's ISA. */
static void specials(void **state)
{
    (void)state;
    static const uint16_t a[] = {0x7e01, 0x7e01, 0x3c00, 0x0000, 0x8000, 0x7c00, 0xfc00, 0x0001},
                          b[] = {0xfe05, 0x3c00, 0xfe00, 0x8000, 0x0000, 0xfc00, 0x4000, 0x8001};
    static const uint16_t want[3][8] = {
        {0x7fff, 0x7fff, 0x7fff, 0x0000, 0x0000, 0x7fff, 0xfc00, 0x0000},
        {0x7fff, 0x3c00, 0x3c00, 0x8000, 0x8000, 0xfc00, 0xfc00, 0x8001},
        {0x7fff, 0x3c00, 0x3c00, 0x0000, 0x0000, 0x7c00, 0x4000, 0x0001}};
    static const int operations[] = {3, 11, 17};
    uint16_t *in = kernel_array(64), *out = kernel_array(64);
    int early = 0, which;
    const void *parameters[] = {&in, &out, &early, &which};
    memcpy(in, b, sizeof b);
    for (int i = 0; i < 3; i++) {
        which = operations[i];
        memcpy(out, a, sizeof a);
        kernel_is_done(run("to_global", 1, 32, parameters));
        assert_memory_equal(out, want[i], sizeof want[i]);
    }
    kernel_release(in);
    kernel_release(out);
}

static void others(void **state)
{
    (void)state;
    static const struct {
        const char *operation, *type;
    } list[] = {{"add", "u32"}, {"add", "s32"}, {"min", "u32"}, {"min", "s32"},
                {"max", "u32"}, {"max", "s32"}, {"inc", "u32"}, {"dec", "u32"},
                {"and", "u32"}, {"or", "u32"},  {"xor", "u32"}, {"add", "u64"}};
    unsigned char *in = kernel_array(64), *out = kernel_array(64 * 5), want[64];
    int which, count;
    const void *parameters[] = {&in, &out, &which, &count};
    for (int i = 0; i < 12 * 10; i++) {
        which = i % 12;
        const size_t each = (size_t)atoi(list[which].type + 1) / 8;
        count = (int)(64 / each);
        fill(in, 64, list[which].type);
        fill(out, 64, list[which].type);
        for (size_t k = 0; k < 64; k += each)
            expected(list[which].operation, list[which].type, out + k, in + k, want + k);
        kernel_is_done(run("to_other", 2, 32, parameters));
        for (int k = 1; k < 5; k++)
            assert_memory_equal(out + 64 * k, want, 64);
    }
    kernel_release(in);
    kernel_release(out);
}

/* A tensor of 20 x 6: only what is inside of it changes, and no byte beside it. */
static void tensors(void **state)
{
    (void)state;
    enum { COLUMNS = 20, ROWS = 6, ALL = COLUMNS * ROWS };
    static const char *const operations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static _Alignas(64) uint8_t bytes[GR_TENSOR_MAP_BYTES];
    uint32_t *in = kernel_array(256), *out = kernel_array(4 * ALL), want[ALL];
    int x, y, which;
    const void *parameters[] = {bytes, &in, &x, &y, &which};
    struct gr_tensor_map map = {
        .address = (uintptr_t)out, .type = GR_TENSOR_MAP_U32, .rank = 2, .span = 0};
    const char *why;
    map.size[0] = COLUMNS, map.size[1] = ROWS, map.stride[1] = 4 * COLUMNS;
    map.box[0] = 16, map.box[1] = 4, map.step[0] = map.step[1] = 1;
    for (int i = 0; i < 8 * 8; i++) {
        which = i % 8;
        x = 4 * (i / 8), y = i / 8; /* multiples of 16 bytes */
        map.type = which < 3 && i % 3 == 0 ? GR_TENSOR_MAP_S32 : GR_TENSOR_MAP_U32;
        assert_true(gr_tensor_map_write(&map, bytes, &why));
        fill(in, 256, "s32");
        fill(out, 4 * ALL, "s32");
        memcpy(want, out, sizeof want);
        for (int k = 0; k < 64; k++) {
            const int column = x + k % 16, row = y + k / 16;
            if (column < COLUMNS && row < ROWS)
                expected(operations[which], map.type == GR_TENSOR_MAP_S32 ? "s32" : "u32",
                         &want[row * COLUMNS + column], &in[k], &want[row * COLUMNS + column]);
        }
        kernel_is_done(run("to_tensor", 1, 64, parameters));
        assert_memory_equal(out, want, sizeof want);
    }
    map.type = GR_TENSOR_MAP_F32, which = 1; /* PTX has no minimum of such */
    assert_true(gr_tensor_map_write(&map, bytes, &why));
    assert_int_equal(run("to_tensor", 1, 64, parameters), GR_BLOCK_NOT_MODELLED);
    kernel_release(in);
    kernel_release(out);
}

/* ---- Atomics on vectors. ---- */

static uint32_t pair_of(double x, double y, double (*value)(unsigned), unsigned infinity)
{
    return nearest(x, value, infinity) | nearest(y, value, infinity) << 16;
}

static void vectors(void **state)
{
    (void)state;
    enum { THREADS = 96 };
    uint32_t *h = kernel_array(4 * (2 + THREADS)), *b = kernel_array(4);
    float *f = kernel_array(16 * 128);
    double *d = kernel_array(8), x = 0, y = 0;
    uint32_t(*out)[4] = kernel_array(16 * THREADS);
    const void *parameters[] = {&h, &b, &f, &d, &out};
    for (int t = 0; t < THREADS; t++)
        h[2 + t] = 0x4400; /* 4 and 0 */
    for (int t = 0; t < THREADS; t++)
        f[4 * (2 + t)] = f[4 * (2 + t) + 3] = (float)t;
    kernel_is_done(run("vectors", 1, THREADS, parameters));
    for (int t = 0; t < THREADS; t++) {
        const double dx = t % 7 * 0.25, dy = t % 5 - 2.0;
        x += dx, y += dy; /* which halves and bfloats have exactly */
        assert_int_equal(out[t][0], 0x4400);
        assert_int_equal(h[2 + t], pair_of(4 + dx, dy, half_value, 0x7c00));
        assert_int_equal(out[t][1], 11 * t);
        assert_true(f[4 * (2 + t) + 2] == (t == 98 ? 0 : 3));
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(out[t][2], pair_of(x, y, half_value, 0x7c00));
        assert_int_equal(out[t][3], pair_of(x, y, bfloat_value, 0x7f80));
    }
    assert_int_equal(h[0], out[0][2]);
    assert_int_equal(h[1], out[0][2] & 0xffff);
    assert_int_equal(b[0], out[0][3]);
    assert_true(f[0] == (float)x && f[1] == (float)y && f[2] == THREADS && f[3] == 2 * THREADS);
    assert_true(f[4] == (float)y && f[5] == (float)x && f[6] == 0 &&
                *d == THREADS * (THREADS - 1) / 2);
    for (int i = 0; i < 4; i++) {
        uint32_t word;
        memcpy(&word, &f[400 + i], 4);
        assert_int_equal(word, 0x40003c00 + THREADS - 1);
    }
    kernel_release(h);
    kernel_release(b);
    kernel_release(f);
    kernel_release(d);
    kernel_release(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globals), cmocka_unit_test(specials), cmocka_unit_test(others),
        cmocka_unit_test(tensors), cmocka_unit_test(vectors),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
