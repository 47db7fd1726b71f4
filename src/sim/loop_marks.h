/* loop_marks.h: finds the loops of a traced kernel whose iterations need a mark between them.
 * SPDX-License-Identifier: MIT */
#ifndef SIM_LOOP_MARKS_H
#define SIM_LOOP_MARKS_H

#include <stddef.h>

/* A loop in the assembly: the offsets of the line with its first label and of the line with its
 * last jump back. */
struct gr_loop_mark {
    size_t header, jump;
};

struct gr_loop_marks {
    struct gr_loop_mark *items; /* by header, ascending */
    int count;
};

/* Finds the loops in which a lane may skip an access, or make another number of accesses than the
 * other lanes, and continue with the next iteration. Without a mark between iterations its accesses
 * would be combined with those of the other lanes' previous iteration. Loops whose header uses the
 * processor's flags are left out. Finds none if memory is out, or on other processors than x86-64.
 */
void gr_loop_marks_find(const char *text, struct gr_loop_marks *turns);
void gr_loop_marks_free(struct gr_loop_marks *turns);

/* The assembly of the routine that a mark calls. The mark pushes the code of the loop's end, so
 * that a lane that has come so far waits for the lanes that are still in the iteration. */
extern const char gr_loop_mark_routine[];

#endif
