/* no_memory.c: products while the library gets no memory and no threads: each is right all the
 * same, and none fails, aborts or crashes. SPDX-License-Identifier: MIT
 *
 * The linker puts the functions here in the place of the allocator's and of pthread_create
 * (--wrap). Each problem runs in children of its own, since a library keeps what it once got: in
 * one the first request and all after it fail, in the next the second and so on, and in others one
 * request alone. */
#include "cpu/workspace.h"
#include "soak/guarded.h"
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

/* The memory that the library keeps for such a time, before a page that faults: blocks must fit it.
 */
static struct guarded last_memory;
char *__real_gr_last_memory_take(void);
char *__wrap_gr_last_memory_take(void);

char *__wrap_gr_last_memory_take(void)
{
    __real_gr_last_memory_take();
    return last_memory.block;
}

static struct soak_problem problem;
static atomic_int *requested; /* shared with the children: how often the library asked */

static bool right(int number, char text[SOAK_TEXT])
{
    struct gradus_error error = {0};
    if (!soak_make(&problem, 1, soak_ways_problems() + number, text))
        return false;
    atomic_store(&armed, true);
    const enum gradus_status status = gradus_gemm_run(&problem.g, &error);
    atomic_store(&armed, false);
    atomic_store(requested, atomic_load(&requests));
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

/* So many bytes more than there are: mmap itself fails, for threads' stacks too. */
static void leave_address_space(rlim_t bytes)
{
    long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lld", &pages) != 1)
        _exit(2);
    fclose(f);
    const struct rlimit limit = {(rlim_t)(pages * sysconf(_SC_PAGESIZE)) + bytes, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit))
        _exit(2);
}

static void give_address_space(void)
{
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &none);
}

static bool without_address_space(int number)
{
    char text[SOAK_TEXT] = "";
    fflush(stdout);
    const pid_t child = fork();
    int status;
    if (child == 0) {
        if (!soak_make(&problem, 1, soak_ways_problems() + number, text))
            _exit(2);
        leave_address_space(2 << 20);
        problem.g.threads = 4;
        const enum gradus_status got = gradus_gemm_run(&problem.g, NULL);
        give_address_space(); /* the judge needs some */
        _exit(got == GRADUS_OK && soak_judge(&problem, text) ? 0 : 1);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0)
        return true;
    printf("problem %d, without address space: %s %s\n", number, text,
           child > 0 && WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "not right");
    return false;
}

/* Deeper than any block of k, in sums that are exact, with nothing but the memory that the library
 * keeps. */
static bool deep_is_right(enum gradus_type type)
{
    enum { M = 190, N = 210, K = 1536 };
    static double room[3][N * K]; /* of floats half of it */
    struct gradus_gemm g;
    const bool twice = type == GRADUS_F64;
    gradus_gemm_init(&g, type);
    for (int i = 0; i < N * K; i++)
        for (int o = 0; o < 2; o++)
            if (twice)
                room[o][i] = i % 7 - 3 * o;
            else
                ((float *)room[o])[i] = (float)(i % 7 - 3 * o);
    g.m = M, g.n = N, g.k = K;
    g.a = room[0], g.lda = M, g.trans_a = 1, g.b = room[1], g.ldb = N, g.c = room[2], g.ldc = N;
    first = 0, last = REQUESTS_MAX * 100;
    leave_address_space(0);
    atomic_store(&armed, true);
    bool right = gradus_gemm_run(&g, NULL) == GRADUS_OK;
    atomic_store(&armed, false);
    give_address_space();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += ((k * M + i) % 7) * ((k * N + j) % 7 - 3);
            right &= sum == (twice ? room[2][i * N + j] : ((float *)room[2])[i * N + j]);
        }
    return right;
}

static bool deep_products(void)
{
    fflush(stdout);
    const pid_t child = fork();
    int status;
    if (child == 0) {
        alarm(SECONDS);
        _exit(deep_is_right(GRADUS_F32) && deep_is_right(GRADUS_F64) ? 0 : 1);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
        return true;
    printf("deep products without any memory: %s\n",
           child > 0 && WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "not right");
    return false;
}

int main(void)
{
    requested =
        mmap(NULL, sizeof *requested, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (requested == MAP_FAILED)
        return 1;
    guarded_open(&last_memory, GR_LAST_MEMORY_BYTES);
    guarded_place(&last_memory, GR_LAST_MEMORY_BYTES, 64, GUARDED_END);
    soak_open(&problem);
    int most = 0, refused = 0;
    int wrong = !deep_products();
    for (int number = 0; number < PROBLEMS && wrong < 5; number++) {
        wrong += !try_with(number, REQUESTS_MAX, REQUESTS_MAX - 1); /* none fails */
        const int count =
            atomic_load(requested) < REQUESTS_MAX ? atomic_load(requested) : REQUESTS_MAX;
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
    guarded_close(&last_memory);
    if (most < 2) {
        printf("the library asked for nothing: these problems show nothing\n");
        return 1;
    }
    return wrong != 0;
}
