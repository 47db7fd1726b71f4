/* test_history.c: what is read from the history is what was put there, whoever else writes; no file
 * is lost. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "core/error.h"
#include "history/history.h"
#include "report/history_view.h"

#ifdef GRADUS_HAVE_SQLITE
#include "history/history_db.h"
#endif

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64], path[128];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/gradus-test-XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/below/history.db", root);
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void sqlite_or_skip(void)
{
    if (!gr_history_is_built()) {
        print_message("skip: this build keeps no history\n");
        skip();
    }
}

/* ---- Rows ---- */

/* Its texts are constants. */
static struct gr_row row_of(const char *kernel, int64_t size, double gflops)
{
    struct gr_row row = {.kernel = (char *)kernel,
                         .path = "kernels/cpu/x.c",
                         .device = "cpu",
                         .threads = 2,
                         .cold = true,
                         .variant = "avx2 \"8x48\"; DROP TABLE rows",
                         .flags = "-O3",
                         .verdict = GR_RIGHT,
                         .checked_by = "full float64 reference",
                         .time_ns = {1e6, 9e5, 1e4, 31},
                         .disturbed = 0.25,
                         .gflops = gflops,
                         .peak_fraction = 0.5,
                         .command = "gradus bench"};
    struct gr_types types;
    gr_types_parse("bf16", &types);
    row.problem = gr_problem_dense(size, size + 1, size + 2, true, false, types);
    row.requested_m = 2 * size;
    row.requested_n = row.requested_k = size;
    row.peer = (struct gr_peer_result){
        .name = "openblas", .version = "0.3.21", .threads = 2, .gflops = 99};
    row.speedup = (struct gr_ratio){1.5, 1.4, 1.6, 31};
    return row;
}

static struct gr_history *open_or_fail(bool to_write)
{
    struct gradus_error error = {0};
    struct gr_history *history;
    if (gr_history_open(path, to_write, &history, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    return history;
}

static struct gr_history_run begin(struct gr_history *history, const char *machine)
{
    static struct gr_ceiling ceilings[] = {{"fma.f32.1", 118.5, "GFLOP/s", false},
                                           {"read.dram", 30.25, "GB/s", true}};
    struct gr_history_run run = {.title = "bench",
                                 .machine = (char *)machine,
                                 .environment = {.version = "1.2",
                                                 .date = "2026-11-25T18:00:00Z",
                                                 .cpu = "CPU",
                                                 .cores = 4,
                                                 .compiler = "GCC",
                                                 .seed = UINT64_MAX,
                                                 .ceilings = ceilings,
                                                 .ceiling_count = 2,
                                                 .command = "gradus 'it''s'"}};
    assert_int_equal(gr_history_begin_run(history, &run, NULL), GRADUS_OK);
    assert_true(run.id > 0);
    return run;
}

static void add(struct gr_history *history, int64_t run, const struct gr_row *row, const char *file)
{
    const struct gr_history_entry entry = {
        .run = run, .file = (char *)file, .file_hash = "0123456789abcdef", .row = *row};
    struct gradus_error error = {0};
    if (gr_history_add(history, &entry, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
}

static struct gr_history_list read_all(void)
{
    struct gr_history *history = open_or_fail(false);
    struct gr_history_list list;
    struct gradus_error error = {0};
    if (gr_history_read(history, NULL, &list, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    gr_history_close(history);
    return list;
}

static int count_all(void)
{
    struct gr_history_list list = read_all();
    const int count = list.count;
    gr_history_list_free(&list);
    return count;
}

/* How many files of the folder have a name with that in it. */
static int count_files(const char *part)
{
    char folder[128];
    snprintf(folder, sizeof folder, "%s/below", root);
    DIR *opened = opendir(folder);
    int count = 0;
    for (struct dirent *entry; opened && (entry = readdir(opened));)
        count += strstr(entry->d_name, part) != NULL;
    closedir(opened);
    return count;
}

/* ---- What comes back ---- */

static void rows_come_back(void **state)
{
    (void)state;
    sqlite_or_skip();
    struct gr_history *history = open_or_fail(true);
    struct gr_history_run run = begin(history, "CPU, avx2");
    struct gr_competitor rivals[] = {{{.name = "blis", .gflops = 80}, {1.25, 1, 1.5, 7}},
                                     {{.name = "mkl"}, {0, 0, 0, 0}}};
    struct gr_row row = row_of("mine", 5, 150), wrong = row_of("wrong", 5, 150),
                  untimed = row_of("untimed", 5, 150);
    row.competitors = rivals;
    row.competitor_count = 2;
    wrong.verdict = GR_WRONG;
    untimed.time_ns = (struct gr_stat){0};
    add(history, run.id, &row, "/a/mine.c");
    add(history, run.id, &wrong, NULL);
    add(history, run.id, &untimed, NULL);
    assert_int_equal(gr_history_end_run(history, &run, NULL), GRADUS_OK);
    gr_history_close(history);

    struct gr_history_list list = read_all();
    assert_int_equal(list.count, 1);
    assert_int_equal(list.run_count, 1);
    const struct gr_history_entry *entry = &list.entries[0];
    const struct gr_row *got = &entry->row;
    assert_string_equal(entry->file, "/a/mine.c");
    assert_string_equal(entry->file_hash, "0123456789abcdef");
    assert_int_equal(strlen(entry->date), strlen("2026-11-25T18:00:00Z"));
    assert_string_equal(got->kernel, "mine");
    assert_string_equal(got->variant, row.variant);
    assert_string_equal(got->flags, "-O3");
    assert_string_equal(got->command, "gradus bench");
    assert_int_equal(got->verdict, GR_RIGHT);
    assert_int_equal(got->threads, 2);
    assert_true(got->cold);
    assert_true(gr_types_equal(got->problem.types, row.problem.types));
    assert_true(got->problem.m == 5 && got->problem.n == 6 && got->problem.k == 7);
    assert_true(got->problem.trans_a && !got->problem.trans_b && got->problem.lda == 5);
    assert_true(got->requested_m == 10 && got->problem.alpha == 1 && got->problem.beta == 0);
    assert_true(got->time_ns.median == 1e6 && got->time_ns.min == 9e5 && got->time_ns.iqr == 1e4);
    assert_int_equal(got->time_ns.n, 31);
    assert_true(got->gflops == 150 && got->peak_fraction == 0.5 && got->disturbed == 0.25);
    assert_string_equal(got->peer.name, "openblas");
    assert_true(got->peer.gflops == 99 && got->speedup.lo == 1.4 && got->speedup.n == 31);
    assert_int_equal(got->competitor_count, 2);
    assert_string_equal(got->competitors[0].peer.name, "blis");
    assert_true(got->competitors[0].speedup.hi == 1.5 && got->competitors[1].speedup.n == 0);

    const struct gr_history_run *its = gr_history_run_of(&list, entry);
    assert_non_null(its);
    assert_string_equal(its->machine, "CPU, avx2");
    assert_string_equal(its->environment.command, "gradus 'it''s'");
    assert_true(its->environment.seed == UINT64_MAX && its->environment.cores == 4);
    assert_null(its->environment.gpu);
    assert_int_equal(its->environment.ceiling_count, 2);
    assert_string_equal(its->environment.ceilings[1].name, "read.dram");
    assert_true(its->environment.ceilings[1].value == 30.25 &&
                its->environment.ceilings[1].unsteady);
    gr_history_list_free(&list);
}

static void since_is_a_bound(void **state)
{
    (void)state;
    sqlite_or_skip();
    struct gr_history *history = open_or_fail(true);
    const struct gr_row row = row_of("mine", 5, 150);
    struct gr_history_list list;
    add(history, begin(history, "CPU").id, &row, NULL);
    assert_int_equal(gr_history_read(history, "2001-01-01T00:00:00Z", &list, NULL), GRADUS_OK);
    assert_int_equal(list.count, 1);
    gr_history_list_free(&list);
    assert_int_equal(gr_history_read(history, "9001-01-01T00:00:00Z", &list, NULL), GRADUS_OK);
    assert_int_equal(list.count + list.run_count, 0);
    gr_history_list_free(&list);
    gr_history_close(history);
}

/* ---- The last row that compares ---- */

static double last_rate(struct gr_history *history, int64_t run, const struct gr_row *row,
                        const char *file)
{
    const struct gr_history_entry like = {.run = run, .file = (char *)file, .row = *row};
    struct gr_history_entry last;
    bool found;
    assert_int_equal(gr_history_last(history, "CPU", &like, &found, &last, NULL), GRADUS_OK);
    const double rate = last.row.gflops;
    assert_true(found == (rate > 0));
    gr_history_entry_free(&last);
    return rate;
}

static void last_is_of_the_same_case(void **state)
{
    (void)state;
    sqlite_or_skip();
    struct gr_history *history = open_or_fail(true);
    struct gr_row row = row_of("mine", 5, 100), other = row;
    const int64_t first = begin(history, "CPU").id, second = begin(history, "CPU").id;
    add(history, first, &row, "/a/mine.c");
    row.gflops = 110;
    add(history, first, &row, "/a/mine.c");
    row.gflops = 120;
    add(history, second, &row, "/a/mine.c");
    add(history, begin(history, "another CPU").id, &other, "/a/mine.c");

    assert_true(last_rate(history, 0, &row, "/a/mine.c") == 120);
    assert_true(last_rate(history, second, &row, "/a/mine.c") == 110);
    assert_true(last_rate(history, 0, &row, "/b/mine.c") == 0);
    assert_true(last_rate(history, 0, &row, NULL) == 0);
    const struct gr_history_entry second_kernel = {
        .file = "/a/mine.c", .function = "gemm_v2", .row = row};
    struct gr_history_entry last;
    bool found;
    assert_int_equal(gr_history_last(history, "CPU", &second_kernel, &found, &last, NULL),
                     GRADUS_OK);
    assert_false(found);
#define DIFFERS(change)                                                                            \
    do {                                                                                           \
        other = row;                                                                               \
        change;                                                                                    \
        if (last_rate(history, 0, &other, "/a/mine.c") != 0)                                       \
            fail_msg("it compares with " #change);                                                 \
    } while (0)
    DIFFERS(other.kernel = "mine2");
    DIFFERS(other.problem.m++);
    DIFFERS(other.problem.n++);
    DIFFERS(other.problem.k++);
    DIFFERS(other.problem.trans_b = true);
    DIFFERS(other.problem.types = gr_types_of(GR_F32));
    DIFFERS(other.threads = 1);
    DIFFERS(other.callers = 4);
    DIFFERS(other.cold = false);
    other = row;
    other.device = "cuda:1"; /* the machine's name says which it is */
    other.variant = "avx2 6x16";
    other.callers = 1; /* as none */
    assert_true(last_rate(history, 0, &other, "/a/mine.c") == 120);
    gr_history_close(history);
}

/* ---- Several processes ---- */

enum { WRITERS = 8, EACH = 50 };

/* In a process of its own. */
static void write_rows(int writer)
{
    struct gr_history *history;
    if (gr_history_open(path, true, &history, NULL) != GRADUS_OK)
        _exit(1);
    struct gr_history_run run = {.title = "bench", .machine = "CPU"};
    if (gr_history_begin_run(history, &run, NULL) != GRADUS_OK)
        _exit(2);
    for (int i = 0; i < EACH; i++) {
        const struct gr_history_entry entry = {.run = run.id,
                                               .row = row_of("mine", 1 + writer, 1 + i)};
        if (gr_history_add(history, &entry, NULL) != GRADUS_OK)
            _exit(3);
    }
    if (gr_history_end_run(history, &run, NULL) != GRADUS_OK)
        _exit(4);
    gr_history_close(history);
    _exit(0);
}

static void start_writers(void)
{
    for (int i = 0; i < WRITERS; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            write_rows(i);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
}

/* Each writer's rows are all there, of one run. */
static void check_written(void)
{
    struct gr_history_list list = read_all();
    int64_t rows[WRITERS] = {0}, run_of[WRITERS] = {0};
    double sums[WRITERS] = {0};
    assert_int_equal(list.count, WRITERS * EACH);
    assert_int_equal(list.run_count, WRITERS);
    for (int i = 0; i < list.count; i++) {
        const int64_t writer = list.entries[i].row.problem.m - 1;
        assert_true(writer >= 0 && writer < WRITERS);
        assert_true(!run_of[writer] || run_of[writer] == list.entries[i].run);
        run_of[writer] = list.entries[i].run;
        rows[writer]++;
        sums[writer] += list.entries[i].row.gflops;
    }
    for (int i = 0; i < WRITERS; i++)
        assert_true(rows[i] == EACH && sums[i] == EACH * (EACH + 1) / 2);
    gr_history_list_free(&list);
}

static void writers_at_once(void **state)
{
    (void)state;
    sqlite_or_skip();
    start_writers();
    check_written();
}

/* All of them find it damaged: one moves it, and none moves what the others have begun. */
static void writers_at_once_on_a_damaged_file(void **state)
{
    (void)state;
    sqlite_or_skip();
    char folder[128];
    snprintf(folder, sizeof folder, "%s/below", root);
    assert_int_equal(gr_dir_make(folder, NULL), GRADUS_OK);
    assert_int_equal(gr_file_write(path, "This is no database at all.", 27, NULL), GRADUS_OK);
    start_writers();
    check_written();
    assert_int_equal(count_files("damaged-"), 1);
}

/* ---- Files that are not as they should be ---- */

static void write_one(void)
{
    struct gr_history *history = open_or_fail(true);
    const struct gr_row row = row_of("mine", 5, 150);
    add(history, begin(history, "CPU").id, &row, NULL);
    gr_history_close(history);
}

/* Changes bytes of the file, or cuts it where `bytes` is null. */
static void spoil(long at, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    if (bytes) {
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        assert_int_equal(fwrite(bytes, 1, length, file), length);
    } else {
        assert_int_equal(ftruncate(fileno(file), at), 0);
    }
    fclose(file);
}

static char *read_file(const char *name, size_t *length)
{
    char *text;
    assert_int_equal(gr_file_read(name, &text, length, NULL), GRADUS_OK);
    return text;
}

/* It is moved with every byte, is said to be, and a new one is begun. */
static void check_moved(bool to_write)
{
    size_t length, moved_length;
    char *before = read_file(path, &length);
    struct gr_history *history = open_or_fail(to_write);
    const char *notice = gr_history_notice(history);
    assert_non_null(notice);
    const char *name = strstr(notice, "it is now ");
    assert_non_null(name);
    char *moved = gr_strndup(name + 10, strcspn(name + 10, ","));
    char *after = read_file(moved, &moved_length);
    assert_int_equal(length, moved_length);
    assert_memory_equal(before, after, length);
    gr_history_close(history);
    assert_int_equal(count_all(), 0);
    unlink(moved);
    free(before);
    free(after);
    free(moved);
}

static void damaged_files_are_moved(void **state)
{
    (void)state;
    sqlite_or_skip();
    static const char zeros[4096];
    write_one();
    spoil(0, "Another thing", 13);
    check_moved(true);
    write_one();
    spoil(4096, zeros, sizeof zeros); /* the root of a table */
    check_moved(true);
    write_one();
    spoil(4096 * 3, NULL, 0);
    check_moved(false);
    write_one();
    spoil(4096 * 3 + 17, NULL, 0);
    check_moved(true);
}

static void check_left_alone(void)
{
    size_t length, length_after;
    char *before = read_file(path, &length);
    for (int to_write = 0; to_write < 2; to_write++) {
        struct gr_history *history;
        struct gradus_error error = {0};
        assert_int_equal(gr_history_open(path, to_write, &history, &error), GRADUS_UNSUPPORTED);
        assert_null(history);
        assert_non_null(strstr(error.text, "left alone"));
        gradus_error_clear(&error);
    }
    char *after = read_file(path, &length_after);
    assert_int_equal(length, length_after);
    assert_memory_equal(before, after, length);
    assert_int_equal(count_files("history.db"), 1);
    free(before);
    free(after);
}

/* Bytes 60 to 63 of the file are user_version, and 68 to 71 application_id. */
static void files_of_others_are_left_alone(void **state)
{
    (void)state;
    sqlite_or_skip();
    write_one();
    spoil(60, "\0\0\0\2", 4);
    check_left_alone();
    spoil(60, "\0\0\0\1", 4);
    assert_int_equal(count_all(), 1);
    spoil(68, "\0\0\0\0", 4);
    check_left_alone();
}

static void an_empty_file_is_begun(void **state)
{
    (void)state;
    sqlite_or_skip();
    write_one();
    spoil(0, NULL, 0);
    assert_int_equal(count_all(), 0);
    write_one();
    assert_int_equal(count_all(), 1);
}

static void none_is_not_found(void **state)
{
    (void)state;
    sqlite_or_skip();
    struct gr_history *history;
    assert_int_equal(gr_history_open(path, false, &history, NULL), GRADUS_NOT_FOUND);
    assert_null(history);
    assert_false(gr_file_exists(path));
}

/* An earlier Gradus had no column for something: it is unknown of its rows, and known of later
 * ones. */
static void columns_are_added(void **state)
{
    (void)state;
    sqlite_or_skip();
#ifdef GRADUS_HAVE_SQLITE
    write_one();
    struct gr_history *history = open_or_fail(true);
    if (gr_history_run_sql(history, "ALTER TABLE rows DROP COLUMN variant", "", NULL) != GRADUS_OK)
        skip(); /* SQLite before 3.35 */
    gr_history_close(history);
    struct gr_history_list list = read_all();
    assert_int_equal(list.count, 1);
    assert_null(list.entries[0].row.variant);
    assert_string_equal(list.entries[0].row.flags, "-O3");
    gr_history_list_free(&list);
    write_one();
    list = read_all();
    assert_int_equal(list.count, 2);
    assert_null(list.entries[0].row.variant);
    assert_non_null(list.entries[1].row.variant);
    gr_history_list_free(&list);
#endif
}

/* ---- Where it is ---- */

static void check_place(const char *own, const char *data, const char *home, const char *wanted)
{
    const char *const names[] = {"GRADUS_HISTORY", "XDG_DATA_HOME", "HOME"};
    const char *const values[] = {own, data, home};
    char *place;
    for (int i = 0; i < 3; i++)
        if (values[i])
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
    const enum gradus_status status = gr_history_place(&place, NULL);
    assert_int_equal(status, wanted ? GRADUS_OK : GRADUS_NOT_FOUND);
    assert_string_equal(place ? place : "", wanted ? wanted : "");
    free(place);
}

static void place_follows_the_environment(void **state)
{
    (void)state;
    check_place("own.db", "/data", "/home/me", "own.db");
    check_place("", "/data", "/home/me", "");
    check_place(NULL, "/data", "/home/me", "/data/gradus/history.db");
    check_place(NULL, "data", "/home/me", "/home/me/.local/share/gradus/history.db");
    check_place(NULL, "", "/home/me", "/home/me/.local/share/gradus/history.db");
    check_place(NULL, NULL, "relative", NULL);
    check_place(NULL, NULL, NULL, NULL);
}

/* ---- What is shown ---- */

static bool keep_all(const void *context, const struct gr_history_list *list,
                     const struct gr_history_entry *entry)
{
    (void)context;
    (void)list;
    (void)entry;
    return true;
}

/* A list in memory, as it may come from a database that anybody has edited. */
static struct gr_history_list list_of(struct gr_history_entry *entries, int count)
{
    static struct gr_history_run run = {.id = 1, .machine = "<b>\033[31mCPU</b>"};
    for (int i = 0; i < count; i++)
        entries[i].run = i % 2 ? 7 : 1; /* run 7 is not there */
    return (struct gr_history_list){
        .runs = &run, .run_count = 1, .entries = entries, .count = count};
}

static void hostile_texts_are_shown_as_texts(void **state)
{
    (void)state;
    struct gr_row row = row_of("<script>alert(1)</script>\033[2J", 5, 100);
    struct gr_history_entry entries[] = {
        {.date = "2026-11-25T18:00:00Z", .file_hash = "\033]0;title\a", .row = row},
        {.date = "", .file = "/a/\033[2J.c", .row = row},
        {.date = "\033[2J\033[2J\033[2J\033[2J\033[2J", .row = row},
        {.date = "9", .row = row}};
    struct gr_history_list list = list_of(entries, 4);
    struct gr_history_view view;
    struct gr_style style = {.columns = 60};
    struct gr_str table = {0}, page = {0}, csv = {0}, json = {0};
    assert_int_equal(gr_history_view_make(&list, "h.db", 0, keep_all, NULL, &view, NULL),
                     GRADUS_OK);
    gr_history_table(&view, &style, &table);
    assert_int_equal(gr_history_page(&view, &page, NULL), GRADUS_OK);
    gr_history_csv(&view, &csv);
    gr_history_json(&view, &json);
    assert_null(strchr(gr_str_text(&table), '\033'));
    assert_null(strchr(gr_str_text(&page), '\033'));
    assert_null(strstr(gr_str_text(&page), "<script>"));
    assert_null(strstr(gr_str_text(&page), "<b>"));
    assert_null(strchr(gr_str_text(&csv), '\033'));
    assert_null(strchr(gr_str_text(&json), '\033'));
    gr_str_free(&table);
    gr_str_free(&page);
    gr_str_free(&csv);
    gr_str_free(&json);
    gr_history_view_free(&view);
}

/* At every width no line is longer, and each row is there. */
static void table_fits(void **state)
{
    (void)state;
    struct gr_row row = row_of("08_library", 5, 100), slow = row_of("08_library", 5, 50);
    struct gr_history_entry entries[] = {
        {.date = "2026-11-25T18:00:00Z", .file_hash = "0123456789abcdef", .row = row},
        {.date = "2026-11-26T18:00:00Z", .file_hash = "0123456789abcdef", .row = slow},
        {.date = "2026-11-27T18:00:00Z", .file_hash = "1123456789abcdef", .row = row}};
    entries[2].row.variant = "avx2 6x16";
    struct gr_history_list list = list_of(entries, 3);
    list.entries[1].run = 1;
    struct gr_history_view view;
    assert_int_equal(gr_history_view_make(&list, "h.db", 2, keep_all, NULL, &view, NULL),
                     GRADUS_OK);
    assert_int_equal(view.count, 1);
    assert_int_equal(view.series[0].count, 2);
    assert_int_equal(view.series[0].left_out, 1);
    for (int columns = 40; columns <= 120; columns++) {
        struct gr_style style = {.columns = columns};
        struct gr_str table = {0};
        gr_history_table(&view, &style, &table);
        assert_null(strstr(gr_str_text(&table), "2026-11-25"));
        assert_non_null(strstr(gr_str_text(&table), "2026-11-26 18:00"));
        assert_non_null(strstr(gr_str_text(&table), "variant avx2 6x16, was"));
        for (char *line = table.text, *next; *line; line = next) {
            next = line + strcspn(line, "\n") + 1;
            if (next - line - 1 > columns)
                fail_msg("%d columns: %.*s", columns, (int)(next - line - 1), line);
        }
        gr_str_free(&table);
    }
    gr_history_view_free(&view);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(rows_come_back),
        IN_A_FOLDER(since_is_a_bound),
        IN_A_FOLDER(last_is_of_the_same_case),
        IN_A_FOLDER(writers_at_once),
        IN_A_FOLDER(writers_at_once_on_a_damaged_file),
        IN_A_FOLDER(damaged_files_are_moved),
        IN_A_FOLDER(files_of_others_are_left_alone),
        IN_A_FOLDER(an_empty_file_is_begun),
        IN_A_FOLDER(none_is_not_found),
        IN_A_FOLDER(columns_are_added),
        cmocka_unit_test(place_follows_the_environment),
        cmocka_unit_test(hostile_texts_are_shown_as_texts),
        cmocka_unit_test(table_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
