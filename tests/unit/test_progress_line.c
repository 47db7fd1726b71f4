/* test_progress_line.c: the words of the progress line, its thread, and spans of time as people
 * write them. SPDX-License-Identifier: MIT */
/* threads: src/cli/progress_line.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/duration.h"
#include "cli/progress_line.h"

static const int64_t second_ns = 1000000000;

static void expect(const char *head, const char *stage, int64_t left_s, int columns,
                   const char *wanted)
{
    struct gr_str line = {0};
    gr_progress_line(head, stage, left_s < 0 ? -1 : left_s * second_ns, 7 * second_ns, columns,
                     &line);
    assert_string_equal(gr_str_text(&line), wanted);
    gr_str_free(&line);
}

static void the_line(void **state)
{
    (void)state;
    expect("[7/39] 06_packing 1024", "verifying", 80, 0,
           "[7/39] 06_packing 1024 · verifying · 1:20 left");
    expect("[7/39] 06_packing 1024", "verifying", -1, 0,
           "[7/39] 06_packing 1024 · verifying · 0:07 so far");
    expect("[7/39] 06_packing 1024", "verifying", 7500, 80,
           "[7/39] 06_packing 1024 · verifying · 2:05:00 left");
    expect("", "starting", -1, 80, "starting · 0:07 so far");
    expect("", "", -1, 80, "0:07 so far");
    /* What is left goes last of all. */
    expect("[7/39] 06_packing 1024", "verifying", 80, 46,
           "[7/39] 06_packing 1024 · verifying · 1:20 left");
    expect("[7/39] 06_packing 1024", "verifying", 80, 45, "[7/39] 06_packing 1024 · 1:20 left");
    expect("[7/39] 06_packing 1024", "verifying", 80, 20, "[7/39] 0 · 1:20 left");
    expect("[1/2] größe 64", "timing", 5, 22, "[1/2] größ · 0:05 left");
    expect("", "measuring this machine's ceilings", -1, 30, "measuring this m · 0:07 so far");
}

static void expect_span(const char *text, double seconds)
{
    int64_t ns = 0;
    bool read = gr_duration_parse(text, &ns);
    if (seconds < 0)
        assert_false(read);
    else
        assert_true(read && ns == (int64_t)(seconds * 1e9));
}

static void spans_of_time(void **state)
{
    (void)state;
    expect_span("90", 90);
    expect_span("90s", 90);
    expect_span("10m", 600);
    expect_span("2h30m", 9000);
    expect_span("1h0m5s", 3605);
    expect_span("0.5h", 1800);
    expect_span(".25s", 0.25);
    const char *const wrong[] = {"",    "0",   "-1",  "s",     "10x", "10m5", "5s10m", "1m1m",
                                 "1e3", "0x5", "inf", "1001h", "nan", " 5",   "5 ",    "1.2.3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_span(wrong[i], -1);
}

/* Makes standard error a terminal, and returns its other end. */
static int open_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && dup2(terminal, STDERR_FILENO) == STDERR_FILENO);
    close(terminal);
    return master;
}

static int times_in(const char *text, const char *part)
{
    int times = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        times++;
    return times;
}

/* What the terminal has shown. The kernel hands it over some time after it was written. */
static char shown[65536];
static size_t shown_bytes;

/* Waits for more of it. Returns false when nobody writes any more, or for a minute. */
static bool wait_for_more(int master)
{
    struct pollfd terminal = {.fd = master, .events = POLLIN};
    if (poll(&terminal, 1, 60000) != 1)
        return false;
    ssize_t bytes = read(master, shown + shown_bytes, sizeof shown - 1 - shown_bytes);
    shown_bytes += bytes > 0 ? (size_t)bytes : 0;
    return bytes > 0;
}

/* The line is drawn when something is said and by a thread each second, but not while it is hidden;
 * at the end it is taken away.
 */
static void the_thread(void **state)
{
    (void)state;
    const int before = dup(STDERR_FILENO), master = open_terminal();
    setenv("TERM", "xterm", 1);
    gr_progress_begin();
    for (int i = 0; i < 50; i++)
        gr_progress_format("[1/2] a", "seen", i % 2 ? 80 * second_ns : -1);
    while (times_in(shown, " · seen · ") <= 50 && wait_for_more(master))
        ;
    gr_progress_hide();
    gr_progress_format("[2/2] b", "unseen", -1);
    gr_progress_show();
    gr_progress_format("[2/2] b", "last", -1);
    gr_progress_end();
    dup2(before, STDERR_FILENO);
    while (wait_for_more(master))
        ;
    close(master), close(before);
    assert_true(times_in(shown, " · seen · ") > 50);
    assert_int_equal(times_in(shown, "unseen"), 0);
    assert_int_equal(times_in(shown, " · last · "), 1);
    assert_string_equal(shown + shown_bytes - 4, "\r\033[K");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line),
        cmocka_unit_test(the_thread),
        cmocka_unit_test(spans_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
