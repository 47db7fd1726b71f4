/* child.c: spawning and asking a worker. SPDX-License-Identifier: MIT */
#include "lab/child.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The worker's environment: ours, with the thread count for whatever reads it, and room in the
 * dynamic loader for several namespaces, each with a C library of its own. */
static char **worker_environment(int threads)
{
    int count = 0;
    while (environ[count])
        count++;
    const char *names[] = {"GRADUS_NUM_THREADS=", "OMP_NUM_THREADS=", "GLIBC_TUNABLES="};
    char **copy = calloc((size_t)count + 4, sizeof *copy);
    if (!copy)
        return NULL;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool ours = false;
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            ours |= gr_starts_with(environ[i], names[j]);
        if (!ours)
            copy[kept++] = gr_strdup(environ[i]);
    }
    copy[kept++] = gr_printf("GRADUS_NUM_THREADS=%d", threads);
    copy[kept++] = gr_printf("OMP_NUM_THREADS=%d", threads);
    copy[kept++] =
        gr_strdup("GLIBC_TUNABLES=glibc.rtld.nns=16:glibc.rtld.optional_static_tls=65536");
    return copy;
}

static void free_environment(char **copy)
{
    for (int i = 0; copy && copy[i]; i++)
        free(copy[i]);
    free(copy);
}

/* posix_spawn: a process with a GPU context must not be forked. The descriptors are first lifted
 * out of the range that they are then moved to. */
static int spawn_worker(struct gr_child *child, int socket)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, socket, GR_FD_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, child->arena->fd, GR_FD_ARENA);
    posix_spawn_file_actions_adddup2(&actions, child->mailbox_fd, GR_FD_MAILBOX);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigfillset(&defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    char threads[16];
    snprintf(threads, sizeof threads, "%d", child->threads);
    const char *program = getenv("GRADUS_WORKER");
    const char *argv[] = {"gradus", "worker", threads, NULL};
    char **environment = worker_environment(child->threads);
    int failed = environment
                     ? posix_spawn(&child->pid, program && *program ? program : "/proc/self/exe",
                                   &actions, &attributes, (char *const *)argv, environment)
                     : ENOMEM;
    free_environment(environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

/* A duplicate of fd, closed on exec, at 10 or above. */
static int lift(int fd)
{
    int lifted = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    close(fd);
    return lifted;
}

enum gradus_status gr_child_start(struct gr_child *child, struct gr_arena *arena, int threads,
                                  struct gradus_error *error)
{
    *child = (struct gr_child){.socket = -1, .mailbox_fd = -1, .threads = threads, .arena = arena};
    int ends[2] = {-1, -1};
    arena->fd = lift(arena->fd);
    child->mailbox_fd = lift(memfd_create("gradus-mailbox", MFD_CLOEXEC));
    if (child->mailbox_fd == -1 ||
        ftruncate(child->mailbox_fd, (off_t)sizeof(struct gr_mailbox)) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return gr_fail(error, GRADUS_IO, "a worker cannot be started: %s", strerror(errno));
    child->mailbox = mmap(NULL, sizeof *child->mailbox, PROT_READ | PROT_WRITE, MAP_SHARED,
                          child->mailbox_fd, 0);
    if (child->mailbox == MAP_FAILED) {
        child->mailbox = NULL;
        return gr_fail_memory(error, "a worker's mailbox", sizeof *child->mailbox);
    }
    child->socket = lift(ends[0]);
    int theirs = lift(ends[1]);
    /* No signal may come between the birth of the worker and its entry in the list of those to
     * kill. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    int failed = spawn_worker(child, theirs);
    if (!failed)
        gr_cleanup_note_child(child->pid);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(theirs);
    if (failed) {
        child->pid = 0;
        gr_child_stop(child);
        return gr_fail(error, GRADUS_IO, "a worker cannot be started: %s", strerror(failed));
    }
    return GRADUS_OK;
}

/* Waits for the dead (or killed) worker and remembers how it ended. */
static void bury(struct gr_child *child, bool timed_out)
{
    int status = 0;
    if (timed_out)
        kill(-child->pid, SIGKILL);
    gr_cleanup_forget_child(child->pid);
    while (waitpid(child->pid, &status, 0) == -1 && errno == EINTR)
        ;
    kill(-child->pid, SIGKILL); /* what the kernel may have spawned */
    child->pid = 0;
    child->death = timed_out             ? GR_DEATH_TIMEOUT
                   : WIFSIGNALED(status) ? GR_DEATH_SIGNAL
                                         : GR_DEATH_EXIT;
    child->death_code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* OK when a reply (or the end of the worker) can be read; INTERRUPTED when we are asked to end, even if a
 * reply is there too; TIMED_OUT at the deadline. */
static enum gradus_status wait_readable(int socket, int64_t deadline_ns)
{
    for (;;) {
        int64_t left_ns = deadline_ns - gr_now_ns();
        struct pollfd p[] = {{.fd = socket, .events = POLLIN},
                             {.fd = gr_stop_fd(), .events = POLLIN}};
        int ready = poll(p, 2, left_ns > 0 ? (int)(left_ns / 1000000) + 1 : 0);
        if (gr_stop_asked())
            return GRADUS_INTERRUPTED;
        if (ready > 0)
            return GRADUS_OK;
        if (ready == 0 && gr_now_ns() >= deadline_ns)
            return GRADUS_TIMED_OUT;
    }
}

enum gradus_status gr_child_ask(struct gr_child *child, const struct gr_request *request,
                                struct gr_reply *reply, int64_t limit_ns,
                                struct gradus_error *error)
{
    if (!child->pid)
        return gr_fail(error, GRADUS_INTERNAL, "no worker to ask");
    child->death = GR_DEATH_NONE;
    memset(&child->mailbox->fault, 0, sizeof child->mailbox->fault);
    bool sent =
        send(child->socket, request, sizeof *request, MSG_NOSIGNAL) == (ssize_t)sizeof *request;
    enum gradus_status waited =
        sent ? wait_readable(child->socket, gr_now_ns() + limit_ns) : GRADUS_OK;
    if (waited != GRADUS_OK)
        bury(child, true);
    if (waited == GRADUS_INTERRUPTED)
        return gr_fail(error, waited, "interrupted");
    if (waited == GRADUS_TIMED_OUT)
        return gr_fail(error, GRADUS_TIMED_OUT, "not done after %.3g s", (double)limit_ns * 1e-9);
    if (!sent || recv(child->socket, reply, sizeof *reply, 0) != (ssize_t)sizeof *reply) {
        bury(child, false);
        return gr_fail(error, GRADUS_CRASHED, "the worker ended: %s %d",
                       child->death == GR_DEATH_SIGNAL ? "signal" : "exit status",
                       child->death_code);
    }
    if (reply->status == GRADUS_CRASHED) { /* it lives, but its device's context does not */
        bury(child, true);
        child->death = GR_DEATH_FAULT;
        snprintf(child->death_text, sizeof child->death_text, "%s", reply->text);
    }
    if (reply->status != GRADUS_OK)
        return gr_fail(error, reply->status, "%s", reply->text);
    return GRADUS_OK;
}

void gr_child_stop(struct gr_child *child)
{
    if (child->socket >= 0)
        close(child->socket);
    if (child->pid)
        bury(child, true);
    if (child->mailbox)
        munmap(child->mailbox, sizeof *child->mailbox);
    if (child->mailbox_fd >= 0)
        close(child->mailbox_fd);
    *child = (struct gr_child){.socket = -1, .mailbox_fd = -1};
}
