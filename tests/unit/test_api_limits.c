/* test_api_limits.c: no more threads than cores, however many are asked for.
 * SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_trial.h"
#include "cpu/cpu.h"
#include "sanitized.h"

static int threads_of_process(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    while (tasks && readdir(tasks))
        count++;
    if (tasks)
        closedir(tasks);
    return count - 2; /* less . and .. */
}

static int threads_since_start(void)
{
    static int first;
    first = first ? first : threads_of_process();
    return threads_of_process() - first + 1;
}

/* The thread sanitizer has a thread of its own. */
#ifdef UNDER_THREAD_SANITIZER
enum { OTHERS = 1 };
#else
enum { OTHERS = 0 };
#endif

static void expect_few(const char *what)
{
    const int found = threads_since_start() - OTHERS, allowed = gr_cpu_threads_allowed();
    if (found > allowed)
        fail_msg("%s: %d threads, %d cores", what, found, allowed);
}

static void asked_by_a_call(void **state)
{
    (void)state;
    static const int wishes[] = {3, 1000, 100000, INT_MAX};
    struct gr_rng rng = {61};
    struct trial t = {.g = trial_shape(0, 0, 200, 200, 200)};
    char why[256];
    trial_make(&t, &rng);
    for (int i = 0; i < 4; i++) {
        t.g.threads = wishes[i];
        memcpy(t.c, t.before, (size_t)(t.c_count * 4));
        assert_int_equal(gradus_gemm_run(&t.g, NULL), GRADUS_OK);
        assert_true(trial_is_right(&t, why));
        expect_few("gemm.threads");
        /* memory goes by the threads that there are */
        assert_true(gradus_gemm_workspace(&t.g, NULL) <
                    (int64_t)(gr_cpu_threads_allowed() + 1) * (8 << 20));
    }
    t.g.threads = 0;
    gradus_set_threads(100000);
    assert_int_equal(gradus_gemm_run(&t.g, NULL), GRADUS_OK);
    assert_int_equal(gradus_set_threads(0), 100000);
    expect_few("gradus_set_threads");
    t.g.batch = 50, t.g.stride_c = t.g.m * t.g.ldc, t.g.stride_a = t.g.stride_b = 0;
    t.g.c = calloc((size_t)(50 * t.g.stride_c), 4), t.g.threads = 100000;
    assert_int_equal(gradus_gemm_run(&t.g, NULL), GRADUS_OK);
    expect_few("a batch");
    free(t.g.c);
    trial_free(&t);
}

static void refused(void **state)
{
    (void)state;
    struct gr_rng rng = {62};
    struct trial t = {.g = trial_shape(0, 0, 20, 20, 20)};
    struct gradus_context *context;
    trial_make(&t, &rng);
    t.g.threads = -1;
    assert_int_equal(gradus_gemm_run(&t.g, NULL), GRADUS_INVALID);
    t.g.threads = INT_MIN;
    assert_int_equal(gradus_gemm_run(&t.g, NULL), GRADUS_INVALID);
    assert_int_equal(gradus_context_create(INT_MIN, &context, NULL), GRADUS_INVALID);
    trial_free(&t);
}

static void contexts(void **state)
{
    (void)state;
    struct gradus_context *context;
    struct gradus_error error = {0};
    if (gradus_context_create(1000000000, &context, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    /* beside those of the calls before, which sleep */
    assert_true(threads_since_start() - OTHERS <= 2 * gr_cpu_threads_allowed());
    gradus_context_free(context);
}

/* In a process of its own, tied to one core: not a thread is started. */
static void one_core(void **state)
{
    (void)state;
    if (fork_is_forbidden())
        skip();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        /* nothing must be known of the cores that the parent had: a fresh program */
        execl("/proc/self/exe", "test_api_limits", "one core", (char *)NULL);
        _exit(2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int on_one_core(void)
{
    cpu_set_t one;
    struct gr_rng rng = {63};
    struct trial t = {.g = trial_shape(0, 0, 200, 200, 200)};
    trial_make(&t, &rng);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one))
        return 3;
    const int before = threads_of_process();
    t.g.threads = 64;
    const bool failed = gradus_gemm_run(&t.g, NULL) != GRADUS_OK || threads_of_process() != before;
    trial_free(&t);
    return failed;
}

int main(int count, char **words)
{
    (void)words;
    if (count > 1)
        return on_one_core();
    threads_since_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asked_by_a_call),
        cmocka_unit_test(refused),
        cmocka_unit_test(contexts),
        cmocka_unit_test(one_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
