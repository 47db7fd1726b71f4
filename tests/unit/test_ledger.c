/* test_ledger.c: calls counted in shared memory by many, some of whom are killed.
 * SPDX-License-Identifier: MIT */
/* threads: tests/unit/test_ledger.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/ledger.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gr_ledger_key key_of(const char *routine, int64_t m)
{
    struct gr_ledger_key key = {.m = m, .n = 3, .k = 5};
    strcpy(key.routine, routine);
    return key;
}

struct sum {
    unsigned long long places, calls, flop, time_ns;
};

static struct sum sum_of(const struct gr_ledger_entry *table, int size, const char *routine)
{
    struct sum sum = {0};
    for (int i = 0; i < size; i++)
        if (gr_ledger_ready(&table[i].state) && strcmp(table[i].key.routine, routine) == 0) {
            sum.places++;
            sum.calls += table[i].calls;
            sum.flop += table[i].flop;
            sum.time_ns += table[i].time_ns;
        }
    return sum;
}

enum { ROUNDS = 5000, SIZES = 50, THREADS = 4 };

static void *add_many(void *argument)
{
    struct gr_ledger *ledger = argument;
    for (int i = 0; i < ROUNDS; i++) {
        const struct gr_ledger_key key = key_of(i % 2 ? "sgemm_" : "cblas_dgemm", i % SIZES + 1);
        gr_ledger_add(ledger, &key, 4, 7); /* batches of 4 */
    }
    return NULL;
}

/* No call is lost or counted twice, whoever comes first to a place. */
static void many_threads(void **state)
{
    (void)state;
    struct gr_ledger *ledger = calloc(1, sizeof *ledger);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, ledger), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int odd = 0; odd < 2; odd++) {
        const char *routine = odd ? "sgemm_" : "cblas_dgemm";
        const struct sum all = sum_of(ledger->routines, GR_LEDGER_ROUTINES, routine);
        const struct sum shapes = sum_of(ledger->shapes, GR_LEDGER_SHAPES, routine);
        assert_int_equal(all.calls, THREADS * ROUNDS / 2);
        assert_int_equal(all.time_ns, 7 * all.calls);
        assert_int_equal(shapes.calls, all.calls);
        assert_int_equal(shapes.flop, all.flop);
        assert_true(shapes.places >= SIZES / 2 && shapes.places <= THREADS * SIZES / 2);
        /* m is 1, 3, 5 … or 2, 4, 6 …, the same number of times each */
        assert_int_equal(all.flop, 4 * 2 * 3 * 5 * all.calls * (odd ? SIZES / 2 + 1 : SIZES / 2));
    }
    free(ledger);
}

/* Who was killed in the midst of writing holds a place for ever, and nobody waits for it. */
static void killed_writer(void **state)
{
    (void)state;
    struct gr_ledger *ledger = calloc(1, sizeof *ledger);
    for (int i = 0; i < GR_LEDGER_SHAPES; i += 2)
        ledger->shapes[i].state = 1;
    for (int m = 1; m <= 40; m++) {
        const struct gr_ledger_key key = key_of("dgemm_", m);
        gr_ledger_add(ledger, &key, 1, 1);
        gr_ledger_add(ledger, &key, 1, 1);
    }
    const struct sum sum = sum_of(ledger->shapes, GR_LEDGER_SHAPES, "dgemm_");
    assert_int_equal(sum.places, 40);
    assert_int_equal(sum.calls, 80);
    free(ledger);
}

/* Where shapes find no place any more, their routine still counts them. */
static void full_table(void **state)
{
    (void)state;
    struct gr_ledger *ledger = calloc(1, sizeof *ledger);
    const int count = 2 * GR_LEDGER_SHAPES;
    for (int m = 1; m <= count; m++) {
        const struct gr_ledger_key key = key_of("dgemm_", m);
        gr_ledger_add(ledger, &key, 1, 1);
    }
    assert_int_equal(sum_of(ledger->routines, GR_LEDGER_ROUTINES, "dgemm_").calls, count);
    const struct sum shapes = sum_of(ledger->shapes, GR_LEDGER_SHAPES, "dgemm_");
    assert_true(shapes.calls > GR_LEDGER_SHAPES / 2 && shapes.calls <= GR_LEDGER_SHAPES);
    free(ledger);
}

static void objects_once(void **state)
{
    (void)state;
    struct gr_ledger *ledger = calloc(1, sizeof *ledger);
    char path[2 * sizeof ledger->objects[0].path];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    gr_ledger_note_object(ledger, "/usr/lib/libblas.so.3");
    gr_ledger_note_object(ledger, path);
    gr_ledger_note_object(ledger, "/usr/lib/libblas.so.3");
    gr_ledger_note_object(ledger, path);
    assert_true(gr_ledger_ready(&ledger->objects[1].state));
    assert_false(gr_ledger_ready(&ledger->objects[2].state));
    assert_string_equal(ledger->objects[0].path, "/usr/lib/libblas.so.3");
    assert_int_equal(strlen(ledger->objects[1].path), sizeof ledger->objects[1].path - 1);
    for (int i = 0; i < 2 * GR_LEDGER_OBJECTS; i++) {
        snprintf(path, sizeof path, "/lib/libblas%d.so", i);
        gr_ledger_note_object(ledger, path); /* more than it holds */
    }
    free(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads),
        cmocka_unit_test(killed_writer),
        cmocka_unit_test(full_table),
        cmocka_unit_test(objects_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
