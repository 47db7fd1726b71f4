/* test_file_out.c: output files appear whole or not at all, and nothing else is left, whatever
 * fails and however the process ends. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the system does in place of its usual. */
static int sync_fails, link_fails, rename_fails;
static bool has_no_nameless_files;

int fsync(int fd)
{
    errno = sync_fails;
    return sync_fails ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    errno = rename_fails;
    return rename_fails ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    errno = link_fails;
    return link_fails ? -1 : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    errno = EOPNOTSUPP;
    return has_no_nameless_files && (flags & O_TMPFILE) == O_TMPFILE
               ? -1
               : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static char folder[64], path[128];

static int make_folder(void **state)
{
    (void)state;
    sync_fails = link_fails = rename_fails = 0;
    has_no_nameless_files = false;
    strcpy(folder, "/tmp/gradus-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* How many names are in the folder. */
static int count_names(void)
{
    int count = 0;
    DIR *names = opendir(folder);
    for (struct dirent *e; (e = readdir(names));)
        count += e->d_name[0] != '.';
    closedir(names);
    return count;
}

static void expect_content(const char *wanted)
{
    char *text = NULL;
    struct gradus_error error = {0};
    if (!wanted) {
        assert_int_equal(gr_file_read(path, &text, NULL, &error), GRADUS_NOT_FOUND);
        assert_int_equal(count_names(), 0);
    } else {
        assert_int_equal(gr_file_read(path, &text, NULL, &error), GRADUS_OK);
        assert_string_equal(text, wanted);
        assert_int_equal(count_names(), 1);
    }
    free(text);
    gradus_error_clear(&error);
}

static void put(const char *text)
{
    struct gradus_error error = {0};
    assert_int_equal(gr_file_write(path, text, strlen(text), &error), GRADUS_OK);
}

/* Writing "new" must fail and name the reason. */
static void expect_failure(const char *reason)
{
    struct gradus_error error = {0};
    assert_int_equal(gr_file_write(path, "new", 3, &error), GRADUS_IO);
    if (!strstr(error.text, reason) || !strstr(error.text, path))
        fail_msg("found '%s', wanted '%s'", error.text, reason);
    gradus_error_clear(&error);
}

/* Each for a new file and for one that is replaced, with and without nameless files. */
static void what_fails_leaves_what_was(void **state)
{
    for (int i = 0; i < 4; i++) {
        make_folder(state);
        const char *const before = i & 1 ? "old" : NULL;
        has_no_nameless_files = i & 2;
        if (before)
            put(before);
        expect_content(before);
        sync_fails = EIO;
        expect_failure("Input/output error");
        expect_content(before);
        sync_fails = ENOSPC;
        expect_failure("No space left");
        expect_content(before);
        sync_fails = 0;
        if (before || has_no_nameless_files) {
            rename_fails = EXDEV;
            expect_failure("cross-device");
            expect_content(before);
            rename_fails = 0;
        }
        if (!has_no_nameless_files) {
            link_fails = EDQUOT;
            expect_failure("quota");
            expect_content(before);
            link_fails = EPERM; /* then it is copied */
            put("other");
            expect_content("other");
            link_fails = 0;
        }
        put("new");
        expect_content("new");
        remove_folder(state);
    }
    make_folder(state);
}

static void abandoning_leaves_what_was(void **state)
{
    (void)state;
    struct gr_file_out out;
    for (int i = 0; i < 2; i++) {
        has_no_nameless_files = i;
        assert_int_equal(gr_file_out_open(&out, path, NULL), GRADUS_OK);
        fputs("half", out.stream);
        gr_file_out_abandon(&out);
        expect_content(NULL);
    }
}

/* A reader sees all of the old or all of the new. */
static void modes_are_kept(void **state)
{
    (void)state;
    struct stat about;
    for (int i = 0; i < 2; i++) {
        has_no_nameless_files = i;
        const mode_t before = umask(027);
        put("one");
        umask(before);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, 0640);
        assert_int_equal(chmod(path, 0604), 0);
        put("two");
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, 0604);
        unlink(path);
    }
}

/* A child that dies while it writes; returns how it ended. */
static int die_writing(int number, bool limited)
{
    const pid_t pid = fork();
    if (pid == 0) {
        struct gr_file_out out;
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        signal(number, SIG_DFL); /* cmocka has handlers of its own */
        if (limited)
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000});
        if (gr_file_out_open(&out, path, NULL) != GRADUS_OK)
            _exit(9);
        for (int i = 0; i < 100000; i++)
            fputs("0123456789", out.stream);
        fflush(out.stream);
        raise(number);
        _exit(8);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    return WTERMSIG(status);
}

static void who_is_killed_leaves_nothing(void **state)
{
    (void)state;
    const int fd = open(folder, O_TMPFILE | O_WRONLY, 0600);
    if (fd < 0)
        skip(); /* there are no nameless files here: see signals_clean_up_and_kill in test_cleanup.c
                 */
    close(fd);
    static const int signals[] = {SIGKILL, SIGBUS, SIGSEGV};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        assert_int_equal(die_writing(signals[i], false), signals[i]);
        expect_content(NULL);
    }
    assert_int_equal(die_writing(SIGKILL, true), SIGXFSZ);
    expect_content(NULL);
}

/* While it is written nothing is seen; at a signal's cleaning nothing is left. */
static void the_other_name_goes_with_the_pending(void **state)
{
    (void)state;
    struct gr_file_out out;
    assert_int_equal(gr_file_out_open(&out, path, NULL), GRADUS_OK);
    assert_int_equal(count_names(), 0);
    gr_file_out_abandon(&out);
    has_no_nameless_files = true;
    assert_int_equal(gr_file_out_open(&out, path, NULL), GRADUS_OK);
    assert_int_equal(count_names(), 1);
    gr_file_remove_pending();
    assert_int_equal(count_names(), 0);
    gr_file_out_abandon(&out);
}

/* Folders go after the files in them, in whatever order they were noted. */
static void pending_folders_go_last(void **state)
{
    (void)state;
    char inner[128], file[160];
    for (int i = 0; i < 2; i++) {
        snprintf(inner, sizeof inner, "%s/inner", folder);
        snprintf(file, sizeof file, "%s/file", inner);
        assert_int_equal(mkdir(inner, 0700), 0);
        close(open(file, O_CREAT | O_WRONLY, 0600));
        const int first = gr_file_note_pending(i ? file : inner);
        const int second = gr_file_note_pending(i ? inner : file);
        gr_file_remove_pending();
        assert_int_equal(count_names(), 0);
        gr_file_forget(first);
        gr_file_forget(second);
    }
}

/* A write that fails before the end, after which there is room again. */
static void an_earlier_failure_counts(void **state)
{
    (void)state;
    struct gr_file_out out;
    struct gradus_error error = {0};
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){1000, before.rlim_max};
    assert_int_equal(gr_file_out_open(&out, path, &error), GRADUS_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    setvbuf(out.stream, NULL, _IONBF, 0);
    for (int i = 0; i < 300; i++)
        fputs("0123456789", out.stream);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(gr_file_out_commit(&out, &error), GRADUS_IO);
    assert_non_null(strstr(error.text, "File too large"));
    expect_content(NULL);
    signal(SIGXFSZ, SIG_DFL);
    gradus_error_clear(&error);
}

static void odd_places_are_refused(void **state)
{
    (void)state;
    struct gradus_error error = {0};
    char below[160];
    snprintf(below, sizeof below, "%s/none/out", folder);
    assert_int_equal(gr_file_write(below, "x", 1, &error), GRADUS_IO);
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(gr_file_write(folder, "x", 1, &error), GRADUS_INVALID);
    assert_non_null(strstr(error.text, "found a directory"));
    snprintf(below, sizeof below, "%s/loop", folder);
    assert_int_equal(symlink("loop", below), 0);
    assert_int_equal(gr_file_write(below, "x", 1, &error), GRADUS_IO);
    assert_non_null(strstr(error.text, "Too many levels"));
    assert_int_equal(count_names(), 1);
    gradus_error_clear(&error);
}

/* A link in a folder below leads back here; what it leads to is made, and then replaced. */
static void links_stay(void **state)
{
    (void)state;
    char below[160], link[192], text[2] = "";
    struct stat about;
    snprintf(below, sizeof below, "%s/.below", folder);
    assert_int_equal(mkdir(below, 0700), 0);
    snprintf(link, sizeof link, "%s/first", below);
    assert_int_equal(symlink("second", link), 0);
    snprintf(link, sizeof link, "%s/second", below);
    assert_int_equal(symlink("../out", link), 0);
    snprintf(link, sizeof link, "%s/first", below);
    for (int i = 0; i < 4; i++) {
        has_no_nameless_files = i & 2;
        *text = (char)('0' + i);
        assert_int_equal(gr_file_write(link, text, 1, NULL), GRADUS_OK);
        expect_content(text);
        assert_int_equal(lstat(link, &about), 0);
        assert_true(S_ISLNK(about.st_mode));
    }
}

/* A pipe gets what is written and stays a pipe, behind a link, too. */
static void pipes_stay(void **state)
{
    (void)state;
    char link[160], got[16] = "";
    struct stat about;
    assert_int_equal(mkfifo(path, 0600), 0);
    const int fd = open(path, O_RDWR);
    snprintf(link, sizeof link, "%s/.link", folder);
    assert_int_equal(symlink("out", link), 0);
    put("one");
    assert_int_equal(gr_file_write(link, "two", 3, NULL), GRADUS_OK);
    assert_int_equal(read(fd, got, sizeof got), 6);
    assert_string_equal(got, "onetwo");
    struct gr_file_out out;
    assert_int_equal(gr_file_out_open(&out, path, NULL), GRADUS_OK);
    fputs("half", out.stream);
    gr_file_out_abandon(&out);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(read(fd, got, sizeof got), -1);
    close(fd);
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    assert_int_equal(count_names(), 1);
}

/* Linux's null device under another name, where this user may make one. */
static void devices_stay(void **state)
{
    (void)state;
    struct stat about;
    if (mknod(path, S_IFCHR | 0600, makedev(1, 3)) != 0)
        skip();
    const int fd = open(path, O_WRONLY); /* some file systems open no devices */
    if (fd < 0)
        skip();
    close(fd);
    put("nothing");
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

/* A file that was deleted while it is open has no name that could be replaced. */
static void a_deleted_file_is_written_through(void **state)
{
    (void)state;
    char name[64], got[16] = "";
    const int fd = open(path, O_CREAT | O_RDWR, 0600);
    unlink(path);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (gr_file_exists("/proc/self/fd"))
        assert_int_equal(gr_file_write(name, "new", 3, NULL), GRADUS_OK);
    else
        skip();
    assert_int_equal(pread(fd, got, sizeof got, 0), 3);
    assert_string_equal(got, "new");
    assert_int_equal(count_names(), 0);
    close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(what_fails_leaves_what_was),
        TEST(abandoning_leaves_what_was),
        TEST(modes_are_kept),
        TEST(who_is_killed_leaves_nothing),
        TEST(pending_folders_go_last),
        TEST(the_other_name_goes_with_the_pending),
        TEST(odd_places_are_refused),
        TEST(links_stay),
        TEST(pipes_stay),
        TEST(devices_stay),
        TEST(a_deleted_file_is_written_through),
        TEST(an_earlier_failure_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
