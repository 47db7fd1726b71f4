/* race.h: decides which of several candidates is the fastest, from samples that were taken in
 * rounds. During a race, it decides which candidates are clearly behind and are removed; at the
 * end, which ones are as fast as the winner as far as the samples can show. Nothing is run or
 * measured here.
 * SPDX-License-Identifier: MIT
 *
 * In a round, every candidate that is left is sampled once, so the differences between candidates
 * within a round do not include the changes from round to round. Both decisions are sign tests of
 * these differences: they assume nothing about the distribution of times, and a single disturbed
 * sample has no more weight than any other. */
#ifndef MEASURE_RACE_H
#define MEASURE_RACE_H

#include "records/row.h"

#include <gradus/gradus.h>
#include <stdbool.h>

/* The number of rounds after which a race ends; it decides after 3, 4, 6, 8, 12, 16, … of them. */
enum { GR_RACE_ROUNDS = 128, GR_RACE_PARTS = 16 };

/* The maximal probability that the fastest candidate is removed from a race before its end, and
 * that a candidate that is as fast as the others is called slower. */
extern const double gr_race_error;
/* In the first rounds, in which a sign test cannot decide yet, a candidate is removed if it took
 * this many times as long as the leader in each round. */
extern const double gr_race_far_behind;

struct gr_race_entry {
    double *ns; /* one time for each round in which it took part */
    int count;
    bool out;      /* it was removed, and is not sampled any more */
    int out_after; /* the number of rounds when it was removed */
};

struct gr_race {
    struct gr_race_entry *entries;
    int count;
    int rounds;
    int part_end[GR_RACE_PARTS]; /* the number of rounds at the end of each part */
    int parts;
};

/* After NO_MEMORY, the race can still be freed. */
enum gradus_status gr_race_open(int count, struct gr_race *race, struct gradus_error *error);
void gr_race_free(struct gr_race *race);

/* Adds a sample to the current round; gr_race_next ends the round, for which every candidate that
 * is left must have a sample. */
void gr_race_add(struct gr_race *race, int candidate, double ns);
void gr_race_next(struct gr_race *race);
/* The rounds from here on are measured in another process. */
void gr_race_next_part(struct gr_race *race);

/* Removes a candidate for another reason than its time, for example because it is wrong. */
void gr_race_drop(struct gr_race *race, int candidate);

int gr_race_left(const struct gr_race *race);
/* Among the candidates that are left, returns the one with the least median of its times relative
 * to the mean of the same round; -1: there are no candidates or no rounds. */
int gr_race_leader(const struct gr_race *race);

/* To be called after a round. Removes the candidates that are clearly behind the leader, but never
 * the leader or `kept` (-1: none). Returns how many were removed. */
int gr_race_look(struct gr_race *race, int kept);

/* The result of the final round for one candidate. */
struct gr_race_place {
    struct gr_stat time_ns;
    struct gr_ratio time_interval; /* the median in ns with its 95 % interval */
    /* The reference's time divided by this one's. The interval contains the medians of all parts.
     */
    struct gr_ratio of_reference;
    struct gr_ratio of_winner; /* the winner's time divided by this one's */
    bool left;                 /* it took part to the end; the other members are only known then */
    bool tie;                  /* it is the winner, or cannot be distinguished from it */
};

/* Judges a race in which candidates were removed only by gr_race_drop. The winner is the leader.
 * Another candidate is slower if it took longer than the winner in so many rounds that this happens
 * by chance in at most gr_race_error of the races between equal candidates, over all comparisons
 * together, and if its median is also behind in each part. (The rounds of one process are not
 * independent of the pages and cores that the process got, so an advantage in one process may not
 * hold in the next.) `places` has one element for each candidate. Returns the winner; -1: none is
 * left. */
int gr_race_judge(const struct gr_race *race, int reference, struct gr_race_place *places);

/* Returns the candidate to use: the reference (-1: none) if it cannot be distinguished from the
 * winner, else the winner. */
int gr_race_choose(const struct gr_race_place *places, int winner, int reference);

/* The probability of `least` heads or more in `n` tosses of a coin. */
double gr_race_sign_tail(int n, int least);

#endif
