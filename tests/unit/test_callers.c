/* test_callers.c: several callers at the same time: all compute for as long as the time counts,
 * each with operands of its own, a wrong C of any of them is seen, and libraries can be called by
 * them. SPDX-License-Identifier: MIT */
/* threads: src/measure/callers.c */
#include "check_trial.h"
#include "sanitized.h"

#include "base/rng.h"
#include "core/clock.h"
#include "measure/callers.h"
#include "measure/pair_touch.h"
#include "measure/sample_callers.h"
#include "peer/products.h"
#include "peer/space.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

enum { SIZE = 24, CALLERS = 3, SAMPLES = 12, TIMES = 4, MOST_CALLS = 4096 };

/* ---- the rate ---- */

/* How long a call of each caller takes, and how often it was made. */
static struct {
    int64_t ns[CALLERS];
    atomic_int prepared, early, unordered, calls[CALLERS];
} slow;

static void prepare_slow(void *context, int caller)
{
    (void)context;
    (void)caller;
    atomic_fetch_add(&slow.prepared, 1);
}

static void call_slow(void *context, int caller, int call)
{
    (void)context;
    atomic_fetch_add(&slow.early, atomic_load(&slow.prepared) < CALLERS);
    atomic_fetch_add(&slow.unordered, atomic_fetch_add(&slow.calls[caller], 1) != call);
    nanosleep(&(struct timespec){.tv_nsec = slow.ns[caller]}, NULL);
}

static void reset_slow(int64_t first, int64_t second, int64_t third)
{
    memset(&slow, 0, sizeof slow);
    slow.ns[0] = first, slow.ns[1] = second, slow.ns[2] = third;
}

static int least_of(const int *calls)
{
    int least = calls[0];
    for (int i = 1; i < CALLERS; i++)
        least = calls[i] < least ? calls[i] : least;
    return least;
}

/* Runs them; returns the time that counts, and in *ns_outside a time that it cannot be above,
 * however busy the machine is. */
static double run_slow(struct gr_callers *callers, double overhead_ns, int most, int *calls,
                       double *ns_outside)
{
    const struct gr_callers_work work = {
        .prepare = prepare_slow, .call = call_slow, .overhead_ns = overhead_ns};
    const int64_t start_ns = gr_now_ns();
    const double ns = gr_callers_run(callers, &work, most, calls);
    *ns_outside = (double)(gr_now_ns() - start_ns) + 1;
    return ns * (calls[0] + calls[1] + calls[2]) / CALLERS;
}

/* Callers that sleep do not need cores: while the first makes 8 calls of 5 ms, the second ends its
 * fourth after 44 ms and the last one its third after 57 ms, which is when the time ends. */
static void rates_are_added_up(void **state)
{
    (void)state;
    struct gr_callers *callers;
    int calls[CALLERS];
    assert_int_equal(gr_callers_open(CALLERS, &callers, NULL), GRADUS_OK);
    for (int run = 0; run < 3; run++) {
        double ns_outside;
        reset_slow(5000000, 11000000, 19000000);
        const double ns = run_slow(callers, 0, 8, calls, &ns_outside);
        assert_int_equal(slow.prepared, CALLERS);
        assert_int_equal(slow.early, 0);
        assert_int_equal(slow.unordered, 0);
        for (int i = 0; i < CALLERS; i++) {
            assert_in_range(calls[i], 1, 8);
            assert_int_equal(calls[i], slow.calls[i]);
            assert_true(ns >= (double)slow.ns[i] * calls[i]);
        }
        assert_true(least_of(calls) < 8 && ns <= ns_outside);
    }
    gr_callers_close(callers);
}

/* One that is slower than all calls of another makes one call, and all count until it ends. */
static void each_makes_a_call(void **state)
{
    (void)state;
    struct gr_callers *callers;
    int calls[CALLERS];
    double ns_outside;
    reset_slow(1000000, 200000000, 1000000);
    assert_int_equal(gr_callers_open(CALLERS, &callers, NULL), GRADUS_OK);
    assert_true(run_slow(callers, 0, 2, calls, &ns_outside) >= 200e6);
    assert_int_equal(calls[1], 1);
    gr_callers_close(callers);
}

/* What is not counted is left out of the time of every call, unless it is most of it: what is left
 * would be noise. */
static void overhead_is_subtracted(void **state)
{
    (void)state;
    struct gr_callers *callers;
    int calls[CALLERS];
    double ns_outside;
    assert_int_equal(gr_callers_open(CALLERS, &callers, NULL), GRADUS_OK);
    reset_slow(20000000, 20000000, 20000000);
    double ns = run_slow(callers, 8e6, 4, calls, &ns_outside);
    assert_true(ns <= ns_outside - 8e6 * least_of(calls) && ns >= 12e6 * least_of(calls));
    reset_slow(20000000, 20000000, 20000000);
    ns = run_slow(callers, 1e9, 4, calls, &ns_outside);
    assert_true(ns >= 20e6 * least_of(calls));
    gr_callers_close(callers);
}

/* ---- bursts, with a kernel of the test's own ---- */

static struct gr_worker w;
static struct gr_mailbox mailbox;
static struct gr_pair pair;

static struct {
    pthread_mutex_t lock;
    int calls, from;    /* from this call on, `victim` is left as it is; 0: never */
    const void *victim; /* a C */
    uint64_t inputs[MOST_CALLS];
    const void *c[MOST_CALLS];
} kernel = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void compute(const struct gr_launch *l)
{
    const float *a = l->a, *b = l->b;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            float sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += a[i * SIZE + k] * b[k * SIZE + j];
            ((float *)l->c)[i * SIZE + j] = sum;
        }
}

static enum gradus_status enqueue(void *loaded, struct gr_launch *l, const struct gr_plan *plan,
                                  const struct gr_scratch *scratch, struct gradus_error *error)
{
    (void)loaded, (void)plan, (void)scratch, (void)error;
    const size_t bytes = SIZE * SIZE * sizeof(float);
    pthread_mutex_lock(&kernel.lock);
    const int call = kernel.calls++;
    const bool skips = kernel.from && call >= kernel.from && l->c == kernel.victim;
    if (call < MOST_CALLS) {
        kernel.inputs[call] = gr_hash(l->a, bytes, gr_hash(l->b, bytes, 1));
        kernel.c[call] = l->c;
    }
    pthread_mutex_unlock(&kernel.lock);
    if (!skips)
        compute(l);
    return GRADUS_OK;
}

static const struct gr_backend backend = {.name = "fake", .enqueue = enqueue};

/* A worker with that many operand sets of one pair, and the request for a burst. */
static struct gr_request open_worker(int sets)
{
    struct gr_problem p = gr_problem_dense(SIZE, SIZE, SIZE, false, false, gr_types_of(GR_F32));
    struct gr_request request = {.op = GR_OP_FILL}, burst = {.op = GR_OP_TIME};
    struct gr_arena_plan arena = {.count = GR_SEG_COUNT};
    uint64_t bytes = gr_operand_bytes(&p, 'A');
    memset(&w, 0, sizeof w);
    kernel.calls = kernel.from = 0;
    w.threads = 1;
    w.callers = CALLERS;
    w.backend = &backend;
    w.mailbox = &mailbox;
    assert_int_equal(gr_arena_create(&w.mirror.arena, NULL), GRADUS_OK);
    for (int i = 0; i < GR_SEG_COUNT; i++)
        arena.bytes[i] = bytes;
    assert_int_equal(gr_arena_map(&w.mirror.arena, &arena, true, NULL), GRADUS_OK);
    assert_int_equal(gr_pair_make(&p, GR_FILL_UNIFORM, 5, NULL, NULL, 0, 1, &pair, NULL),
                     GRADUS_OK);
    const void *const operands[] = {pair.a, pair.b, pair.c0};
    request.fill.plan.sets = sets;
    request.fill.step = 1;
    struct gr_arena_place *places[] = {&burst.time.item.a, &burst.time.item.b, &burst.time.item.c};
    for (int o = 0; o < 3; o++) {
        request.fill.plan.stride[o] = bytes + 64;
        request.fill.operands[o].segment = o;
        request.fill.bytes[o] = bytes;
        memcpy(w.mirror.arena.segment[o], operands[o], bytes);
        places[o]->segment = GR_ROTATION_A + o;
    }
    assert_int_equal(gr_mirror_fill(&w.mirror, &request, NULL), GRADUS_OK);
    burst.time.candidates[0] = burst.time.candidates[1] = GR_CANDIDATE_KERNEL;
    burst.time.candidate_count = 2; /* the first in a peer's place */
    burst.time.item.problem = p;
    burst.time.item.take_snapshot = true;
    burst.time.item.snapshot.segment = GR_SEG_SNAPSHOT;
    burst.time.plan = request.fill.plan;
    burst.time.samples = SAMPLES;
    burst.time.times[0] = burst.time.times[1] = TIMES;
    burst.time.watch = true;
    gr_touch_plan_make(&p, (const double[]){0.6, 0.6}, false, 99, &burst.time.touch);
    return burst;
}

static void close_worker(void)
{
    for (int o = 0; o < 3; o++)
        munmap(w.mirror.rotation.operand[o].memory, w.mirror.rotation.operand[o].bytes + (2 << 20));
    gr_arena_close(&w.mirror.arena);
    gr_pair_free(&pair);
    gr_callers_close(w.crew);
    free(w.caller);
    free(w.calls);
}

/* The parent's verdict on the snapshot. */
static bool is_right(const struct gr_request *request, const struct gr_reply *reply)
{
    struct gr_pair_touches touches;
    struct gr_check check;
    assert_int_equal(gr_pair_touch(&pair, &request->time.touch, reply->last_set, reply->ordinal,
                                   false, &touches, NULL),
                     GRADUS_OK);
    assert_int_equal(gr_check_result(pair.reference, 1, 0, NULL,
                                     w.mirror.arena.segment[GR_SEG_SNAPSHOT], pair.c0, false,
                                     &check, NULL, NULL),
                     GRADUS_OK);
    gr_pair_untouch(&pair, &request->time.touch, &touches);
    return check.right;
}

static int repeated(void)
{
    int count = 0;
    for (int i = 0; i < kernel.calls; i++)
        for (int j = 0; j < i; j++)
            count += kernel.inputs[i] == kernel.inputs[j];
    return count;
}

/* How many different Cs were computed. */
static int different(void)
{
    int count = 0;
    for (int i = 0; i < kernel.calls; i++) {
        bool met = false;
        for (int j = 0; j < i && !met; j++)
            met = kernel.c[i] == kernel.c[j];
        count += !met;
    }
    return count;
}

/* With one operand set for each caller and with several, no product has the inputs of another. Only
 * the C that was kept is not overwritten. */
static void no_product_is_another(void **state)
{
    (void)state;
    for (int share = 1; share <= 3; share += 2) {
        struct gr_request request = open_worker(CALLERS * share);
        struct gr_reply reply = {0};
        assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
        assert_int_equal(reply.samples, SAMPLES);
        assert_in_range(kernel.calls, 2 * SAMPLES * (TIMES + CALLERS - 1),
                        2 * SAMPLES * TIMES * CALLERS);
        assert_true(kernel.calls <= MOST_CALLS);
        assert_int_equal(repeated(), 0);
        assert_in_range(different(), CALLERS, CALLERS * share);
        assert_true(share == 1 || different() > CALLERS);
        assert_true(is_right(&request, &reply));
        for (int set = 0; set < CALLERS * share; set++) {
            const struct gr_work_item item = gr_worker_rotated(&request, set);
            const unsigned char *c = gr_mirror_at(&w.mirror, item.c);
            assert_true(set == reply.last_set || (c[0] == 0x3F && memcmp(c, c + 1, 63) == 0) ||
                        memcmp(c, pair.c0, 64) == 0);
        }
        request.time.samples = 2;
        assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
        assert_int_equal(repeated(), 0);
        assert_true(is_right(&request, &reply));
        close_worker();
    }
}

/* The products of one caller are wrong from some call on. */
static void what_a_caller_leaves_out_is_seen(void **state)
{
    (void)state;
    for (int from = 1; from < 60; from += 5) {
        struct gr_request request = open_worker(CALLERS);
        struct gr_reply reply = {0};
        const struct gr_work_item item = gr_worker_rotated(&request, from % CALLERS);
        kernel.from = from;
        kernel.victim = gr_mirror_at(&w.mirror, item.c);
        assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
        assert_true(reply.samples < SAMPLES);
        assert_false(is_right(&request, &reply));
        close_worker();
    }
}

/* Before each sample every caller has a product that is not counted. */
static void each_caller_warms_up(void **state)
{
    (void)state;
    struct gr_request request = open_worker(CALLERS);
    struct gr_reply reply = {0};
    request.time.times[0] = request.time.times[1] = 1;
    request.time.warmed[0] = request.time.warmed[1] = true;
    assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
    assert_int_equal(kernel.calls, 2 * 2 * SAMPLES * CALLERS);
    assert_true(is_right(&request, &reply));
    close_worker();
}

/* ---- libraries ---- */

/* The C library of a namespace would not lock its heap if it believed that the process has one
 * thread. */
static void a_namespace_expects_threads(void **state)
{
    (void)state;
    struct gr_space space;
    void *libc;
    assert_int_equal(gr_space_open(&space, NULL), GRADUS_OK);
    assert_int_equal(gr_space_load(&space, "libc.so.6", NULL, &libc, NULL), GRADUS_OK);
    const char *single = dlsym(libc, "__libc_single_threaded"); /* from glibc 2.32 on */
    assert_false(single && *single);
}

struct namespace_call {
    const struct gr_space *space;
    int (*atoi)(const char *text);
    int (*toupper)(int letter);
    bool right;
};

static void *call_in_namespace(void *argument)
{
    struct namespace_call *call = argument;
    gr_space_enter_thread(call->space);
    call->right = call->atoi("  42") == 42 && call->toupper('n') == 'N';
    return NULL;
}

/* Functions that depend on the kind of a character work in a thread of another C library. */
static void a_thread_enters_a_namespace(void **state)
{
    (void)state;
    struct gr_space space;
    struct namespace_call call = {.space = &space};
    void *libc;
    pthread_t thread;
    assert_int_equal(gr_space_open(&space, NULL), GRADUS_OK);
    assert_int_equal(gr_space_load(&space, "libc.so.6", NULL, &libc, NULL), GRADUS_OK);
    *(void **)&call.atoi = dlsym(libc, "atoi");
    *(void **)&call.toupper = dlsym(libc, "toupper");
    assert_true(gr_callers_thread(&thread, call_in_namespace, &call));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(call.right);
}

/* Products of some shapes; the number of those with a wrong element. */
static void *call_library(void *peer)
{
    enum { ROUNDS = 8 };
    static const int64_t shapes[][3] = {{3, 5, 7}, {65, 63, 64}, {96, 97, 95}};
    intptr_t wrong = 0;
    for (int i = 0; i < ROUNDS; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const struct gr_problem p = gr_problem_dense(shapes[s][0], shapes[s][1], shapes[s][2],
                                                         false, i % 2, gr_types_of(GR_F32));
            wrong += run_product(peer, &p) != 0;
        }
    return (void *)wrong;
}

/* Every library here, by three threads at the same time, with one and with two threads each. */
static void libraries_are_called_together(void **state)
{
    (void)state;
    for (int i = 0; i < gr_peer_count(); i++)
        for (int threads = 1; threads <= 2; threads++) {
            struct gr_peer *peer;
            struct gradus_error error = {0};
            pthread_t others[CALLERS - 1];
            if (gr_peer_at(i)->device ||
                gr_peer_open(gr_peer_at(i), threads, &peer, &error) != GRADUS_OK) {
                gradus_error_clear(&error);
                continue;
            }
            for (int j = 0; j < CALLERS - 1; j++)
                assert_true(gr_callers_thread(&others[j], call_library, peer));
            intptr_t wrong = (intptr_t)call_library(peer);
            for (int j = 0; j < CALLERS - 1; j++) {
                void *result;
                pthread_join(others[j], &result);
                wrong += (intptr_t)result;
            }
            assert_int_equal(wrong, 0);
            gr_peer_close(peer);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_added_up),
        cmocka_unit_test(each_makes_a_call),
        cmocka_unit_test(overhead_is_subtracted),
        cmocka_unit_test(no_product_is_another),
        cmocka_unit_test(what_a_caller_leaves_out_is_seen),
        cmocka_unit_test(each_caller_warms_up),
        cmocka_unit_test(a_namespace_expects_threads),
        cmocka_unit_test(a_thread_enters_a_namespace),
        cmocka_unit_test(libraries_are_called_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
