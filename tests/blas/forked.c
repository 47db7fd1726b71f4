/* forked.c: fork() while other threads are in the midst of products: every child, and every child's
 * child, multiplies at once, with all its threads though its parent's were busy, and the parent
 * goes on. SPDX-License-Identifier: MIT */
#include <gradus/cblas.h>

#include "sanitized.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 160, CALLERS = 3, CHILDREN = 40, THREADS = 3, HANGS_AFTER_S = 20 };

static float a[SIZE * SIZE], b[SIZE * SIZE], want[SIZE * SIZE];
static atomic_bool enough;
static atomic_int wrong;

/* Whole numbers, so that the sums are exact in any order. */
static bool multiplies(void)
{
    static _Thread_local float c[SIZE * SIZE];
    memset(c, -1, sizeof c);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0,
                c, SIZE);
    return memcmp(c, want, sizeof c) == 0;
}

static void *multiply_until_enough(void *unused)
{
    while (!atomic_load(&enough))
        if (!multiplies())
            atomic_fetch_add(&wrong, 1);
    return unused;
}

static void fill(void)
{
    for (int i = 0; i < SIZE * SIZE; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 5 - 2);
    }
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            float sum = 0;
            for (int p = 0; p < SIZE; p++)
                sum += a[p * SIZE + i] * b[p * SIZE + j];
            want[i * SIZE + j] = sum;
        }
}

static bool has_all_threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));)
        count += task->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count == THREADS;
}

/* Forks; the child multiplies, and so does its own. Returns the child's exit status: 0 for right, 1
 * for a wrong product or too few threads, 14 and more for one that hung or died. */
static int fork_and_multiply(int generations)
{
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(HANGS_AFTER_S);
        const bool good = multiplies() && has_all_threads() &&
                          (generations <= 1 || fork_and_multiply(generations - 1) == 0);
        _exit(good ? 0 : 1);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

int main(void)
{
    if (fork_amid_threads_is_forbidden())
        return 77;
    setenv("GRADUS_NUM_THREADS", "3", 1);
    fill();
    pthread_t callers[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&callers[i], NULL, multiply_until_enough, NULL))
            return 2;
    int failures = multiplies() ? 0 : 1;
    for (int i = 0; i < CHILDREN && !failures; i++) {
        const int status = fork_and_multiply(2);
        if (status != 0) {
            printf("FAILED: child %d ended with %d\n", i, status);
            failures++;
        }
    }
    atomic_store(&enough, true);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    if (!multiplies() || atomic_load(&wrong)) {
        printf("FAILED: the parent's own products\n");
        failures++;
    }
    return failures ? 1 : 0;
}
