/* spawn.h: starting another program, which ends when this one does, however this one ends.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { GR_SPAWN_MOVES = 4 };

/* A program to start. Its descriptors are ours that are not closed on exec, and those of `moves`.
 * It is killed when the thread that has started it ends: start it where its end is waited for. */
struct gr_spawn {
    const char *const *argv;  /* null-terminated; argv[0] is found on PATH unless `path` is given */
    const char *path;         /* the file to run; null: argv[0] */
    char *const *environment; /* null: ours */
    const int (*moves)[2];    /* {ours, its number there} */
    int move_count;
    bool silent;  /* its standard input is /dev/null */
    bool grouped; /* it leads a process group, all of which is killed when we end, and is noted in
                                       base/cleanup.h: the caller forgets it */
    bool fresh;   /* it ignores and blocks no signal; otherwise as we do */
    const sigset_t *mask; /* what it blocks; null: what we block */
};

struct gr_spawned {
    pid_t pid;
    int lifeline; /* to be closed when its end has been collected; -1: none */
};

/* Starts the program. Returns 0 or the error number: ENOENT, EAGAIN… Safe in a process that has
 * threads and a GPU context: nothing of it is copied. */
int gr_spawn(const struct gr_spawn *spawn, struct gr_spawned *spawned);

/* Has this process killed when `parent`, which has started it, ends; ends it at once when that has
 * happened before the call. Async-signal-safe. */
void gr_spawn_die_with(pid_t parent);

/* What a failure to start a program that is there means and what to do, or null for any other: "the
 * system refuses another process: … (ulimit -u) …". */
const char *gr_spawn_refusal(int number);

/* A path by which this program can be started again; malloc'ed. Null where none is known. */
char *gr_spawn_self(void);
/* The path of its file, without links; malloc'ed, or null. */
char *gr_spawn_self_file(void);

#endif
