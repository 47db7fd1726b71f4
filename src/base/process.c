/* process.c: child processes. SPDX-License-Identifier: MIT */
#include "base/process.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interpreter.h"
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* In a group of its own, so that a compiler's children die with it; with the signal mask `mask`. */
static int spawn_grouped(const char *const argv[], int output_fd, const sigset_t *mask, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output_fd, 1);
    posix_spawn_file_actions_adddup2(&actions, output_fd, 2);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, mask);
    int failed = posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

/* No signal may come between the birth of the child and its entry in the list of those to end. */
static int spawn_noted(const char *const argv[], int output_fd, pid_t *pid)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    int failed = spawn_grouped(argv, output_fd, &before, pid);
    if (!failed)
        gr_cleanup_note_child(*pid);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* Waits for the end of the child itself, without collecting it: its number is still its own. */
static void await_end(pid_t pid)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == -1 && errno == EINTR)
        ;
}

/* Reads until end of file, the deadline, or until we are asked to end; true at end of file. */
static bool drain(int fd, int64_t deadline_ns, struct gr_str *output)
{
    for (;;) {
        int64_t left_ns = deadline_ns - gr_now_ns();
        struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = gr_stop_fd(), .events = POLLIN}};
        int ready = left_ns > 0 ? poll(p, 2, (int)(left_ns / 1000000) + 1) : 0;
        if (ready == 0 || gr_stop_asked())
            return false;
        char block[4096];
        ssize_t got = ready > 0 ? read(fd, block, sizeof block) : -1;
        if (got > 0)
            gr_str_add_bytes(output, block, (size_t)got);
        else if (got == 0 || errno != EINTR)
            return true;
    }
}

static enum gradus_status fail_to_run(const char *name, int number, struct gradus_error *error)
{
    char *path = strchr(name, '/') ? gr_strdup(name) : gr_program_find(name);
    char *why = gr_program_refusal(path, number);
    gr_fail(error, number == ENOENT ? GRADUS_NOT_FOUND : GRADUS_IO, "%s: cannot be run: %s", name,
            why ? why : strerror(number));
    free(why);
    free(path);
    return number == ENOENT ? GRADUS_NOT_FOUND : GRADUS_IO;
}

enum gradus_status gr_process_run(const char *const argv[], int64_t limit_ns, struct gr_str *output,
                                  int *exit_code, struct gradus_error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return gr_fail(error, GRADUS_IO, "%s: no pipe: %s", argv[0], strerror(errno));
    pid_t pid;
    int failed = spawn_noted(argv, ends[1], &pid);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return fail_to_run(argv[0], failed, error);
    }
    bool ended = drain(ends[0], gr_now_ns() + limit_ns, output);
    close(ends[0]);
    if (!ended)
        gr_cleanup_end(&pid, 1);
    await_end(pid);
    gr_cleanup_forget_child(pid);
    int status = 0;
    while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
        ;
    kill(-pid, SIGKILL);
    if (!ended && gr_stop_asked())
        return gr_fail(error, GRADUS_INTERRUPTED, "%s: interrupted", argv[0]);
    if (!ended)
        return gr_fail(error, GRADUS_TIMED_OUT, "%s: not done after %.0f s", argv[0],
                       (double)limit_ns * 1e-9);
    *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return GRADUS_OK;
}

char *gr_program_find(const char *name)
{
    const char *path = getenv("PATH");
    char *copy = gr_strdup(path ? path : "/usr/bin:/bin"), *rest = NULL, *found = NULL;
    for (char *folder = copy ? strtok_r(copy, ":", &rest) : NULL; folder && !found;
         folder = strtok_r(NULL, ":", &rest)) {
        found = gr_printf("%s/%s", folder, name);
        if (found && access(found, X_OK) != 0) {
            free(found);
            found = NULL;
        }
    }
    free(copy);
    return found;
}

bool gr_words_split(const char *text, const char **argv, int *count, int room, char **storage)
{
    char *out = *storage = malloc(strlen(text) + 1);
    if (!out)
        return false;
    while (*text) {
        text += strspn(text, " \t\n");
        if (!*text)
            break;
        if (*count >= room)
            return false;
        argv[(*count)++] = out;
        char quote = 0;
        for (; *text && (quote || !strchr(" \t\n", *text)); text++) {
            if (quote ? *text == quote : *text == '\'' || *text == '"')
                quote = quote ? 0 : *text;
            else
                *out++ = *text;
        }
        *out++ = 0;
        if (*text)
            text++;
    }
    return true;
}
