/* test_machine_tensor_measured.c: what an H200 did (tests/gpu/tensor/probe_async.cu), as numbers:
 * boxes that were copied by tensor maps, conversions on the way, and the states that arrivals at
 * an mbarrier gave. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/machine_mbarrier.h"
#include "machine/tensor_map.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = 16 * 1024 };

/* Copies, by the probe's numbers: 1 for a store, the box's offset in shared memory, the type, the
 * swizzle's bytes, 1 for NaN outside; FNV-1a of what was written to, of 16 KB, all of which was
 * 0xee before; and of each dimension [size, stride, box, step, at]. */
static const char *const copies[] = {
    "4 0 0 4 128 0 c3ba9cddcdadcb25 [4 8 10 1 -8] [4 32 1 1 2] [1 128 2 1 1] [3 128 4 1 -1] [2 384 "
    "1 1 -2]",
    "6 0 0 6 128 0 c4d4bb598c46958b [56 2 56 1 0] [14 112 13 2 6]",
    "9 0 0 9 128 0 d71c6a4fb1b785ac [70 2 40 1 -24] [1 144 2 1 0] [2 144 4 1 -1] [3 288 1 1 0] [1 "
    "880 4 2 0]",
    "16 0 256 3 32 0 5a705496ab04c2ee [4 4 4 1 0] [10 16 3 1 4]",
    "22 0 896 9 64 1 9dfcd43b8d8d1525 [32 2 32 1 0] [4 64 4 2 -3] [5 256 7 2 2]",
    "32 0 1408 6 128 0 ebd96ea9360feff7 [16 2 16 1 0] [3 48 5 3 -2] [2 144 6 1 -3]",
    "39 0 1280 7 64 1 d89563754817bda5 [8 4 8 1 0] [3 32 3 1 -1] [1 96 3 2 -3] [1 96 1 1 0] [1 112 "
    "4 3 0]",
    "57 0 0 1 128 0 a7c39f26606cc6d6 [32 2 40 1 8] [5 80 2 1 4] [5 400 2 2 1]",
    "79 0 1920 8 64 0 f71c78fb2b4fe325 [4 8 4 1 0] [1 32 3 1 1] [3 32 4 1 -3] [4 112 2 1 -2] [1 "
    "448 4 1 -2]",
    "81 0 1408 0 64 0 1290802f69d2423e [32 1 32 1 0] [5 32 18 1 3]",
    "89 0 0 2 0 0 c8ffab58b8dd1f25 [31 4 20 1 16] [2 128 4 1 1] [4 256 3 1 3] [1 1040 2 2 -1] [1 "
    "1040 2 3 0]",
    "162 1 0 6 128 0 7314ab646e558e9c [9 2 24 1 0] [6 32 1 2 4] [3 192 4 1 2]",
    "170 1 1152 12 64 1 b147bf9c0ad57a34 [30 4 16 1 16]",
    "181 1 1536 11 64 0 fa6f9c140001bb7e [13 4 12 1 4] [3 64 6 3 0]",
    "191 1 0 11 128 0 c6ce394d095a738d [13 4 24 1 8] [20 80 16 2 4]",
    "192 1 0 0 0 0 b5dd29f84f051869 [70 1 96 1 32] [2 80 7 3 0] [4 160 2 1 1]",
    "200 1 0 6 32 0 4ae931594256a29c [10 2 16 1 0]",
    "216 1 0 2 128 0 45d98d9dfcd7e974 [1 4 24 1 0] [9 16 18 1 8]",
    "228 0 0 8 0 1 c193de169a0650d2 [16 8 8 1 0] [8 128 8 1 3]",
};

/* splitmix64: what the probe has in the tensor (which is 1) or in shared memory (2). */
static void fill(uint8_t *memory, int which)
{
    for (int i = 0; i < BYTES / 4; i++) {
        uint64_t z = (uint64_t)i * 77 + (uint64_t)which * 1000003 + 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        const uint32_t word = (uint32_t)(z ^ z >> 31);
        memcpy(memory + 4 * i, &word, 4);
    }
}

static uint64_t hash_of(const uint8_t *bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < BYTES; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint8_t tensor[BYTES], shared[BYTES];

struct measured {
    int number, store;
    uint32_t offset;
    struct gr_tensor_map map;
    int32_t at[GR_TENSOR_RANK];
    unsigned long long hash;
};

static struct measured read_copy(const char *text)
{
    struct measured m = {.number = 0};
    struct gr_tensor_map *map = &m.map;
    unsigned type;
    int nan, count = 0;
    assert_int_equal(sscanf(text, "%d %d %u %u %u %d %llx%n", &m.number, &m.store, &m.offset, &type,
                            &map->span, &nan, &m.hash, &count),
                     7);
    map->type = (enum gr_tensor_map_type)type;
    map->fill_nan = nan != 0;
    for (text += count; *text; text += count, map->rank++) {
        const int d = map->rank;
        unsigned long long size, stride;
        assert_int_equal(sscanf(text, " [%llu %llu %u %u %d]%n", &size, &stride, &map->box[d],
                                &map->step[d], &m.at[d], &count),
                         5);
        map->size[d] = size;
        map->stride[d] = stride;
    }
    return m;
}

static void copy_piece(void *context, const struct gr_tensor_piece *piece)
{
    const struct measured *m = context;
    uint8_t *box = shared + piece->shared;
    if (!m->store && piece->inside)
        memcpy(box, tensor + piece->global, piece->bytes);
    if (!m->store)
        gr_tensor_map_load(&m->map, piece->inside, box, piece->bytes);
    else if (piece->inside)
        memcpy(tensor + piece->global, box, piece->bytes);
}

static void boxes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        struct measured m = read_copy(copies[i]);
        uint8_t *from = m.store ? shared : tensor, *to = m.store ? tensor : shared;
        fill(from, m.store ? 2 : 1);
        memset(to, 0xee, BYTES);
        assert_true(gr_tensor_map_is_aligned(&m.map, m.at));
        if (m.store)
            gr_tensor_map_for_store(&m.map);
        gr_tensor_map_box(&m.map, m.at, m.offset, copy_piece, &m);
        if (hash_of(to) != m.hash)
            fail_msg("case %d is not as on the GPU", m.number);
    }
}

/* Operations of an mbarrier, and the upper 32 bits of the state that an arrival gave, or a test's
 * answer. */
enum { INITIALISE = 100, TEST };
static const struct barrier_step {
    int what; /* an operation, or one of those above */
    bool drop;
    uint32_t value, gave; /* 0 where nothing is given */
} steps[] = {
    {INITIALISE, false, 1, 0},
    {TEST, false, 0, 0},
    {TEST, false, 1, 1},
    {GR_MBARRIER_ART0, false, 1, 0x7ffff800},
    {TEST, false, 0, 1},
    {TEST, false, 1, 0},
    {GR_MBARRIER_ART0, false, 1, 0xfffff800},
    {TEST, false, 1, 1},
    {GR_MBARRIER_A1TR, false, 4096, 0x7ffff800},
    {TEST, false, 0, 0},
    {GR_MBARRIER_A0TX, false, 1024, 0},
    {GR_MBARRIER_A0TX, false, 3072, 0},
    {TEST, false, 0, 1},
    {TEST, false, 1, 0},
    {GR_MBARRIER_A0TX, false, 16, 0},
    {GR_MBARRIER_A1TR, false, 16, 0xfffff800},
    {GR_MBARRIER_A0TR, false, 64, 0},
    {GR_MBARRIER_A0TX, false, 64, 0},
    {GR_MBARRIER_ART0, false, 1, 0x7ffff800},
    {INITIALISE, false, 5, 0},
    {GR_MBARRIER_ART0, false, 2, 0x7fffd800},
    {GR_MBARRIER_ART0, true, 1, 0x7fffe800},
    {GR_MBARRIER_ART0, false, 1, 0x7ffff000},
    {GR_MBARRIER_ART0, false, 1, 0x7ffff800},
    {GR_MBARRIER_ART0, false, 3, 0xffffe000},
    {GR_MBARRIER_ART0, false, 1, 0xfffff800},
    {GR_MBARRIER_A1TR, true, 32, 0x7fffe000},
    {GR_MBARRIER_A0TX, false, 32, 0},
    {GR_MBARRIER_ART0, false, 1, 0x7fffe800},
    {GR_MBARRIER_ART0, false, 1, 0x7ffff000},
    {GR_MBARRIER_ART0, false, 1, 0x7ffff800},
    {GR_MBARRIER_ART0, false, 1, 0xffffe800},
    {GR_MBARRIER_ART0, false, 1, 0},
    {GR_MBARRIER_ART0, false, 1, 0xfffff800},
    {INITIALISE, false, 1048575, 0},
    {GR_MBARRIER_ART0, false, 1, 0x800},
    {GR_MBARRIER_A0TR, false, 1048575, 0},
    {GR_MBARRIER_A0TX, false, 1048575, 0},
    {GR_MBARRIER_A0TR, false, 1, 0},
    {GR_MBARRIER_ART0, false, 1048574, 0x13ff},
    {GR_MBARRIER_A0TX, false, 1, 0},
    {TEST, false, 0, 1},
    {INITIALISE, false, 128, 0},
    {GR_MBARRIER_ART0, false, 127, 0x7ffc0000},
    {GR_MBARRIER_A0TR, false, 100, 0},
    {GR_MBARRIER_ART0, false, 1, 0x7ffffbff},
    {GR_MBARRIER_A0TX, false, 50, 0},
    {GR_MBARRIER_A0TX, false, 50, 0},
    {TEST, false, 0, 1},
    {INITIALISE, false, 6, 0},
    {GR_MBARRIER_A0TR, false, 2048, 0},
    {GR_MBARRIER_ART0, false, 1, 0x7fffd3ff},
    {GR_MBARRIER_A0TR, false, 1046527, 0},
    {GR_MBARRIER_ART0, false, 1, 0x7fffda00},
    {GR_MBARRIER_A0TX, false, 1048575, 0},
    {GR_MBARRIER_ART0, false, 1, 0x7fffe000},
    {GR_MBARRIER_A0TX, false, 1048575, 0},
    {GR_MBARRIER_ART0, false, 1, 0x7fffe9ff},
    {GR_MBARRIER_A0TR, false, 1040383, 0},
    {GR_MBARRIER_ART0, false, 1, 0x7ffff004},
    {GR_MBARRIER_A0TR, false, 8192, 0},
    {TEST, false, 0, 0},
    {GR_MBARRIER_ART0, false, 1, 0x7ffff800},
    {TEST, false, 0, 1},
};

static void states(void **state)
{
    (void)state;
    uint64_t word = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct barrier_step *s = &steps[i];
        const uint64_t before = word;
        bool completed;
        if (s->what == INITIALISE)
            word = gr_mbarrier_of(s->value);
        else if (s->what == TEST)
            assert_int_equal(gr_mbarrier_is_complete(word, s->value << 31), s->gave);
        else
            assert_int_equal(gr_mbarrier_do(&word, (enum gr_mbarrier_operation)s->what, s->drop,
                                            s->value, &completed),
                             GR_MBARRIER_FINE);
        if (s->what < INITIALISE && s->gave != 0)
            assert_int_equal(before >> 32, s->gave);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),
        cmocka_unit_test(states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
