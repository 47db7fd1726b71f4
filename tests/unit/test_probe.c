/* test_probe.c: the loops that ceilings are measured with, and the file that keeps them.
 * SPDX-License-Identifier: MIT */
/* threads: src/probe/crew.c */
#include "base/file.h"
#include "base/str.h"
#include "cpu/cpu.h"
#include "probe/burst.h"
#include "probe/ceilings.h"
#include "probe/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each of the four multiply-adds of a chain in a round adds 1/8, so a burst's result tells how many
 * chains there are. */
static double count_chains(double (*fma)(int64_t rounds))
{
    return (fma(200) - fma(100)) / (100 * 4 / 8.0);
}

static void a_round_is_as_many_operations_as_it_says(void **state)
{
    (void)state;
    for (int i = 0; gr_bursts[i]; i++) {
        const struct gr_burst *burst = gr_bursts[i];
        if (!gr_cpu_isa_runs(burst->isa))
            continue;
        double chains = count_chains(burst->fma_f32);
        assert_true(chains == 12 || chains == 24);
        assert_true(count_chains(burst->fma_f64) == chains);
        assert_int_equal(burst->flop_per_round_f32, 2 * burst->flop_per_round_f64);
        assert_int_equal(burst->flop_per_round_f32 % (2 * 4 * (int64_t)chains), 0);
    }
}

static void streams_touch_every_byte_and_no_other(void **state)
{
    (void)state;
    enum { COUNT = 3 * GR_BURST_BLOCK / 4, GUARD = 16 };
    float *from = aligned_alloc(64, (COUNT + GUARD) * sizeof *from);
    float *to = aligned_alloc(64, (COUNT + GUARD) * sizeof *to);
    assert_non_null(from);
    assert_non_null(to);
    for (int i = 0; gr_bursts[i]; i++) {
        const struct gr_burst *burst = gr_bursts[i];
        if (!gr_cpu_isa_runs(burst->isa))
            continue;
        int64_t lanes = burst->flop_per_round_f32 / (8 * (int64_t)count_chains(burst->fma_f32));
        for (int j = 0; j < COUNT + GUARD; j++) {
            from[j] = j < COUNT ? 1 : NAN;
            to[j] = -1;
        }
        assert_true(burst->read(from, COUNT * 4) == (double)(COUNT / lanes));
        for (int j = 0; j < COUNT; j++)
            from[j] = (float)j;
        burst->copy(to, from, COUNT * 4);
        assert_memory_equal(to, from, COUNT * 4);
        for (int j = COUNT; j < COUNT + GUARD; j++)
            assert_true(to[j] == -1);
    }
    free(from);
    free(to);
}

static double best_fma(enum gr_dtype type, int threads)
{
    double best = 0;
    for (int i = 0; i < 5; i++) {
        double rate = gr_probe_fma(type, threads, 2000000, NULL);
        best = rate > best ? rate : best;
    }
    return best;
}

static void rates_are_those_of_a_machine(void **state)
{
    (void)state;
    double f32 = best_fma(GR_F32, 1), f64 = best_fma(GR_F64, 1);
    assert_true(f64 > 0.1 && f32 > f64);
    assert_true(f32 < 64 * 7); /* two 512-bit units at 7 GHz */
    assert_true(best_fma(GR_F32, 2) > 0);
    assert_true(gr_probe_fma(GR_BF16, 1, 1000000, NULL) == 0);
    assert_true(gr_probe_fma(GR_F32, 0, 1000000, NULL) == 0);
    double read = gr_probe_bandwidth(false, 16384, 1, 2000000, NULL);
    double copy = gr_probe_bandwidth(true, 1, 2, 2000000, NULL); /* less than there is a block of */
    assert_true(read > 0.1 && read < 128 * 7);
    assert_true(copy > 0.1 && copy < 2 * 128 * 7);
    assert_true(gr_probe_bandwidth(false, 16384, 0, 1000000, NULL) == 0);
}

/* The first prints as 17.5; rounded to six digits it would be read back as 17.6. */
static const struct gr_ceiling sample[] = {{"fma.f32.1", 17.5499999, "GFLOP/s", false},
                                           {"read.l1", 1e4 / 3, "GB/s", true}};
static const char *const key = "gradus 0.1.0; a CPU; threads 1";

static bool read_text(const char *path, const char *text, struct gr_ceiling *ceilings)
{
    memcpy(ceilings, sample, sizeof sample);
    ceilings[0].value = ceilings[1].value = 0;
    assert_int_equal(gr_file_write(path, text, strlen(text), NULL), GRADUS_OK);
    return gr_ceilings_read(path, key, ceilings, 2);
}

static void a_damaged_or_foreign_file_is_not_believed(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "\n",
        "gradus 0.1.0; another CPU; threads 1\nfma.f32.1 1 GFLOP/s\nread.l1 1 GB/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.1 nan GFLOP/s\nread.l1 1 GB/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.1 inf GFLOP/s\nread.l1 1 GB/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.1 0 GFLOP/s\nread.l1 1 GB/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.1 -5 GFLOP/s\nread.l1 1 GB/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.2 1 GFLOP/s\nread.l1 1 GB/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.1 1 GB/s\nread.l1 1 GB/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.1 1 GFLOP/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.1 1 GFLOP/s\nread.l1 1 GB/s\nmore 1 GB/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.1 1 GFLOP/s and more\nread.l1 1 GB/s\nend\n",
        "gradus 0.1.0; a CPU; threads 1\nfma.f32.1 1 GFLOP/s unsteadyx\nread.l1 1 GB/s\nend\n",
    };
    char path[] = "test_probe_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct gr_ceiling ceilings[2];
    gr_ceilings_write(path, key, sample, 2);
    memcpy(ceilings, sample, sizeof sample);
    ceilings[0].value = ceilings[1].value = 0;
    assert_true(gr_ceilings_read(path, key, ceilings, 2));
    assert_true(ceilings[0].value == sample[0].value && ceilings[1].value == sample[1].value);
    assert_true(!ceilings[0].unsteady && ceilings[1].unsteady);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(read_text(path, bad[i], ceilings));
    gr_ceilings_write(path, key, sample, 2);
    char *whole = NULL;
    size_t length = 0;
    assert_int_equal(gr_file_read(path, &whole, &length, NULL), GRADUS_OK);
    for (size_t cut = length; cut-- > 0;) {
        whole[cut] = 0;
        assert_false(read_text(path, whole, ceilings));
    }
    free(whole);
    remove(path);
    assert_false(gr_ceilings_read(path, key, ceilings, 2));
}

/* The one file of the cache in `folder` is written anew with its values times `factor`. */
static void scale_kept(const char *folder, double factor, const struct gr_ceiling *ceilings,
                       int count)
{
    char *pattern = gr_printf("%s/gradus/ceilings/*.txt", folder), *text = NULL;
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    assert_int_equal(gr_file_read(found.gl_pathv[0], &text, NULL, NULL), GRADUS_OK);
    text[strcspn(text, "\n")] = 0; /* the key */
    struct gr_ceiling *scaled = calloc((size_t)count, sizeof *scaled);
    assert_non_null(scaled);
    for (int i = 0; i < count; i++) {
        scaled[i] = ceilings[i];
        scaled[i].value *= factor;
    }
    gr_ceilings_write(found.gl_pathv[0], text, scaled, count);
    free(scaled);
    free(text);
    globfree(&found);
    free(pattern);
}

/* In a cache of its own: measured once, then read; what a busy machine gave is measured again. */
static void ceilings_are_measured_once(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_probe_XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    struct gr_ceiling *first = NULL, *kept = NULL, *fresh = NULL;
    int count = 0, again = 0;
    assert_int_equal(gr_probe_ceilings(GR_CEILINGS_KEPT, 1, &first, &count, NULL), GRADUS_OK);
    for (int i = 0; i < count;
         i++) /* as if nobody had disturbed it: what is unsteady is measured anew */
        first[i].unsteady = false;
    scale_kept(folder, 16, first, count); /* nothing goes beyond that */
    assert_int_equal(gr_probe_ceilings(GR_CEILINGS_CHECKED, 1, &kept, &again, NULL), GRADUS_OK);
    assert_true(count >= 4 && count == again);
    scale_kept(folder, 0.0625, first, count);
    assert_int_equal(gr_probe_ceilings(GR_CEILINGS_CHECKED, 1, &fresh, &again, NULL), GRADUS_OK);
    for (int i = 0; i < count; i++) {
        assert_true(first[i].value > 0);
        assert_string_equal(first[i].name, kept[i].name);
        assert_true(fabs(16 * first[i].value - kept[i].value) <= 1e-5 * kept[i].value);
        assert_true(fresh[i].value > 0.0626 * first[i].value);
    }
    free(first);
    free(kept);
    free(fresh);
    assert_int_equal(gr_probe_ceilings(GR_CEILINGS_KEPT, 0, &first, &count, NULL), GRADUS_INVALID);
    assert_null(first);
    char *remove_all = gr_printf("rm -r %s", folder);
    assert_int_equal(system(remove_all), 0);
    free(remove_all);
}

static void the_environment_is_whole(void **state)
{
    (void)state;
    struct gr_run run = {0};
    assert_int_equal(gr_probe_environment(&run.environment, NULL), GRADUS_OK);
    const struct gr_environment *e = &run.environment;
    assert_true(gr_starts_with(e->version, gradus_version()));
    assert_true(strlen(e->date) == 20 && e->date[10] == 'T' && e->date[19] == 'Z');
    assert_non_null(strstr(e->system, "Linux"));
    assert_true(*e->cpu && *e->compiler && *e->caches);
    assert_true(gr_cpu_isa_runs(e->isa));
    assert_true(e->cores >= 1);
    gr_run_free(&run);
}

/* Threads beyond the CPUs take turns: a hundred times as many are not a hundred times as fast. */
static void threads_beyond_the_cpus_add_nothing(void **state)
{
    (void)state;
    int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    double each = 0, crowd;
    for (int i = 0; i < 3; i++) {
        double rate = gr_probe_fma(GR_F32, 1, 2000000, NULL);
        each = rate > each ? rate : each;
    }
    crowd = gr_probe_fma(GR_F32, 20 * cpus < 1024 ? 20 * cpus : 1024, 2000000, NULL);
    assert_true(crowd < 5 * cpus * each);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_is_as_many_operations_as_it_says),
        cmocka_unit_test(streams_touch_every_byte_and_no_other),
        cmocka_unit_test(rates_are_those_of_a_machine),
        cmocka_unit_test(a_damaged_or_foreign_file_is_not_believed),
        cmocka_unit_test(ceilings_are_measured_once),
        cmocka_unit_test(the_environment_is_whole),
        cmocka_unit_test(threads_beyond_the_cpus_add_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
