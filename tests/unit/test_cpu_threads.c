/* test_cpu_threads.c: teams, and the cores that control groups grant. SPDX-License-Identifier: MIT
 */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/clock.h"
#include "base/file.h"
#include "cpu/cpu.h"
#include "cpu/quota.h"
#include "sanitized.h"
#include "ukr.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TILES = 1000, THREADS = 5 };

struct tally {
    atomic_int times[TILES];
    atomic_int inside[THREADS];
    atomic_int collisions;
};

static void count(void *context, int64_t tile, int thread)
{
    struct tally *t = context;
    if (atomic_fetch_add(&t->inside[thread], 1) != 0)
        atomic_fetch_add(&t->collisions, 1);
    atomic_fetch_add(&t->times[tile], 1);
    atomic_fetch_sub(&t->inside[thread], 1);
}

static void expect_once_each(struct gr_team *team, int64_t tiles)
{
    static struct tally t;
    memset(&t, 0, sizeof t);
    team->run(team, tiles, count, &t);
    for (int64_t i = 0; i < TILES; i++)
        assert_int_equal(t.times[i], i < tiles);
    assert_int_equal(t.collisions, 0);
}

static void each_tile_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++) {
        struct gr_team *team = gr_team_open(threads);
        assert_non_null(team);
        assert_int_equal(team->threads, threads);
        for (int64_t tiles = 0; tiles < 20; tiles++)
            expect_once_each(team, tiles);
        expect_once_each(team, TILES);
        gr_team_close(team);
    }
}

/* A tile of the second of two loops counts in the other half. */
static void count_second(void *context, int64_t tile, int thread)
{
    count(context, TILES / 2 + tile, thread);
}

static void expect_both(struct gr_team *team, int64_t first, int64_t second)
{
    static struct tally t;
    memset(&t, 0, sizeof t);
    gr_team_run_both(team, (struct gr_loop){first, count}, (struct gr_loop){second, count_second},
                     &t);
    for (int64_t i = 0; i < TILES / 2; i++) {
        assert_int_equal(t.times[i], i < first);
        assert_int_equal(t.times[TILES / 2 + i], i < second);
    }
    assert_int_equal(t.collisions, 0);
}

static void two_loops_at_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++) {
        struct gr_team *team = gr_team_open(threads);
        for (int64_t first = 0; first < 9; first++)
            for (int64_t second = 0; second < 9; second++)
                expect_both(team, first, second);
        for (int i = 0; i < 200; i++)
            expect_both(team, 100, 60);
        gr_team_close(team);
    }
}

/* Loops that follow one another at once, and after the workers have gone to sleep. */
static void no_loop_is_lost(void **state)
{
    (void)state;
    struct gr_team *team = gr_team_open(3);
    for (int i = 0; i < 2000; i++)
        expect_once_each(team, i % 7);
    for (int i = 0; i < 20; i++) {
        gr_sleep_ns(1000000);
        expect_once_each(team, 100);
    }
    gr_team_close(team);
}

/* What the worker could use while it was in a loop. */
struct seen {
    atomic_int worker; /* its thread's number; 0: it has not come */
    cpu_set_t cores;
};

static void look(void *context, int64_t tile, int thread)
{
    struct seen *seen = context;
    (void)tile;
    if (thread == 1 && !atomic_load(&seen->worker)) {
        sched_getaffinity(0, sizeof seen->cores, &seen->cores);
        atomic_store(&seen->worker, gettid());
    }
    for (int i = 0; i < 1000 && !atomic_load(&seen->worker); i++)
        gr_sleep_ns(1000000);
}

/* Asleep, a worker keeps off the core of the caller, there to be woken late; at work, it may use
 * any. */
static void sleeps_on_another_core(void **state)
{
    (void)state;
    static cpu_set_t all, one, asleep;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    struct gr_team *team = gr_team_open(2);
    const int core = sched_getcpu();
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    for (int turn = 0; turn < 2; turn++) {
        struct seen seen = {0};
        team->run(team, 2, look, &seen);
        assert_true(atomic_load(&seen.worker));
        assert_true(CPU_EQUAL(&seen.cores, &all));
        bool off = CPU_COUNT(&all) == 1;
        for (int i = 0; i < 5000 && !off; i++) {
            gr_sleep_ns(1000000);
            assert_int_equal(sched_getaffinity(seen.worker, sizeof asleep, &asleep), 0);
            off = !CPU_ISSET(core, &asleep) && CPU_COUNT(&asleep) == CPU_COUNT(&all) - 1;
        }
        assert_true(off);
    }
    gr_team_close(team);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void a_team_survives_fork(void **state)
{
    (void)state;
    if (fork_is_forbidden())
        skip();
    struct gr_team *team = gr_team_open(3);
    expect_once_each(team, 50);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20);
        expect_once_each(team, 50);
        gr_team_close(team);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    expect_once_each(team, 50);
    gr_team_close(team);
}

static void write_text(const char *directory, const char *name, const char *text)
{
    char path[256];
    struct gradus_error error = {0};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    char *slash = strrchr(path, '/');
    *slash = 0;
    assert_int_equal(gr_dir_make(path, &error), GRADUS_OK);
    *slash = '/';
    assert_int_equal(gr_file_write(path, text, strlen(text), &error), GRADUS_OK);
}

static int quota_of(const char *root, const char *membership)
{
    char path[256];
    write_text(root, "membership", membership);
    snprintf(path, sizeof path, "%s/membership", root);
    return gr_cpu_quota(path, root);
}

static void quotas(void **state)
{
    (void)state;
    char root[] = "/tmp/gradus-quota-XXXXXX", command[64];
    assert_non_null(mkdtemp(root));
    assert_int_equal(gr_cpu_quota("/no/such/file", root), 0);
    assert_int_equal(quota_of(root, "0::/a/b\n"), 0);
    write_text(root, "a/b/cpu.max", "max 100000\n");
    assert_int_equal(quota_of(root, "0::/a/b\n"), 0);
    write_text(root, "a/b/cpu.max", "250000 100000\n"); /* 2.5 cores are 3 */
    assert_int_equal(quota_of(root, "0::/a/b\n"), 3);
    write_text(root, "a/cpu.max", "100000 100000\n"); /* the group above is tighter */
    assert_int_equal(quota_of(root, "0::/a/b\n"), 1);
    assert_int_equal(quota_of(root, "0::/elsewhere\n"), 0);
    write_text(root, "cpu/c/cpu.cfs_quota_us", "-1\n"); /* version 1: no limit */
    write_text(root, "cpu/c/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota_of(root, "5:cpuset:/c\n4:cpu,cpuacct:/c\n"), 0);
    write_text(root, "cpu/c/cpu.cfs_quota_us", "150000\n");
    assert_int_equal(quota_of(root, "5:cpuset:/c\n4:cpu,cpuacct:/c\n"), 2);
    assert_int_equal(quota_of(root, "5:cpuset:/c\n4:cpuacct:/c\n"), 0);
    assert_int_equal(quota_of(root, "nonsense\n::\n"), 0);
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

static void what_is_here(void **state)
{
    (void)state;
    assert_true(gr_cpu_threads_allowed() >= 1);
    assert_true(gr_cpu_threads_default() >= 1);
    assert_true(gr_cpu_isa_runs(gr_cpu_isa()));
    assert_false(gr_cpu_isa_runs("mmx"));
    assert_int_equal(gr_cpu_cache_bytes(0), 0);
    assert_true(gr_cpu_cache_bytes(1) < 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tile_once),         cmocka_unit_test(no_loop_is_lost),
        cmocka_unit_test(a_team_survives_fork),   cmocka_unit_test(quotas),
        cmocka_unit_test(what_is_here),           cmocka_unit_test(two_loops_at_once),
        cmocka_unit_test(sleeps_on_another_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
