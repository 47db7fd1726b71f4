/* library_gpu_streams.c: streams, threads, graphs, memory, refusals. SPDX-License-Identifier: MIT
 */
#include "library_gpu.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Streams, threads, graphs ---- */

struct worker {
    int number;
    enum gradus_math math;
    bool same;
};

static void *work(void *argument)
{
    enum { CALLS = 40 };
    static void *context;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int sizes[] = {130, 257, 511, 640};
    struct worker *w = argument;
    int device;
    pthread_mutex_lock(&lock); /* of the random numbers, too */
    if (!context) {
        must(cu.device_get(&device, 0), "a device");
        must(cu.retain(&context, device), "the context");
    }
    must(cu.set(context), "the context");
    const int s = sizes[w->number % 4];
    struct problem p = square(s, s + 7, 2 * s, w->math);
    pthread_mutex_unlock(&lock);
    const size_t bytes = (size_t)p.c.elements * sizeof *p.got;
    double *again = malloc(bytes);
    must(cu.stream_create(&p.g.stream, 1), "a stream");
    run(&p.g);
    must(cu.stream_wait(p.g.stream), "a stream");
    get_matrix(&p.c, p.got);
    w->same = true;
    for (int i = 0; i < CALLS; i++) {
        run(&p.g);
        if (i % 8 != 7)
            continue;
        must(cu.stream_wait(p.g.stream), "a stream");
        get_matrix(&p.c, again);
        w->same = w->same && memcmp(again, p.got, bytes) == 0;
    }
    bool wrong = false;
    error_of(&p, p.got, bound_of(&p.g), &wrong);
    w->same = w->same && !wrong;
    free(again);
    free_problem(&p);
    return NULL;
}

void check_threads(void)
{
    enum { THREADS = 12 };
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){
            i, has_math[i % 4] ? (enum gradus_math)(i % 4) : GRADUS_MATH_DEFAULT, false};
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(workers[i].same, "thread %d, %s: wrong, or other bits beside other threads", i,
              math_names[workers[i].math]);
    }
    printf("%d threads, a stream each: done\n", THREADS);
}

/* The i-th product of a chain: it reads what the one before it writes, and writes over what that
 * one reads. */
static struct gradus_gemm link_of(const struct kind *kind, int chain, int i,
                                  const struct matrix *from, const struct matrix *by,
                                  const struct matrix *to)
{
    static const int64_t widths[] = {64, 200, 96, 512, 33, 128, 1000, 17, 256, 72, 2048, 8, 300};
    enum { WIDTHS = sizeof widths / sizeof *widths };
    const int apart = 1 + chain % 5;
    struct gradus_gemm g;
    gradus_gemm_init(&g, kind->ab);
    g.c_type = kind->c, g.device = GRADUS_GPU;
    g.m = 1 + chain * 37 % from->rows;
    g.k = widths[(chain + i * apart) % WIDTHS], g.n = widths[(chain + (i + 1) * apart) % WIDTHS];
    g.trans_b = i & 1;
    g.lda = g.k, g.ldb = g.trans_b ? g.k : g.n, g.ldc = g.n;
    g.a = pointer(from->device), g.b = pointer(by->device), g.c = pointer(to->device);
    g.alpha = sqrt(3. / (double)g.k); /* the numbers stay as large as they are */
    return g;
}

/* Products begin before the ones ahead of them have ended, and the numbers are those of products
 * that are waited for. */
void check_chain(const struct kind *kind)
{
    enum { PRODUCTS = 40, ROWS = 300, MOST = 2048, CHAINS = 12 };
    struct matrix x[] = {make(kind->ab, ROWS, MOST, 0, 1), make(kind->ab, ROWS, MOST, 0, 1)};
    struct matrix by = make(kind->ab, MOST, MOST, 0, 1);
    const size_t bytes = (size_t)x[0].elements * sizeof(double);
    double *queued = malloc(bytes), *apart = malloc(bytes);
    void *stream;
    must(cu.stream_create(&stream, 1), "a stream");
    for (int chain = 0; chain < CHAINS; chain++) {
        for (int waits = 0; waits < 2; waits++) {
            put_matrix(&x[0]), put_matrix(&x[1]);
            must(cu.synchronize(), "the operands");
            for (int i = 0; i < PRODUCTS; i++) {
                struct gradus_gemm g = link_of(kind, chain, i, &x[i & 1], &by, &x[~i & 1]);
                g.stream = stream;
                run(&g);
                if (waits)
                    must(cu.stream_wait(stream), "a product");
            }
            must(cu.stream_wait(stream), "the products");
            get_matrix(&x[0], waits ? apart : queued);
        }
        CHECK(memcmp(apart, queued, bytes) == 0, "%s, chain %d: other numbers without waiting",
              kind->name, chain);
    }
    free(apart), free(queued);
    unmake(&x[0]), unmake(&x[1]), unmake(&by);
    printf("%s: %d chains of %d products\n", kind->name, CHAINS, PRODUCTS);
}

/* One stream for several threads: their launches must not mix. */
static void *share(void *problem)
{
    struct problem *p = problem;
    void *context;
    int device;
    must(cu.device_get(&device, 0), "a device");
    must(cu.retain(&context, device), "the context");
    must(cu.set(context), "the context");
    for (int i = 0; i < 50; i++)
        run(&p->g);
    return NULL;
}

void check_shared_stream(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct problem p[THREADS];
    void *stream;
    must(cu.stream_create(&stream, 1), "a stream");
    for (int i = 0; i < THREADS; i++) {
        p[i] = square(200 + 60 * i, 300, 900, GRADUS_MATH_DEFAULT);
        if (has_math[GRADUS_MATH_ACCURATE])
            p[i].g.math = i % 2 ? GRADUS_MATH_SCALED : GRADUS_MATH_ACCURATE;
        p[i].g.stream = stream;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, share, &p[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    must(cu.stream_wait(stream), "a stream");
    for (int i = 0; i < THREADS; i++) {
        bool wrong = false;
        get_matrix(&p[i].c, p[i].got);
        const double e = error_of(&p[i], p[i].got, bound_of(&p[i].g), &wrong);
        CHECK(!wrong, "thread %d on a stream that is shared: the error is %.3g", i, e);
        free_problem(&p[i]);
    }
    printf("%d threads, one stream: done\n", THREADS);
}

/* gradus_gemm_workspace holds for addresses of any alignment, so a product whose addresses are
 * aligned may need less. Returns
 * whether the product was refused without a workspace. */
bool check_graph(enum gradus_math math)
{
    bool refused = false;
    struct problem p = square(700, 500, 900, math);
    const size_t bytes = (size_t)p.c.elements * sizeof *p.got;
    struct gradus_error error = {0};
    double *again = malloc(bytes);
    void *graph = NULL, *executable = NULL;
    address workspace = 0;
    must(cu.stream_create(&p.g.stream, 1), "a stream");
    run(&p.g);
    must(cu.stream_wait(p.g.stream), "a stream");
    get_matrix(&p.c, p.got);
    const int64_t wanted = gradus_gemm_workspace(&p.g, &error);
    CHECK(wanted >= 0, "%s", error.text);
    if (wanted > 0) { /* without the workspace that it needs it is refused; the capture goes on */
        must(cu.capture_begin(p.g.stream, 0), "a capture");
        const enum gradus_status status = gradus_gemm_run(&p.g, &error);
        refused = status == GRADUS_LAUNCH;
        CHECK(refused || status == GRADUS_OK, "captured without a workspace: %s", error.text);
        must(cu.capture_end(p.g.stream, &graph), "a capture");
        must(cu.alloc(&workspace, (size_t)wanted), "a workspace");
        p.g.workspace = pointer(workspace);
        p.g.workspace_bytes = wanted;
    }
    must(cu.capture_begin(p.g.stream, 0), "a capture");
    run(&p.g);
    run(&p.g);
    must(cu.capture_end(p.g.stream, &graph), "a capture");
    must(cu.instantiate(&executable, graph, 0), "a graph");
    for (int i = 0; i < 3; i++) {
        put_matrix(&p.c);
        must(cu.graph_launch(executable, p.g.stream), "a graph");
        must(cu.stream_wait(p.g.stream), "a stream");
        get_matrix(&p.c, again);
        CHECK(memcmp(again, p.got, bytes) == 0, "a graph gives other bits, %s", math_names[math]);
    }
    printf("graph, %s: workspace %lld bytes: done\n", math_names[math], (long long)wanted);
    if (workspace)
        cu.release(workspace);
    free(again);
    free_problem(&p);
    gradus_error_clear(&error);
    return refused;
}

void check_memory(void)
{
    struct problem p = square(900, 900, 900, GRADUS_MATH_DEFAULT);
    size_t before = 0, after = 0, all;
    must(cu.stream_create(&p.g.stream, 1), "a stream");
    run(&p.g);
    must(cu.synchronize(), "a product");
    must(cu.info(&before, &all), "memory");
    for (int i = 0; i < 500; i++)
        run(&p.g);
    must(cu.synchronize(), "products");
    must(cu.info(&after, &all), "memory");
    CHECK(before == after, "500 calls took %lld bytes", (long long)before - (long long)after);
    free_problem(&p);
}

void check_refusals(void)
{
    struct problem p = square(64, 64, 64, GRADUS_MATH_DEFAULT);
    struct gradus_error error = {0};
    struct gradus_gemm g = p.g;
    g.a = p.a.host;
    CHECK(gradus_gemm_run(&g, &error) == GRADUS_INVALID && strstr(error.text, ": a: "),
          "host memory: %s", error.text);
    printf("refused: %s\n", error.text);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const enum gradus_status status = gradus_gemm_run(&p.g, &error);
        printf("refused: %s\n", error.text);
        fflush(stdout);
        _exit(status == GRADUS_UNSUPPORTED && strstr(error.text, "fork") ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0, "a forked process is not refused");
    run(&p.g);
    must(cu.synchronize(), "a product after a fork");
    free_problem(&p);
    gradus_error_clear(&error);
}
