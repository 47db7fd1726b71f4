/* test_roomy.c: work with a deep stack, under stacks that may grow to little and to much.
 * SPDX-License-Identifier: MIT */
/* threads: src/base/deep_stack.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/deep_stack.h"

#include <pthread.h>
#include <sys/resource.h>

enum { DEEP = 4 << 20, SMALL = 512 << 10 };

struct seen {
    pthread_t thread;
    int sum;
};

/* More than a small stack holds. */
static void go_deep(void *seen)
{
    struct seen *s = seen;
    volatile char block[DEEP];
    for (size_t i = 0; i < sizeof block; i += 4096)
        block[i] = 1;
    for (size_t i = 0; i < sizeof block; i += 4096)
        s->sum += block[i];
    s->thread = pthread_self();
}

static void set_stack(rlim_t bytes, struct rlimit *before)
{
    assert_int_equal(getrlimit(RLIMIT_STACK, before), 0);
    const struct rlimit wanted = {bytes, before->rlim_max};
    assert_int_equal(setrlimit(RLIMIT_STACK, &wanted), 0);
}

static void a_small_stack_gets_another(void **state)
{
    (void)state;
    struct rlimit before;
    struct seen seen = {0};
    set_stack(SMALL, &before);
    const bool done = gr_run_on_deep_stack(go_deep, &seen);
    setrlimit(RLIMIT_STACK, &before);
    assert_true(done);
    assert_int_equal(seen.sum, DEEP / 4096);
    assert_false(pthread_equal(seen.thread, pthread_self()));
}

static void note_thread(void *seen)
{
    ((struct seen *)seen)->thread = pthread_self();
}

static void a_large_stack_is_used(void **state)
{
    (void)state;
    struct rlimit before;
    struct seen seen = {0};
    assert_int_equal(getrlimit(RLIMIT_STACK, &before), 0);
    if (before.rlim_max < GR_DEEP_STACK_BYTES)
        skip();
    set_stack(GR_DEEP_STACK_BYTES, &before);
    assert_true(gr_run_on_deep_stack(note_thread, &seen));
    setrlimit(RLIMIT_STACK, &before);
    assert_true(pthread_equal(seen.thread, pthread_self()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_stack_gets_another),
        cmocka_unit_test(a_large_stack_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
