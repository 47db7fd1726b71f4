/* child.c: starts a worker and sends it requests. SPDX-License-Identifier: MIT */
#include "measure/child.h"

#include "base/cleanup.h"
#include "core/clock.h"
#include "core/error.h"
#include "base/file.h"
#include "base/spawn.h"
#include "base/stop.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The worker's environment: that of this process, with the number of threads for libraries that
 * read it there, and with the dynamic loader's limits raised to several link namespaces, each of
 * which needs static TLS space for a C library. */
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

/* The descriptors are first moved above the numbers that they get in the child, so that none
 * overwrites another. */
static int spawn_worker(struct gr_child *child, int socket)
{
    const int moves[][2] = {{socket, GR_FD_SOCKET},
                            {child->arena->fd, GR_FD_ARENA},
                            {child->mailbox_fd, GR_FD_MAILBOX}};
    const char *requested = getenv("GRADUS_WORKER");
    char threads[16], callers[16],
        *program = requested && *requested ? gr_strdup(requested) : gr_spawn_self();
    snprintf(threads, sizeof threads, "%d", child->threads);
    snprintf(callers, sizeof callers, "%d", child->callers);
    const char *const argv[] = {"gradus", "worker", threads, callers, NULL};
    char **environment = worker_environment(child->threads);
    const struct gr_spawn spawn = {.argv = argv,
                                   .path = program,
                                   .environment = environment,
                                   .moves = moves,
                                   .move_count = 3,
                                   .silent = true,
                                   .grouped = true,
                                   .fresh = true};
    struct gr_spawned spawned = {.lifeline = -1};
    int failed = !environment ? ENOMEM : !program ? ENOENT : gr_spawn(&spawn, &spawned);
    child->pid = spawned.pid;
    child->lifeline = spawned.lifeline;
    free_environment(environment);
    free(program);
    return failed;
}

/* A duplicate of fd with a number of at least 10, close-on-exec. */
static int lift(int fd)
{
    const int lifted = fcntl(fd, F_DUPFD_CLOEXEC, 10), number = errno;
    if (fd >= 0)
        close(fd);
    errno = number;
    return lifted;
}

/* ENOENT means that the path to this program's own file is unknown. */
static enum gradus_status fail_to_start(int number, struct gradus_error *error)
{
    const char *refusal = gr_spawn_refusal(number);
    if (!refusal && number == ENOENT && !gr_file_exists("/proc/self/exe"))
        refusal =
            "the program's own file is not known, since /proc is not there: mount -t proc proc "
            "/proc, or start gradus by its path";
    return gr_fail(error, GRADUS_IO, "a worker process cannot be started: %s",
                   refusal ? refusal : strerror(number));
}

enum gradus_status gr_child_start(struct gr_child *child, struct gr_arena *arena, int threads,
                                  int callers, struct gradus_error *error)
{
    *child = (struct gr_child){.socket = -1,
                               .mailbox_fd = -1,
                               .lifeline = -1,
                               .threads = threads,
                               .callers = callers,
                               .arena = arena};
    int ends[2] = {-1, -1};
    arena->fd = lift(arena->fd);
    if (arena->fd == -1)
        return fail_to_start(errno, error);
    child->mailbox_fd = lift(memfd_create("gradus-mailbox", MFD_CLOEXEC));
    if (child->mailbox_fd == -1 ||
        ftruncate(child->mailbox_fd, (off_t)sizeof(struct gr_mailbox)) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return fail_to_start(errno, error);
    child->mailbox = mmap(NULL, sizeof *child->mailbox, PROT_READ | PROT_WRITE, MAP_SHARED,
                          child->mailbox_fd, 0);
    if (child->mailbox == MAP_FAILED) {
        child->mailbox = NULL;
        return gr_fail_memory(error, "a worker's mailbox", sizeof *child->mailbox);
    }
    child->socket = lift(ends[0]);
    const int theirs = lift(ends[1]);
    const int failed = child->socket < 0 || theirs < 0 ? EMFILE : spawn_worker(child, theirs);
    if (theirs >= 0)
        close(theirs);
    if (failed) {
        gr_child_stop(child);
        return fail_to_start(failed, error);
    }
    return GRADUS_OK;
}

/* Reaps the dead (or killed) worker and records how it ended. */
static void reap(struct gr_child *child, bool timed_out)
{
    int status = 0;
    if (timed_out)
        kill(-child->pid, SIGKILL);
    gr_cleanup_forget_child(child->pid);
    while (waitpid(child->pid, &status, 0) == -1 && errno == EINTR)
        ;
    kill(-child->pid, SIGKILL); /* also kills what the kernel may have started */
    if (child->lifeline >= 0)
        close(child->lifeline);
    child->lifeline = -1;
    child->pid = 0;
    child->death = timed_out             ? GR_DEATH_TIMEOUT
                   : WIFSIGNALED(status) ? GR_DEATH_SIGNAL
                                         : GR_DEATH_EXIT;
    child->death_code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* OK if a reply (or the end of the worker) can be read; INTERRUPTED if a stop was requested,
 * even if a reply is there too; TIMED_OUT at the deadline. */
static enum gradus_status wait_readable(int socket, int64_t deadline_ns)
{
    for (;;) {
        int64_t left_ns = deadline_ns - gr_now_ns();
        struct pollfd p[] = {{.fd = socket, .events = POLLIN},
                             {.fd = gr_stop_fd(), .events = POLLIN}};
        int ready = poll(p, 2, left_ns > 0 ? (int)(left_ns / 1000000) + 1 : 0);
        if (gr_stop_requested())
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
        reap(child, true);
    if (waited == GRADUS_INTERRUPTED)
        return gr_fail(error, waited, "interrupted");
    if (waited == GRADUS_TIMED_OUT)
        return gr_fail(error, GRADUS_TIMED_OUT, "not done after %.3g s", (double)limit_ns * 1e-9);
    if (!sent || recv(child->socket, reply, sizeof *reply, 0) != (ssize_t)sizeof *reply) {
        reap(child, false);
        return gr_fail(error, GRADUS_CRASHED, "the worker ended: %s %d",
                       child->death == GR_DEATH_SIGNAL ? "signal" : "exit status",
                       child->death_code);
    }
    if (reply->status == GRADUS_CRASHED) { /* the worker lives, but its device context is lost */
        reap(child, true);
        child->death = GR_DEATH_FAULT;
        snprintf(child->death_text, sizeof child->death_text, "%s", reply->text);
    }
    if (reply->status != GRADUS_OK)
        return gr_fail(error, reply->status, "%s", reply->text);
    return GRADUS_OK;
}

/* Waits until a worker whose socket is closed has ended by itself, at most `limit_ns`. */
static void let_end(const struct gr_child *child, int64_t limit_ns)
{
    const int64_t deadline_ns = gr_now_ns() + limit_ns;
    siginfo_t ended = {0};
    while (waitid(P_PID, (id_t)child->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0 && gr_now_ns() < deadline_ns && !gr_stop_requested())
        poll(NULL, 0, 5);
}

/* Killing the worker is the fastest end, but not under rocprofv3 (which sets this variable): it
 * writes what it has counted when the process ends by itself. */
static bool is_counted(void)
{
    const char *tools = getenv("ROCP_TOOL_LIBRARIES");
    return tools && *tools;
}

void gr_child_stop(struct gr_child *child)
{
    if (child->socket >= 0)
        close(child->socket);
    if (child->pid && is_counted())
        let_end(child, 120 * (int64_t)1000000000);
    if (child->pid)
        reap(child, true);
    if (child->mailbox)
        munmap(child->mailbox, sizeof *child->mailbox);
    if (child->mailbox_fd >= 0)
        close(child->mailbox_fd);
    *child = (struct gr_child){.socket = -1, .mailbox_fd = -1, .lifeline = -1};
}
