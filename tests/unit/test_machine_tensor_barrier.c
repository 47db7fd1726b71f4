/* test_machine_tensor_barrier.c: an mbarrier's word against counts that are kept apart.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/machine_mbarrier.h"

/* The values that code of nvcc 13 for sm_90a computes: (2^20 - n) << 1 and << 11. */
static void initialised(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 5, 128, GR_MBARRIER_MOST};
    for (int i = 0; i < 4; i++) {
        uint32_t lacks = 0x100000 - counts[i];
        uint64_t word = gr_mbarrier_of(counts[i]);
        assert_int_equal((uint32_t)word, lacks << 1);
        assert_int_equal((uint32_t)(word >> 32), lacks << 11);
        assert_int_equal(gr_mbarrier_pending(word), counts[i]);
        assert_int_equal(gr_mbarrier_expected(word), counts[i]);
        assert_int_equal(gr_mbarrier_bytes(word), 0);
        assert_false(gr_mbarrier_is_complete(word, 0));
        assert_true(gr_mbarrier_is_complete(word, 1u << 31)); /* the phase before the first */
    }
}

static void counts(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int trial = 0; trial < 300; trial++) {
        uint32_t needed = 1 + (uint32_t)trial % 9, pending = needed;
        int64_t bytes = 0;
        unsigned parity = 0;
        uint64_t word = gr_mbarrier_of(needed);
        for (int step = 0; step < 200; step++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint32_t r = (uint32_t)(random >> 33),
                     value = r >> 8 & 1 ? r >> 10 & 7 : r >> 10 & 0xffff;
            enum gr_mbarrier_operation operation = r % 6;
            bool drop =
                r >> 4 & 1 && (operation == GR_MBARRIER_A1T0 || operation == GR_MBARRIER_ART0 ||
                               operation == GR_MBARRIER_A1TR);
            if (operation == GR_MBARRIER_ART0)
                value &= 3;
            uint32_t arrivals = operation == GR_MBARRIER_A1T0 || operation == GR_MBARRIER_A1TR ? 1
                                : operation == GR_MBARRIER_ART0 ? value
                                                                : 0;
            int64_t more = operation == GR_MBARRIER_A1TR || operation == GR_MBARRIER_A0TR ? value
                           : operation == GR_MBARRIER_A0TX ? -(int64_t)value
                           : operation == GR_MBARRIER_A0T1 ? 1
                                                           : 0;
            bool completed;
            uint64_t before = word;
            enum gr_mbarrier_fault fault =
                gr_mbarrier_do(&word, operation, drop, value, &completed);
            if (arrivals > pending || (drop && arrivals > needed)) {
                assert_int_equal(fault, GR_MBARRIER_TOO_MANY);
                assert_true(word == before);
                continue;
            }
            if (bytes + more > GR_MBARRIER_MOST || bytes + more < -GR_MBARRIER_MOST) {
                assert_int_equal(fault, GR_MBARRIER_BYTES_RANGE);
                continue;
            }
            assert_int_equal(fault, GR_MBARRIER_FINE);
            bytes += more;
            pending -= arrivals;
            needed -= drop ? arrivals : 0;
            bool done = pending == 0 && bytes == 0;
            assert_int_equal(completed, done);
            if (done) {
                pending = needed;
                parity ^= 1;
            }
            assert_int_equal(gr_mbarrier_pending(word), pending);
            assert_int_equal(gr_mbarrier_expected(word), needed);
            assert_int_equal(gr_mbarrier_bytes(word), bytes);
            assert_int_equal(gr_mbarrier_parity(word), parity);
            /* A wait for the phase that just ended, and for the one that goes on. */
            assert_true(gr_mbarrier_is_complete(word, (parity ^ 1u) << 31));
            assert_false(gr_mbarrier_is_complete(word, parity << 31));
            if (done) /* and by the state that the arrival gave */
                assert_true(gr_mbarrier_is_complete(word, (uint32_t)(before >> 32)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initialised),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
