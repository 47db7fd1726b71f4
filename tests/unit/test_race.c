/* test_race.c: races over synthetic samples: the planted winner is found and hardly ever sent out,
 * equals are called ties, and how often both fail is what race.h says. SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "measure/race.h"

#include <math.h>
#include <string.h>

enum { MOST = 32, TRIALS = 200 };

/* What the samples of a trial are made of. */
struct field {
    int count;
    double slower[MOST]; /* each one's time, as a multiple of the fastest one's */
    double noise;        /* of each sample: the standard deviation of its logarithm */
    double drift;        /* of a round, the same for all */
    double outliers;     /* the share of the samples that take twice as long */
    double bias;         /* of a candidate in a process */
};

static double draw(const struct field *f, int candidate, double round, double bias,
                   struct gr_rng *rng)
{
    const double noise = f->noise * gr_rng_normal(rng);
    const double late = gr_rng_unit(rng) < f->outliers ? 2 : 1;
    return 1e6 * f->slower[candidate] * late * exp(noise + round + bias);
}

static void take_round(const struct field *f, const double *bias, struct gr_race *race,
                       struct gr_rng *rng)
{
    const double round = f->drift * gr_rng_normal(rng);
    for (int i = 0; i < f->count; i++)
        if (!race->entries[i].out)
            gr_race_add(race, i, draw(f, i, round, bias ? bias[i] : 0, rng));
    gr_race_next(race);
}

/* Did candidate 0 leave? *sampled is the number of samples that were taken. */
static bool race_to_the_end(const struct field *f, int *sampled, struct gr_rng *rng)
{
    struct gr_race race;
    assert_int_equal(gr_race_open(f->count, &race, NULL), GRADUS_OK);
    while (race.rounds < GR_RACE_ROUNDS && gr_race_left(&race) > 1) {
        take_round(f, NULL, &race, rng);
        gr_race_look(&race, -1);
    }
    assert_false(race.entries[gr_race_leader(&race)].out);
    *sampled = 0;
    for (int i = 0; i < f->count; i++)
        *sampled += race.entries[i].count;
    const bool gone = race.entries[0].out;
    gr_race_free(&race);
    return gone;
}

static struct field field_of(int count, double slower)
{
    struct field f = {.count = count, .noise = 0.03, .drift = 0.1, .outliers = 0.05};
    for (int i = 0; i < count; i++)
        f.slower[i] = i == 0 ? 1 : slower;
    return f;
}

static int count_lost(const struct field *f, double *share_sampled)
{
    struct gr_rng rng = {7};
    int lost = 0, sampled;
    double all = 0;
    for (int i = 0; i < TRIALS; i++) {
        lost += race_to_the_end(f, &sampled, &rng);
        all += sampled;
    }
    *share_sampled = all / TRIALS / f->count / GR_RACE_ROUNDS;
    return lost;
}

/* The bound is for the whole race; the margin above it is three standard deviations of the count
 * of trials. */
static int most_lost(void)
{
    return (int)(gr_race_error * TRIALS + 3 * sqrt(gr_race_error * TRIALS));
}

static void fastest_stays(void **state)
{
    (void)state;
    double sampled;
    for (int count = 2; count <= MOST; count *= 4) {
        const double margins[] = {1, 1.002, 1.02};
        for (int i = 0; i < 3; i++) {
            const struct field f = field_of(count, margins[i]);
            assert_in_range(count_lost(&f, &sampled), 0, most_lost());
        }
    }
}

static void slow_ones_leave_early(void **state)
{
    (void)state;
    double sampled;
    struct field f = field_of(MOST, 1.05);
    assert_in_range(count_lost(&f, &sampled), 0, most_lost());
    assert_true(sampled < 0.3);
    f = field_of(MOST, 2);
    assert_in_range(count_lost(&f, &sampled), 0, most_lost());
    assert_true(sampled < 0.05); /* three rounds and a bit */
}

/* A neighbour that makes two samples in three of the fastest one late does not send it out in the
 * first rounds, since it must be far behind in each. */
static void late_samples(void **state)
{
    (void)state;
    struct gr_race race;
    assert_int_equal(gr_race_open(2, &race, NULL), GRADUS_OK);
    for (int round = 0; round < 6; round++) {
        gr_race_add(&race, 0, round % 3 ? 3 : 1);
        gr_race_add(&race, 1, 1.1);
        gr_race_next(&race);
        assert_int_equal(gr_race_look(&race, -1), 0);
    }
    gr_race_free(&race);
}

static void kept(void **state)
{
    (void)state;
    struct gr_race race;
    assert_int_equal(gr_race_open(3, &race, NULL), GRADUS_OK);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            gr_race_add(&race, i, i + 1);
        gr_race_next(&race);
    }
    assert_int_equal(gr_race_look(&race, 2), 1);
    assert_true(race.entries[1].out && !race.entries[2].out && !race.entries[0].out);
    assert_int_equal(race.entries[1].out_after, 3);
    gr_race_drop(&race, 0);
    assert_int_equal(gr_race_leader(&race), 2);
    gr_race_free(&race);
}

/* ---- The final. ---- */

enum { PARTS = 6, PART_ROUNDS = 20 };

/* Returns the winner. */
static int judge(const struct field *f, struct gr_race_place *places, struct gr_rng *rng)
{
    struct gr_race race;
    assert_int_equal(gr_race_open(f->count, &race, NULL), GRADUS_OK);
    for (int part = 0; part < PARTS; part++) {
        double bias[MOST];
        for (int i = 0; i < f->count; i++)
            bias[i] = f->bias * gr_rng_normal(rng);
        for (int round = 0; round < PART_ROUNDS; round++)
            take_round(f, bias, &race, rng);
        gr_race_next_part(&race);
    }
    const int winner = gr_race_judge(&race, f->count - 1, places);
    gr_race_free(&race);
    return winner;
}

/* In how many finals is somebody called slower, or if `planted`, not the planted one the only
 * winner? */
static int count_wrong(const struct field *f, bool planted)
{
    struct gr_rng rng = {11};
    int wrong = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct gr_race_place places[MOST];
        const int winner = judge(f, places, &rng);
        int ties = 0;
        for (int i = 0; i < f->count; i++)
            ties += places[i].tie;
        assert_true(places[winner].tie && places[winner].left);
        wrong += planted ? winner != 0 || ties != 1 : ties != f->count;
    }
    return wrong;
}

static void equals_are_ties(void **state)
{
    (void)state;
    for (int count = 2; count <= 8; count *= 2) {
        const struct field f = field_of(count, 1);
        assert_in_range(count_wrong(&f, false), 0, most_lost());
    }
}

/* One process favours one of them, the next one another: more rounds do not help, only that all
 * processes must agree does. */
static void processes_differ(void **state)
{
    (void)state;
    struct field f = field_of(2, 1);
    f.bias = 0.05;
    f.noise = 0.01;
    f.outliers = 0;
    assert_in_range(count_wrong(&f, false), 0, most_lost());
}

static void planted_winner(void **state)
{
    (void)state;
    struct field f = field_of(8, 1.05);
    assert_in_range(count_wrong(&f, true), 0, TRIALS / 50);
    f.drift = 0.5; /* what a whole round has in common does not matter */
    assert_in_range(count_wrong(&f, true), 0, TRIALS / 50);
}

/* The 95 % interval of a ratio contains the true one so often. */
static void intervals(void **state)
{
    (void)state;
    const struct field f = field_of(2, 1.1);
    struct gr_rng rng = {3};
    int inside = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct gr_race_place places[MOST];
        judge(&f, places, &rng);
        inside += places[0].of_reference.lo <= 1.1 && 1.1 <= places[0].of_reference.hi;
        assert_true(places[1].of_reference.median == 1);
    }
    assert_in_range(inside, TRIALS * 93 / 100, TRIALS);
}

static void dropped_have_no_place(void **state)
{
    (void)state;
    struct gr_race race;
    struct gr_race_place places[2];
    assert_int_equal(gr_race_open(2, &race, NULL), GRADUS_OK);
    assert_int_equal(gr_race_judge(&race, 0, places), -1);
    gr_race_add(&race, 0, 1);
    gr_race_add(&race, 1, 2);
    gr_race_next(&race);
    gr_race_drop(&race, 0); /* it was wrong, however fast */
    assert_int_equal(gr_race_judge(&race, 0, places), 1);
    assert_true(!places[0].left && !places[0].tie && places[1].of_reference.n == 0);
    gr_race_free(&race);
}

/* The default, where it cannot be told from the winner. */
static void choice(void **state)
{
    (void)state;
    struct gr_race_place places[3];
    memset(places, 0, sizeof places);
    places[0].left = places[0].tie = places[1].left = places[1].tie = true;
    assert_int_equal(gr_race_choose(places, 0, 1), 1);
    assert_int_equal(gr_race_choose(places, 0, 2), 0);
    assert_int_equal(gr_race_choose(places, 0, -1), 0);
    assert_int_equal(gr_race_choose(places, -1, 2), -1);
}

static void sign_test(void **state)
{
    (void)state;
    assert_true(fabs(gr_race_sign_tail(5, 5) - 1.0 / 32) < 1e-12);
    assert_true(fabs(gr_race_sign_tail(4, 3) - 5.0 / 16) < 1e-12);
    assert_true(gr_race_sign_tail(10, 0) > 1 - 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fastest_stays),
        cmocka_unit_test(slow_ones_leave_early),
        cmocka_unit_test(late_samples),
        cmocka_unit_test(kept),
        cmocka_unit_test(equals_are_ties),
        cmocka_unit_test(processes_differ),
        cmocka_unit_test(planted_winner),
        cmocka_unit_test(intervals),
        cmocka_unit_test(dropped_have_no_place),
        cmocka_unit_test(choice),
        cmocka_unit_test(sign_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
