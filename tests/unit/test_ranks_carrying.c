/* test_ranks_carrying.c: what messages take from a product beside them, over an engine that counts:
 * all exchanges are made whatever happens to the product, and waiting knows that it goes on.
 * SPDX-License-Identifier: MIT */
/* threads: src/measure/ranks_carrying.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/error.h"
#include "measure/ranks_carrying.h"

#include <string.h>
#include <time.h>

enum { EXCHANGES = 20, PAUSE_NS = 500000 };

/* Used by the thread that exchanges alone, and read when that has ended. */
struct engine {
    int calls, beside;
    int fails_at; /* -1: never */
};

static enum gradus_status exchange(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                   int64_t send_count, const struct gr_dist_message *receives,
                                   int64_t receive_count, struct gradus_error *error)
{
    struct engine *const engine = comm->state;
    const struct timespec pause = {0, PAUSE_NS};
    assert_int_equal(send_count, 1);
    assert_int_equal(receive_count, 1);
    assert_int_equal(sends->bytes, receives->bytes);
    nanosleep(&pause, NULL);
    engine->beside += comm->multiplying && atomic_load(comm->multiplying);
    if (engine->calls++ == engine->fails_at)
        return gr_fail(error, GRADUS_IO, "engine: planted");
    return GRADUS_OK;
}

static float ones[16] = {1};

/* A product of `m` rows: a negative number is refused. */
static enum gradus_status run(struct engine *engine, int m, double product_s, double *carried,
                              struct gradus_error *error)
{
    char out[8] = "", in[8];
    struct gr_dist_comm comm = {.size = 2, .state = engine, .exchange = exchange};
    struct gr_ranks_carrying x = {.comm = &comm,
                                  .product_s = product_s,
                                  .to = {1, out, sizeof out},
                                  .from = {1, in, sizeof in},
                                  .exchange_s = PAUSE_NS * 1e-9,
                                  .exchanges = EXCHANGES};
    static float c[16];
    gradus_gemm_init(&x.product, GRADUS_F32);
    x.product.m = m, x.product.n = 4, x.product.k = 4;
    x.product.lda = x.product.ldb = x.product.ldc = 4;
    x.product.a = ones, x.product.b = ones, x.product.c = c;
    x.product.threads = 1;
    return gr_ranks_carried(&x, carried, error);
}

static void test_part(void **state)
{
    (void)state;
    struct engine engine = {.fails_at = -1};
    struct gradus_error error = {0};
    double carried = -1;
    assert_int_equal(run(&engine, 4, 0, &carried, &error), GRADUS_OK); /* products of no time */
    assert_true(carried == 1);
    assert_int_equal(engine.calls, EXCHANGES);
    assert_int_equal(engine.beside, EXCHANGES);
    assert_int_equal(run(&engine, 4, 1, &carried, &error), GRADUS_OK); /* of more than there was */
    assert_true(carried == 0);
}

static void test_failures(void **state)
{
    (void)state;
    struct engine engine = {.fails_at = 3};
    struct gradus_error error = {0};
    double carried;
    assert_int_equal(run(&engine, 4, 1, &carried, &error), GRADUS_IO);
    assert_non_null(strstr(error.text, "planted"));
    assert_int_equal(engine.calls, 4);
    gradus_error_clear(&error);
    engine = (struct engine){.fails_at = -1};
    assert_int_equal(run(&engine, -1, 1, &carried, &error), GRADUS_INVALID);
    assert_int_equal(engine.calls, EXCHANGES); /* a neighbour waits for each */
    gradus_error_clear(&error);
}

static void test_carrier(void **state)
{
    (void)state;
    const double time = gr_ranks_time_carrier();
    assert_true(time > 0 && time < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_carrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
