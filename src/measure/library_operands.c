/* library_operands.c: the operands of the library's kernels on a GPU, and the check of C.
 * SPDX-License-Identifier: MIT */
#include "measure/library_operands.h"

#include "check/element.h"
#include "core/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A prime number of random numbers, so that rows do not repeat if their length is a power of 2. B
 * begins at another position. */
enum { POOL = 1048573, OF_B = 524309 };

/* The minimal room for each of A, B and C: together, they are several times as large as the L2 of
 * any GPU. */
enum { LEAST_BYTES = 64 << 20, ALIGNMENT = 256 };

static double number_of(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static enum gradus_status fill(const struct gr_library_operands *o, uint64_t to, int64_t elements,
                               enum gr_dtype type, int64_t first, struct gradus_error *error)
{
    const struct gr_device_driver *driver = o->gpu->driver;
    const size_t bytes = gr_dtype_bytes(type);
    char *values = malloc(POOL * bytes);
    int result = 0;
    if (!values)
        return gr_fail_memory(error, "operands", POOL * bytes);
    for (int64_t i = 0; i < POOL; i++)
        gr_element_put(type, values, i, o->pool[(i + first) % POOL]);
    for (int64_t at = 0; at < elements && result == 0; at += POOL)
        result = driver->copy_to_device(
            to + (uint64_t)at * bytes, values,
            (size_t)(elements - at < POOL ? elements - at : POOL) * bytes, NULL);
    if (result == 0)
        result = driver->stream_synchronize(NULL);
    free(values);
    return gr_device_check(driver, result, "filling the operands", error);
}

enum gradus_status gr_library_operands_make(const struct gr_device_gpu *gpu, struct gr_types types,
                                            int64_t a_elements, int64_t b_elements,
                                            int64_t c_elements, struct gr_library_operands *o,
                                            struct gradus_error *error)
{
    uint64_t state = 1;
    *o = (struct gr_library_operands){.gpu = gpu, .types = types};
    o->pool = malloc(POOL * sizeof *o->pool);
    if (!o->pool)
        return gr_fail_memory(error, "operands", POOL * sizeof *o->pool);
    for (int i = 0; i < POOL; i++)
        o->pool[i] = gr_round_to(types.a, number_of(&state));
    const struct {
        uint64_t *address;
        int64_t elements;
        enum gr_dtype type;
    } matrices[] = {
        {&o->a, a_elements, types.a}, {&o->b, b_elements, types.b}, {&o->c, c_elements, types.c}};
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < 3 && status == GRADUS_OK; i++) {
        const int64_t bytes = matrices[i].elements * (int64_t)gr_dtype_bytes(matrices[i].type);
        o->bytes[i] = bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
        status = gr_device_check(
            gpu->driver, gpu->driver->memory_alloc(matrices[i].address, (size_t)o->bytes[i]),
            "memory for the operands", error);
    }
    const int64_t bytes = (int64_t)gr_dtype_bytes(types.a);
    if (status == GRADUS_OK)
        status = fill(o, o->a, o->bytes[0] / bytes, types.a, 0, error);
    if (status == GRADUS_OK)
        status = fill(o, o->b, o->bytes[1] / bytes, types.b, OF_B, error);
    return status;
}

/* Returns the offset of the matrix for a turn, among the matrices that fit into `room` bytes. */
static uint64_t place_of(int64_t turn, int64_t elements, enum gr_dtype type, int64_t room)
{
    const int64_t bytes = elements * (int64_t)gr_dtype_bytes(type);
    const int64_t apart = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return apart > 0 && apart <= room ? (uint64_t)(turn % (room / apart) * apart) : 0;
}

struct gr_device_given gr_library_rotated(const struct gr_library_operands *o,
                                          const struct gr_device_given *given, int64_t turn)
{
    struct gr_device_given other = *given;
    other.a = o->a + place_of(turn, given->m * given->k, o->types.a, o->bytes[0]);
    other.b = o->b + place_of(turn, given->k * given->n, o->types.b, o->bytes[1]);
    other.c = o->c + place_of(turn, given->m * given->n, o->types.c, o->bytes[2]);
    return other;
}

void gr_library_operands_free(struct gr_library_operands *o)
{
    const uint64_t addresses[] = {o->a, o->b, o->c, o->work};
    for (int i = 0; i < 4; i++)
        if (addresses[i])
            o->gpu->driver->memory_free(addresses[i]);
    free(o->pool);
    *o = (struct gr_library_operands){0};
}

enum gradus_status gr_library_work(struct gr_library_operands *o, int64_t bytes,
                                   struct gradus_error *error)
{
    if (bytes <= o->work_bytes)
        return GRADUS_OK;
    int result = o->work ? o->gpu->driver->memory_free(o->work) : 0;
    o->work = 0;
    o->work_bytes = 0;
    if (result == 0)
        result = o->gpu->driver->memory_alloc(&o->work, (size_t)bytes);
    if (result == 0)
        o->work_bytes = bytes;
    return gr_device_check(o->gpu->driver, result, "memory for the workspace", error);
}

enum gradus_status gr_library_spoil_c(const struct gr_library_operands *o, int64_t elements,
                                      struct gradus_error *error)
{
    enum { OF_NAN = 0xff };
    const size_t bytes = (size_t)elements * gr_dtype_bytes(o->types.c);
    return gr_device_check(o->gpu->driver, o->gpu->driver->set_bytes(o->c, OF_NAN, bytes, NULL),
                           "filling C", error);
}

static double value_of(enum gr_dtype type, const void *element)
{
    if (type == GR_F64)
        return *(const double *)element;
    if (type == GR_F32)
        return (double)*(const float *)element;
    uint16_t half;
    memcpy(&half, element, sizeof half);
    if (type == GR_BF16) {
        const uint32_t word = (uint32_t)half << 16;
        float x;
        memcpy(&x, &word, sizeof x);
        return (double)x;
    }
    enum { FRACTION = 10, BIAS = 15, LARGEST = 31 };
    const int exponent = half >> FRACTION & LARGEST, fraction = half & ((1 << FRACTION) - 1);
    const double size = exponent == LARGEST ? (fraction ? NAN : INFINITY)
                        : exponent          ? ldexp(1024 + fraction, exponent - BIAS - FRACTION)
                                            : ldexp(fraction, 1 - BIAS - FRACTION);
    return half >> 15 ? -size : size;
}

/* The error bound of docs/accuracy.md for the sums (the larger one of IEEE floats and of
 * `accurate`), plus one rounding. */
static bool is_right(const struct gr_library_operands *o, const struct gr_device_given *g,
                     int64_t row, int64_t column, double got)
{
    const int64_t a = g->trans_a ? row : row * g->lda, b = g->trans_b ? column * g->ldb : column;
    const int64_t a_step = g->trans_a ? g->lda : 1, b_step = g->trans_b ? 1 : g->ldb;
    double want = 0, size = 0;
    for (int64_t k = 0; k < g->k; k++) {
        const double product =
            o->pool[(a + k * a_step) % POOL] * o->pool[(b + k * b_step + OF_B) % POOL];
        want += product;
        size += fabs(product);
    }
    const double sums = (16 + (double)g->k) * gr_dtype_eps(o->types.acc) * size;
    return fabs(got - want) <= sums + gr_dtype_eps(o->types.c) * fabs(want);
}

enum gradus_status gr_library_check(const struct gr_library_operands *o,
                                    const struct gr_device_given *given, bool *right,
                                    struct gradus_error *error)
{
    enum { PLACES = 7 };
    const int64_t rows[] = {0, given->m / 2, given->m - 1};
    const size_t bytes = gr_dtype_bytes(o->types.c);
    const size_t row_bytes = (size_t)given->n * bytes;
    char *row = malloc(row_bytes);
    enum gradus_status status = row ? GRADUS_OK : gr_fail_memory(error, "a row of C", row_bytes);
    *right = true;
    for (int r = 0; r < 3 && status == GRADUS_OK; r++) {
        int result = o->gpu->driver->copy_to_host(
            row, o->c + (uint64_t)(rows[r] * given->ldc) * bytes, row_bytes, NULL);
        if (result == 0)
            result = o->gpu->driver->stream_synchronize(NULL);
        status = gr_device_check(o->gpu->driver, result, "reading C", error);
        for (int p = 0; p < PLACES && status == GRADUS_OK; p++) {
            const int64_t column = (given->n - 1) * p / (PLACES - 1);
            *right &= is_right(o, given, rows[r], column,
                               value_of(o->types.c, row + (size_t)column * bytes));
        }
    }
    free(row);
    return status;
}
