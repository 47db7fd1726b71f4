/* test_machine_tensor_forms.c: asynchronous copies and operations of mbarriers, as code of nvcc 13
 * for sm_90a has them. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/async_forms.h"

#include <string.h>

static struct gr_decoded decoded;
static struct gr_translation translation;

/* "SYNCS.EXCH.64": the operands are added afterwards. */
static struct gr_translation *begin(const char *text)
{
    static char copy[64];
    strcpy(copy, text);
    decoded = (struct gr_decoded){.mnemonic = strtok(copy, ".")};
    for (int i = 0; (decoded.modifier[i] = strtok(NULL, ".")) != NULL; i++)
        ;
    translation = (struct gr_translation){.decoded = &decoded, .cc = 90};
    return &translation;
}

static struct gr_operand *add(enum gr_operand_kind kind, int number)
{
    struct gr_operand *o = &decoded.operand[decoded.operand_count++];
    *o = (struct gr_operand){.kind = kind, .number = (uint8_t)number};
    return o;
}

/* [R+UR+offset]; -1: the register is not written. */
static struct gr_operand *add_address(int base, int uniform, int64_t offset)
{
    struct gr_operand *o = add(GR_OPERAND_ADDRESS, 0);
    o->has_base = base >= 0;
    o->base = (uint8_t)(base >= 0 ? base : GR_REGISTER_ZERO);
    o->has_uniform = uniform >= 0;
    o->uniform = (uint8_t)(uniform >= 0 ? uniform : GR_REGISTER_ZERO);
    o->descriptor = GR_REGISTER_ZERO;
    o->value = offset;
    return o;
}

static bool all_taken(void)
{
    int count = 0;
    while (decoded.modifier[count])
        count++;
    return translation.taken == (1u << count) - 1 && !translation.refused;
}

static void copies(void **state)
{
    (void)state;
    struct gr_copy copy;
    /* UTMALDG.3D.MULTICAST [UR8], [UR6], UR4, desc[UR12] */
    struct gr_translation *t = begin("UTMALDG.3D.MULTICAST");
    add_address(-1, 8, 0);
    add_address(-1, 6, 0);
    add(GR_OPERAND_UNIFORM, 4);
    add_address(-1, -1, 0)->has_descriptor = true;
    assert_true(gr_copy_take(t, &copy) && all_taken());
    assert_int_equal(copy.kind, GR_COPY_TENSOR_LOAD);
    assert_int_equal(copy.rank, 3);
    assert_int_equal(copy.first, GR_SLOT_UNIFORM + 8);
    assert_int_equal(copy.second, GR_SLOT_UNIFORM + 6);
    assert_true(copy.multicast && !copy.has_size);
    assert_int_equal(copy.blocks, GR_SLOT_UNIFORM + 4);

    /* UBLKCP.G.S [UR4], [UR6], UR8: to global memory, the other way round */
    t = begin("UBLKCP.G.S");
    add_address(-1, 4, 0);
    add_address(-1, 6, 0);
    add(GR_OPERAND_UNIFORM, 8);
    assert_true(gr_copy_take(t, &copy) && all_taken());
    assert_int_equal(copy.kind, GR_COPY_STORE);
    assert_int_equal(copy.first, GR_SLOT_UNIFORM + 6);
    assert_int_equal(copy.second, GR_SLOT_UNIFORM + 4);
    assert_int_equal(copy.size, GR_SLOT_UNIFORM + 8);

    t = begin("UBLKRED.G.S.ADD.F32.RN");
    add_address(-1, 4, 0);
    add_address(-1, 6, 0);
    add(GR_OPERAND_UNIFORM, 8);
    assert_true(gr_copy_take(t, &copy) && all_taken());
    assert_int_equal(copy.operation, GR_JOIN_ADD);
    assert_int_equal(copy.element, GR_ELEMENT_F32);

    static const char *const wrong[] = {
        "UTMALDG",    "UTMALDG.6D", "UTMAREDG.2D",         "UTMAPF.2D",
        "UBLKCP.G.G", "UBLKCP",     "UBLKRED.S.G.ADD.F32", "UTMACCTL.PF"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        t = begin(wrong[i]);
        add_address(-1, 4, 0);
        add_address(-1, 6, 0);
        add(GR_OPERAND_UNIFORM, 8);
        assert_false(gr_copy_take(t, &copy));
    }
    t = begin("UTMALDG.2D"); /* an offset, a register */
    add_address(-1, 4, 16);
    add_address(-1, 6, 0);
    assert_false(gr_copy_take(t, &copy));
    t = begin("UTMALDG.2D");
    add_address(2, 4, 0);
    add_address(-1, 6, 0);
    assert_false(gr_copy_take(t, &copy));
}

static void barriers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum gr_mbarrier_operation operation;
        bool drop, reduces, keeps_mask;
    } arrivals[] = {
        {"SYNCS.ARRIVE.TRANS64.A1T0", GR_MBARRIER_A1T0, false, false, false},
        {"SYNCS.ARRIVE.TRANS64.ART0", GR_MBARRIER_ART0, false, false, false},
        {"SYNCS.ARRIVE.TRANS64", GR_MBARRIER_A1TR, false, false, false},
        {"SYNCS.ARRIVE.TRANS64.RED.A0TR", GR_MBARRIER_A0TR, false, true, false},
        {"SYNCS.ARRIVE.TRANS64.RED.A0TX", GR_MBARRIER_A0TX, false, true, false},
        {"SYNCS.ARRIVE.TRANS64.RED", GR_MBARRIER_A1TR, false, true, false},
        {"SYNCS.ARRIVE.TRANS64.OPTOUT.ART0", GR_MBARRIER_ART0, true, false, false},
        {"SYNCS.ARRIVE.TRANS64.TMASK.ART0", GR_MBARRIER_ART0, false, false, true},
    };
    struct gr_syncs syncs;
    for (size_t i = 0; i < sizeof arrivals / sizeof arrivals[0]; i++) {
        struct gr_translation *t = begin(arrivals[i].text);
        add(GR_OPERAND_REGISTER, 6);
        add_address(3, 255, 8);
        add(GR_OPERAND_REGISTER, 9);
        assert_true(gr_syncs_take(t, &syncs) && all_taken());
        assert_int_equal(syncs.kind, GR_SYNCS_ARRIVE);
        assert_int_equal(syncs.operation, arrivals[i].operation);
        assert_true(syncs.drop == arrivals[i].drop && syncs.reduces == arrivals[i].reduces &&
                    syncs.keeps_mask == arrivals[i].keeps_mask);
        assert_int_equal(syncs.d, 6);
        assert_int_equal(syncs.base, 3);
        assert_int_equal(syncs.uniform, GR_SLOT_ZERO);
        assert_int_equal(syncs.offset, 8);
        assert_int_equal(syncs.value.slot, 9);
    }
    struct gr_translation *t = begin("SYNCS.EXCH.64");
    add(GR_OPERAND_UNIFORM, GR_REGISTER_ZERO);
    add_address(-1, 6, 0);
    add(GR_OPERAND_UNIFORM, 4);
    assert_true(gr_syncs_take(t, &syncs) && all_taken());
    assert_int_equal(syncs.kind, GR_SYNCS_EXCHANGE);
    assert_int_equal(syncs.value.slot, GR_SLOT_UNIFORM + 4);

    t = begin("SYNCS.PHASECHK.TRANS64.TRYWAIT");
    add(GR_OPERAND_PREDICATE, 2);
    add_address(-1, 6, 0);
    add(GR_OPERAND_REGISTER, 4);
    assert_true(gr_syncs_take(t, &syncs) && all_taken());
    assert_true(syncs.kind == GR_SYNCS_PHASE && syncs.waits);
    assert_int_equal(syncs.predicate, 2);

    t = begin("ARRIVES.LDGSTSBAR.64.TRANSCNT");
    add_address(-1, 6, 0);
    assert_true(gr_syncs_take(t, &syncs) && all_taken());
    assert_int_equal(syncs.operation, GR_MBARRIER_A0TX);
    t = begin("SYNCS.CCTL.IV");
    add_address(-1, 6, 0);
    assert_true(gr_syncs_take(t, &syncs) && all_taken());

    static const char *const wrong[] = {"SYNCS",      "SYNCS.ARRIVE",   "SYNCS.CAS.64",
                                        "SYNCS.EXCH", "SYNCS.PHASECHK", "SYNCS.CCTL.WB"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        t = begin(wrong[i]);
        add(GR_OPERAND_REGISTER, 6);
        add_address(-1, 6, 0);
        add(GR_OPERAND_REGISTER, 4);
        assert_false(gr_syncs_take(t, &syncs));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
