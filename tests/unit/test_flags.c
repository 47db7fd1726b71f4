/* test_flags.c: which compiler is given which flags. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emit/flags.h"

#include <stdlib.h>

static void is(enum gr_flags_reader reader, const char *flags, const char *wanted)
{
    const struct gr_kernel none = {0};
    char *found = gr_flags_for(&none, flags, reader);
    assert_non_null(found);
    assert_string_equal(found, wanted);
    free(found);
}

static void what_both_know_reaches_both(void **state)
{
    (void)state;
    is(GR_FLAGS_HOST, "-DTS=16 -I inc -w", "-DTS=16 -I inc -w");
    is(GR_FLAGS_TRACED, "-D TS -Iinc -UX", "-D TS -Iinc -UX");
    is(GR_FLAGS_NVRTC, "-D TS=16 -I inc -w", "-DTS=16 -Iinc -w");
    is(GR_FLAGS_NVRTC, "-isystem a -include b.h -std=gnu++20", "-Ia --pre-include=b.h --std=c++20");
    is(GR_FLAGS_NVRTC, "'-DX=a b' -DY", "\"-DX=a b\" -DY");
    is(GR_FLAGS_HOST, "", "");
}

static void another_compilers_are_left_out(void **state)
{
    (void)state;
    static const char nvcc[] =
        "-arch=sm_80 -gencode arch=compute_80,code=sm_80 --expt-relaxed-constexpr -Xcompiler "
        "-fopenmp -lcublas -t 4 --threads=2";
    is(GR_FLAGS_NVRTC, nvcc, "");
    is(GR_FLAGS_HOST, nvcc, "");
    static const char nvrtc[] = "--use_fast_math -fmad=false -ftz=true -maxrregcount 64 -lineinfo";
    is(GR_FLAGS_NVRTC, nvrtc, "--use_fast_math -fmad=false -ftz=true -maxrregcount=64 -lineinfo");
    is(GR_FLAGS_HOST, nvrtc, "");
    static const char gcc[] = "-O3 -march=native -fopenmp -Wall -g --param max-unroll-times=2";
    is(GR_FLAGS_NVRTC, gcc, "");
    is(GR_FLAGS_HOST, gcc, gcc);
    is(GR_FLAGS_TRACED, gcc, "-march=native -fopenmp -Wall --param max-unroll-times=2");
}

static void amds_compilers_take_clangs(void **state)
{
    (void)state;
    is(GR_FLAGS_AMD, "-D TS=16 -I inc -w -std=c++20", "-D TS=16 -I inc -w -std=c++20");
    is(GR_FLAGS_AMD, "-O3 -march=native -fopenmp -Wall -g -lhipblas --offload-arch=gfx90a",
       "-O3 -Wall");
    is(GR_FLAGS_AMD, "-ffast-math -mcumode -mwavefrontsize64 -mllvm -amdgpu-x",
       "-ffast-math -mcumode -mwavefrontsize64 -mllvm -amdgpu-x");
    is(GR_FLAGS_HOST, "-mcumode --offload-arch gfx90a -mllvm -amdgpu-x -O3", "-O3");
    is(GR_FLAGS_NVRTC, "-mcumode --offload-arch=gfx90a", "");
    is(GR_FLAGS_AMD, "-arch=sm_80 --use_fast_math -maxrregcount=64", "");
}

static void what_nobody_knows_stays(void **state)
{
    (void)state;
    is(GR_FLAGS_NVRTC, "--nonsense", "--nonsense");
    is(GR_FLAGS_HOST, "--nonsense", "--nonsense");
}

static void the_files_own_are_taken_where_there_are_no_others(void **state)
{
    (void)state;
    struct gr_text items[] = {{.text = (char *)"-use_fast_math -DA"}, {.text = (char *)"-O2"}};
    const struct gr_kernel kernel = {.flags = {.items = items, .count = 2}};
    char *found = gr_flags_for(&kernel, NULL, GR_FLAGS_NVRTC);
    assert_string_equal(found, "-use_fast_math -DA");
    free(found);
    found = gr_flags_for(&kernel, "-DB", GR_FLAGS_HOST);
    assert_string_equal(found, "-DB");
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_both_know_reaches_both),
        cmocka_unit_test(another_compilers_are_left_out),
        cmocka_unit_test(amds_compilers_take_clangs),
        cmocka_unit_test(what_nobody_knows_stays),
        cmocka_unit_test(the_files_own_are_taken_where_there_are_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
