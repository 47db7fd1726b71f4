/* test_simrt_print.c: what a simulated kernel prints, held against the C library, and memory that
 * is not there. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/simrt_launch.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int simulated_printf(const char *format, ...);
int simulated_vprintf(const char *format, va_list arguments);
#define printf simulated_printf
#define vprintf simulated_vprintf
#include "simrt/print.c"
#undef printf
#undef vprintf

static char got[8192];
static int back, file;

static void begin_capture(void)
{
    fflush(stdout);
    file = memfd_create("printed", 0);
    back = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
}

static void end_capture(void)
{
    fflush(stdout);
    dup2(back, STDOUT_FILENO);
    ssize_t length = pread(file, got, sizeof got - 1, 0);
    got[length > 0 ? length : 0] = 0;
    close(back);
    close(file);
}

#define SAME(...)                                                                                  \
    do {                                                                                           \
        char wanted[4096];                                                                         \
        int length = snprintf(wanted, sizeof wanted, __VA_ARGS__);                                 \
        begin_capture();                                                                           \
        int said = simulated_printf(__VA_ARGS__);                                                  \
        end_capture();                                                                             \
        assert_string_equal(got, wanted);                                                          \
        assert_int_equal(said, length);                                                            \
    } while (0)

static void it_prints_as_the_library_does(void **state)
{
    (void)state;
    SAME("plain\n");
    SAME("%d %5d|%-6d|%06d|%+d|% d\n", -42, 42, 42, -42, 42, 42);
    SAME("%u %x %X %#x %o %hhd %hd\n", 4000000000U, 255U, 255U, 255U, 8U, (signed char)-1,
         (short)-2);
    SAME("%ld %lld %lu %zu %llx %jd %td\n", -(1L << 40), -(1LL << 50), 1UL << 40, (size_t)9,
         0xfffffffffULL, (intmax_t)-3, (ptrdiff_t)4);
    SAME("%f %.3f %10.2f %-10.2f| %e %g %G %a %.0f\n", 1.5, 3.14159, 2.5, 2.5, 1e10, 1e-5, 1e20,
         1.0, 2.5);
    SAME("%s|%10s|%-10s|%.2s|%c|%%|%p\n", "word", "word", "word", "word", 'q', (void *)16);
    SAME("%*d|%-*d|%.*f|%*.*f|%.*s\n", 6, 42, 6, 42, 2, 3.14159, 8, 3, 2.71828, 3, "abcdef");
    SAME("%s%s\n", "", "x");
}

static void what_is_no_directive_is_printed_as_it_is(void **state)
{
    int untouched = 7;
    (void)state;
    begin_capture();
    simulated_printf("%n|%y|%", &untouched);
    end_capture();
    assert_string_equal(got, "%n|%y|%");
    assert_int_equal(untouched, 7);
}

/* A string that ends with its page, and whose precision says not to read on. */
static void a_string_is_read_no_further_than_it_goes(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char copy[64];
    mprotect(two + page, page, PROT_NONE);
    memset(two, 'a', page);
    SAME("%.5s\n", two + page - 5);
    two[page - 1] = 0;
    SAME("%s\n", two + page - 5);
    assert_int_equal(gr_reachable_copy(two + page - 5, copy, sizeof copy), 5);
    assert_int_equal(gr_reachable_copy(two + page, copy, sizeof copy), 0);
    assert_int_equal(gr_reachable_copy((const char *)8, copy, sizeof copy), 0);
    munmap(two, 2 * page);
}

static void prints_nowhere(void)
{
    if (gr_sim_thread_index().x == 3)
        simulated_printf("%s\n", (const char *)8);
    simulated_printf("%s", "");
}

static void a_thread_that_prints_what_is_nowhere_is_told_of(void **state)
{
    (void)state;
    struct gr_trace t = trace_of((struct plan){.body = prints_nowhere});
    assert_int_equal(t.fault_count, 1);
    assert_int_equal(t.faults[0].kind, GR_FIND_BOUNDS);
    assert_string_equal(t.faults[0].array, "address 0x8");
    assert_int_equal(t.faults[0].thread[0], 3);
    gr_trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_prints_as_the_library_does),
        cmocka_unit_test(what_is_no_directive_is_printed_as_it_is),
        cmocka_unit_test(a_string_is_read_no_further_than_it_goes),
        cmocka_unit_test(a_thread_that_prints_what_is_nowhere_is_told_of)};
    return cmocka_run_group_tests(tests, open_arrays, NULL);
}
