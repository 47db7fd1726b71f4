/* test_samples.c: bursts of samples with a kernel of the test's own in the worker's place: no
 * product has the inputs of another, and a C that is wrong, in whichever sample, is kept and told
 * of. SPDX-License-Identifier: MIT */
/* threads: tests/unit/test_samples.c */
#include "check_trial.h"
#include "sanitized.h"

#include "base/rng.h"
#include "measure/pair_touch.h"
#include "measure/worker.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 24, SAMPLES = 30, TIMES = 3, CALLS = 4 * SAMPLES * TIMES };

static struct gr_worker w;
static struct gr_mailbox mailbox;

/* What the kernel does: number of the call in which it cheats (0: never), and how. */
enum cheat { SKIPS, STALE, HALF, LATE };

static struct {
    enum cheat cheat;
    int64_t from, calls;
    uint64_t inputs[CALLS];
    int64_t first_arg[CALLS]; /* of a kernel that has any */
    void *loaded[CALLS];
    void *zeroed[CALLS]; /* its first buffer, where it has one */
    bool as_left[CALLS]; /* C was what an earlier product had left there */
    float last[SIZE * SIZE];
} kernel;

static void multiply_fake(const struct gr_launch *l, int rows)
{
    const float *a = l->a, *b = l->b;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < SIZE; j++) {
            float sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += a[i * SIZE + k] * b[k * SIZE + j];
            ((float *)l->c)[i * SIZE + j] = sum;
        }
}

static pthread_t later;

/* As soon as C has been copied as it is: awake, since on a busy machine who sleeps may come too
 * late. */
static void *clear(void *c)
{
    while (memcmp(w.mirror.arena.segment[GR_SEG_SNAPSHOT], c, SIZE * SIZE * sizeof(float)) != 0)
        sched_yield();
    *(volatile float *)c = 1e6f;
    return NULL;
}

static enum gradus_status fake_enqueue(void *loaded, struct gr_launch *l,
                                       const struct gr_plan *plan, const struct gr_scratch *scratch,
                                       struct gradus_error *error)
{
    (void)plan, (void)error;
    if (l->args && loaded)
        kernel.first_arg[kernel.calls] = l->args[0];
    kernel.loaded[kernel.calls] = loaded;
    kernel.zeroed[kernel.calls] = scratch->count > 0 ? scratch->buffer[0] : NULL;
    const size_t bytes = SIZE * SIZE * sizeof(float);
    assert_true(kernel.calls < CALLS);
    kernel.inputs[kernel.calls] = gr_hash(l->a, bytes, gr_hash(l->b, bytes, 1));
    kernel.as_left[kernel.calls] = memcmp(l->c, kernel.last, bytes) == 0;
    bool cheats = ++kernel.calls == kernel.from;
    if (cheats && kernel.cheat == STALE)
        memcpy(l->c, kernel.last, bytes);
    else if (!cheats || kernel.cheat != SKIPS)
        multiply_fake(l, cheats && kernel.cheat == HALF ? SIZE / 2 : SIZE);
    if (cheats && kernel.cheat == LATE)
        assert_int_equal(pthread_create(&later, NULL, clear, l->c), 0);
    memcpy(kernel.last, l->c, bytes);
    return GRADUS_OK;
}

static enum gradus_status fake_begin(void *opened, struct gradus_error *error)
{
    (void)opened;
    (void)error;
    return GRADUS_OK;
}

static enum gradus_status fake_end(void *opened, int64_t *ns, struct gradus_error *error)
{
    (void)opened;
    (void)error;
    *ns = 1000000;
    return GRADUS_OK;
}

static enum gradus_status device_reserve(void *opened, uint64_t bytes, void **address,
                                         struct gradus_error *error)
{
    (void)opened;
    (void)error;
    *address = malloc(bytes);
    return *address ? GRADUS_OK : GRADUS_NO_MEMORY;
}

static void device_release(void *opened, void *address)
{
    (void)opened;
    free(address);
}

static enum gradus_status device_copy(void *opened, void *to, const void *from, uint64_t bytes,
                                      struct gradus_error *error)
{
    (void)opened;
    (void)error;
    memcpy(to, from, bytes);
    return GRADUS_OK;
}

static enum gradus_status device_fill(void *opened, void *to, unsigned char byte, uint64_t bytes,
                                      struct gradus_error *error)
{
    (void)opened;
    (void)error;
    memset(to, byte, bytes);
    return GRADUS_OK;
}

static const struct gr_backend_memory device = {device_reserve, device_release, device_copy,
                                                device_copy, device_fill};
static const struct gr_backend backend = {
    .name = "fake", .begin = fake_begin, .enqueue = fake_enqueue, .end = fake_end};

static struct gr_pair pair;

/* A worker with `sets` operand sets of one pair, and the request for a burst. */
static struct gr_request open_worker(int sets, bool on_device)
{
    struct gr_problem p = gr_problem_dense(SIZE, SIZE, SIZE, false, false, gr_types_of(GR_F32));
    struct gr_request request = {.op = GR_OP_FILL}, burst = {.op = GR_OP_TIME};
    struct gr_arena_plan arena = {.count = GR_SEG_COUNT};
    uint64_t bytes = gr_operand_bytes(&p, 'A');
    memset(&w, 0, sizeof w);
    memset(&kernel, 0, sizeof kernel);
    w.threads = 1;
    w.backend = &backend;
    w.mailbox = &mailbox;
    w.mirror.memory = on_device ? &device : NULL;
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
    burst.time.successive = on_device;
    burst.time.watch = true;
    gr_touch_plan_make(&p, (const double[]){0.6, 0.6}, on_device, 99, &burst.time.touch);
    return burst;
}

static void close_worker(void)
{
    for (int o = 0; o < 3; o++)
        if (w.mirror.rotation.operand[o].memory)
            munmap(w.mirror.rotation.operand[o].memory,
                   w.mirror.rotation.operand[o].bytes + (2 << 20));
    for (int i = 0; i < GR_MIRRORS; i++)
        if (w.mirror.memory)
            free(w.mirror.block[i].address);
    for (int i = 0; i < GR_MAX_WORKS; i++)
        free(w.scratch.buffer[i]);
    gr_arena_close(&w.mirror.arena);
    gr_pair_free(&pair);
}

/* The parent's verdict on the snapshot. */
static bool is_right(const struct gr_request *request, const struct gr_reply *reply)
{
    struct gr_pair_touches touches;
    struct gr_check check;
    assert_int_equal(gr_pair_touch(&pair, &request->time.touch, reply->last_set, reply->ordinal,
                                   w.mirror.memory != NULL, &touches, NULL),
                     GRADUS_OK);
    assert_int_equal(gr_check_result(pair.reference, 1, 0, NULL,
                                     w.mirror.arena.segment[GR_SEG_SNAPSHOT], pair.c0, false,
                                     &check, NULL, NULL),
                     GRADUS_OK);
    gr_pair_untouch(&pair, &request->time.touch, &touches);
    return check.right;
}

/* Inputs of two products that were the same. */
static int repeated(void)
{
    int count = 0;
    for (int64_t i = 0; i < kernel.calls; i++)
        for (int64_t j = 0; j < i; j++)
            count += kernel.inputs[i] == kernel.inputs[j];
    return count;
}

static void no_product_is_another(void **state)
{
    (void)state;
    for (int on_device = 0; on_device < 2; on_device++)
        for (int warmed = 0; warmed < 2; warmed++) {
            struct gr_request request = open_worker(on_device ? 8 : 1, on_device);
            struct gr_reply reply = {0};
            request.time.warmed[0] = request.time.warmed[1] = warmed;
            assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
            assert_int_equal(kernel.calls, 2 * SAMPLES * (TIMES + warmed));
            assert_int_equal(reply.samples, SAMPLES);
            assert_false(reply.late);
            assert_in_range(repeated(), 0,
                            on_device ? 4 : 0); /* a device's have few values, and may meet */
            for (int64_t i = 0; i < kernel.calls; i++)
                assert_false(kernel.as_left[i]);
            assert_true(is_right(&request, &reply));
            /* Another burst goes on where this one ended. */
            request.time.samples = 2;
            assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
            assert_in_range(repeated(), 0,
                            on_device ? 4 : 0); /* a device's have few values, and may meet */
            assert_true(is_right(&request, &reply));
            close_worker();
        }
}

/* Each way to leave a product out ends the burst at the sample that it was the last of. */
static void what_is_left_out_is_seen(void **state)
{
    (void)state;
    for (int cheat = SKIPS; cheat <= HALF; cheat++)
        for (int sample = 0; sample < 6; sample++) {
            struct gr_request request = open_worker(1, false);
            struct gr_reply reply = {0};
            kernel.cheat = (enum cheat)cheat;
            kernel.from = 2 * TIMES * (sample + 1); /* the second candidate's last product */
            assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
            if (cheat == HALF &&
                reply.samples == SAMPLES) { /* the elements looked at were in the other half */
                close_worker();
                continue;
            }
            assert_int_equal(reply.samples, sample + 1);
            assert_int_equal(kernel.calls, kernel.from);
            assert_false(is_right(&request, &reply));
            close_worker();
        }
}

/* Copying what is known into C, so that nothing spoiled remains, leaves what the touch made
 * another. */
static void what_a_touch_reaches_is_looked_at(void **state)
{
    (void)state;
    int seen = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        struct gr_request request = open_worker(1, false);
        struct gr_reply reply = {0};
        request.time.touch.seed = (uint64_t)sample;
        kernel.cheat = STALE;
        kernel.from = 2 * TIMES * (sample + 1);
        assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
        seen += reply.samples == sample + 1;
        close_worker();
    }
    assert_int_equal(seen, SAMPLES);
}

/* Which product is the last of a sample cannot be known by counting; its time is that of as many as
 * there were. */
static void samples_vary_in_length(void **state)
{
    (void)state;
    struct gr_request request = open_worker(1, false);
    struct gr_reply reply = {0};
    request.time.vary = true;
    assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
    assert_true(kernel.calls > 2 * SAMPLES * TIMES && kernel.calls < 2 * SAMPLES * (TIMES + 1));
    int longer = 0;
    for (int s = 0; s < SAMPLES; s++)
        longer += mailbox.sample_ns[1][s] < 1e6 / (TIMES + 0.5);
    assert_in_range(longer, SAMPLES / 6, SAMPLES * 5 / 6);
    close_worker();
}

/* C is right when the last product returns, and is written once more a moment later. */
static void what_comes_later_is_seen(void **state)
{
    (void)state;
#ifdef UNDER_THREAD_SANITIZER
    printf("\nskip: C after the kernel has returned: writing it is a race, and the thread "
           "sanitizer says so\n");
    skip();
#endif
    bool seen = false;
    for (int tries = 0; tries < 50 && !seen;
         tries++) { /* on a busy machine the thread may be later than is watched for */
        struct gr_request request = open_worker(1, false);
        struct gr_reply reply = {0};
        kernel.cheat = LATE;
        kernel.from = 2 * SAMPLES * TIMES;
        assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
        assert_int_equal(pthread_join(later, NULL), 0);
        assert_int_equal(reply.samples, SAMPLES);
        assert_true(is_right(&request, &reply));
        seen = reply.late;
        close_worker();
    }
    assert_true(seen);
}

/* Touches are no part of a product's time, and of a sample of one product there is none. */
static void touches_are_not_timed(void **state)
{
    (void)state;
    struct gr_request request = open_worker(1, false);
    struct gr_reply reply = {0};
    assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
    assert_true(w.touch_ns > 0 && w.touch_ns < 1000);
    double ns = mailbox.sample_ns[1][0];
    assert_true(fabs(ns - (1e6 - 2 * w.touch_ns) / TIMES) < 0.01);
    request.time.times[0] = request.time.times[1] = 1;
    assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
    assert_true(mailbox.sample_ns[1][0] == 1e6);
    close_worker();
}

enum { TURNS = 3 };

/* Kernels 1 to 3 of the worker, each with an argument and a buffer of its own size. */
static struct gr_request open_turns(void)
{
    static char marks[TURNS];
    struct gr_request request = open_worker(1, false);
    request.time.candidate_count = TURNS;
    for (int i = 0; i < TURNS; i++) {
        struct gr_worker_kernel *k = &w.kernels[i + 1];
        k->loaded = &marks[i];
        k->bound = true;
        k->item = request.time.item;
        k->item.args[0] = 100 + i;
        k->item.work_count = i;
        k->item.work_bytes[0] = 64;
        request.time.candidates[i] = GR_CANDIDATE_KERNEL - (i + 1);
        request.time.times[i] = TIMES;
    }
    return request;
}

/* Kernels take turns, each with its own arguments and buffers. */
static void kernels_take_turns(void **state)
{
    (void)state;
    struct gr_request request = open_turns();
    struct gr_reply reply = {0};
    assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
    assert_int_equal(reply.samples, SAMPLES);
    assert_int_equal(kernel.calls, TURNS * SAMPLES * TIMES);
    assert_int_equal(repeated(), 0);
    for (int64_t i = 0; i < kernel.calls; i++) {
        const int64_t turn = i / TIMES % TURNS;
        assert_int_equal(kernel.first_arg[i], 100 + turn);
        assert_ptr_equal(kernel.loaded[i], w.kernels[turn + 1].loaded);
        assert_int_equal(kernel.zeroed[i] != NULL, turn > 0);
    }
    assert_int_equal(reply.last, TURNS - 1);
    assert_true(is_right(&request, &reply));
    close_worker();
}

/* Whichever of them is wrong ends the burst, and the reply says which. */
static void the_wrong_one_is_named(void **state)
{
    (void)state;
    for (int turn = 0; turn < TURNS; turn++) {
        struct gr_request request = open_turns();
        struct gr_reply reply = {0};
        kernel.cheat = STALE;
        kernel.from = TURNS * TIMES + TIMES * (turn + 1); /* its last product of the second round */
        assert_int_equal(gr_worker_time(&w, &request, &reply, NULL), GRADUS_OK);
        assert_int_equal(kernel.calls, kernel.from);
        assert_int_equal(reply.samples, 2);
        assert_int_equal(reply.last, turn);
        assert_int_equal(mailbox.running, turn);
        assert_false(is_right(&request, &reply));
        close_worker();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_product_is_another),
        cmocka_unit_test(what_is_left_out_is_seen),
        cmocka_unit_test(what_a_touch_reaches_is_looked_at),
        cmocka_unit_test(samples_vary_in_length),
        cmocka_unit_test(what_comes_later_is_seen),
        cmocka_unit_test(touches_are_not_timed),
        cmocka_unit_test(kernels_take_turns),
        cmocka_unit_test(the_wrong_one_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
