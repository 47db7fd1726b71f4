/* test_decode.c: the decoder of NVIDIA's instructions: nvdisasm's texts, what is in the struct, and
 * words that are no instructions. SPDX-License-Identifier: MIT */
#include "code/decode.h"
#include "decode_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct gr_decoded decoded;

static const char *text_of(int cc, uint64_t high, uint64_t low, uint64_t address)
{
    static char text[256];
    if (!gr_decode(cc, low, high, address, &decoded))
        return "?";
    int length = gr_decoded_text(&decoded, text, sizeof text);
    assert_int_equal(length, (int)strlen(text));
    return text;
}

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof decode_words / sizeof *decode_words; i++) {
        const struct decode_word *w = &decode_words[i];
        assert_string_equal(text_of(w->cc, w->high, w->low, 0), w->text);
    }
}

static void test_struct(void **state)
{
    (void)state;
    /* @!P0 LDG.E.128 with a descriptor and an offset */
    assert_string_equal(text_of(90, 0x004ea2000c1e1d00, 0xfffffc0402048981, 0),
                        "@!P0 LDG.E.128 R4, desc[UR4][R2.64+-0x4]");
    assert_true(decoded.guard.inverted);
    assert_int_equal(decoded.guard.number, 0);
    assert_string_equal(decoded.modifier[0], "E");
    assert_string_equal(decoded.modifier[1], "128");
    assert_null(decoded.modifier[2]);
    assert_int_equal(decoded.operand_count, 2);
    const struct gr_operand *place = &decoded.operand[1];
    assert_int_equal(place->kind, GR_OPERAND_ADDRESS);
    assert_true(place->has_base && place->has_descriptor && !place->has_uniform);
    assert_int_equal(place->base, 2);
    assert_int_equal(place->descriptor, 4);
    assert_string_equal(place->base_suffix, "64");
    assert_int_equal(place->value, -4);
    assert_int_equal(decoded.stall, 1);
    assert_int_equal(decoded.wait_mask, 4);
}

static void test_zero_registers(void **state)
{
    (void)state;
    /* UIADD3: URZ is 63 in the word */
    assert_string_equal(text_of(90, 0x000fe2000fffe03f, 0x0000040007077890, 0),
                        "UIADD3 UR7, UR7, 0x400, URZ");
    assert_int_equal(decoded.operand[3].number, GR_REGISTER_ZERO);
    assert_int_equal(decoded.operand[2].value, 0x400);
}

static void test_floats(void **state)
{
    (void)state;
    assert_string_equal(text_of(90, 0x000fc20000000000, 0x7f80000000007421, 0),
                        "FADD R0, R0, +INF");
    assert_string_equal(text_of(90, 0x000fc20000000000, 0xffc0000000007421, 0),
                        "FADD R0, R0, -QNAN");
    assert_string_equal(text_of(90, 0x000fc20000000000, 0x501502f900007421, 0),
                        "FADD R0, R0, 1.00000000000000000000e+10");
    assert_string_equal(text_of(90, 0x000fc20000000000, 0x8000000000007421, 0),
                        "FADD R0, R0, -0.0");
    assert_string_equal(text_of(90, 0x000fc20000200000, 0x4000424800007431, 0),
                        "HFMA2.BF16_V2 R0, R0, R0, 2, 50");
    assert_true(decoded.operand[3].is_float);
    assert_string_equal(decoded.operand[3].name, "BF16");
    assert_int_equal(decoded.operand[3].value, 0x4000);
    assert_string_equal(text_of(90, 0x000fc20000000000, 0x3f80000000007429, 0),
                        "DADD R0, R0, 0.0078125");
    assert_int_equal(decoded.operand[2].value, INT64_C(0x3f80000000000000));
}

static void test_targets(void **state)
{
    (void)state;
    assert_string_equal(text_of(90, 0x000fc20003800000, 0x0000001000007947, 0), "BRA 0x1010");
    assert_string_equal(text_of(90, 0x000fc2000383ffff, 0xfffffff000007947, 0x70), "BRA -0xf80");
    assert_int_equal(decoded.operand[0].kind, GR_OPERAND_TARGET);
    assert_int_equal(decoded.operand[0].value, -0xf80);
    assert_string_equal(text_of(90, 0x000fc20003800000, 0x0000001000007945, 0x60), "BSSY B0, 0x80");
    assert_int_equal(decoded.operand[0].kind, GR_OPERAND_BARRIER);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_string_equal(text_of(90, 0, 0, 0), "?");
    assert_string_equal(text_of(90, UINT64_MAX, UINT64_MAX, 0), "?");
    /* FADD on an architecture that the table does not have */
    assert_string_equal(text_of(70, 0x000fc20000000000, 0x0000000000007221, 0), "?");
    assert_string_equal(text_of(0, 0x000fc20000000000, 0x0000000000007221, 0), "?");
    assert_string_equal(text_of(90, 0x000fc20000000000, 0x0000000000007221, 0), "FADD R0, R0, R0");
    /* LDG of a width that does not exist, and a stall count of 16 */
    assert_string_equal(text_of(90, 0x004ea2000c1e1f00, 0xfffffc0402048981, 0), "?");
    assert_string_equal(text_of(90, 0x000fe00000000000, 0x0000000000007221, 0), "?");
}

static void test_hostile(void **state)
{
    (void)state;
    static const int architectures[] = {75, 80, 86, 89, 90, 100, 120};
    uint64_t word = 0x9e3779b97f4a7c15;
    for (int i = 0; i < 200000; i++) {
        uint64_t low = word = word * 6364136223846793005u + 1442695040888963407u;
        uint64_t high = word = word * 6364136223846793005u + 1442695040888963407u;
        high = (high >> 23 ^ high << 40) % (UINT64_C(1) << 41) | UINT64_C(0x000fc20000000000);
        const char *text = text_of(architectures[i % 7], high, low >> 20 ^ low << 44, 0x1000);
        assert_true(strlen(text) < 255);
    }
}

static void test_short_room(void **state)
{
    (void)state;
    char text[8] = "";
    assert_true(gr_decode(90, 0x0000000000007221, 0x000fc20000000000, 0, &decoded));
    assert_int_equal(gr_decoded_text(&decoded, text, sizeof text), 15);
    assert_string_equal(text, "FADD R0");
    assert_int_equal(gr_decoded_text(&decoded, NULL, 0), 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),          cmocka_unit_test(test_struct),
        cmocka_unit_test(test_zero_registers), cmocka_unit_test(test_floats),
        cmocka_unit_test(test_targets),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_hostile),        cmocka_unit_test(test_short_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
