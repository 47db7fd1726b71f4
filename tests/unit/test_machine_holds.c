/* test_machine_holds.c: what is asynchronous holds memory and registers until the wait for it, as
 * whoever watches a block learns (the kernel `integers` of data/async_kernels.cu); and the words of
 * shared memory that are held. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/error.h"
#include "engine/in_flight.h"
#include "machine/cluster_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A kernel whose products are not waited for. ---- */

struct seen {
    int64_t held_bytes, released_bytes;
    int products, touched, first_register, writes;
};

static void see_hold(void *state, const struct gr_machine_hold *h)
{
    struct seen *s = state;
    assert_int_equal(h->use, GR_USE_READS);
    assert_int_equal(h->kind, GR_ASYNC_PRODUCT);
    s->held_bytes += h->bytes;
}

static void see_release(void *state, const struct gr_machine_hold *h)
{
    struct seen *s = state;
    s->released_bytes += h->bytes;
}

static void see_touch(void *state, const struct gr_machine_touch *t)
{
    struct seen *s = state;
    s->first_register = s->touched++ == 0 ? t->number : s->first_register;
    s->writes += t->writes;
}

static void no_wait(struct gr_warp *w, const struct gr_step *s, uint32_t active)
{
    (void)w;
    (void)s;
    (void)active;
}

/* The accumulator's first register. */
static int remove_waits(struct gr_program *p, bool remove)
{
    int accumulator = -1;
    for (int i = 0; i < p->count; i++) {
        const struct gr_decoded *d = &p->decoded[i];
        if (strcmp(d->mnemonic, "IGMMA") == 0)
            accumulator = d->operand[0].number;
        if (remove && strcmp(d->mnemonic, "WARPGROUP") == 0 &&
            strcmp(d->modifier[0], "DEPBAR") == 0)
            p->steps[i].run = no_wait;
    }
    return accumulator;
}

/* Returns the accumulator's first register. */
static int run_integers(bool waits, struct seen *seen)
{
    static unsigned char image[64 * 1024];
    int8_t a[64 * 32] = {0}, b[8 * 32] = {0};
    int32_t out[64 * 8];
    const void *at[] = {a, b, out}, *parameters[] = {&at[0], &at[1], &at[2]};
    const struct gr_program_launch launch = {
        .grid = {1, 1, 1}, .block = {128, 1, 1}, .parameters = parameters};
    const struct gr_machine_watch watch = {
        .state = seen, .holds = see_hold, .releases = see_release, .touches = see_touch};
    struct gr_machine_memory memory = {0};
    struct gradus_error error = {0};
    struct gr_program program;
    struct gr_block block;
    FILE *file = fopen(GRADUS_SOURCE_DIR "/tests/unit/data/async_others.cubin", "rb");
    assert_non_null(file);
    const size_t bytes = fread(image, 1, sizeof image, file);
    fclose(file);
    assert_int_equal(gr_program_load(image, bytes, "integers", &launch, NULL, &program, &error),
                     GRADUS_OK);
    assert_true(program.is_asynchronous && program.has_async_proxy);
    const int accumulator = remove_waits(&program, !waits);
    assert_true(gr_memory_add(&memory, (uintptr_t)a, sizeof a) &&
                gr_memory_add(&memory, (uintptr_t)b, sizeof b) &&
                gr_memory_add(&memory, (uintptr_t)out, sizeof out));
    assert_true(gr_block_open(&block, &program, &launch, &memory, &watch));
    gr_block_run(&block, 0, 0, 0);
    assert_int_equal(block.status, GR_BLOCK_DONE);
    gr_block_close(&block);
    gr_program_free(&program);
    gr_memory_free(&memory);
    return accumulator;
}

/* Each of the four warps holds its 16 rows of A, of 32 bytes, for the first of the two products,
 * and the 8 columns of B for both. */
static void waited(void **state)
{
    (void)state;
    struct seen seen = {0};
    run_integers(true, &seen);
    assert_int_equal(seen.held_bytes, 4 * (16 * 32 + 2 * 8 * 32));
    assert_int_equal(seen.released_bytes, seen.held_bytes);
    assert_int_equal(seen.touched, 0);
}

static void not_waited(void **state)
{
    (void)state;
    struct seen seen = {0};
    const int accumulator = run_integers(false, &seen);
    assert_int_equal(seen.released_bytes, 0);
    assert_true(seen.touched >= 4 * 4);
    assert_in_range(seen.first_register, accumulator, accumulator + 3);
}

/* ---- Words that are held. ---- */

static struct gr_block blocks[2];
static struct gr_warp *warps[2];

static const struct gr_holder *find(const struct gr_in_flight *f, int64_t offset, enum gr_use use,
                                    const struct gr_warp *w)
{
    enum gr_use held;
    return gr_in_flight_find(f, offset, 4, use, w, &held);
}

/* Several may read at once, and several may join; a write goes together with nothing. */
static void conflicts(void **state)
{
    (void)state;
    static const bool together[GR_USES][GR_USES] = {
        [GR_USE_READS] = {[GR_USE_READS] = true}, [GR_USE_JOINS] = {[GR_USE_JOINS] = true}};
    struct gr_in_flight *f = gr_in_flight_open(64);
    const struct gr_holder holder = {.warp = warps[0], .code = 17, .kind = GR_ASYNC_BULK};
    assert_non_null(f);
    for (int held = 0; held < GR_USES; held++) {
        gr_in_flight_begin(f);
        gr_in_flight_add(f, 16, 8, (enum gr_use)held, &holder);
        for (int use = 0; use < GR_USES; use++) {
            const enum gr_use u = (enum gr_use)use;
            assert_int_equal(find(f, 16, u, warps[1]) == NULL, together[held][use]);
            assert_null(find(f, 12, u, warps[1]));
            assert_null(find(f, 24, u, warps[1]));
            assert_null(find(f, 64, u, warps[1])); /* outside */
        }
    }
    gr_in_flight_close(f);
}

/* A word is held until its last holder is done, and to a warp that has not waited until the next
 * barrier. */
static void ends(void **state)
{
    (void)state;
    struct gr_in_flight *f = gr_in_flight_open(64);
    const struct gr_holder first = {.warp = &warps[0][0], .code = 1, .kind = GR_ASYNC_PRODUCT};
    const struct gr_holder second = {.warp = &warps[0][1], .code = 33, .kind = GR_ASYNC_PRODUCT};
    struct gr_warp *same_group = &warps[0][3], *other_group = &warps[0][4];
    assert_non_null(f);
    gr_in_flight_begin(f);
    gr_in_flight_add(f, 0, 16, GR_USE_READS, &first);
    gr_in_flight_add(f, 0, 16, GR_USE_READS, &second);
    gr_in_flight_remove(f, 0, 16, GR_USE_READS, &first);
    assert_int_equal(find(f, 8, GR_USE_WRITES, same_group)->code, 33);
    gr_in_flight_remove(f, 0, 16, GR_USE_READS, &second);
    assert_null(find(f, 8, GR_USE_WRITES, same_group));
    assert_int_equal(find(f, 8, GR_USE_WRITES, other_group)->code, 33);
    assert_null(find(f, 8, GR_USE_READS, other_group));
    assert_null(find(f, 8, GR_USE_WRITES, warps[1])); /* how it learns of it is not followed */
    gr_in_flight_barrier(f);
    assert_null(find(f, 8, GR_USE_WRITES, other_group));
    gr_in_flight_close(f);
}

/* Of a copy of one warp the others know by a barrier; of one that completes on an mbarrier all do
 * by its phase. */
static void ends_of_copies(void **state)
{
    (void)state;
    struct gr_in_flight *f = gr_in_flight_open(64);
    const struct gr_holder copy = {.warp = &warps[0][0], .code = 1, .kind = GR_ASYNC_COPY};
    const struct gr_holder bulk = {.warp = &warps[0][0], .code = 17, .kind = GR_ASYNC_BULK};
    assert_non_null(f);
    gr_in_flight_begin(f);
    gr_in_flight_add(f, 0, 4, GR_USE_WRITES, &copy);
    gr_in_flight_add(f, 4, 4, GR_USE_WRITES, &bulk);
    assert_non_null(find(f, 0, GR_USE_READS, &warps[0][0]));
    gr_in_flight_remove(f, 0, 4, GR_USE_WRITES, &copy);
    gr_in_flight_remove(f, 4, 4, GR_USE_WRITES, &bulk);
    assert_null(find(f, 0, GR_USE_READS, &warps[0][0]));
    assert_non_null(find(f, 0, GR_USE_READS, &warps[0][1]));
    assert_non_null(find(f, 4, GR_USE_READS, &warps[0][0]));
    gr_in_flight_meet(f);
    assert_null(find(f, 0, GR_USE_READS, &warps[0][1]));
    assert_null(find(f, 4, GR_USE_READS, &warps[0][0]));
    gr_in_flight_add(f, 0, 4, GR_USE_WRITES, &copy);
    gr_in_flight_begin(f); /* another block */
    assert_null(find(f, 0, GR_USE_READS, &warps[0][1]));
    gr_in_flight_close(f);
}

static bool is_unfenced(const struct gr_in_flight *f, int64_t offset)
{
    return gr_in_flight_unfenced(f, offset, 4) != NULL;
}

static void fences(void **state)
{
    (void)state;
    struct gr_in_flight *f = gr_in_flight_open(64);
    struct gr_generic_write write[2];
    for (int i = 0; i < 2; i++)
        write[i] = (struct gr_generic_write){.warp = &warps[0][i], .code = 1};
    const struct gr_holder bulk = {.warp = &warps[0][0], .code = 17, .kind = GR_ASYNC_BULK};
    assert_non_null(f);
    f->wants_fences = true;
    gr_in_flight_begin(f);
    gr_in_flight_write(f, 0, 4, &write[0]);
    gr_in_flight_write(f, 4, 4, &write[1]);
    gr_in_flight_fence(f, &warps[0][0]); /* its own writes alone */
    assert_false(is_unfenced(f, 0));
    assert_true(is_unfenced(f, 4));
    gr_in_flight_barrier(f);
    assert_true(is_unfenced(f, 4));
    gr_in_flight_fence(f, &warps[0][0]); /* and what was written before the barrier */
    assert_false(is_unfenced(f, 4));
    gr_in_flight_write(f, 0, 4, &write[0]);
    assert_true(is_unfenced(f, 0));
    gr_in_flight_add(f, 0, 4, GR_USE_WRITES, &bulk); /* written over by the async proxy */
    assert_false(is_unfenced(f, 0));
    gr_in_flight_write(f, 0, 4, &write[0]);
    gr_in_flight_begin(f);
    assert_false(is_unfenced(f, 0));
    gr_in_flight_close(f);
}

static int prepare(void **state)
{
    enum { WARPS = 8 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        warps[b] = aligned_alloc(_Alignof(struct gr_warp), WARPS * sizeof *warps[b]);
        for (int i = 0; warps[b] && i < WARPS; i++) {
            warps[b][i].number = i;
            warps[b][i].block = &blocks[b];
        }
    }
    return warps[0] && warps[1] ? 0 : 1;
}

static int finish(void **state)
{
    (void)state;
    free(warps[0]);
    free(warps[1]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waited), cmocka_unit_test(not_waited),     cmocka_unit_test(conflicts),
        cmocka_unit_test(ends),   cmocka_unit_test(ends_of_copies), cmocka_unit_test(fences),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
