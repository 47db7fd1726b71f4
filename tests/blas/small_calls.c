/* small_calls.c: a product below the threading threshold makes no system call, takes no lock and
 * allocates nothing, once the library has found out where it runs. SPDX-License-Identifier: MIT
 *
 * Products run in a child that the kernel kills for any system call but read, write and exit, with
 * malloc and the mutex replaced by functions that tell. One fault of each kind is planted, and must
 * be noticed. */
#include <gradus/cblas.h>

#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 64, ALLOCATED = 70, LOCKED };

static bool armed;

static void end(int status)
{
    syscall(SYS_exit, status); /* exit_group is not allowed */
}

/* The C library's own, behind its public names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void no_more_memory(void)
{
    if (armed)
        end(ALLOCATED);
}

void *malloc(size_t size)
{
    no_more_memory();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    no_more_memory();
    return __libc_calloc(count, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    no_more_memory();
    return __libc_memalign(alignment, size);
}

/* Only what the products call finds this one; the C library has its own names for its own locks. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    (void)mutex;
    if (armed)
        end(LOCKED);
    return 0;
}

static float fa[LARGEST * LARGEST], fb[LARGEST * LARGEST], fc[LARGEST * LARGEST];
static double da[LARGEST * LARGEST], db[LARGEST * LARGEST], dc[LARGEST * LARGEST];

static void products(void)
{
    static const int sizes[] = {1, 4, 5, 16, 33, LARGEST};
    const CBLAS_TRANSPOSE t[] = {CblasNoTrans, CblasTrans};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int i = 0; i < 8; i++) {
            const int n = sizes[s];
            const CBLAS_LAYOUT layout = i & 4 ? CblasRowMajor : CblasColMajor;
            cblas_sgemm(layout, t[i & 1], t[i >> 1 & 1], n, n, n, 1, fa, n, fb, n, 0, fc, n);
            cblas_dgemm(layout, t[i & 1], t[i >> 1 & 1], n, n, n, 1, da, n, db, n, 0, dc, n);
            cblas_sgemm(layout, t[i & 1], t[i >> 1 & 1], n, 1, n, 1, fa, n, fb, n, 1, fc, n);
            cblas_dgemm(layout, t[i & 1], t[i >> 1 & 1], 1, n, n, 1, da, n, db, n, 1, dc, n);
        }
}

static void *volatile planted_block; /* or the compiler leaves the call out */

static void plant(const char *fault)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    if (strcmp(fault, "syscall") == 0)
        getppid();
    else if (strcmp(fault, "malloc") == 0)
        planted_block = malloc(1);
    else if (strcmp(fault, "lock") == 0)
        pthread_mutex_lock(&mutex);
}

static void child(const char *fault)
{
    products();
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
        end(77);
    armed = true;
    products();
    plant(fault);
    end(0);
}

static const char *found(const char *fault)
{
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0)
        child(fault);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return "no child";
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGKILL ? "syscall" : "signal";
    switch (WEXITSTATUS(status)) {
    case 0:
        return "nothing";
    case 77:
        return "skip";
    case ALLOCATED:
        return "malloc";
    case LOCKED:
        return "lock";
    default:
        return "exit";
    }
}

int main(void)
{
    static const char *const planted[] = {"nothing", "syscall", "malloc", "lock"};
    int failures = 0;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        const char *reported = found(planted[i]);
        if (strcmp(reported, "skip") == 0) {
            printf("skip: small calls make no system call: no seccomp here\n");
            return 77;
        }
        if (strcmp(reported, planted[i]) != 0) {
            printf("FAILED: planted %s, found %s\n", planted[i], reported);
            failures++;
        }
    }
    return failures ? 1 : 0;
}
