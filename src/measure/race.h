/* race.h: which of several candidates is the fastest, from samples that were taken in rounds: when
 * one is clearly behind and leaves, and in the end which ones are as fast as the winner as far as
 * the samples can tell. Plain statistics: nothing here runs or measures anything.
 *
 * In a round every candidate that is left is sampled once, so that differences between two of them
 * within a round do not contain what changed from round to round. Both decisions are sign tests of
 * these differences: they assume nothing of how times are distributed, and one sample that a
 * neighbour disturbed weighs no more than any other. SPDX-License-Identifier: MIT */
#ifndef MEASURE_RACE_H
#define MEASURE_RACE_H

#include "records/row.h"

#include <gradus/gradus.h>
#include <stdbool.h>

/* A race ends after so many rounds; it decides after 3, 4, 6, 8, 12, 16, … of them. */
enum { GR_RACE_ROUNDS = 128, GR_RACE_PARTS = 16 };

/* With this probability at most, the fastest candidate is sent out of a race before its end; and
 * a candidate that is as fast as the others is called slower. */
extern const double gr_race_error;
/* In the first rounds, when no sign test can decide yet, a candidate leaves that took so many times
 * as long as the leader in each of them. */
extern const double gr_race_far_behind;

struct gr_race_entry {
    double *ns; /* of each round, as long as it was in the race */
    int count;
    bool out;      /* it has left, and is sampled no more */
    int out_after; /* the rounds by then */
};

struct gr_race {
    struct gr_race_entry *entries;
    int count;
    int rounds;
    int part_end[GR_RACE_PARTS]; /* the rounds before the end of each part */
    int parts;
};

/* NO_MEMORY leaves a race that can be freed. */
enum gradus_status gr_race_open(int count, struct gr_race *race, struct gradus_error *error);
void gr_race_free(struct gr_race *race);

/* Stores a sample of the present round; gr_race_next ends the round, in which every candidate that
 * is left has one. */
void gr_race_add(struct gr_race *race, int candidate, double ns);
void gr_race_next(struct gr_race *race);
/* The rounds from here on are of another process. */
void gr_race_next_part(struct gr_race *race);

/* A candidate leaves for another reason than its time: it is wrong. */
void gr_race_drop(struct gr_race *race, int candidate);

int gr_race_left(const struct gr_race *race);
/* The one of those left with the least median, of times relative to those of all in the same round;
 * -1: there is none, or no round. */
int gr_race_leader(const struct gr_race *race);

/* After a round: sends out those that are clearly behind the leader; never the leader. `kept` stays
 * in any case (-1: none). Returns how many left. */
int gr_race_look(struct gr_race *race, int kept);

/* What a final says of one candidate. */
struct gr_race_place {
    struct gr_stat time_ns;
    struct gr_ratio time_interval; /* of the median, in ns, with its 95 % interval */
    /* The reference's time divided by this one's. The interval contains the medians of all parts.
     */
    struct gr_ratio of_reference;
    struct gr_ratio of_winner; /* the winner's time divided by this one's */
    bool left;                 /* it took part to the end; the rest is only known then */
    bool tie;                  /* not told from the winner, or it is the winner */
};

/* Judges a race in which nobody left but by gr_race_drop. The winner is the leader. Another
 * one is slower if it took longer than the winner in so many rounds that this happens by chance in
 * gr_race_error of the finals between equals, all comparisons together, and if its median is behind
 * in each part too: rounds of one process are not independent of what that process got (pages,
 * cores), and its advantage need not be the next one's. `places` has one for each candidate.
 * Returns the winner; -1: none is left. */
int gr_race_judge(const struct gr_race *race, int reference, struct gr_race_place *places);

/* The candidate to use: the reference (-1: none) where it is not told from the winner, else the
 * winner. */
int gr_race_choose(const struct gr_race_place *places, int winner, int reference);

/* The probability of `least` heads or more in `n` tosses of a coin. */
double gr_race_sign_tail(int n, int least);

#endif
