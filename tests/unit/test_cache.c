/* test_cache.c: what is taken from the cache is what was put there, or nothing; what was used
 * longest ago goes. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/cache.h"
#include "base/file.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
    setenv("XDG_CACHE_HOME", root, 1);
    unsetenv("GRADUS_CACHE_LIMIT");
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static struct gr_cache_key key_of(const char *text)
{
    struct gr_cache_key key = {0};
    gr_cache_key_add_text(&key, text);
    return key;
}

static void put(const char *name, const char *bytes, size_t length)
{
    const struct gr_cache_key key = key_of(name);
    gr_cache_put("kind", &key, bytes, length);
}

static bool has(const char *name, const char *wanted, size_t wanted_length)
{
    const struct gr_cache_key key = key_of(name);
    char *bytes = NULL;
    size_t length = 0;
    const bool found = gr_cache_get("kind", &key, &bytes, &length);
    if (found) {
        assert_int_equal(length, wanted_length);
        assert_memory_equal(bytes, wanted, length);
        assert_int_equal(bytes[length], 0);
    } else {
        assert_null(bytes);
    }
    free(bytes);
    return found;
}

/* The only entry's file. */
static char *only_entry(void)
{
    char *folder = gr_printf("%s/gradus/kind", root), *path = NULL;
    DIR *names = opendir(folder);
    for (struct dirent *e; names && (e = readdir(names));)
        if (e->d_name[0] != '.') {
            assert_null(path);
            path = gr_printf("%s/%s", folder, e->d_name);
        }
    if (names)
        closedir(names);
    free(folder);
    return path;
}

static void keys_tell_everything_apart(void **state)
{
    (void)state;
    struct gr_cache_key keys[6] = {0};
    gr_cache_key_add_text(&keys[0], "a");
    gr_cache_key_add_text(&keys[0], "b");
    gr_cache_key_add_text(&keys[1], "ab");
    gr_cache_key_add_text(&keys[2], "ab");
    gr_cache_key_add_text(&keys[2], NULL);
    gr_cache_key_add_text(&keys[3], "ab");
    gr_cache_key_add_text(&keys[3], "");
    gr_cache_key_add_text(&keys[4], "b");
    gr_cache_key_add_text(&keys[4], "a");
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            assert_true(keys[i].low != keys[j].low && keys[i].high != keys[j].high);
    assert_true(keys[0].low != keys[0].high);
}

static void what_was_put_is_found(void **state)
{
    (void)state;
    static const char bytes[] = "line\n\0more\n";
    assert_false(has("one", bytes, sizeof bytes));
    put("one", bytes, sizeof bytes);
    assert_true(has("one", bytes, sizeof bytes));
    assert_false(has("two", bytes, sizeof bytes));
    put("two", "", 0);
    assert_true(has("two", "", 0));
    put("one", "other", 5);
    assert_true(has("one", "other", 5));
    const struct gr_cache_key key = key_of("one");
    char *text;
    size_t length;
    assert_false(gr_cache_get("another", &key, &text, &length));
}

/* Each byte changed, each length cut, bytes added, a file of another key or kind in its place:
 * nothing is taken, and the damaged file is gone. */
static void what_is_damaged_is_not_taken(void **state)
{
    (void)state;
    char *entry = NULL;
    size_t length = 0;
    put("one", "0123456789", 10);
    char *path = only_entry();
    assert_int_equal(gr_file_read(path, &entry, &length, NULL), GRADUS_OK);
    for (size_t i = 0; i <= length; i++)
        for (int cut = 0; cut < 2; cut++) {
            char *spoilt = calloc(length + 2, 1);
            memcpy(spoilt, entry, length);
            spoilt[i] ^= 4; /* at the end: a byte more */
            assert_int_equal(gr_file_write(path, spoilt, cut ? i : length + (i == length), NULL),
                             GRADUS_OK);
            if (!cut || i < length) {
                assert_false(has("one", "0123456789", 10));
                assert_false(gr_file_exists(path));
            }
            free(spoilt);
        }
    unlink(path);
    put("two", "0123456789", 10);
    char *other = only_entry();
    assert_int_equal(rename(other, path), 0);
    assert_false(has("one", "0123456789", 10));
    put("one", "0123456789", 10);
    assert_true(has("one", "0123456789", 10));
    char *kind = gr_printf("%s/gradus/kinds", root),
         *moved = gr_printf("%s/%s", kind, gr_path_base(path));
    assert_int_equal(mkdir(kind, 0700), 0);
    assert_int_equal(rename(path, moved), 0);
    const struct gr_cache_key key = key_of("one");
    char *text;
    assert_false(gr_cache_get("kinds", &key, &text, &length));
    free(kind);
    free(moved);
    free(other);
    free(entry);
    free(path);
}

/* As if it had been used so long ago. */
static void age(const char *name, int seconds)
{
    const struct gr_cache_key key = key_of(name);
    char path[160];
    snprintf(path, sizeof path, "%s/gradus/kind/%016llx%016llx", root, (unsigned long long)key.high,
             (unsigned long long)key.low);
    const struct timespec then[] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

static void the_least_recently_used_goes(void **state)
{
    (void)state;
    static char block[3000];
    struct gr_cache_about about;
    setenv("GRADUS_CACHE_LIMIT", "10K", 1);
    put("a", block, sizeof block);
    put("b", block, sizeof block);
    put("c", block, sizeof block);
    age("a", 300);
    age("b", 200);
    age("c", 100);
    assert_true(has("a", block, sizeof block)); /* used now */
    put("d", block, sizeof block);
    assert_false(has("b", block, sizeof block));
    assert_true(has("a", block, sizeof block));
    assert_true(has("c", block, sizeof block));
    assert_true(has("d", block, sizeof block));
    gr_cache_look(&about);
    assert_int_equal(about.entries, 3);
    assert_in_range(about.bytes, 9000, 10240);
    assert_int_equal(about.limit_bytes, 10240);
    gr_cache_about_free(&about);
    static char large[10240]; /* with its first line it does not fit, and costs nobody his place */
    put("e", large, sizeof large);
    assert_false(has("e", large, sizeof large));
    assert_true(has("a", block, sizeof block));
    setenv("GRADUS_CACHE_LIMIT", "0", 1);
    assert_false(has("a", block, sizeof block));
    put("f", block, 10);
    setenv("GRADUS_CACHE_LIMIT", "1G", 1);
    assert_false(has("f", block, 10));
    assert_true(has("a", block, sizeof block));
}

static void limits_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
        bool understood;
    } cases[] = {{"", 1 << 30, true},
                 {"0", 0, true},
                 {"1", 1, true},
                 {"20k", 20480, true},
                 {"3M", 3 << 20, true},
                 {"2G", 2LL << 30, true},
                 {"-1", 1 << 30, false},
                 {"1T", 1 << 30, false},
                 {"G", 1 << 30, false},
                 {"1GB", 1 << 30, false},
                 {"1.5G", 1 << 30, false},
                 {" 1", 1 << 30, false},
                 {"9999999999999G", 1 << 30, false},
                 {"99999999999999999999", 1 << 30, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool understood = !cases[i].understood;
        setenv("GRADUS_CACHE_LIMIT", cases[i].text, 1);
        assert_int_equal(gr_cache_limit_bytes(&understood), cases[i].bytes);
        assert_int_equal(understood, cases[i].understood);
    }
    unsetenv("GRADUS_CACHE_LIMIT");
}

/* Headers and measurements lie there too; half an entry is one. */
static void clearing_removes_entries_only(void **state)
{
    (void)state;
    struct gr_cache_about removed;
    char *folder = NULL, path[200], half[200];
    put("a", "0123456789", 10);
    assert_int_equal(gr_cache_dir("kind/include", &folder, NULL), GRADUS_OK);
    snprintf(path, sizeof path, "%s/a.h", folder);
    assert_int_equal(gr_file_write(path, "x", 1, NULL), GRADUS_OK);
    free(folder);
    assert_int_equal(gr_cache_dir("ceilings", &folder, NULL), GRADUS_OK);
    snprintf(half, sizeof half, "%s/0123456789abcdef.txt", folder);
    assert_int_equal(gr_file_write(half, "x", 1, NULL), GRADUS_OK);
    snprintf(half, sizeof half, "%s/0123456789abcdef0123456789abcdef.tmp.abcdef", folder);
    assert_int_equal(gr_file_write(half, "12345", 5, NULL), GRADUS_OK);
    free(folder);
    assert_int_equal(gr_cache_clear(&removed, NULL), GRADUS_OK);
    assert_int_equal(removed.entries, 2);
    assert_in_range(removed.bytes, 15, 200);
    gr_cache_about_free(&removed);
    assert_true(gr_file_exists(path));
    assert_false(gr_file_exists(half));
    assert_false(has("a", "0123456789", 10));
    gr_cache_look(&removed);
    assert_int_equal(removed.entries, 0);
    gr_cache_about_free(&removed);
}

/* Writers, readers, clearers and a limit that has entries go all the time. */
static void processes_share_it(void **state)
{
    (void)state;
    enum { PROCESSES = 4, ROUNDS = 200, NAMES = 5 };
    pid_t pids[PROCESSES];
    setenv("GRADUS_CACHE_LIMIT", "8K", 1);
    for (int p = 0; p < PROCESSES; p++)
        if ((pids[p] = fork()) == 0) {
            char block[3000];
            for (int i = 0; i < ROUNDS; i++) {
                const char name[] = {(char)('a' + (i * 7 + p) % NAMES), 0};
                char *bytes = NULL;
                size_t length;
                const struct gr_cache_key key = key_of(name);
                memset(block, name[0], sizeof block);
                if (gr_cache_get("kind", &key, &bytes, &length) &&
                    (length != sizeof block || memcmp(bytes, block, length) != 0))
                    _exit(1);
                free(bytes);
                gr_cache_put("kind", &key, block, sizeof block);
                struct gr_cache_about removed;
                if (i % 50 == 49) {
                    if (gr_cache_clear(&removed, NULL) != GRADUS_OK)
                        _exit(2);
                    gr_cache_about_free(&removed);
                }
            }
            _exit(0);
        }
    for (int p = 0; p < PROCESSES; p++) {
        int status = -1;
        waitpid(pids[p], &status, 0);
        assert_int_equal(status, 0);
    }
    struct gr_cache_about about;
    gr_cache_look(&about);
    assert_in_range(about.bytes, 0, 8192 + PROCESSES * 3200);
    gr_cache_about_free(&about);
}

/* A file in the place of the folder, a folder in the place of an entry, no home at all. */
static void without_a_folder_nothing_happens(void **state)
{
    (void)state;
    char path[128];
    struct gr_cache_about about;
    put("a", "x", 1);
    char *entry = only_entry();
    assert_int_equal(unlink(entry), 0);
    assert_int_equal(mkdir(entry, 0700), 0);
    put("a", "x", 1);
    assert_false(has("a", "x", 1));
    free(entry);
    snprintf(path, sizeof path, "%s/file", root);
    assert_int_equal(gr_file_write(path, "x", 1, NULL), GRADUS_OK);
    setenv("XDG_CACHE_HOME", path, 1);
    setenv("TMPDIR", root, 1);
    put("a", "x", 1); /* goes to TMPDIR, which is this test's */
    assert_true(has("a", "x", 1));
    gr_cache_look(&about);
    assert_non_null(strstr(about.folder, root));
    assert_int_equal(about.entries, 1);
    gr_cache_about_free(&about);
    unsetenv("TMPDIR");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        TEST(keys_tell_everything_apart),
        TEST(what_was_put_is_found),
        TEST(what_is_damaged_is_not_taken),
        TEST(the_least_recently_used_goes),
        TEST(limits_are_read),
        TEST(clearing_removes_entries_only),
        TEST(processes_share_it),
        TEST(without_a_folder_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
