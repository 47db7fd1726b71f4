/* loop_marks.h: where a loop's turns must be told apart. SPDX-License-Identifier: MIT */
#ifndef SIM_LOOP_MARKS_H
#define SIM_LOOP_MARKS_H

#include <stddef.h>

/* A loop of g++'s assembly: where the line of the label that begins it and that of its last jump
 * back begin. */
struct gr_loop_mark {
    size_t header, jump;
};

struct gr_loop_marks {
    struct gr_loop_mark *items; /* by header, ascending */
    int count;
};

/* Finds the loops in which a lane may leave out an access, or make another number of them than its
 * neighbours, and go on to the next turn: without a mark between turns its accesses would be taken
 * for those of its neighbours' last turn. Loops whose header needs the processor's flags are left
 * out. None where there is no memory, and none but on x86-64. */
void gr_loop_marks_find(const char *text, struct gr_loop_marks *turns);
void gr_loop_marks_free(struct gr_loop_marks *turns);

/* What a mark calls: assembly. The mark pushes the code of the loop's end, so that a lane that has
 * come so far waits for those that are still inside the turn. */
extern const char gr_loop_mark_routine[];

#endif
