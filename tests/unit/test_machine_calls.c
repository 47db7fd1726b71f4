/* test_machine_calls.c: kernels that call functions of the driver (printf, assert, malloc), that
 * trap, and that add to addresses in any memory, executed (data/cluster_calls.cubin, of
 * data/cluster_kernels.cu). SPDX-License-Identifier: MIT */
#include "machine_kernels.h"

static unsigned char *globals; /* the module's variables, which kernels may access, and the heap */

static int prepare(void **state)
{
    (void)state;
    return kernel_prepare("cluster_calls.cubin");
}

static int finish(void **state)
{
    (void)state;
    free(globals);
    gr_memory_free(&kernel_memory);
    return 0;
}

/* As kernel_run, with the module's variables in memory that kernels may access. */
static enum gr_block_status run(const char *symbol, unsigned blocks, unsigned threads,
                                const void *const *parameters)
{
    const struct gr_program_launch launch = {
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .parameters = parameters};
    struct gradus_error error = {0};
    struct gr_program program;
    struct gr_cluster cluster;
    const struct gr_block *failed = NULL;
    const int64_t bytes = gr_program_globals(kernel_image, kernel_image_bytes);
    if (!globals) {
        globals = calloc(1, (size_t)bytes);
        assert_true(gr_memory_add(&kernel_memory, (uintptr_t)globals, (uint64_t)bytes));
    }
    enum gradus_status status = gr_program_load(kernel_image, kernel_image_bytes, symbol, &launch,
                                                globals, &program, &error);
    if (status != GRADUS_OK)
        print_error("%s\n", error.text);
    assert_int_equal(status, GRADUS_OK);
    assert_true(gr_cluster_open(&cluster, &program, &launch, &kernel_memory, NULL));
    for (unsigned i = 0; i < blocks && !failed; i++)
        if (gr_cluster_rank(&program, i, 0, 0) == 0)
            failed = gr_cluster_run(&cluster, i, 0, 0);
    memcpy(kernel_text, failed ? failed->text : "", failed ? sizeof kernel_text : 1);
    enum gr_block_status result = failed ? failed->status : GR_BLOCK_DONE;
    gr_cluster_close(&cluster);
    gr_program_free(&program);
    return result;
}

static void prints(void **state)
{
    (void)state;
    int *out = kernel_array(64 * sizeof *out);
    const int n = 40;
    const void *parameters[] = {&n, &out};
    kernel_is_done(run("prints", 1, 64, parameters));
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], n + i);
    kernel_release(out);
}

static void checks(void **state)
{
    (void)state;
    int *out = kernel_array(64 * sizeof *out), n = 4;
    const void *parameters[] = {&n, &out};
    kernel_is_done(run("checks", 1, 64, parameters));
    assert_int_equal(out[63], 4);
    n = 5;
    kernel_fails(run("checks", 1, 64, parameters),
                 "assertion failed: n < 5 && \"too many\": line ");
    assert_non_null(strstr(kernel_text, " of cluster_kernels.cu, thread 0 of block (0,0,0)"));
    kernel_release(out);
}

static void traps(void **state)
{
    (void)state;
    int *out = kernel_array(64 * sizeof *out), n = 64;
    const void *parameters[] = {&n, &out};
    kernel_is_done(run("traps", 1, 64, parameters));
    n = 37;
    kernel_fails(run("traps", 1, 64, parameters), "the kernel trapped: thread 37 of block (0,0,0)");
    kernel_release(out);
}

static void heap(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    int *out = kernel_array(4 * 64 * sizeof *out), wrong = 0;
    const int count = COUNT;
    const void *parameters[] = {&count, &wrong, &out};
    kernel_is_done(run("heap", 4, 64, parameters));
    for (int i = 0; i < 256; i++)
        assert_int_equal(out[i], (i % 64 ^ 1) * (COUNT * (COUNT - 1) / 2));
    wrong = 1;
    kernel_fails(run("heap", 4, 64, parameters), "which was freed before, thread 0");
    wrong = 2;
    kernel_fails(run("heap", 4, 64, parameters), "outside of global memory");
    wrong = 3; /* reads -1 in each place */
    kernel_is_done(run("heap", 4, 64, parameters));
    assert_int_equal(out[0], -COUNT);
    wrong = 4;
    assert_int_equal(run("heap", 1, 64, parameters), GR_BLOCK_NOT_MODELLED);
    assert_non_null(strstr(kernel_text, "malloc of device code beyond"));
    kernel_release(out);
}

static void adds(void **state)
{
    (void)state;
    float *f = kernel_array(4 * sizeof *f);
    double *d = kernel_array(4 * sizeof *d);
    int *i = kernel_array(4 * sizeof *i), where;
    const void *parameters[] = {&where, &f, &d, &i};
    for (where = 0; where < 3; where++) {
        kernel_is_done(run("adds", 2, 64, parameters));
        for (int r = 0; r < 2; r++) {
            const int from = where == 2 ? 1 - r : r, at = where == 0 ? 2 + r : r, sum = 63 * 64 / 2;
            assert_true(f[at] == (float)(sum + 64 * from));
            assert_true(d[at] == 3 * sum + 64 * from);
            assert_int_equal(i[at], 63 + 10 * from);
        }
    }
    kernel_release(f);
    kernel_release(d);
    kernel_release(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints), cmocka_unit_test(checks), cmocka_unit_test(traps),
        cmocka_unit_test(heap),   cmocka_unit_test(adds),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
