/* test_temporary.c: temporary files go with their process, and what a killed one has left goes with
 * the next. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/gradus-test-XXXXXX");
    assert_non_null(mkdtemp(root));
    setenv("TMPDIR", root, 1);
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static int count_names(void)
{
    int count = 0;
    DIR *names = opendir(root);
    for (struct dirent *e; (e = readdir(names));)
        count += e->d_name[0] != '.';
    closedir(names);
    return count;
}

static void the_folder_goes_with_its_last_file(void **state)
{
    (void)state;
    char one[512], two[512];
    int slots[2];
    struct stat about;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(gr_temporary_make(".a", one, sizeof one, &slots[0], NULL), GRADUS_OK);
        assert_int_equal(gr_temporary_make(".b", two, sizeof two, &slots[1], NULL), GRADUS_OK);
        assert_string_not_equal(one, two);
        assert_int_equal(stat(one, &about), 0);
        assert_int_equal(count_names(), 1);
        assert_int_equal(gr_temporary_fill(two, "0123456789", 10, NULL), GRADUS_OK);
        gr_temporary_remove(one, slots[0]);
        assert_false(gr_file_exists(one));
        assert_true(gr_file_exists(two));
        gr_temporary_remove(two, slots[1]);
        gr_temporary_remove("", -1);
        assert_int_equal(count_names(), 0);
    }
    gr_file_remove_pending();
    assert_null(gr_temporary_note());
}

static void a_signal_leaves_nothing(void **state)
{
    (void)state;
    char path[512];
    int slot;
    const int other = gr_file_note_pending("/nowhere/first");
    assert_int_equal(gr_temporary_make(".a", path, sizeof path, &slot, NULL), GRADUS_OK);
    gr_file_forget(other);
    char second[512];
    int second_slot; /* takes the place of the one before the folder's */
    assert_int_equal(gr_temporary_make(".b", second, sizeof second, &second_slot, NULL), GRADUS_OK);
    gr_file_remove_pending();
    assert_int_equal(count_names(), 0);
    gr_temporary_remove(path, slot);
    gr_temporary_remove(second, second_slot);
}

/* What compilers have put there goes as well, in folders of their own too. */
static void all_of_it_goes(void **state)
{
    (void)state;
    char path[512], other[600];
    int slot;
    assert_int_equal(gr_temporary_make(".a", path, sizeof path, &slot, NULL), GRADUS_OK);
    for (int i = 0; i < 200; i++) {
        snprintf(other, sizeof other, "%s-%d%s", path, i, i % 20 ? "" : ".folder");
        if (i % 20)
            close(open(other, O_CREAT | O_WRONLY, 0600));
        else
            assert_int_equal(mkdir(other, 0700), 0);
        strcat(other, "/inner");
        close(open(other, O_CREAT | O_WRONLY, 0600));
    }
    gr_temporary_remove_all();
    assert_int_equal(count_names(), 0);
    gr_temporary_remove(path, slot);
    gr_temporary_remove_all();
}

/* A process with a temporary file and one of a compiler's in its folder; it tells when it has them.
 */
static pid_t start_owner(void)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        char path[512], kernel_folder[600];
        int slot;
        if (gr_temporary_make(".a", path, sizeof path, &slot, NULL) != GRADUS_OK)
            _exit(9);
        snprintf(kernel_folder, sizeof kernel_folder, "%sx", path);
        close(open(kernel_folder, O_CREAT | O_WRONLY, 0600));
        if (write(ends[1], "x", 1) == 1)
            pause();
        _exit(8);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return pid;
}

static void make_and_remove_one(void)
{
    char path[512];
    int slot;
    assert_int_equal(gr_temporary_make(".c", path, sizeof path, &slot, NULL), GRADUS_OK);
    gr_temporary_remove(path, slot);
}

static void the_dead_are_swept_and_the_living_are_not(void **state)
{
    (void)state;
    const pid_t dead = start_owner();
    kill(dead, SIGKILL);
    waitpid(dead, NULL, 0);
    assert_int_equal(count_names(), 1);
    const pid_t living = start_owner(); /* which sweeps */
    assert_int_equal(count_names(), 1);
    make_and_remove_one();
    assert_int_equal(count_names(), 1);
    kill(living, SIGKILL);
    waitpid(living, NULL, 0);
    make_and_remove_one();
    assert_int_equal(count_names(), 0);
}

static void make_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    close(open(path, O_CREAT | O_WRONLY, 0600));
}

static void make_dir(const char *name, time_t age)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    const struct timespec then[] = {{time(NULL) - age, 0}, {time(NULL) - age, 0}};
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

/* Names that are only like ours; a folder that another process may be about to lock; a link to what
 * is none of ours. */
static void nothing_else_is_swept(void **state)
{
    (void)state;
    char link[128];
    make_file("gradus-tmp-afile");
    make_dir("gradus-cli.abcdef", 7200);
    make_dir("other", 7200);
    make_file("other/lock");
    make_dir("gradus-tmp-anew00", 0);
    snprintf(link, sizeof link, "%s/gradus-tmp-alink0", root);
    assert_int_equal(symlink("other", link), 0);
    make_and_remove_one();
    assert_int_equal(count_names(), 5);
    make_dir("gradus-tmp-anold0", 7200);
    make_and_remove_one();
    assert_int_equal(count_names(), 5);
}

/* In a child each: what was noted once is noted for the process. */
static bool note_for(const char *tmpdir, const char *wanted)
{
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("TMPDIR", tmpdir, 1);
        make_and_remove_one();
        const char *note = gr_temporary_note();
        const bool right = wanted ? note && strstr(note, wanted) && strstr(note, tmpdir) : !note;
        if (!right)
            printf("found: %s\n", note ? note : "no note");
        _exit(right ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    return status == 0;
}

static void a_bad_tmpdir_is_no_end(void **state)
{
    (void)state;
    char file[128];
    make_file("afile");
    snprintf(file, sizeof file, "%s/afile", root);
    assert_true(note_for("/nope", "No such file"));
    assert_true(note_for(file, "Not a directory"));
    assert_true(note_for("/proc", "files are put in /tmp"));
    assert_true(note_for(root, NULL));
    assert_true(note_for("", NULL));
}

/* A compiler's own files lie there too, and go with the folder. */
static void others_are_told_where(void **state)
{
    (void)state;
    char path[512];
    int slot, found = 0;
    assert_null(gr_temporary_environment());
    assert_int_equal(gr_temporary_make(".a", path, sizeof path, &slot, NULL), GRADUS_OK);
    char **environment = gr_temporary_environment();
    for (int i = 0; environment[i]; i++)
        if (strncmp(environment[i], "TMPDIR=", 7) == 0) {
            found++;
            assert_int_equal(strncmp(environment[i] + 7, path, strlen(environment[i] + 7)), 0);
            char other[600];
            snprintf(other, sizeof other, "%s/ccXXXXXX", environment[i] + 7);
            const int fd = mkstemp(other);
            assert_true(fd >= 0);
            close(fd);
        }
    assert_int_equal(found, 1);
    gr_temporary_environment_free(environment);
    gr_temporary_remove(path, slot);
    assert_int_equal(count_names(), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        TEST(the_folder_goes_with_its_last_file),
        TEST(a_signal_leaves_nothing),
        TEST(all_of_it_goes),
        TEST(the_dead_are_swept_and_the_living_are_not),
        TEST(nothing_else_is_swept),
        TEST(a_bad_tmpdir_is_no_end),
        TEST(others_are_told_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
