/* test_dist_team.c: threads that stay for one round of work after another: messages, rounds that
 * fail and those after them, forked processes. SPDX-License-Identifier: MIT */
/* threads: src/dist/dist_threads.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/error.h"
#include "dist/dist_threads.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 5, ROUNDS = 300 };

struct round {
    int64_t number, fails; /* a rank; -1: none */
    int64_t sums[RANKS];
};

static void add(void *sum, const void *x, size_t bytes)
{
    (void)bytes;
    *(int64_t *)sum += *(const int64_t *)x;
}

/* Each sends its number to the next rank, and all add up what they got. */
static enum gradus_status work(struct gr_dist_comm *comm, void *context, struct gradus_error *error)
{
    struct round *const r = context;
    int64_t mine = comm->rank + r->number, got = -1;
    struct gr_dist_message to = {(comm->rank + 1) % comm->size, &mine, sizeof mine};
    struct gr_dist_message from = {(comm->rank + comm->size - 1) % comm->size, &got, sizeof got};
    if (comm->rank == r->fails)
        return gr_fail(error, GRADUS_IO, "rank %d of round %d", (int)comm->rank, (int)r->number);
    enum gradus_status status =
        comm->size > 1 ? comm->exchange(comm, &to, 1, &from, 1, error) : GRADUS_OK;
    r->sums[comm->rank] = comm->size > 1 ? got : mine;
    if (status == GRADUS_OK)
        status = gr_dist_combine(comm, &r->sums[comm->rank], sizeof r->sums[0], add, error);
    return status;
}

static void run_rounds(int64_t ranks, bool looks)
{
    struct gr_dist_team *team;
    struct gradus_error error = {0};
    assert_int_equal(gr_dist_team_open(ranks, looks, &team, &error), GRADUS_OK);
    for (int64_t i = 0; i < ROUNDS; i++) {
        struct round r = {.number = i, .fails = i % 3 == 1 ? i / 3 % ranks : -1};
        char text[64];
        const enum gradus_status status = gr_dist_team_run(team, work, &r, &error);
        if (r.fails >= 0) {
            snprintf(text, sizeof text, "rank %d of round %d", (int)r.fails, (int)i);
            assert_int_equal(status, GRADUS_IO);
            assert_string_equal(error.text, text);
            continue;
        }
        assert_int_equal(status, GRADUS_OK);
        for (int64_t rank = 0; rank < ranks; rank++)
            assert_int_equal(r.sums[rank], ranks * (ranks - 1) / 2 + ranks * i);
    }
    gr_dist_team_close(team);
    gradus_error_clear(&error);
}

static void test_rounds(void **state)
{
    (void)state;
    for (int64_t ranks = 1; ranks <= RANKS; ranks++) {
        run_rounds(ranks, false);
        run_rounds(ranks, true);
    }
}

static void test_fork(void **state)
{
    (void)state;
    struct gr_dist_team *team;
    struct round r = {.fails = -1};
    assert_int_equal(gr_dist_team_open(2, true, &team, NULL), GRADUS_OK);
    const pid_t child = fork();
    if (child == 0) {
        const bool refused = !gr_dist_team_is_here(team) &&
                             gr_dist_team_run(team, work, &r, NULL) == GRADUS_UNSUPPORTED;
        gr_dist_team_close(team);
        _exit(!refused);
    }
    int status = 1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(gr_dist_team_run(team, work, &r, NULL), GRADUS_OK);
    gr_dist_team_close(team);
    gr_dist_team_close(NULL);
}

static void test_numbers(void **state)
{
    (void)state;
    struct gr_dist_team *team;
    struct gradus_error error = {0};
    assert_int_equal(gr_dist_team_open(0, true, &team, &error), GRADUS_INVALID);
    assert_null(team);
    assert_int_equal(gr_dist_team_open(GR_DIST_THREADS_MAX + 1, true, &team, &error),
                     GRADUS_INVALID);
    assert_null(team);
    gradus_error_clear(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rounds), cmocka_unit_test(test_fork),
                                       cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
