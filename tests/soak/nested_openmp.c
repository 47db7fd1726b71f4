/* nested_openmp.c: products inside a caller's parallel regions: each is right, and none starts
 * threads of its own where the caller's have the cores already. SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>

#include <dirent.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 150, PRODUCTS = 64, CALLERS = 3 };

static float left[SIDE * SIDE], right[SIDE * SIDE], wanted[SIDE * SIDE];

static int threads_here(void)
{
    int count = -2; /* "." and ".." */
    DIR *d = opendir("/proc/self/task");
    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count;
}

/* 0 when it is right. */
static int multiply(int threads)
{
    float *c = malloc(sizeof wanted);
    struct gradus_gemm g;
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = g.k = g.lda = g.ldb = g.ldc = SIDE;
    g.a = left, g.b = right, g.c = c, g.threads = threads;
    const int wrong =
        !c || gradus_gemm_run(&g, NULL) != GRADUS_OK || memcmp(c, wanted, sizeof wanted) != 0;
    free(c);
    return wrong;
}

static void fill(void)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        left[i] = (float)(i % 17) - 8;
        right[i] = (float)(i % 13) - 6;
    }
    for (int i = 0; i < SIDE; i++)
        for (int p = 0; p < SIDE; p++)
            for (int j = 0; j < SIDE; j++)
                wanted[i * SIDE + j] += left[i * SIDE + p] * right[p * SIDE + j];
}

int main(void)
{
    int wrong = 0;
    setenv("GRADUS_NUM_THREADS", "4", 1);
    fill();
    omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(CALLERS) reduction(+ : wrong)
    for (int i = 0; i < PRODUCTS; i++)
        wrong += multiply(0);
    const int after_region = threads_here();
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    {
#pragma omp parallel for num_threads(2) reduction(+ : wrong)
        for (int i = 0; i < PRODUCTS / 4; i++)
            wrong += multiply(0);
    }
    const int after_nested = threads_here();
    /* Asked for, threads are given, in a region as well. */
#pragma omp parallel for num_threads(CALLERS) reduction(+ : wrong)
    for (int i = 0; i < PRODUCTS; i++)
        wrong += multiply(1 + i % 4);
    wrong += multiply(0);
    printf("threads after a region of %d: %d, after nested ones: %d; at the end %d; %d wrong\n",
           CALLERS, after_region, after_nested, threads_here(), wrong);
    /* OpenMP keeps its threads: two beside the first for the one region, two more for the nested.
     */
    return wrong || after_region > CALLERS || after_nested > CALLERS + 2;
}
