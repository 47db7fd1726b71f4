/* test_toolchain.c: what a compiler's end means: a wrong source, a machine that is in want, or no
 * compiler at all; and what a compilation depends on beside its text. SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/toolchain.h"
#include "emit/outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/gradus-test-XXXXXX");
    return mkdtemp(root) ? 0 : 1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

/* Runs a compiler that does what the shell's script says; "$1" is its output. */
static void expect(const char *script, bool program, enum gradus_status wanted, const char *words)
{
    char output[128];
    struct gradus_error error = {0};
    snprintf(output, sizeof output, "%s/out", root);
    unlink(output);
    const char *const argv[] = {"sh", "-c", script, "sh", output, NULL};
    const struct gr_toolchain_step step = {
        .argv = argv, .source = "k.cu", .what = "compile", .output = output, .program = program};
    const enum gradus_status status = gr_toolchain_run(&step, &error);
    if (status != wanted || !strstr(error.text, words))
        fail_msg("%s: found %s '%s', wanted %s '%s'", script, gradus_status_name(status),
                 error.text, gradus_status_name(wanted), words);
    gradus_error_clear(&error);
}

static void a_wrong_source_is_the_kernels_fault(void **state)
{
    (void)state;
    expect("echo 'k.cu:3:1: error: no such thing'; exit 1", false, GRADUS_COMPILE, "k.cu");
    expect("echo 'k.cu:3:1: error: #error No space left on device'; exit 1", false, GRADUS_COMPILE,
           "k.cu");
    expect("echo 'k.cu:3:1: note: Cannot allocate memory'; exit 4", true, GRADUS_COMPILE, "k.cu");
    expect("exit 1", false, GRADUS_COMPILE, "exit 1");
}

static void a_machine_in_want_is_not(void **state)
{
    (void)state;
    expect("echo 'g++: fatal error: vfork: Resource temporarily unavailable'; exit 1", false,
           GRADUS_IO, "ulimit -u");
    expect("echo '/tmp/x.s: Fatal error: out: No space left on device'; exit 1", false, GRADUS_IO,
           "no space");
    expect("echo 'virtual memory exhausted: Cannot allocate memory'; exit 1", false, GRADUS_IO,
           "memory");
    expect("echo 'cc1plus: out of memory allocating 65536 bytes'; exit 1", false, GRADUS_IO,
           "memory");
    expect("echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1", false,
           GRADUS_IO, "killed");
    expect("echo 'g++: error: x.s: Too many open files'; exit 1", false, GRADUS_IO, "ulimit -n");
    expect("kill -KILL $$", false, GRADUS_IO, "SIGKILL");
    expect("kill -XFSZ $$", false, GRADUS_IO, "SIGXFSZ");
}

static void one_that_writes_nothing_is_none(void **state)
{
    (void)state;
    expect("exit 0", false, GRADUS_UNSUPPORTED, "has written no assembly");
    expect(": >\"$1\"", false, GRADUS_UNSUPPORTED, "has written no assembly");
    expect("echo nop >\"$1\"", false, GRADUS_OK, "");
    expect("exit 0", true, GRADUS_UNSUPPORTED, "has written no program");
    expect("echo nop >\"$1\"", true, GRADUS_UNSUPPORTED, "has written no program");
    expect("head -c 4 /bin/sh >\"$1\"", true, GRADUS_UNSUPPORTED, "has written no program");
    expect("head -c 9000 /bin/sh >\"$1\"", true, GRADUS_UNSUPPORTED, "has written no program");
    expect("cat /bin/sh >\"$1\"", true, GRADUS_OK, "");
}

static bool is_given(const char *name, int length, const void *with)
{
    return (size_t)length == strlen(with) && strncmp(name, with, (size_t)length) == 0;
}

static bool reads(const char *text, const char *option, const char *second)
{
    const char *const words[] = {option, second};
    char kernel_folder[80];
    snprintf(kernel_folder, sizeof kernel_folder, "%s/", root);
    const struct gr_outside about = {.text = text,
                                     .kernel_folder = kernel_folder,
                                     .words = words,
                                     .word_count = option ? 1 + (second != NULL) : 0,
                                     .ours = "/nowhere/ours",
                                     .is_given = is_given,
                                     .with = "given.h"};
    return gr_reads_outside(&about);
}

static void files_of_the_users_own_are_seen(void **state)
{
    (void)state;
    char path[160], folder[128], option[160];
    snprintf(path, sizeof path, "%s/beside.h", root);
    assert_int_equal(gr_file_write(path, "", 0, NULL), GRADUS_OK);
    snprintf(folder, sizeof folder, "%s/more", root);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/tile.h", folder);
    assert_int_equal(gr_file_write(path, "", 0, NULL), GRADUS_OK);
    assert_false(reads("int x;\n#define include 3\n", NULL, NULL));
    assert_false(
        reads("#include <stdio.h>\n#include \"given.h\"\n#include <given.h>\n", NULL, NULL));
    assert_true(reads("#include \"mine.h\"\n", NULL, NULL));
    assert_true(reads("# include\t\"mine.h\"\n", NULL, NULL));
    assert_true(reads("#include NAME\n", NULL, NULL));
    assert_true(reads("#include <beside.h>\n", NULL, NULL));
    assert_false(reads("#include <tile.h>\n", NULL, NULL));
    assert_false(reads("#include <tile.h>\n", "-DX=1", NULL));
    snprintf(option, sizeof option, "-I%s", folder);
    assert_true(reads("#include <tile.h>\n", option, NULL));
    assert_false(reads("#include <stdio.h>\n", option, NULL));
    assert_true(reads("#include <tile.h>\n", "-isystem", folder));
    assert_true(reads("#include <tile.h>\n", "-I", folder));
    snprintf(option, sizeof option, "--include-path=%s", folder);
    assert_true(reads("#include <tile.h>\n", option, NULL));
    assert_true(reads("int x;\n", "-include", "tile.h"));
    assert_true(reads("int x;\n", "@options", NULL));
    setenv("CPATH", folder, 1);
    assert_true(reads("#include <tile.h>\n", NULL, NULL));
    unsetenv("CPATH");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        TEST(a_wrong_source_is_the_kernels_fault),
        TEST(a_machine_in_want_is_not),
        TEST(one_that_writes_nothing_is_none),
        TEST(files_of_the_users_own_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
