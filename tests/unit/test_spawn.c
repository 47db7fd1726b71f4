/* test_spawn.c: programs that are started end with who has started them, and get the signals and
 * descriptors that they should. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/process.h"
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The end of a pipe whose every writer has gone, within ten seconds. */
static void assert_all_gone(int fd)
{
    char byte;
    alarm(10);
    while (read(fd, &byte, 1) == 1)
        ;
    alarm(0);
}

/* A process that starts `script` with `fd` open in all of it, and is then killed. Each part of the
 * script that holds the pipe writes a byte when it has begun. */
static void kill_the_starter(const char *script, bool grouped, int parts)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    const pid_t starter = fork();
    if (starter == 0) {
        struct gr_spawned child;
        const int moves[][2] = {{ends[1], 1}};
        const char *const argv[] = {"sh", "-c", script, NULL};
        const struct gr_spawn spawn = {
            .argv = argv, .moves = moves, .move_count = 1, .silent = true, .grouped = grouped};
        alarm(40);
        if (gr_spawn(&spawn, &child) != 0)
            _exit(9);
        close(ends[0]);
        close(ends[1]);
        pause();
    }
    close(ends[1]);
    alarm(20);
    for (int i = 0; i < parts; i++)
        assert_int_equal(read(ends[0], &byte, 1), 1);
    alarm(0);
    kill(starter, SIGKILL);
    assert_int_equal(waitpid(starter, NULL, 0), starter);
    assert_all_gone(ends[0]);
    close(ends[0]);
}

static void the_child_ends_with_its_starter(void **state)
{
    (void)state;
    kill_the_starter("printf x; exec sleep 60", true, 1);
    kill_the_starter("printf x; exec sleep 60", false, 1);
    kill_the_starter("trap '' TERM HUP INT; printf x; exec sleep 60", true, 1);
}

/* As a compiler's driver and the compiler: the signal at the death of a parent goes to the driver
 * alone. */
static void what_the_child_has_started_ends_too(void **state)
{
    (void)state;
    kill_the_starter("sleep 60 & printf x; wait", true, 1);
    kill_the_starter("(trap '' TERM HUP; sleep 60 & printf x; wait) & printf x; wait", true, 2);
    kill_the_starter("sh -c 'printf x; exec sleep 60' & wait", true, 1);
}

/* A program that closes what it does not know has cut the group's lifeline, and ends all the same.
 */
static void who_closes_all_files_ends_too(void **state)
{
    (void)state;
    char *self = gr_spawn_self_file(), script[600];
    snprintf(script, sizeof script, "exec '%s' close-all", self);
    kill_the_starter(script, true, 1);
    free(self);
}

static int close_all(void)
{
    for (int fd = 2; fd < 4096; fd++)
        close(fd);
    return write(1, "x", 1) == 1 && pause();
}

/* The group is alive as long as its starter is. */
static void nobody_ends_early(void **state)
{
    (void)state;
    struct gr_str said = {0};
    int code = -1;
    const char *const argv[] = {"sh", "-c", "sleep 0.3 & wait; echo done; exit 7", NULL};
    assert_int_equal(gr_process_run(argv, NULL, 20000000000LL, &said, &code, NULL), GRADUS_OK);
    assert_int_equal(code, 7);
    assert_string_equal(gr_str_text(&said), "done\n");
    gr_str_free(&said);
}

/* How the started script ends. */
static int status_of(const struct gr_spawn *spawn)
{
    struct gr_spawned child;
    int status = -1;
    assert_int_equal(gr_spawn(spawn, &child), 0);
    gr_cleanup_forget_child(child.pid);
    assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
    if (child.lifeline >= 0)
        close(child.lifeline);
    return status;
}

static void do_nothing(int number)
{
    (void)number;
}

static void signals_are_as_promised(void **state)
{
    (void)state;
    const char *const hang_up[] = {"sh", "-c", "kill -HUP $$; exit 3", NULL};
    const char *const ask[] = {"sh", "-c", "kill -USR1 $$; exit 3", NULL};
    struct gr_spawn spawn = {.argv = hang_up};
    signal(SIGHUP, SIG_IGN);
    assert_int_equal(status_of(&spawn), 3 << 8); /* nohup's promise is kept */
    spawn.fresh = true;
    assert_int_equal(status_of(&spawn) & 0x7f, SIGHUP);
    signal(SIGHUP, SIG_DFL);
    spawn = (struct gr_spawn){.argv = ask};
    signal(SIGUSR1, do_nothing);
    assert_int_equal(status_of(&spawn) & 0x7f, SIGUSR1);
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &before);
    assert_int_equal(status_of(&spawn), 3 << 8);
    spawn.mask = &before;
    assert_int_equal(status_of(&spawn) & 0x7f, SIGUSR1);
    spawn.mask = NULL;
    spawn.fresh = true;
    assert_int_equal(status_of(&spawn) & 0x7f, SIGUSR1);
    sigprocmask(SIG_SETMASK, &before, NULL);
    signal(SIGUSR1, SIG_DFL);
}

/* What cannot be started is told by its number, and leaves no child and no descriptor. */
static void failures_have_numbers(void **state)
{
    (void)state;
    struct gr_spawned child;
    char folder[] = "/tmp/gradus-test-XXXXXX", plain[64], path[256];
    assert_non_null(mkdtemp(folder));
    snprintf(plain, sizeof plain, "%s/tool", folder);
    close(open(plain, O_CREAT | O_WRONLY, 0600));
    const char *const nobody[] = {"a-program-that-is-nowhere", NULL};
    const char *const nowhere[] = {"/nowhere/sh", NULL}, *const not_run[] = {plain, NULL};
    const char *const tool[] = {"tool", NULL};
    const int first = dup(0);
    close(first);
    assert_int_equal(gr_spawn(&(struct gr_spawn){.argv = nobody}, &child), ENOENT);
    assert_int_equal(gr_spawn(&(struct gr_spawn){.argv = nowhere, .grouped = true}, &child),
                     ENOENT);
    assert_int_equal(gr_spawn(&(struct gr_spawn){.argv = not_run, .silent = true}, &child), EACCES);
    assert_int_equal(child.pid, 0);
    char *before = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "/nowhere:%s:/proc/version", folder);
    setenv("PATH", path, 1);
    assert_int_equal(gr_spawn(&(struct gr_spawn){.argv = tool}, &child), EACCES);
    FILE *f = fopen(plain, "w");
    fputs("#!/bin/sh\nexit 5\n", f);
    fclose(f);
    chmod(plain, 0700);
    assert_int_equal(status_of(&(struct gr_spawn){.argv = tool}), 5 << 8);
    setenv("PATH", before, 1);
    free(before);
    const int last = dup(0);
    close(last);
    assert_int_equal(first, last);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    unlink(plain);
    rmdir(folder);
}

/* Root has no such limit: another user does. */
static void a_refused_process_is_not_a_missing_program(void **state)
{
    (void)state;
    const pid_t pid = fork();
    if (pid == 0) {
        const char *const argv[] = {"true", NULL};
        struct gr_str said = {0};
        struct gradus_error error = {0};
        int code = 0;
        if (getuid() == 0 && setuid(54321) != 0)
            _exit(77);
        if (setrlimit(RLIMIT_NPROC, &(struct rlimit){0, 0}) != 0)
            _exit(77);
        enum gradus_status status = gr_process_run(argv, NULL, 1000000000, &said, &code, &error);
        printf("found: %s\n", error.text);
        _exit(status == GRADUS_IO && strstr(error.text, "ulimit -u") ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static void reasons_have_words(void **state)
{
    (void)state;
    assert_non_null(strstr(gr_spawn_refusal(EAGAIN), "ulimit -u"));
    assert_non_null(strstr(gr_spawn_refusal(ENOMEM), "memory"));
    assert_non_null(strstr(gr_spawn_refusal(EMFILE), "ulimit -n"));
    assert_null(gr_spawn_refusal(ENOENT));
    assert_null(gr_spawn_refusal(EACCES));
}

static void the_program_knows_itself(void **state)
{
    (void)state;
    char *self = gr_spawn_self(), *file = gr_spawn_self_file();
    assert_non_null(self);
    assert_non_null(strstr(file, "test_spawn"));
    assert_int_equal(access(self, X_OK), 0);
    free(self);
    free(file);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "close-all") == 0)
        return close_all();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_child_ends_with_its_starter),
        cmocka_unit_test(what_the_child_has_started_ends_too),
        cmocka_unit_test(who_closes_all_files_ends_too),
        cmocka_unit_test(nobody_ends_early),
        cmocka_unit_test(signals_are_as_promised),
        cmocka_unit_test(failures_have_numbers),
        cmocka_unit_test(a_refused_process_is_not_a_missing_program),
        cmocka_unit_test(reasons_have_words),
        cmocka_unit_test(the_program_knows_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
