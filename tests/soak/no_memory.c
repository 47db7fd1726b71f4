/* no_memory.c: products while the library gets no memory and no threads: each is right all the same,
 * and none fails, aborts or crashes. SPDX-License-Identifier: MIT
 *
 * The linker puts the functions here in the place of the allocator's and of pthread_create
 * (--wrap). Each problem runs in children of its own, since a library keeps what it once got: in
 * one the first request and all after it fail, in the next the second and so on, and in others one
 * request alone. */
#include "soak/soak_problem.h"
#include "soak/soak_ways.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROBLEMS = 200, REQUESTS_MAX = 12, SECONDS = 30 };

/* Requests are counted while armed; those in first..last fail. */
static atomic_bool armed;
static atomic_int requests;
static int first, last;

static bool fails(void)
{
    if (!atomic_load(&armed))
        return false;
    const int request = atomic_fetch_add(&requests, 1);
    return request >= first && request <= last;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    return fails() ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    return fails() ? EAGAIN : __real_pthread_create(thread, attributes, start, argument);
}

static struct soak_problem problem;
static atomic_int *asked; /* shared with the children: how often the library asked */

static bool right(int number, char text[SOAK_TEXT])
{
    struct gradus_error error = {0};
    if (!soak_make(&problem, 1, soak_ways_problems() + number, text))
        return false;
    atomic_store(&armed, true);
    const enum gradus_status status = gradus_gemm_run(&problem.g, &error);
    atomic_store(&armed, false);
    atomic_store(asked, atomic_load(&requests));
    snprintf(text, SOAK_TEXT, "%s", error.text);
    return status == GRADUS_OK && soak_judge(&problem, text);
}

static void child_main(int number)
{
    char text[SOAK_TEXT], described[SOAK_TEXT];
    alarm(SECONDS);
    if (right(number, text))
        _exit(0);
    soak_describe(&problem, described);
    printf("problem %d: %s\n%s\n", number, described, text);
    fflush(stdout);
    _exit(1);
}

/* True when the product of a child, whose library has got nothing yet, is right. */
static bool try_with(int number, int from, int to)
{
    int status;
    first = from, last = to;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        child_main(number);
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0)
        return true;
    printf("problem %d, while requests %d to %d fail: %s\n", number, from, to,
           child > 0 && WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "not right");
    return false;
}

/* Address space for two megabytes more than there is: mmap itself fails, stacks of threads and all. */
static bool without_address_space(int number)
{
    char text[SOAK_TEXT] = "";
    fflush(stdout);
    const pid_t child = fork();
    int status;
    if (child == 0) {
        long long pages = 0;
        FILE *f = fopen("/proc/self/statm", "r");
        if (!f || fscanf(f, "%lld", &pages) != 1)
            _exit(2);
        const rlim_t bytes = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + (2 << 20);
        const struct rlimit limit = {bytes, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
        if (!soak_make(&problem, 1, soak_ways_problems() + number, text) ||
            setrlimit(RLIMIT_AS, &limit))
            _exit(2);
        problem.g.threads = 4;
        const enum gradus_status got = gradus_gemm_run(&problem.g, NULL);
        setrlimit(RLIMIT_AS, &none); /* the judge needs some */
        _exit(got == GRADUS_OK && soak_judge(&problem, text) ? 0 : 1);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0)
        return true;
    printf("problem %d, without address space: %s %s\n", number, text,
           child > 0 && WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "not right");
    return false;
}

int main(void)
{
    asked = mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (asked == MAP_FAILED)
        return 1;
    soak_open(&problem);
    int wrong = 0, most = 0, refused = 0;
    for (int number = 0; number < PROBLEMS && wrong < 5; number++) {
        wrong += !try_with(number, REQUESTS_MAX, REQUESTS_MAX - 1); /* none fails */
        const int count = atomic_load(asked) < REQUESTS_MAX ? atomic_load(asked) : REQUESTS_MAX;
        most = count > most ? count : most;
        for (int i = 0; i < count; i++) {
            wrong += !try_with(number, i, REQUESTS_MAX * 100);
            wrong += !try_with(number, i, i);
            refused += 2;
        }
        if (count > 0)
            wrong += !without_address_space(number);
    }
    printf("%d problems, at most %d requests in a call, %d calls refused some: %d wrong\n",
           PROBLEMS, most, refused, wrong);
    soak_close(&problem);
    if (most < 2) {
        printf("the library asked for nothing: these problems show nothing\n");
        return 1;
    }
    return wrong != 0;
}
