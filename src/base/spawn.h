/* spawn.h: starts another program that ends when this one ends, even if this one is killed.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { GR_SPAWN_MOVES = 4 };

/* A program to start. It inherits the descriptors that are not close-on-exec, and those of `moves`.
 * The system kills it when the thread that started it ends, so start it on the thread that waits
 * for it. */
struct gr_spawn {
    const char *const *argv;  /* null-terminated; argv[0] is found on PATH unless `path` is given */
    const char *path;         /* the file to run; null: argv[0] */
    char *const *environment; /* null: that of this process */
    const int (*moves)[2];    /* {descriptor here, its number there} */
    int move_count;
    bool silent; /* its standard input is /dev/null */
    /* It leads a process group, all of which is killed when this process ends, and is registered in
     * base/cleanup.h; the caller calls gr_cleanup_forget_child. */
    bool grouped;
    bool fresh;           /* it ignores and blocks no signals; otherwise it inherits ours */
    const sigset_t *mask; /* the signals it blocks; null: those blocked here */
};

struct gr_spawned {
    pid_t pid;
    int lifeline; /* close it after waiting for the child; -1: none */
};

/* Starts the program. Returns 0 or an errno value such as ENOENT or EAGAIN. It may be called in a
 * process with threads and a GPU context, because it does not fork. */
int gr_spawn(const struct gr_spawn *spawn, struct gr_spawned *spawned);

/* Makes the system kill this process when `parent`, which started it, ends; if that has already
 * happened, exits at once. Async-signal-safe. */
void gr_spawn_die_with(pid_t parent);

/* What it means if an existing program cannot be started, and what to do about it: "the system
 * refuses another process: … (ulimit -u) …". Null for other error numbers. */
const char *gr_spawn_refusal(int number);

/* A path with which this program can be started again; malloc'ed, or null if none is known. */
char *gr_spawn_self(void);
/* The path of this program's file with symbolic links resolved; malloc'ed, or null. */
char *gr_spawn_self_file(void);

#endif
