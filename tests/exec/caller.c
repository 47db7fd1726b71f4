/* caller.c: caller WORD…: a program that calls its BLAS; does what each word says, in order. Its
 * exit status is 9 when a product was not as it must be. The build says by which names it calls it,
 * here cblas_dgemm and sgemm_.
 *
 *   d    cblas_dgemm, row-major, A transposed, 2x3x4          fork  what follows is done by a
 * child, awaited s    sgemm_, 5x6x7                                        exec  what follows is
 * done by this program anew t    four threads, 25 times d in each                     kill  ends by
 * SIGKILL N    N times d                                            exit  ends by _exit: nothing is
 * run at the end
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void CBLAS_DGEMM(int layout, int trans_a, int trans_b, INTEGER m, INTEGER n, INTEGER k,
                 double alpha, const double *a, INTEGER lda, const double *b, INTEGER ldb,
                 double beta, double *c, INTEGER ldc);
void SGEMM(const char *trans_a, const char *trans_b, const INTEGER *m, const INTEGER *n,
           const INTEGER *k, const float *alpha, const float *a, const INTEGER *lda, const float *b,
           const INTEGER *ldb, const float *beta, float *c, const INTEGER *ldc);

/* With CALLER_WANTS_STAND_IN in the environment, products must be the stand-in's. */
static double wanted(double product)
{
    return getenv("CALLER_WANTS_STAND_IN") ? -1 : product;
}

static void call_d(void)
{
    const double a[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}; /* as stored: 4x2, lda 3 */
    const double b[12] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    double c[6] = {0};
    CBLAS_DGEMM(101, 112, 111, 2, 3, 4, 1, a, 3, b, 3, 0, c, 3);
    if (c[0] != wanted(8))
        _exit(9);
}

static void call_s(void)
{
    float a[35], b[42], c[30];
    for (int i = 0; i < 42; i++)
        a[i % 35] = b[i] = 1;
    SGEMM("N", "N", &(INTEGER){5}, &(INTEGER){6}, &(INTEGER){7}, &(float){1}, a, &(INTEGER){5}, b,
          &(INTEGER){7}, &(float){0}, c, &(INTEGER){5});
    if (c[0] != (float)wanted(7))
        _exit(9);
}

static void *call_often(void *unused)
{
    for (int i = 0; i < 25; i++)
        call_d();
    return unused;
}

static void call_from_threads(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, call_often, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Returns in the child; the parent ends as the child did. */
static void go_on_in_child(void)
{
    const pid_t child = fork();
    if (child == 0)
        return;
    int status = 0;
    waitpid(child, &status, 0);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "d") == 0)
            call_d();
        else if (strcmp(argv[i], "s") == 0)
            call_s();
        else if (strcmp(argv[i], "t") == 0)
            call_from_threads();
        else if (strcmp(argv[i], "fork") == 0)
            go_on_in_child();
        else if (strcmp(argv[i], "exec") == 0) {
            argv[i] = argv[0];
            execv("/proc/self/exe", argv + i);
        } else if (strcmp(argv[i], "kill") == 0)
            raise(SIGKILL);
        else if (strcmp(argv[i], "exit") == 0)
            _exit(0);
        else
            for (int n = atoi(argv[i]); n > 0; n--)
                call_d();
    }
    return 0;
}
