/* soak.c [COUNT] [--seed S] [--only N] [--jobs J] [--whole W]: random products by every interface
 * detail, each against a plain loop in double, with operands beside pages that fault, and then by
 * other calls that must give the same bits. Half of them are drawn as those of `bench --preset
 * random`. J processes share them out; a problem is the same whichever takes it. Beyond W
 * multiply-adds some rows and columns are computed again, and a product with a vector.
 * SPDX-License-Identifier: MIT */
#include "core/clock.h"
#include "core/error.h"
#include "cpu/cpu.h"
#include "soak/soak_bits.h"
#include "soak/soak_problem.h"
#include "soak/soak_ways.h"

#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct soak_problem problem;
static uint64_t seed = 1;
static int64_t number; /* of the problem at hand */

static void say_problem(const char *what)
{
    char text[SOAK_TEXT];
    soak_describe(&problem, text);
    printf("problem %lld: %s\n%s\nrepeat: soak --seed %llu --only %lld\n", (long long)number, text,
           what, (unsigned long long)seed, (long long)number);
    fflush(stdout);
}

/* The program ends here, so that calls which a handler should not make do no harm. */
static void on_fault(int sig)
{
    signal(sig, SIG_DFL);
    say_problem(sig == SIGSEGV || sig == SIGBUS ? "an access outside the operands (or a crash)"
                                                : "a signal ended it");
    _exit(1);
}

static enum gradus_status multiply(const struct gradus_gemm *g, struct gradus_error *error)
{
    return problem.isa ? gr_cpu_gemm(g, problem.isa, error) : gradus_gemm_run(g, error);
}

/* Some of those that are for certain ways, which emulators take long for, and all others. */
static bool is_repeated(void)
{
    enum { EACH = 3 };
    static int64_t for_ways = -1;
    if (for_ways < 0)
        for_ways = soak_ways_problems();
    return number >= for_ways || number % EACH == 0;
}

/* What is multiplied again is no evidence that the problem went its way. */
static bool has_same_bits(char text[SOAK_TEXT])
{
    soak_ways_counted(false);
    const bool same = soak_bits_same(&problem, (uint64_t)number, text);
    soak_ways_counted(true);
    return same;
}

/* Exact sums raise no floating-point flag, in whichever thread; lanes that are computed in vain
 * must not, either. */
static bool flags_clear(char text[SOAK_TEXT])
{
    const int raised = fetestexcept(FE_ALL_EXCEPT);
    snprintf(text, SOAK_TEXT, "floating-point flags raised:%s%s%s%s%s",
             raised & FE_INVALID ? " invalid" : "", raised & FE_DIVBYZERO ? " division" : "",
             raised & FE_OVERFLOW ? " overflow" : "", raised & FE_UNDERFLOW ? " underflow" : "",
             raised & FE_INEXACT ? " inexact" : "");
    return !raised || !problem.exact || problem.special;
}

static bool judge_one(char text[SOAK_TEXT])
{
    struct gradus_error error = {0};
    feclearexcept(FE_ALL_EXCEPT);
    if (multiply(&problem.g, &error) != GRADUS_OK) {
        snprintf(text, SOAK_TEXT, "%s", error.text);
        return false;
    }
    return flags_clear(text) && soak_judge(&problem, text) &&
           (!is_repeated() || has_same_bits(text));
}

static bool soak_one(void)
{
    char text[SOAK_TEXT];
    const bool right = soak_make(&problem, seed, number, text) && judge_one(text);
    if (!right)
        say_problem(text);
    soak_unmake(&problem);
    return right;
}

enum { MOST_JOBS = 256, ENOUGH_WRONG = 10 };

struct tally {
    int64_t done, wrong;
};

/* Every `step`th problem from `first` on. */
static struct tally soak_some(int64_t first, int64_t end, int64_t step)
{
    struct tally tally = {0};
    soak_open(&problem);
    for (number = first; number < end && tally.wrong < ENOUGH_WRONG; number += step) {
        tally.wrong += !soak_one();
        tally.done++;
    }
    soak_close(&problem);
    return tally;
}

/* By `jobs` processes. One that a signal or a fault ended has said so itself, and counts as a wrong
 * problem. */
static struct tally soak_shared(int64_t first, int64_t end, int jobs)
{
    struct tally *tallies = mmap(NULL, sizeof *tallies * (size_t)jobs, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t children[MOST_JOBS];
    if (tallies == MAP_FAILED)
        abort();
    for (int job = 0; job < jobs; job++) {
        children[job] = fork();
        if (children[job] < 0)
            abort();
        if (children[job] == 0) {
            tallies[job] = soak_some(first + job, end, jobs);
            _exit(0);
        }
    }
    struct tally sum = {0};
    for (int job = 0; job < jobs; job++) {
        int status = 0;
        const bool ended = waitpid(children[job], &status, 0) == children[job] && status == 0;
        sum.done += tallies[job].done;
        sum.wrong += tallies[job].wrong + !ended;
    }
    munmap(tallies, sizeof *tallies * (size_t)jobs);
    return sum;
}

static int usage(void)
{
    fputs("usage: soak [COUNT] [--seed S] [--only N] [--jobs J] [--whole W]\n", stderr);
    return 2;
}

int main(int count, char **words)
{
    int64_t problems = 1000, first = 0, jobs = 1;
    for (int i = 1; i < count; i++) {
        char *end = "?";
        if (!strcmp(words[i], "--seed") && i + 1 < count)
            seed = strtoull(words[++i], &end, 10);
        else if (!strcmp(words[i], "--only") && i + 1 < count)
            first = strtoll(words[++i], &end, 10), problems = 1;
        else if (!strcmp(words[i], "--jobs") && i + 1 < count)
            jobs = strtoll(words[++i], &end, 10);
        else if (!strcmp(words[i], "--whole") && i + 1 < count)
            soak_whole = strtod(words[++i], &end);
        else
            problems = strtoll(words[i], &end, 10);
        if (*end || problems < 1 || jobs < 1)
            return usage();
    }
    jobs = jobs < MOST_JOBS ? jobs : MOST_JOBS;
    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
    signal(SIGFPE, on_fault);
    signal(SIGILL, on_fault);
    const int64_t start = gr_now_ns();
    soak_ways_open();
    const struct tally tally = jobs == 1 ? soak_some(first, first + problems, 1)
                                         : soak_shared(first, first + problems, (int)jobs);
    printf("%lld problems of seed %llu, %lld wrong, %.1f s\n", (long long)tally.done,
           (unsigned long long)seed, (long long)tally.wrong, (double)(gr_now_ns() - start) * 1e-9);
    if (first > 0 || problems < soak_ways_problems())
        return tally.wrong != 0; /* too few to have gone every way */
    const int unused = soak_ways_unused(false);
    printf("%lld problems are for certain ways: %d ways unused\n", (long long)soak_ways_problems(),
           unused);
    return tally.wrong != 0 || unused != 0;
}
