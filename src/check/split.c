/* split.c: splits a loop over several threads. SPDX-License-Identifier: MIT */
#include "check/split.h"

#include <pthread.h>

enum { MOST = 64 };

struct piece {
    gr_part_fn *part;
    void *context;
    int64_t begin, end;
    bool done;
};

static void *work(void *argument)
{
    struct piece *piece = argument;
    piece->done = piece->part(piece->context, piece->begin, piece->end);
    return 0;
}

bool gr_split(int threads, int64_t count, int64_t grain, gr_part_fn *part, void *context)
{
    int64_t grains = (count + grain - 1) / grain;
    int pieces = threads < 1 ? 1 : threads > MOST ? MOST : threads;
    if (grains < pieces)
        pieces = grains > 1 ? (int)grains : 1;
    struct piece list[MOST];
    pthread_t thread[MOST];
    bool started[MOST] = {false};
    for (int i = 0; i < pieces; i++) {
        int64_t end = grains * (i + 1) / pieces * grain;
        list[i] = (struct piece){part, context, grains * i / pieces * grain,
                                 end < count ? end : count, false};
    }
    for (int i = 1; i < pieces; i++)
        started[i] = pthread_create(&thread[i], 0, work, &list[i]) == 0;
    bool done = true;
    for (int i = 0; i < pieces; i++) {
        if (started[i])
            pthread_join(thread[i], 0);
        else
            work(&list[i]); /* the caller's own part, and those without a thread */
        done = done && list[i].done;
    }
    return done;
}
