/* isolation.c: no call of a peer reaches BLAS symbols of the program, though libgradus and a decoy
 * lie in its global scope; and the decoy does see the calls of a library that is loaded in the
 * ordinary way. SPDX-License-Identifier: MIT */
#include "peer/products.h"

#include <dlfcn.h>

int decoy_entries(void);

typedef void cblas_fn(int layout, int ta, int tb, int m, int n, int k, float alpha, const float *a,
                      int lda, const float *b, int ldb, float beta, float *c, int ldc);

static int failures;

static void check(bool good, const char *what, const char *who, int found)
{
    if (!good)
        printf("FAILED: %s (%s: %d)\n", what, who, found);
    failures += !good;
}

static void enter(cblas_fn *cblas)
{
    float a = 2, b = 3, c = 0;
    if (cblas)
        cblas(101, 111, 111, 1, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1);
}

/* Shows that the decoy counts: called by name, and called by a library in the program's own
 * namespace. */
static void decoy_counts(const char *path)
{
    cblas_fn *cblas;
    *(void **)&cblas = dlsym(RTLD_DEFAULT, "cblas_sgemm");
    decoy_entries();
    enter(cblas);
    int direct = decoy_entries();
    check(direct == 1, "a direct call enters the decoy once", "program", direct);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cblas = NULL;
    if (library)
        *(void **)&cblas = dlsym(library, "cblas_sgemm");
    check(cblas != NULL, "the library loads in the ordinary way", path, 0);
    enter(cblas);
    int local = decoy_entries();
    check(local > 0, "RTLD_LOCAL alone lets the library call the decoy", path, local);
}

static void peer_stays_away(const struct gr_peer_kind *kind, int threads, char *blis, size_t size)
{
    struct gradus_error error = {0};
    struct gr_peer *peer;
    int made = 0;
    decoy_entries();
    if (kind->device) /* its operands are not the host's */
        return;
    if (gr_peer_open(kind, threads, &peer, &error) != GRADUS_OK) {
        if (threads == 1 || strstr(error.text, "ThreadSanitizer"))
            printf("skip: %s\n", error.text);
        gradus_error_clear(&error);
        return;
    }
    int bad = run_products(peer, &made);
    int entered = decoy_entries();
    check(bad == 0 && made > 0, "its products are right", kind->name, bad);
    check(entered == 0, "none of its calls enters the program's symbols", kind->name, entered);
    printf("%s, %d threads: %d products, %d entries\n", kind->name, threads, made, entered);
    if (strcmp(kind->name, "blis") == 0 || (strcmp(kind->name, "aocl") == 0 && !*blis))
        snprintf(blis, size, "%s", gr_peer_path(peer));
    gr_peer_close(peer);
}

int main(void)
{
    char blis[4096] = "";
    for (int threads = 1; threads <= 2; threads++)
        for (int i = 0; i < gr_peer_count(); i++)
            peer_stays_away(gr_peer_at(i), threads, blis, sizeof blis);
    check(*blis != 0, "BLIS or the planted library is found", "aocl", 0);
    if (!failures)
        decoy_counts(blis);
    return failures ? 1 : 0;
}
