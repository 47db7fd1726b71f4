/* unload.c LIBRARY: a program that loads the library, multiplies on several threads and unloads it,
 * again and again, is left with no thread, no open file and no mapping of it, and in no more
 * memory. SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 40, SETTLED = 8, SIDE = 400, SLACK_PAGES = 64 };

typedef void sgemm_fn(const char *transa, const char *transb, const int *m, const int *n,
                      const int *k, const float *alpha, const float *a, const int *lda,
                      const float *b, const int *ldb, const float *beta, float *c, const int *ldc);

struct left {
    int threads, files, mappings;
    long long pages;
};

static int entries(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count;
}

static struct left what_is_left(const char *library)
{
    struct left left = {.threads = entries("/proc/self/task"), .files = entries("/proc/self/fd")};
    const char *base = strrchr(library, '/');
    char line[4096];
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        left.mappings += strstr(line, base ? base + 1 : library) != NULL;
    if (f)
        fclose(f);
    f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lld", &left.pages) != 1)
        left.pages = -1;
    if (f)
        fclose(f);
    return left;
}

static bool multiplies(void *library)
{
    static float a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];
    const float one = 1, zero = 0;
    const int side = SIDE;
    sgemm_fn *sgemm;
    *(void **)&sgemm = dlsym(library, "sgemm_");
    if (!sgemm)
        return false;
    for (int i = 0; i < SIDE * SIDE; i++)
        a[i] = 1, b[i] = 2, c[i] = -1;
    sgemm("T", "N", &side, &side, &side, &one, a, &side, b, &side, &zero, c, &side);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (c[i] != 2 * SIDE)
            return false;
    return true;
}

/* What the library asked to be called at forks went with it. */
static bool forks(void)
{
    int status;
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
}

int main(int count, char **words)
{
    if (count != 2) {
        fputs("usage: unload LIBRARY\n", stderr);
        return 2;
    }
    setenv("GRADUS_NUM_THREADS", "4", 1);
    struct left before = {0}, after;
    for (int round = 0; round < ROUNDS; round++) {
        void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
        if (!library || !multiplies(library)) {
            printf("round %d: %s\n", round, library ? "a wrong product" : dlerror());
            return 1;
        }
        if (round == 0 && entries("/proc/self/task") < 2 + 2) {
            printf("no threads were started: this shows nothing\n"); /* with "." and ".." */
            return 1;
        }
        dlclose(library);
        if (!forks()) {
            printf("round %d: a fork after the library is gone fails\n", round);
            return 1;
        }
        if (round == SETTLED) /* stacks of threads are kept by the C library for a while */
            before = what_is_left(words[1]);
    }
    after = what_is_left(words[1]);
    printf("threads %d, files %d, mappings of the library %d, pages %lld (%lld after round %d)\n",
           after.threads - 2, after.files - 2, after.mappings, after.pages, before.pages, SETTLED);
    return !(after.threads == 2 + 1 && after.files == before.files && after.mappings == 0 &&
             after.pages <= before.pages + SLACK_PAGES);
}
