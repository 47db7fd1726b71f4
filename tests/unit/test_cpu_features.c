/* test_cpu_features.c: feature bits, the words of GRADUS_CPU_MASK, and the ladder made of them.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cpu/cpu.h"
#include "cpu/ukr_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t masked_by(const char *mask)
{
    setenv("GRADUS_CPU_MASK", mask, 1);
    const uint64_t set = gr_cpu_features_masked();
    unsetenv("GRADUS_CPU_MASK");
    return set;
}

static const char *unknown_in(const char *mask, int size)
{
    static char words[64];
    setenv("GRADUS_CPU_MASK", mask, 1);
    gr_cpu_mask_unknown(words, size);
    unsetenv("GRADUS_CPU_MASK");
    return words;
}

static void each_name_masks_its_bit(void **state)
{
    (void)state;
    const char *name;
    uint64_t all = 0;
    for (int i = 0; (name = gr_cpu_feature_name(i)); i++) {
        assert_true(masked_by(name) == (uint64_t)1 << i);
        all |= (uint64_t)1 << i;
    }
    assert_null(gr_cpu_feature_name(-1));
    assert_true(masked_by("") == 0 && masked_by(",, ,") == 0);
    assert_true((gr_cpu_features_here() & ~all) == 0);
}

static void unknown_words_are_told_and_do_no_harm(void **state)
{
    (void)state;
    const char *name = gr_cpu_feature_name(0);
    if (!name)
        skip();
    char mask[64] = "nope, ";
    strcat(strcat(mask, name), " avx512-f,_");
    assert_true(masked_by(mask) == 1);
    assert_string_equal(unknown_in(mask, 64), "nope, avx512-f, _");
    assert_string_equal(unknown_in(mask, 14), "nope");
    assert_string_equal(unknown_in(name, 64), "");
}

#if defined(__x86_64__)
static void names_as_people_write_them(void **state)
{
    (void)state;
    assert_true(masked_by("AVX512_VNNI") == GR_CPU_BIT(AVX512_VNNI));
    assert_true(masked_by("avx512vnni\tAMX-INT8,amxint8") ==
                (GR_CPU_BIT(AVX512_VNNI) | GR_CPU_BIT(AMX_INT8)));
    assert_true(masked_by("avx512") == 0 && masked_by("avx5") == 0 && masked_by("avx2x") == 0);
}

#endif

/* A level contains all that lower ones need, an extension all of its level: a mask cannot leave a
 * higher step above one that it takes. Better ones come first. */
static void isas_contain_one_another(void **state)
{
    (void)state;
    for (const struct gr_isa *const *isa = gr_isa_all; *isa; isa++) {
        const struct gr_isa *base = (*isa)->extends ? (*isa)->extends : (*isa)->over;
        const uint64_t high = gr_cpu_isa_needs((*isa)->name);
        const uint64_t low = base ? gr_cpu_isa_needs(base->name) : 0;
        assert_ptr_equal(gr_isa_find((*isa)->name), *isa);
        assert_false((*isa)->extends && (*isa)->over);
        assert_true(base ? (low & ~high) == 0 && low != high : high == 0);
        assert_true(!base || !gr_isa_level(base)->extends);
        bool below = !base;
        for (const struct gr_isa *const *later = isa + 1; *later; later++)
            below = below || *later == base;
        assert_true(below);
    }
}

/* What an extension does not have itself, its level has. */
static void each_isa_has_its_functions(void **state)
{
    (void)state;
    for (const struct gr_isa *const *isa = gr_isa_all; *isa; isa++) {
        const struct gr_isa_functions *f = gr_isa_functions(*isa);
        assert_true(f->pack_f32 && f->pack_f64 && f->pack_bf16 && f->pack_short && f->finish);
        assert_true(!f->transpose_f32 == !f->transpose_f64);
    }
}

#if defined(__x86_64__)
static void levels_of_x86(void **state)
{
    (void)state;
    assert_true(gr_cpu_isa_needs("avx512vnni") & GR_CPU_BIT(AVX2));
    assert_string_equal(gr_cpu_isa_level("avx512vnni"), "avx512");
    assert_string_equal(gr_cpu_isa_level("avxvnni"), "avx2");
    assert_string_equal(gr_cpu_isa_level("avx2"), "avx2");
}
#endif

static void an_isa_runs_where_its_features_are(void **state)
{
    (void)state;
    const struct ukr *ukr;
    for (int i = 0; (ukr = gr_ukr_at(i)); i++) {
        assert_ptr_equal(gr_isa_find(ukr->isa), gr_ukr_all[i].isa);
        const uint64_t missing = gr_cpu_isa_needs(ukr->isa) & ~gr_cpu_features_here();
        if (missing)
            assert_false(gr_cpu_isa_runs(ukr->isa));
    }
    assert_null(gr_cpu_isa_level("mmx"));
    assert_true(gr_cpu_isa_runs("portable"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_name_masks_its_bit),
        cmocka_unit_test(unknown_words_are_told_and_do_no_harm),
#if defined(__x86_64__)
        cmocka_unit_test(names_as_people_write_them),
        cmocka_unit_test(levels_of_x86),
#endif
        cmocka_unit_test(isas_contain_one_another),
        cmocka_unit_test(each_isa_has_its_functions),
        cmocka_unit_test(an_isa_runs_where_its_features_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
