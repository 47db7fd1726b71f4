/* process.c: runs another program and reads its output. SPDX-License-Identifier: MIT */
#include "base/process.h"

#include "base/cleanup.h"
#include "core/clock.h"
#include "core/error.h"
#include "base/interpreter.h"
#include "base/spawn.h"
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for the end of the child without reaping it, so that its process id stays valid. */
static void await_end(pid_t pid)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == -1 && errno == EINTR)
        ;
}

/* Reads until end of file, the deadline or a request to stop; true at end of file. */
static bool drain(int fd, int64_t deadline_ns, struct gr_str *output)
{
    for (;;) {
        int64_t left_ns = deadline_ns - gr_now_ns();
        struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = gr_stop_fd(), .events = POLLIN}};
        int ready = left_ns > 0 ? poll(p, 2, (int)(left_ns / 1000000) + 1) : 0;
        if (ready == 0 || gr_stop_requested())
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
    const char *refusal = gr_spawn_refusal(number);
    if (refusal)
        return gr_fail(error, GRADUS_IO, "%s: cannot be started: %s", name, refusal);
    char *path = strchr(name, '/') ? gr_strdup(name) : gr_program_find(name);
    char *why = gr_program_refusal(path, number);
    gr_fail(error, number == ENOENT ? GRADUS_NOT_FOUND : GRADUS_IO, "%s: cannot be run: %s", name,
            why ? why : strerror(number));
    free(why);
    free(path);
    return number == ENOENT ? GRADUS_NOT_FOUND : GRADUS_IO;
}

/* Reaps the child, which is ended first unless it has closed its output, and kills what is left
 * of its group. */
static int collect(const struct gr_spawned *child, bool ended)
{
    int status = 0;
    if (!ended)
        gr_cleanup_end(&child->pid, 1);
    await_end(child->pid);
    gr_cleanup_forget_child(child->pid);
    while (waitpid(child->pid, &status, 0) == -1 && errno == EINTR)
        ;
    kill(-child->pid, SIGKILL);
    close(child->lifeline);
    return status;
}

enum gradus_status gr_process_run(const char *const argv[], char *const *environment,
                                  int64_t limit_ns, struct gr_str *output, int *exit_code,
                                  struct gradus_error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_to_run(argv[0], errno, error);
    struct gr_spawned child;
    const int moves[][2] = {{ends[1], 1}, {ends[1], 2}};
    const struct gr_spawn spawn = {.argv = argv,
                                   .environment = environment,
                                   .moves = moves,
                                   .move_count = 2,
                                   .silent = true,
                                   .grouped = true};
    int failed = gr_spawn(&spawn, &child);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return fail_to_run(argv[0], failed, error);
    }
    bool ended = drain(ends[0], gr_now_ns() + limit_ns, output);
    close(ends[0]);
    int status = collect(&child, ended);
    if (!ended && gr_stop_requested())
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
