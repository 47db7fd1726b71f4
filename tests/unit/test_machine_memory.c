/* test_machine_memory.c: the ranges of global memory that a kernel may access.
 * SPDX-License-Identifier: MIT */
#include "machine/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool has(const struct gr_machine_memory *memory, uint64_t address)
{
    return gr_memory_find(memory, address) != NULL;
}

static void ranges(void **state)
{
    struct gr_machine_memory memory = {0};
    (void)state;
    assert_true(gr_memory_add(&memory, 300, 50) && gr_memory_add(&memory, 100, 100));
    assert_true(has(&memory, 100) && has(&memory, 199) && has(&memory, 300) && has(&memory, 349));
    assert_false(has(&memory, 99) || has(&memory, 200) || has(&memory, 299) || has(&memory, 350));
    gr_memory_remove(&memory, 100);
    assert_false(has(&memory, 150));
    assert_true(has(&memory, 310));
    gr_memory_free(&memory);
}

/* An operand of no elements has an address, which may later be within another one. */
static void no_bytes(void **state)
{
    struct gr_machine_memory memory = {0};
    (void)state;
    assert_true(gr_memory_add(&memory, 150, 0));
    gr_memory_remove(&memory, 150);
    assert_true(gr_memory_add(&memory, 150, 0) && gr_memory_add(&memory, 100, 100));
    assert_true(has(&memory, 100) && has(&memory, 150) && has(&memory, 199));
    gr_memory_remove(&memory, 150);
    assert_true(has(&memory, 180));
    gr_memory_remove(&memory, 100);
    assert_false(has(&memory, 150));
    gr_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges), cmocka_unit_test(no_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
