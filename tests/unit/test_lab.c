/* test_lab.c: statistics, sweeps of sizes, baselines, the shared arena, and devices
 * that are not there. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "measure/arena.h"
#include "measure/baseline.h"
#include "measure/session.h"
#include "measure/stats.h"
#include "measure/sweep.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void medians(void **state)
{
    (void)state;
    double odd[] = {5, 1, 3}, even[] = {4, 1, 2, 3}, one[] = {7};
    struct gr_stat s = gr_stat_of(odd, 3);
    assert_true(s.median == 3 && s.min == 1 && s.iqr == 2 && s.n == 3);
    assert_true(gr_stat_of(even, 4).median == 2.5);
    assert_true(gr_stat_of(one, 1).median == 7);
    assert_int_equal(gr_stat_of(one, 0).n, 0);
}

/* The interval holds the true median about 95 times in 100, and is no wider than it needs to be. */
static void interval_covers(void **state)
{
    (void)state;
    struct gr_rng {
        uint64_t s;
    } rng = {12345};
    int covered = 0, rounds = 2000;
    for (int r = 0; r < rounds; r++) {
        double samples[25];
        for (int i = 0; i < 25; i++) {
            rng.s = rng.s * 6364136223846793005u + 1442695040888963407u;
            samples[i] = (double)(rng.s >> 11) * 0x1p-53;
        }
        struct gr_ratio ratio = gr_ratio_of(samples, 25);
        covered += ratio.lo <= 0.5 && 0.5 <= ratio.hi;
    }
    assert_in_range(covered, rounds * 93 / 100, rounds * 99 / 100);
}

static void sizes_of_sweeps(void **state)
{
    (void)state;
    struct gr_size *sizes = NULL;
    int count = 0;
    struct gradus_error error = {0};
    assert_int_equal(gr_sizes_parse("64:600:x2,7x8x9,10:30:+10", &sizes, &count, &error),
                     GRADUS_OK);
    int64_t wanted[] = {64, 128, 256, 512, 7, 10, 20, 30};
    assert_int_equal(count, 8);
    for (int i = 0; i < count; i++)
        assert_int_equal(sizes[i].m, wanted[i]);
    assert_int_equal(sizes[4].k, 9);
    const char *bad[] = {"",          "64:32:x2", "64:128:x1",  "64:128:2", "64:128:x2x",
                         "1:9:+0",    "a",        "64,,128",    "64,",      "0:64:x2",
                         "64:128:-1", "5x5",      "1:99999:+1", ":::",      "64:128:x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(gr_sizes_parse(bad[i], &sizes, &count, &error), GRADUS_INVALID);
    free(sizes);
    gradus_error_clear(&error);
}

static struct gr_row timed(double median_ns, double iqr_ns)
{
    struct gr_row row = {.kernel = (char *)"k", .device = (char *)"cpu", .threads = 1};
    row.problem = gr_problem_dense(64, 64, 64, false, false, gr_types_of(GR_F32));
    row.time_ns = (struct gr_stat){median_ns, median_ns - iqr_ns, iqr_ns, 20};
    return row;
}

static void baselines(void **state)
{
    (void)state;
    struct gr_row old = timed(100, 4), slower = timed(120, 4), even = timed(102, 8),
                  faster = timed(80, 4);
    struct gr_run run = {.rows = &old, .row_count = 1};
    double ratio;
    assert_ptr_equal(gr_baseline_find(&run, &slower), &old);
    slower.callers = 4;
    assert_null(gr_baseline_find(&run, &slower));
    slower.callers = 1; /* as in a file that does not have it */
    assert_ptr_equal(gr_baseline_find(&run, &slower), &old);
    assert_int_equal(gr_baseline_compare(&old, &slower, 0.03, &ratio), GR_CHANGE_SLOWER);
    assert_true(fabs(ratio - 100.0 / 120) < 1e-12);
    assert_int_equal(gr_baseline_compare(&old, &even, 0.03, &ratio), GR_CHANGE_EVEN);
    assert_int_equal(gr_baseline_compare(&old, &faster, 0.03, &ratio), GR_CHANGE_FASTER);
    assert_int_equal(gr_baseline_compare(NULL, &faster, 0.03, &ratio), GR_CHANGE_NEW);
    faster.verdict = GR_WRONG;
    assert_int_equal(gr_baseline_compare(&old, &faster, 0.03, &ratio), GR_CHANGE_BROKEN);
    /* Beside the same peer, twice the time on a machine half as fast is no change. */
    strcpy(old.peer.name, "openblas");
    old.speedup = (struct gr_ratio){0.9, 0.88, 0.92, 20};
    struct gr_row busy = timed(200, 8);
    busy.peer = old.peer;
    busy.speedup = (struct gr_ratio){0.91, 0.89, 0.93, 20};
    assert_int_equal(gr_baseline_compare(&old, &busy, 0.03, &ratio), GR_CHANGE_EVEN);
    struct gr_row other = timed(100, 4);
    other.cold = true;
    assert_null(gr_baseline_find(&run, &other));
}

/* Writes one byte in a child process; the signal that it dies of, or 0. */
static int poke(unsigned char *p)
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile unsigned char *)p = 1;
        _exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void arena_has_guards(void **state)
{
    (void)state;
    struct gr_arena arena;
    struct gradus_error error = {0};
    struct gr_arena_plan plan = {.count = 3, .bytes = {1000, 5000, 1}};
    assert_int_equal(gr_arena_create(&arena, &error), GRADUS_OK);
    assert_int_equal(gr_arena_map(&arena, &plan, true, &error), GRADUS_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(poke(arena.segment[i]), 0);
        assert_int_equal(poke(arena.segment[i] + arena.size[i] - 1), 0);
        assert_int_not_equal(poke(arena.segment[i] + arena.size[i]), 0);
        assert_int_not_equal(poke(arena.segment[i] - 1), 0);
        int segment;
        int64_t offset;
        assert_true(gr_arena_locate(&arena, arena.segment[i] - 8, &segment, &offset));
        assert_int_equal(segment, i);
        assert_int_equal(offset, -8);
        assert_true(
            gr_arena_locate(&arena, arena.segment[i] + arena.size[i] + 4, &segment, &offset));
        assert_int_equal(segment, i);
        assert_int_equal(offset, arena.size[i] + 4);
    }
    plan.bytes[1] = 1ull << 60;
    assert_int_equal(gr_arena_map(&arena, &plan, true, &error), GRADUS_NO_MEMORY);
    gr_arena_close(&arena);
    gradus_error_clear(&error);
}

/* A device without a driver is a reason, one that nobody knows a mistake; neither opens. */
static void sessions_without_device(void **state)
{
    (void)state;
    const struct {
        const char *device;
        enum gradus_status status;
        const char *words;
    } cases[] = {{"hip", GRADUS_UNSUPPORTED, "no AMD driver"},
                 {"hip:3", GRADUS_UNSUPPORTED, "no AMD driver"},
                 {"hipp", GRADUS_INVALID, "hipp"},
                 {"", GRADUS_INVALID, ""},
                 {"sim:nothing", GRADUS_INVALID, "sim:nothing"}};
    setenv("GRADUS_HIP_DRIVER", "/nowhere/libamdhip64.so", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_session session;
        struct gradus_error error = {0};
        struct gr_options options = gr_options_default();
        enum gradus_status status = gr_device_ref_parse(cases[i].device, &options.device, &error);
        if (status == GRADUS_OK)
            status = gr_session_open(&options, &session, &error);
        assert_int_equal(status, cases[i].status);
        assert_non_null(strstr(error.text, cases[i].words));
        assert_null(strchr(error.text, '\n'));
        gradus_error_clear(&error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians),          cmocka_unit_test(interval_covers),
        cmocka_unit_test(sizes_of_sweeps),  cmocka_unit_test(baselines),
        cmocka_unit_test(arena_has_guards), cmocka_unit_test(sessions_without_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
