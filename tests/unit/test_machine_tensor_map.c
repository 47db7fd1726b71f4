/* test_machine_tensor_map.c: boxes of tensors, element by element, against their definition; maps
 * that are refused; swizzles. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/tensor_map.h"

#include <string.h>

static struct gr_tensor_map sample(void)
{
    return (struct gr_tensor_map){
        .address = 0x10000,
        .type = GR_TENSOR_MAP_U16,
        .rank = 3,
        .size = {37, 11, 5},
        .stride = {2, 80, 960},
        .box = {16, 6, 3},
        .step = {1, 2, 1},
        .span = 32,
    };
}

enum { NOTHING = -2, OUTSIDE = -1 };

/* What is at each byte of shared memory: the byte of global memory. */
static void note(void *context, const struct gr_tensor_piece *piece)
{
    int64_t *shared = context;
    assert_in_range(piece->bytes, 1, 16);
    for (uint32_t i = 0; i < piece->bytes; i++) {
        assert_true(piece->shared + i < 2048);
        assert_int_equal(shared[piece->shared + i], NOTHING);
        shared[piece->shared + i] = piece->inside ? (int64_t)piece->global + i : OUTSIDE;
    }
}

static void boxes(void **state)
{
    (void)state;
    static const int32_t places[][3] = {{0, 0, 0},  {30, 8, 3},  {-5, -1, -1}, {36, 10, 4},
                                        {3, 5, -2}, {-40, 0, 0}, {37, 0, 0},   {-9, 20, 0}};
    struct gr_tensor_map map = sample();
    for (size_t n = 0; n < sizeof places / sizeof places[0]; n++) {
        for (map.span = 0; map.span <= 32; map.span += 32) {
            const int32_t *at = places[n];
            int64_t shared[2048];
            for (int i = 0; i < 2048; i++)
                shared[i] = NOTHING;
            gr_tensor_map_box(&map, at, 128, note, shared);
            int seen = 0;
            for (int z = 0; z < 3; z++) {
                for (int y = 0; y < 3; y++) {
                    for (int x = 0; x < 16; x++, seen += 2) {
                        int64_t tx = at[0] + x, ty = at[1] + 2 * y, tz = at[2] + z;
                        int inside = tx >= 0 && tx < 37 && ty >= 0 && ty < 11 && tz >= 0 && tz < 5;
                        int to = 128 + ((z * 3 + y) * 16 + x) * 2;
                        if (map.span) /* every 128 bytes the two halves of 32 change places */
                            to ^= (to / 128 & 1) * 16;
                        int64_t from = inside ? 0x10000 + tx * 2 + ty * 80 + tz * 960 : OUTSIDE;
                        assert_int_equal(shared[to], from);
                        assert_int_equal(shared[to + 1], inside ? from + 1 : OUTSIDE);
                    }
                }
            }
            assert_int_equal(seen, (int)gr_tensor_map_box_bytes(&map));
            for (int i = 0; i < 2048; i++)
                assert_true((shared[i] != NOTHING) == (i >= 128 && i < 128 + seen));
        }
    }
}

static void swizzles(void **state)
{
    (void)state;
    for (uint32_t row = 0; row < 16; row++) { /* rows of the swizzle's bytes, as CUTLASS has them */
        for (uint32_t piece = 0; piece < 8; piece++) {
            assert_int_equal(gr_swizzled(row * 128 + piece * 16, 128),
                             row * 128 + (piece ^ row % 8) * 16);
            if (piece < 4)
                assert_int_equal(gr_swizzled(row * 64 + piece * 16, 64),
                                 row * 64 + (piece ^ row / 2 % 4) * 16);
            if (piece < 2)
                assert_int_equal(gr_swizzled(row * 32 + piece * 16, 32),
                                 row * 32 + (piece ^ row / 4 % 2) * 16);
        }
    }
    assert_int_equal(gr_swizzled(0x1230, 0), 0x1230);
}

static void maps(void **state)
{
    (void)state;
    uint8_t bytes[GR_TENSOR_MAP_BYTES];
    const char *why;
    struct gr_tensor_map map = sample(), read;
    assert_true(gr_tensor_map_write(&map, bytes, &why));
    assert_true(gr_tensor_map_read(bytes, &read));
    assert_memory_equal(&read, &map, sizeof map);
    bytes[0] ^= 1;
    assert_false(gr_tensor_map_read(bytes, &read));
    memset(bytes, 0, sizeof bytes);
    assert_false(gr_tensor_map_read(bytes, &read));

#define REFUSED(change)                                                                            \
    map = sample();                                                                                \
    change;                                                                                        \
    assert_false(gr_tensor_map_write(&map, bytes, &why));                                          \
    assert_non_null(why)
    REFUSED(map.rank = 0);
    REFUSED(map.rank = 6);
    REFUSED(map.address += 8);
    REFUSED(map.size[1] = 0);
    REFUSED(map.size[2] = ((uint64_t)1 << 32) + 1);
    REFUSED(map.stride[1] = 88);
    REFUSED(map.stride[2] = (uint64_t)1 << 40);
    REFUSED(map.box[1] = 257);
    REFUSED(map.box[0] = 12);
    REFUSED(map.box[0] = 24);
    REFUSED(map.step[1] = 9);
    REFUSED(map.fill_nan = true);
    REFUSED(map.span = 48);

    /* Whatever a kernel wrote there, what is read describes a box. */
    uint64_t random = 1;
    for (int i = 0; i < 100000; i++) {
        map = sample();
        assert_true(gr_tensor_map_write(&map, bytes, &why));
        for (int j = 0; j < 4; j++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bytes[8 + (random >> 33) % 80] = (uint8_t)(random >> 56);
        }
        if (gr_tensor_map_read(bytes, &read))
            assert_in_range(read.rank, 1, GR_TENSOR_RANK);
    }
}

/* A load by a map of tf32 rounds to nearest, ties to even, and makes all NaN one; those that flush
 * subnormal numbers do not. As on an H200. */
static void tf32(void **state)
{
    static const uint32_t numbers[][2] = {
        {0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f800000}, {0x3f801001, 0x3f802000},
        {0x3f803000, 0x3f804000}, {0xbf801001, 0xbf802000}, {0x7f7fffff, 0x7f800000},
        {0x7f800000, 0x7f800000}, {0x00001001, 0x00002000}, {0x80000fff, 0x80000000},
        {0x7f801000, 0x7fffe000}, {0xffe1ffff, 0x7fffe000}, {0xff800000, 0xff800000},
    };
    (void)state;
    struct gr_tensor_map map = sample();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint32_t words[4] = {numbers[i][0], numbers[i][0], 0, numbers[i][0]};
        map.type = i % 2 ? GR_TENSOR_MAP_TF32 : GR_TENSOR_MAP_TF32_FTZ;
        gr_tensor_map_load(&map, true, (uint8_t *)words, sizeof words);
        assert_int_equal(words[0], numbers[i][1]);
        assert_int_equal(words[2], 0);
        assert_int_equal(words[3], numbers[i][1]);
        words[0] = numbers[i][0];
        map.type = i % 2 ? GR_TENSOR_MAP_F32 : GR_TENSOR_MAP_F32_FTZ;
        gr_tensor_map_load(&map, true, (uint8_t *)words, sizeof words);
        assert_int_equal(words[0], numbers[i][0]);
    }
}

/* What a GPU takes for an illegal instruction; and where stores end. */
static void places(void **state)
{
    (void)state;
    struct gr_tensor_map map = sample(); /* of 2 bytes */
    static const int32_t at[][3] = {{0, 0, 0}, {-16, 1, 2}, {8, 9, -1}, {4, 0, 0}, {-1, 3, 0}};
    static const int negative[] = {-1, 0, 2, -1, 0};
    static const bool inside[] = {true, false, false, true, false};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(gr_tensor_map_is_aligned(&map, at[i]), i < 3);
        assert_int_equal(gr_tensor_map_negative(&map, at[i]), negative[i]);
        assert_int_equal(gr_tensor_map_begins_inside(&map, at[i]), inside[i]);
    }
    assert_false(gr_tensor_map_begins_inside(&map, (const int32_t[]){37, 0, 0}));
    assert_true(gr_tensor_map_begins_inside(&map, (const int32_t[]){36, 0, 0}));
    gr_tensor_map_for_store(&map);
    assert_int_equal(map.size[0], 40); /* of 37 */
    gr_tensor_map_for_store(&map);
    assert_int_equal(map.size[0], 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),  cmocka_unit_test(swizzles), cmocka_unit_test(maps),
        cmocka_unit_test(places), cmocka_unit_test(tf32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
