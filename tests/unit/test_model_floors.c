/* test_model_floors.c: time floors and arithmetic intensities, against the worklogs' own numbers.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "model/floors.h"
#include "model/intensity.h"
#include "records/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct gr_device device(const char *name)
{
    struct gr_device d;
    struct gradus_error error = {0};
    char path[512], *text = NULL;
    snprintf(path, sizeof path, GRADUS_SOURCE_DIR "/devices/%s.txt", name);
    assert_int_equal(gr_file_read(path, &text, NULL, NULL), GRADUS_OK);
    if (gr_device_read(name, text, &d, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(text);
    return d;
}

static struct gr_problem cube(int64_t n, enum gr_dtype type, double beta)
{
    struct gr_problem p = gr_problem_dense(n, n, n, false, false, gr_types_of(type));
    p.beta = beta;
    return p;
}

static struct gr_floors floors_of(const struct gr_problem *p, const struct gr_device *d)
{
    return gr_floors_of(gr_problem_flops(p), gr_problem_least_bytes(p), p->types.acc, d);
}

static double intensity_of(const struct gr_problem *p)
{
    return gr_problem_flops(p) / gr_problem_least_bytes(p);
}

static void near(double found, double wanted, double part)
{
    if (!(fabs(found - wanted) <= part * wanted))
        fail_msg("found %g, wanted %g", found, wanted);
}

/* Worklog 000: 17 GFLOP and 70 MB for 2048, C read and written. */
static void floors_of_worklog_000(void **state)
{
    (void)state;
    struct gr_device d = device("rtx3070");
    struct gr_problem p = cube(2048, GR_F32, 1);
    struct gr_floors f = floors_of(&p, &d);
    near(f.flops, 17.18e9, 1e-3);
    near(f.bytes, 67.1e6, 1e-3);
    near(f.compute_ns, f.flops / gr_device_gflops_f32(&d), 1e-12);
    near(f.memory_ns, 67.1e6 / 448, 1e-3);
    p.beta = 0;
    near(floors_of(&p, &d).bytes, f.bytes * 3 / 4, 1e-12);
}

static void float64_has_its_own_peak(void **state)
{
    (void)state;
    struct gr_device d = device("rtx3070");
    struct gr_problem single = cube(1024, GR_F32, 0), both = cube(1024, GR_F64, 0);
    struct gr_floors f32 = floors_of(&single, &d), f64 = floors_of(&both, &d);
    near(f64.compute_ns, 64 * f32.compute_ns, 1e-9); /* 2 lanes for 128 */
    near(f64.memory_ns, 2 * f32.memory_ns, 1e-9);
}

/* Worklog 003, on an RTX 4090: the device 81.3; the problem 128 at 1024 and 256 at 2048; the naive
 * kernel 0.25, 32 x 32 tiles 8, 64 x 64 tiles 15.1 (there with C read and written). */
static void intensities_of_worklog_003(void **state)
{
    (void)state;
    struct gr_device d = device("rtx4090");
    struct gr_problem p = cube(1024, GR_F32, 1), larger = cube(2048, GR_F32, 1);
    near(gr_intensity_device(p.types.acc, &d), 81.3, 0.03);
    near(intensity_of(&p), 128, 1e-9);
    near(intensity_of(&larger), 256, 1e-9);
    near(gr_intensity_tile(&p, 1, 1), 0.25, 0.01);
    near(gr_intensity_tile(&p, 32, 32), 8, 0.04);
    near(gr_intensity_tile(&p, 64, 64), 15.1, 0.01);
}

static void nothing_to_do_is_no_division(void **state)
{
    (void)state;
    struct gr_device d = device("t4");
    struct gr_problem p = cube(0, GR_F32, 0);
    assert_true(gr_intensity_tile(&p, 0, 0) == 0);
    assert_true(floors_of(&p, &d).compute_ns == 0);
}

static double tensor_gflops(const char *name, const char *types, bool tf32)
{
    struct gr_device d = device(name);
    struct gr_types t;
    assert_true(gr_types_parse(types, &t));
    return gr_device_gflops_tensor(&d, t, tf32);
}

/* The data sheets' dense rates, at the clocks of these. */
static void tensor_cores_have_their_own_peaks(void **state)
{
    (void)state;
    near(tensor_gflops("a100", "f16", false), 312e3, 0.01);
    near(tensor_gflops("a100", "bf16", false), 312e3, 0.01);
    near(tensor_gflops("a100", "f32", true), 156e3, 0.01);
    near(tensor_gflops("a100", "s8", false), 624e3, 0.01);
    near(tensor_gflops("a100", "f64", false), 19.5e3, 0.01);
    near(tensor_gflops("t4", "f16", false), 65e3, 0.01);
    near(tensor_gflops("rtx4090", "f16", false), 330.3e3, 0.01);
    near(tensor_gflops("h200", "e4m3", false), 2 * tensor_gflops("h200", "f16", false), 1e-9);
    assert_true(tensor_gflops("h200", "f32", false) == 0);  /* they would round it to tf32 */
    assert_true(tensor_gflops("t4", "bf16", false) == 0);   /* since sm_80 */
    assert_true(tensor_gflops("a100", "e4m3", false) == 0); /* since sm_89 */
    assert_true(tensor_gflops("mi210", "f16", false) == 0); /* its file has no such rate */
    struct gr_device d = device("h200");
    struct gr_problem p = cube(4096, GR_F16, 0);
    struct gr_floors f = gr_floors_by_tensor_cores(gr_problem_flops(&p), gr_problem_least_bytes(&p),
                                                   p.types, false, &d);
    near(f.compute_ns, f.flops / f.gflops, 1e-12);
    near(f.gflops, 16 * gr_device_gflops_f32(&d), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors_of_worklog_000),
        cmocka_unit_test(float64_has_its_own_peak),
        cmocka_unit_test(intensities_of_worklog_003),
        cmocka_unit_test(nothing_to_do_is_no_division),
        cmocka_unit_test(tensor_cores_have_their_own_peaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
