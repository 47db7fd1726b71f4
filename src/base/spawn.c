/* spawn.c: starts programs by vfork and exec, since posix_spawn cannot make the child end with
 * this process. SPDX-License-Identifier: MIT */
#include "base/spawn.h"

#include "base/cleanup.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A descriptor above those that programs assume to be free. */
enum { LIFELINE_FD = 100, CANNOT_RUN = 127 };

/* What the child needs. It is prepared before vfork, because the child may not allocate. */
struct child_setup {
    const struct gr_spawn *spawn;
    const char *search; /* the folders in which argv[0] is searched; null: `path` is the file */
    pid_t parent;
    int null, failed[2], lifeline[2];
    sigset_t mask;
};

/* ---- In the child, which shares our memory until exec. ---- */

/* Our signal handlers must not run in the child. */
static void reset_signals(bool ignored_too)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_DFL ||
            (action.sa_handler == SIG_IGN && !ignored_too))
            continue;
        action = (struct sigaction){.sa_handler = SIG_DFL};
        sigaction(number, &action, NULL);
    }
}

/* PR_SET_PDEATHSIG kills the child when we end, but not the processes that the child has
 * started, such as a compiler started by its driver. The lifeline does: it is a pipe to which
 * only this process can write. When this process is gone, the kernel sends the chosen signal to
 * the owner of the read end, which is the whole process group. */
static void hold_lifeline(const struct child_setup *b)
{
    const int fd = fcntl(b->lifeline[0], F_DUPFD, LIFELINE_FD);
    if (fd < 0)
        return;
    close(b->lifeline[1]);
    if (fcntl(fd, F_SETOWN, -getpid()) == 0 && fcntl(fd, F_SETSIG, SIGKILL) == 0)
        fcntl(fd, F_SETFL, O_RDONLY | O_ASYNC);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, 0) > 0 && (p.revents & POLLHUP))
        _exit(CANNOT_RUN);
}

static int move_descriptors(const struct gr_spawn *s)
{
    for (int i = 0; i < s->move_count; i++) {
        const int from = s->moves[i][0], to = s->moves[i][1];
        if ((from == to ? fcntl(from, F_SETFD, 0) : dup2(from, to)) < 0)
            return errno;
    }
    return 0;
}

/* Searches PATH as a shell does: a file that may not be executed does not end the search. */
static int execute(const struct child_setup *b)
{
    char *const *const argv = (char *const *)b->spawn->argv;
    char *const *const environment = b->spawn->environment ? b->spawn->environment : environ;
    if (!b->search) {
        execve(b->spawn->path ? b->spawn->path : argv[0], argv, environment);
        return errno;
    }
    int refused = ENOENT;
    char file[PATH_MAX];
    for (const char *at = b->search;; at++) {
        const size_t length = strcspn(at, ":"), name = strlen(argv[0]);
        if (length + name + 2 <= sizeof file) {
            memcpy(file, at, length);
            file[length] = '/';
            memcpy(file + length + (length > 0), argv[0], name + 1);
            execve(file, argv, environment);
            if (errno == EACCES)
                refused = EACCES;
            else if (errno != ENOENT && errno != ENOTDIR)
                return errno;
        }
        at += length;
        if (!*at)
            return refused;
    }
}

__attribute__((noreturn)) static void become(const struct child_setup *b)
{
    const struct gr_spawn *s = b->spawn;
    sigset_t none;
    int number = 0;
    sigemptyset(&none);
    if (s->grouped)
        setpgid(0, 0);
    reset_signals(s->fresh);
    gr_spawn_die_with(b->parent);
    if (s->grouped && b->lifeline[0] >= 0)
        hold_lifeline(b);
    if (b->null >= 0 && dup2(b->null, 0) < 0)
        number = errno;
    if (!number)
        number = move_descriptors(s);
    sigprocmask(SIG_SETMASK, s->fresh ? &none : s->mask ? s->mask : &b->mask, NULL);
    if (!number)
        number = execute(b);
    while (write(b->failed[1], &number, sizeof number) < 0 && errno == EINTR)
        ;
    _exit(CANNOT_RUN);
}

/* ---- In the parent. ---- */

void gr_spawn_die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(CANNOT_RUN);
}

static void close_pair(const int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* Returns 0, or the errno value with which exec failed. If exec succeeded the write end of the
 * pipe was closed, and nothing is read. */
static int read_failure(int fd)
{
    int number = 0;
    ssize_t got;
    while ((got = read(fd, &number, sizeof number)) < 0 && errno == EINTR)
        ;
    return got == (ssize_t)sizeof number ? number : 0;
}

static pid_t start_child(const struct child_setup *b)
{
    const pid_t pid = vfork();
    if (pid == 0)
        become(b);
    return pid;
}

static int start(struct child_setup *b, struct gr_spawned *spawned)
{
    gr_cleanup_begin_entry(&b->mask);
    spawned->pid = start_child(b);
    int number = spawned->pid < 0 ? errno : 0;
    close(b->failed[1]);
    b->failed[1] = -1;
    if (!number)
        number = read_failure(b->failed[0]);
    if (!number && b->spawn->grouped)
        gr_cleanup_note_child(spawned->pid);
    gr_cleanup_end_entry(&b->mask);
    return number;
}

int gr_spawn(const struct gr_spawn *spawn, struct gr_spawned *spawned)
{
    struct child_setup b = {
        .spawn = spawn, .parent = getpid(), .null = -1, .failed = {-1, -1}, .lifeline = {-1, -1}};
    *spawned = (struct gr_spawned){.lifeline = -1};
    if (!spawn->path && !strchr(spawn->argv[0], '/')) {
        b.search = getenv("PATH");
        b.search = b.search ? b.search : "/usr/bin:/bin";
    }
    int number = pipe2(b.failed, O_CLOEXEC) == 0 ? 0 : errno;
    if (!number && spawn->grouped && pipe2(b.lifeline, O_CLOEXEC) != 0)
        number = errno;
    if (!number && spawn->silent && (b.null = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
        number = errno;
    if (!number)
        number = start(&b, spawned);
    if (number && spawned->pid > 0)
        while (waitpid(spawned->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    if (!number) {
        spawned->lifeline = b.lifeline[1];
        b.lifeline[1] = -1;
    } else {
        spawned->pid = 0;
    }
    close_pair(b.failed);
    close_pair(b.lifeline);
    if (b.null >= 0)
        close(b.null);
    return number;
}

const char *gr_spawn_refusal(int number)
{
    switch (number) {
    case EAGAIN:
        return "the system refuses another process: the limit of processes (ulimit -u) or of the "
               "container (pids.max) is reached";
    case ENOMEM:
        return "the system has no memory for another process";
    case EMFILE:
        return "this process may open no more files (ulimit -n)";
    case ENFILE:
        return "the system may open no more files (fs.file-max)";
    default:
        return NULL;
    }
}

/* Without /proc, the dynamic loader still knows the name with which the program was started. */
char *gr_spawn_self(void)
{
    static const char link[] = "/proc/self/exe";
    if (access(link, X_OK) == 0)
        return gr_strdup(link);
    const char *name = (const char *)getauxval(AT_EXECFN);
    char *path = name && *name ? realpath(name, NULL) : NULL;
    if (path && access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

char *gr_spawn_self_file(void)
{
    char *self = gr_spawn_self(), *path = self ? realpath(self, NULL) : NULL;
    free(self);
    return path;
}
