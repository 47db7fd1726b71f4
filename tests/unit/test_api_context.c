/* test_api_context.c: threads and memory of one's own: contexts, workspaces, the setter; what is
 * allocated. SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_trial.h"
#include "cpu/dispatch.h"
#include "sanitized.h"

/* The C library's own functions by their other names, so that these count the calls. A sanitizer
 * has its own in their place. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(UNDER_THREAD_SANITIZER)
#define COUNTS_ALLOCATIONS 1
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
static atomic_int allocations;

void *malloc(size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(count, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_memalign(alignment, size);
}
#endif

static void run_and_check(const struct trial *t)
{
    struct gradus_error error = {0};
    char why[256];
    if (gradus_gemm_run(&t->g, &error))
        fail_msg("%s", error.text);
    if (!trial_is_right(t, why))
        fail_msg("%s", why);
}

#ifdef COUNTS_ALLOCATIONS
static int allocations_of(const struct gradus_gemm *g)
{
    const int before = allocations;
    assert_int_equal(gradus_gemm_run(g, NULL), GRADUS_OK);
    return allocations - before;
}

enum { WATCHED = 4096 };

static void small_products_allocate_nothing(void **state)
{
    (void)state;
    struct gr_rng rng = {41};
    struct trial t = {.g = trial_shape(0, 0, 40, 41, 42)};
    trial_make(&t, &rng);
    assert_int_equal(allocations_of(&t.g), 0);
    trial_free(&t);
    t = (struct trial){.g = trial_shape(1, 0, 4, 4, 4)};
    t.g.batch = 300;
    trial_make(&t, &rng);
    assert_int_equal(allocations_of(&t.g), 0);
    trial_free(&t);
}

/* Its first call needs a buffer, though the library has one from a call without a context. */
static void a_context_has_its_own_buffer(void **state)
{
    (void)state;
    struct gr_rng rng = {47};
    struct trial t = {.g = trial_shape(0, 0, 600, 600, 600)};
    struct gradus_context *context;
    trial_make(&t, &rng);
    t.g.threads = 1;
    run_and_check(&t);
    assert_int_equal(gradus_context_create(1, &context, NULL), GRADUS_OK);
    t.g.context = context;
    assert_true(allocations_of(&t.g) > 0);
    assert_int_equal(allocations_of(&t.g), 0);
    gradus_context_free(context);
    trial_free(&t);
}

/* Whether operands are packed; some CPUs read them in place. */
static bool is_packed(const struct gradus_gemm *gemm)
{
    struct gr_dispatch dispatch;
    assert_int_equal(gr_cpu_dispatch(gemm, NULL, &dispatch, NULL), GRADUS_OK);
    return strcmp(dispatch.path, "packed") == 0;
}

/* Once the context's threads are there, a call that brings memory allocates nothing; neither does
 * one without a context on one thread. Here k is longer than a block. */
static void a_workspace_is_all_memory(void **state)
{
    (void)state;
    struct gr_rng rng = {42};
    struct gradus_context *context;
    assert_int_equal(gradus_context_create(3, &context, NULL), GRADUS_OK);
    for (int i = 0; i < 24; i++) {
        struct trial t = {.g = trial_shape(i % TRIAL_KINDS, i % 8, 130, 140, 1100)};
        t.g.batch = i % 3 * 5;
        t.g.context = i % 2 ? context : NULL;
        t.g.threads = i % 2 ? 0 : 1;
        trial_make(&t, &rng);
        t.g.workspace_bytes = gradus_gemm_workspace(&t.g, NULL);
        if (is_packed(&t.g))
            assert_true(t.g.workspace_bytes > 0);
        /* It begins one byte past a boundary, so that the call needs all of it. The bytes behind
         * are watched. */
        unsigned char *memory = malloc((size_t)t.g.workspace_bytes + 64 + WATCHED);
        unsigned char *workspace = memory + 64 - (uintptr_t)memory % 64 + 1;
        memset(workspace + t.g.workspace_bytes, 0xa5, WATCHED - 1);
        t.g.workspace = workspace;
        assert_int_equal(allocations_of(&t.g), 0);
        for (int at = 0; at < WATCHED - 1; at++)
            assert_int_equal(workspace[t.g.workspace_bytes + at], 0xa5);
        char why[256];
        if (!trial_is_right(&t, why))
            fail_msg("%s", why);
        free(memory);
        trial_free(&t);
    }
    gradus_context_free(context);
}
#endif

struct caller {
    struct gradus_context *context;
    int seed;
};

static void *multiply_often(void *argument)
{
    const struct caller *caller = argument;
    struct gr_rng rng = {(uint64_t)caller->seed};
    for (int i = 0; i < 20; i++) {
        struct trial t = {.g = trial_shape(0, i % 8, 100 + i, 110, 120)};
        t.g.context = caller->context;
        trial_make(&t, &rng);
        run_and_check(&t);
        trial_free(&t);
    }
    return NULL;
}

/* Calls that meet in a context are all right; so is it afterwards. */
static void one_context_many_callers(void **state)
{
    (void)state;
    struct caller callers[4];
    pthread_t threads[4];
    struct gradus_context *context;
    assert_int_equal(gradus_context_create(3, &context, NULL), GRADUS_OK);
    for (int i = 0; i < 4; i++) {
        callers[i] = (struct caller){context, 50 + i};
        assert_int_equal(pthread_create(&threads[i], NULL, multiply_often, &callers[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    multiply_often(&callers[0]);
    gradus_context_free(context);
}

static void contexts_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct caller caller = {NULL, i};
        assert_int_equal(gradus_context_create(i % 4, &caller.context, NULL), GRADUS_OK);
        if (i % 5 == 0)
            multiply_often(&caller);
        gradus_context_free(caller.context);
    }
}

static void a_context_survives_fork(void **state)
{
    (void)state;
    if (fork_is_forbidden())
        skip();
    struct caller caller = {NULL, 60};
    assert_int_equal(gradus_context_create(3, &caller.context, NULL), GRADUS_OK);
    multiply_often(&caller);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20);
        multiply_often(&caller);
        gradus_context_free(caller.context);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    multiply_often(&caller);
    gradus_context_free(caller.context);
}

/* The bytes of a workspace tell how many threads a call counts with. */
static int64_t bytes_now(void)
{
    struct gradus_gemm g = trial_shape(0, 0, 1000, 1000, 1000);
    g.lda = g.ldb = g.ldc = 1000;
    const int64_t bytes = gradus_gemm_workspace(&g, NULL);
    assert_true(bytes > 0);
    return bytes;
}

static void *bytes_elsewhere(void *bytes)
{
    *(int64_t *)bytes = bytes_now();
    return NULL;
}

static void the_setter_is_the_threads_own(void **state)
{
    (void)state;
    assert_int_equal(gradus_set_threads(1), 0);
    const int64_t one = bytes_now();
    assert_int_equal(gradus_set_threads(6), 1);
    const int64_t six = bytes_now();
    assert_true(six > one);
    pthread_t other;
    int64_t there, here;
    assert_int_equal(pthread_create(&other, NULL, bytes_elsewhere, &there), 0);
    pthread_join(other, NULL);
    assert_int_equal(gradus_set_threads(-3), 6);
    here = bytes_now();
    assert_int_equal(here, there);
    assert_int_equal(gradus_set_threads(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef COUNTS_ALLOCATIONS
        cmocka_unit_test(small_products_allocate_nothing),
        cmocka_unit_test(a_context_has_its_own_buffer),
        cmocka_unit_test(a_workspace_is_all_memory),
#endif
        cmocka_unit_test(one_context_many_callers),
        cmocka_unit_test(contexts_come_and_go),
        cmocka_unit_test(a_context_survives_fork),
        cmocka_unit_test(the_setter_is_the_threads_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
