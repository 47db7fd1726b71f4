/* test_cleanup.c: what a signal leaves behind: no child, no file, and the signal's own status.
 * SPDX-License-Identifier: MIT */
/* threads: src/base/keep_signals.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/keep_signals.h"
#include "base/spawn.h"
#include "base/temporary.h"
#include "cli/signals.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that leads a group, with a child of its own in it; both hold `fd` open and wait for
 * ever, also when they are asked to end and are `deaf`. */
static pid_t start_group(int fd, bool deaf)
{
    pid_t leader = fork();
    if (leader == 0) {
        setpgid(0, 0);
        if (deaf)
            signal(SIGTERM, SIG_IGN);
        fork();
        while (write(fd, "x", 1) == 1)
            pause();
        _exit(1);
    }
    return leader;
}

/* Waits until both have started, so that both are there to be killed. */
static void await_start(int fd)
{
    char byte;
    assert_int_equal(read(fd, &byte, 1), 1);
    assert_int_equal(read(fd, &byte, 1), 1);
}

/* The end of a pipe whose every writer has gone. */
static void assert_all_gone(int fd)
{
    char byte;
    alarm(10);
    assert_int_equal(read(fd, &byte, 1), 0);
    alarm(0);
}

static void expect_ended_by(bool deaf, int number)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t leader = start_group(ends[1], deaf);
    close(ends[1]);
    await_start(ends[0]);
    assert_true(gr_cleanup_note_child(leader));
    gr_cleanup_run();
    int status;
    gr_cleanup_forget_child(leader);
    assert_int_equal(waitpid(leader, &status, 0), leader);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
    assert_all_gone(ends[0]);
    close(ends[0]);
}

static void groups_are_asked_then_killed(void **state)
{
    (void)state;
    expect_ended_by(false, SIGTERM);
    expect_ended_by(true, SIGKILL);
}

static void the_table_has_an_end(void **state)
{
    (void)state;
    int noted = 0;
    pid_t nobody = 0x3ffffff0; /* above what Linux gives to a process */
    while (noted < 1000 && gr_cleanup_note_child(nobody + noted % 4))
        noted++;
    assert_in_range(noted, 8, 999);
    for (int i = 0; i < noted; i++)
        gr_cleanup_forget_child(nobody + i % 4);
    assert_true(gr_cleanup_note_child(nobody));
    gr_cleanup_forget_child(nobody);
}

/* What befalls a signal's handler besides being installed. */
enum before { NOTHING, IGNORED, RESTORED, BEFORES };

/* As a library does that has handlers of its own for a while: those of before come back, and their
 * flags and masks do not. */
static void restore_without_flags(int signal_number)
{
    struct sigaction ours;
    assert_int_equal(sigaction(signal_number, NULL, &ours), 0);
    signal(signal_number, SIG_DFL);
    signal(signal_number, ours.sa_handler);
}

/* In a process of its own: a pending file, a child, then the signal. Returns how that process
 * ended. */
static int end_by(int signal_number, const char *path, int fd, enum before before)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0}); /* SIGQUIT would leave a core here */
        if (before == IGNORED)
            signal(signal_number, SIG_IGN);
        gr_signals_install();
        if (before == RESTORED)
            restore_without_flags(signal_number);
        pid_t leader = start_group(fd, false);
        usleep(50000);
        if (!gr_cleanup_note_child(leader) || gr_file_note_pending(path) < 0)
            _exit(9);
        raise(signal_number);
        gr_cleanup_run();
        _exit(7);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void signals_clean_up_and_kill(void **state)
{
    (void)state;
    const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < BEFORES * sizeof deadly / sizeof *deadly; i++) {
        int number = deadly[i / BEFORES];
        enum before before = i % BEFORES;
        char path[] = "/tmp/gradus-test-XXXXXX";
        int file = mkstemp(path), ends[2];
        assert_true(file >= 0 && pipe(ends) == 0);
        close(file);
        int status = end_by(number, path, ends[1], before);
        if (before == IGNORED)
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        else
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
        close(ends[1]);
        while (true) { /* the two that started have each left a byte */
            char byte;
            alarm(10);
            if (read(ends[0], &byte, 1) <= 0)
                break;
        }
        assert_all_gone(ends[0]);
        close(ends[0]);
        assert_false(gr_file_exists(path));
    }
}

/* Makes files, and starts programs, which inherit the open pipes. */
static void *create_for_ever(void *nothing)
{
    (void)nothing;
    const char *const argv[] = {"sleep", "1000", NULL};
    for (;;) {
        char path[512];
        int slot;
        struct gr_spawned spawned;
        if (gr_temporary_make(".a", path, sizeof path, &slot, NULL) == GRADUS_OK)
            gr_temporary_remove(path, slot);
        const struct gr_spawn spawn = {.argv = argv, .grouped = true};
        if (gr_spawn(&spawn, &spawned) != 0)
            continue;
        kill(-spawned.pid, SIGKILL);
        gr_cleanup_forget_child(spawned.pid);
        waitpid(spawned.pid, NULL, 0);
        if (spawned.lifeline >= 0)
            close(spawned.lifeline);
    }
    return NULL;
}

/* Threads that are creating something while the signal arrives leave nothing either. */
static void threads_leave_nothing(void **state)
{
    (void)state;
    enum { ROUNDS = 40, THREADS = 3 };
    char root[] = "/tmp/gradus-test-XXXXXX";
    assert_non_null(mkdtemp(root));
    setenv("TMPDIR", root, 1);
    for (int i = 0; i < ROUNDS; i++) {
        int ends[2], status;
        assert_int_equal(pipe(ends), 0);
        const pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            gr_signals_install();
            pthread_t threads[THREADS];
            for (int t = 0; t < THREADS; t++)
                pthread_create(&threads[t], NULL, create_for_ever, NULL);
            usleep(5000 + 500 * (unsigned)i);
            kill(getpid(), SIGTERM);
            pause();
            _exit(9);
        }
        close(ends[1]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
        assert_all_gone(ends[0]);
        close(ends[0]);
    }
    assert_int_equal(rmdir(root), 0);
    unsetenv("TMPDIR");
}

/* The first signal asks, and what is waited for can be waited for together with it; the second one
 * kills, and so does at once one that is no request to end. */
static int defer(const int *signals, int count)
{
    pid_t pid = fork();
    if (pid == 0) {
        gr_signals_install();
        gr_signals_defer();
        struct pollfd p = {.fd = gr_stop_fd(), .events = POLLIN};
        if (gr_stop_requested() || poll(&p, 1, 0) != 0)
            _exit(8);
        for (int i = 0; i < count; i++) {
            raise(signals[i]);
            if (gr_stop_requested() != signals[0] || poll(&p, 1, 0) != 1)
                _exit(9);
        }
        gr_signals_die();
        _exit(7);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    return WTERMSIG(status);
}

static void the_first_signal_asks(void **state)
{
    (void)state;
    assert_int_equal(defer((int[]){SIGINT}, 1), SIGINT);
    assert_int_equal(defer((int[]){SIGTERM}, 1), SIGTERM);
    assert_int_equal(defer((int[]){SIGHUP}, 1), SIGHUP);
    assert_int_equal(defer((int[]){SIGINT, SIGTERM}, 2), SIGTERM);
    assert_int_equal(defer((int[]){SIGQUIT}, 1), SIGQUIT);
}

static void end_with_four(int number)
{
    (void)number;
    _exit(4);
}

/* As NVRTC: while it works a signal ends the process by its own handler, and afterwards it leaves
 * that behind. */
static int end_in_library(int number, bool deferred, bool ignored, bool after)
{
    const pid_t pid = fork();
    if (pid == 0) {
        struct gr_kept_signals u;
        alarm(20);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        if (ignored)
            signal(number, SIG_IGN);
        gr_signals_install();
        if (deferred)
            gr_signals_defer();
        gr_keep_signals_begin(&u);
        signal(number, end_with_four);
        if (!after)
            kill(getpid(), number);
        usleep(300000);
        gr_keep_signals_end(&u);
        if (after)
            raise(number);
        _exit(gr_stop_requested() == number ? 6 : 7);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void a_library_does_not_take_the_signals(void **state)
{
    (void)state;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_int_equal(end_in_library(numbers[i], false, false, false), -numbers[i]);
        assert_int_equal(end_in_library(numbers[i], false, false, true), -numbers[i]);
        assert_int_equal(end_in_library(numbers[i], false, true, false), 7);
    }
    assert_int_equal(end_in_library(SIGINT, true, false, false), 6);
    assert_int_equal(end_in_library(SIGINT, true, false, true), 6);
}

static void time_asks_too(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        gr_signals_install();
        gr_signals_defer();
        gr_signals_stop_after(20000000);
        struct pollfd p = {.fd = gr_stop_fd(), .events = POLLIN};
        while (poll(&p, 1, 10000) < 0)
            ;
        gr_signals_die(); /* does not */
        _exit(gr_stop_requested() == SIGALRM ? 7 : 8);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_asked_then_killed),
        cmocka_unit_test(the_table_has_an_end),
        cmocka_unit_test(signals_clean_up_and_kill),
        cmocka_unit_test(threads_leave_nothing),
        cmocka_unit_test(the_first_signal_asks),
        cmocka_unit_test(a_library_does_not_take_the_signals),
        cmocka_unit_test(time_asks_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
