/* test_expect.c: a file's claims, judged by facts made up for it. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "catalog/catalog.h"
#include "explain/expect.h"

#include <stdlib.h>

#define PARAMETERS                                                                                 \
    "(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, "        \
    "float beta, float *C, int ldc) {}\n"
#define ONE "//@ type f32\n//@ param TM 8, TN 8\n//@ grid 1\n//@ block 32\n"
#define TWO                                                                                        \
    "//@ type f32\n//@ kernel first\n//@ grid 1\n//@ block 32\n"                                   \
    "//@ kernel second\n//@ grid 1\n//@ block 32\n"

/* Judges the one claim of a file that is `head`, the claim, and its kernels. */
static enum gr_expectation_verdict judged(const char *head, const char *claim, const char *kernels,
                                          struct gr_explanation *facts, char **found)
{
    struct gradus_error error = {0};
    struct gr_kernel *kernel = NULL;
    struct gr_variant variant;
    char *text = gr_printf("%s//@ expect %s\n%s", head, claim, kernels);
    if (gr_kernel_parse("f.cu", text, NULL, &kernel, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(text);
    struct gr_problem p = gr_problem_dense(64, 64, 64, false, false, gr_types_of(GR_F32));
    struct gr_device_values device_values = {.sms = 132, .cc = 90, .smem_max = 232448, .occ = 1};
    assert_int_equal(gr_variant_make(kernel, p.types, false, false, &variant, &error), GRADUS_OK);
    if (gr_expect_judge(&variant, &p, &device_values, "sm_90a", facts, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    gr_kernel_free(kernel);
    assert_int_equal(facts->expectation_count, 1);
    enum gr_expectation_verdict verdict = facts->expectations[0].verdict;
    if (found)
        *found = gr_strdup(facts->expectations[0].found);
    gr_explanation_free(facts);
    return verdict;
}

static enum gr_expectation_verdict of_one(const char *claim)
{
    struct gr_explanation facts = {0};
    struct gr_section *section = gr_explanation_add(&facts, "made up", "");
    gr_section_number(section, "regs", 80, "");
    gr_section_number(section, "spills", 0, "");
    gr_section_number(section, "shared.flop_per_byte", 2, "");
    return judged(ONE, claim, "__global__ void gemm" PARAMETERS, &facts, NULL);
}

static void claims_are_held_against_facts(void **state)
{
    (void)state;
    assert_int_equal(of_one("spills == 0"), GR_EXPECT_HOLDS);
    assert_int_equal(of_one("regs <= 79"), GR_EXPECT_FALSE);
    assert_int_equal(of_one("shared.flop_per_byte == TM*TN/(2*(TM+TN))"), GR_EXPECT_HOLDS);
    assert_int_equal(of_one("shared.flop_per_byte == TM*TN/(TM+TN)"), GR_EXPECT_FALSE);
    assert_int_equal(of_one("global.loads.sectors_per_request[A] == 4"), GR_EXPECT_UNKNOWN);
}

static void a_claim_is_of_its_architecture(void **state)
{
    (void)state;
    assert_int_equal(of_one("regs <= 10 @sm_80"), GR_EXPECT_ELSEWHERE);
    assert_int_equal(of_one("regs <= 10 @sm_9"), GR_EXPECT_ELSEWHERE);
    assert_int_equal(of_one("regs <= 10 @sm_90"), GR_EXPECT_FALSE);
    assert_int_equal(of_one("regs <= 10 @sm_90a"), GR_EXPECT_FALSE);
}

static enum gr_expectation_verdict of_two(const char *claim, char **found)
{
    struct gr_explanation facts = {0};
    gr_section_number(gr_explanation_add(&facts, "made up", "first."), "regs", 40, "");
    gr_section_number(gr_explanation_add(&facts, "made up", "second."), "regs", 90, "");
    return judged(TWO, claim,
                  "__global__ void first" PARAMETERS "__global__ void second" PARAMETERS, &facts,
                  found);
}

static void a_claim_without_a_stanza_is_of_all(void **state)
{
    (void)state;
    char *found = NULL;
    assert_int_equal(of_two("regs <= 90", NULL), GR_EXPECT_HOLDS);
    assert_int_equal(of_two("regs <= 89", NULL), GR_EXPECT_FALSE);
    assert_int_equal(of_two("regs >= 41", &found), GR_EXPECT_FALSE);
    assert_string_equal(found, "first.regs is 40, second.regs is 90");
    free(found);
    assert_int_equal(of_two("first.regs <= 40", NULL), GR_EXPECT_HOLDS);
    assert_int_equal(of_two("second.regs <= 40", NULL), GR_EXPECT_FALSE);
}

static enum gr_expectation_verdict of_coverage(const char *coverage, const char *claim)
{
    struct gr_explanation facts = {0};
    struct gr_section *section = gr_explanation_add(&facts, "made up", "");
    gr_section_number(section, "global.loads.sectors_per_request[A]", 4, "");
    gr_section_number(section, "shared.flop_per_byte", 2, "");
    gr_section_word(section, "coverage", coverage);
    return judged(ONE, claim, "__global__ void gemm" PARAMETERS, &facts, NULL);
}

static void a_sample_decides_no_claim(void **state)
{
    (void)state;
    assert_int_equal(of_coverage("whole", "global.loads.sectors_per_request[A] == 4"),
                     GR_EXPECT_HOLDS);
    assert_int_equal(of_coverage("classes", "global.loads.sectors_per_request[A] == 5"),
                     GR_EXPECT_FALSE);
    assert_int_equal(of_coverage("sampled", "global.loads.sectors_per_request[A] == 4"),
                     GR_EXPECT_UNKNOWN);
    assert_int_equal(of_coverage("sampled", "shared.flop_per_byte == 2"), GR_EXPECT_HOLDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_are_held_against_facts),
        cmocka_unit_test(a_claim_is_of_its_architecture),
        cmocka_unit_test(a_claim_without_a_stanza_is_of_all),
        cmocka_unit_test(a_sample_decides_no_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
