/* race.c: sign tests of the differences within rounds. SPDX-License-Identifier: MIT */
#include "measure/race.h"

#include "core/error.h"
#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double gr_race_error = 0.05;
const double gr_race_far_behind = 1.5;

/* The rounds after which a race decides. They are few, because each decision is another chance of
 * an error. */
static const int looks[] = {3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96};
enum { LOOKS = sizeof looks / sizeof *looks, FAR_ROUNDS = 3 };

enum gradus_status gr_race_open(int count, struct gr_race *race, struct gradus_error *error)
{
    *race = (struct gr_race){0};
    race->entries = calloc((size_t)count, sizeof *race->entries);
    if (!race->entries)
        return gr_fail_memory(error, "a race", (size_t)count * sizeof *race->entries);
    race->count = count;
    for (int i = 0; i < count; i++) {
        race->entries[i].ns = calloc(GR_RACE_ROUNDS, sizeof *race->entries[i].ns);
        if (!race->entries[i].ns)
            return gr_fail_memory(error, "the samples of a race", GR_RACE_ROUNDS * sizeof(double));
    }
    return GRADUS_OK;
}

void gr_race_free(struct gr_race *race)
{
    for (int i = 0; i < race->count; i++)
        free(race->entries[i].ns);
    free(race->entries);
    *race = (struct gr_race){0};
}

void gr_race_add(struct gr_race *race, int candidate, double ns)
{
    struct gr_race_entry *entry = &race->entries[candidate];
    if (race->rounds < GR_RACE_ROUNDS && !entry->out) {
        entry->ns[race->rounds] = ns;
        entry->count = race->rounds + 1;
    }
}

void gr_race_next(struct gr_race *race)
{
    if (race->rounds < GR_RACE_ROUNDS)
        race->rounds++;
}

void gr_race_next_part(struct gr_race *race)
{
    const int begun = race->parts ? race->part_end[race->parts - 1] : 0;
    if (race->rounds > begun && race->parts < GR_RACE_PARTS)
        race->part_end[race->parts++] = race->rounds;
}

void gr_race_drop(struct gr_race *race, int candidate)
{
    race->entries[candidate].out = true;
    race->entries[candidate].out_after = race->rounds;
}

int gr_race_left(const struct gr_race *race)
{
    int left = 0;
    for (int i = 0; i < race->count; i++)
        left += !race->entries[i].out;
    return left;
}

/* The geometric mean of each round over the candidates that are left: the common factor of the
 * round. */
static void level_rounds(const struct gr_race *race, double level[GR_RACE_ROUNDS])
{
    const int left = gr_race_left(race);
    for (int r = 0; r < race->rounds; r++) {
        double sum = 0;
        for (int i = 0; i < race->count; i++)
            sum += race->entries[i].out ? 0 : log(race->entries[i].ns[r]);
        level[r] = exp(sum / left);
    }
}

int gr_race_leader(const struct gr_race *race)
{
    double level[GR_RACE_ROUNDS], relative[GR_RACE_ROUNDS], least = 0;
    int leader = -1;
    level_rounds(race, level);
    for (int i = 0; i < race->count && race->rounds > 0; i++) {
        if (race->entries[i].out)
            continue;
        for (int r = 0; r < race->rounds; r++)
            relative[r] = race->entries[i].ns[r] / level[r];
        const double median = gr_stat_of(relative, race->rounds).median;
        if (leader < 0 || median < least) {
            leader = i;
            least = median;
        }
    }
    return leader;
}

double gr_race_sign_tail(int n, int least)
{
    double sum = 0;
    for (int heads = least < 0 ? 0 : least; heads <= n; heads++)
        sum += exp(lgamma(n + 1) - lgamma(heads + 1) - lgamma(n - heads + 1) - n * log(2));
    return sum < 1 ? sum : 1;
}

/* Did `candidate` take longer than `other` in so many rounds that equal candidates would do so with
 * at most this probability? Rounds with equal times, as a coarse clock measures them, are not
 * counted. */
static bool is_slower(const struct gr_race *race, int candidate, int other, double probability)
{
    int slower = 0, unequal = 0;
    const double *x = race->entries[candidate].ns, *y = race->entries[other].ns;
    for (int r = 0; r < race->rounds; r++) {
        slower += x[r] > y[r];
        unequal += x[r] != y[r];
    }
    return unequal > 0 && gr_race_sign_tail(unequal, slower) <= probability;
}

static bool is_far_behind(const struct gr_race *race, int candidate, int leader)
{
    bool far = race->rounds >= FAR_ROUNDS;
    for (int r = 0; r < race->rounds && far; r++)
        far = race->entries[candidate].ns[r] > gr_race_far_behind * race->entries[leader].ns[r];
    return far;
}

static bool is_look(int rounds)
{
    bool found = false;
    for (int i = 0; i < LOOKS; i++)
        found |= looks[i] == rounds;
    return found;
}

/* The leader is the luckiest among several equal candidates. The bound is divided by the number of
 * possible leaders, so that it holds against each of them, and by the number of decisions. */
int gr_race_look(struct gr_race *race, int kept)
{
    const int leader = is_look(race->rounds) ? gr_race_leader(race) : -1;
    int gone = 0;
    if (leader < 0 || race->count < 2)
        return 0;
    const double probability = gr_race_error / LOOKS / (race->count - 1);
    for (int i = 0; i < race->count; i++) {
        if (race->entries[i].out || i == leader || i == kept)
            continue;
        if (is_far_behind(race, i, leader) || is_slower(race, i, leader, probability)) {
            gr_race_drop(race, i);
            gone++;
        }
    }
    return gone;
}

/* ---- The final round. ---- */

static struct gr_ratio ratio_of(const struct gr_race *race, int over, int under, int first, int end)
{
    double ratios[GR_RACE_ROUNDS];
    for (int r = first; r < end; r++)
        ratios[r - first] = race->entries[over].ns[r] / race->entries[under].ns[r];
    return gr_ratio_of(ratios, end - first);
}

/* The interval is extended to the medians of the parts. The medians of six parts contain the true
 * one with the same confidence as the interval, and do not depend on what the rounds of one process
 * have in common. */
static struct gr_ratio ratio_of_all(const struct gr_race *race, int over, int under)
{
    struct gr_ratio ratio = ratio_of(race, over, under, 0, race->rounds);
    int first = 0;
    for (int part = 0; part < race->parts; part++) {
        const double median = ratio_of(race, over, under, first, race->part_end[part]).median;
        ratio.lo = fmin(ratio.lo, median);
        ratio.hi = fmax(ratio.hi, median);
        first = race->part_end[part];
    }
    return ratio;
}

static bool is_behind_in_each_part(const struct gr_race *race, int candidate, int winner)
{
    int first = 0;
    for (int part = 0; part <= race->parts; part++) {
        const int end = part < race->parts ? race->part_end[part] : race->rounds;
        if (end > first && ratio_of(race, winner, candidate, first, end).median >= 1)
            return false;
        first = end;
    }
    return true;
}

static struct gr_race_place place_of(const struct gr_race *race, int candidate, int winner,
                                     int reference)
{
    double copy[GR_RACE_ROUNDS];
    struct gr_race_place place = {.left = true};
    memcpy(copy, race->entries[candidate].ns, (size_t)race->rounds * sizeof *copy);
    place.time_ns = gr_stat_of(copy, race->rounds);
    place.time_interval = gr_ratio_of(copy, race->rounds);
    place.of_winner = ratio_of_all(race, winner, candidate);
    if (reference >= 0 && !race->entries[reference].out)
        place.of_reference = ratio_of_all(race, reference, candidate);
    return place;
}

int gr_race_judge(const struct gr_race *race, int reference, struct gr_race_place *places)
{
    const int winner = gr_race_leader(race), left = gr_race_left(race);
    /* Any candidate may be the winner by chance, and is then compared with each of the others. */
    const double probability = left > 1 ? gr_race_error / ((double)left * (left - 1)) : 0;
    for (int i = 0; i < race->count; i++) {
        places[i] = (struct gr_race_place){0};
        if (winner < 0 || race->entries[i].out)
            continue;
        places[i] = place_of(race, i, winner, reference);
        places[i].tie = i == winner || !is_slower(race, i, winner, probability) ||
                        !is_behind_in_each_part(race, i, winner);
    }
    return winner;
}

int gr_race_choose(const struct gr_race_place *places, int winner, int reference)
{
    const bool keeps = winner >= 0 && reference >= 0 && places[reference].tie;
    return keeps ? reference : winner;
}
