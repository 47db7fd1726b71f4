/* test_assembly.c: what is done to g++'s assembly before it is linked. The snippets were written by
 * g++ 12. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/assembly.h"
#include "sim/constructor_guards.h"

#include <stdlib.h>
#include <string.h>

enum { DYNAMIC_BYTES = 1000 };

static char *patched(const char *text, bool traced)
{
    struct gr_str out = {0};
    gr_assembly_patch(text, traced, DYNAMIC_BYTES, &out);
    assert_false(out.failed);
    return out.text ? out.text : strdup("");
}

static int times(const char *text, const char *part)
{
    int count = 0;
    for (const char *p = text; (p = strstr(p, part)); p++)
        count++;
    return count;
}

static void has(const char *text, const char *part, int count)
{
    if (times(text, part) != count)
        fail_msg("found %d times, wanted %d: <<%s>> in:\n%s", times(text, part), count, part, text);
}

/* Two arrays in a function, one variable of the file, and what is no shared memory. */
static const char arrays[] = "\t.text\n"
                             "_Z1kPKfPf:\n"
                             "\tleaq\t_ZZ1kPKfPfE2As@tpoff(%rbx), %r14\n"
                             "\tmovl\t%eax, %fs:tile@tpoff(,%r12,4)\n"
                             "\tret\n"
                             "\t.section\t.tbss,\"awT\",@nobits\n"
                             "\t.align 4\n"
                             "\t.type\t_ZZ1kPKfPfE2As, @object\n"
                             "_ZZ1kPKfPfE2As:\n"
                             "\t.zero\t128\n"
                             "\t.section\t.tdata,\"awT\"\n"
                             "tile:\n"
                             "\t.long\t7\n"
                             "\t.section\t.text.startup,\"ax\",@progbits\n"
                             "_sub_I_00099_0:\n"
                             "\t.data\n"
                             "table:\n"
                             "\t.long\t1\n"
                             "\t.section .tbss\n"
                             "_ZZ1kPKfPfE2Bs:\n"
                             "\t.zero\t4\n"
                             "\t.bss\n"
                             "counter:\n"
                             "\t.zero\t4\n";

static void shared_variables_are_kept_apart(void **state)
{
    (void)state;
    char *text = patched(arrays, true);
    has(text, "\t.zero 4096\n\t.balign 1024\n_ZZ1kPKfPfE2As:\n", 1);
    has(text, "\t.zero 4096\n\t.balign 1024\ntile:\n", 1);
    has(text, "\t.zero 4096\n\t.balign 1024\n_ZZ1kPKfPfE2Bs:\n", 1);
    /* The last has a gap behind it, and nothing else has any. */
    has(text, "\t.section\t.tbss.gr_sim_end,\"awT\",%nobits\n\t.zero 4096\n", 1);
    has(text, "\t.zero 4096\n", 4);
    has(text, "gr_sim_dynamic", 0);
    free(text);
}

/* A compiler may give an array of floats an alignment of 4 bytes; kernels read 16 of it at a time.
 */
static void a_fast_build_has_its_arrays_aligned(void **state)
{
    (void)state;
    char *text = patched(arrays, false);
    has(text, "\t.balign 1024\n_ZZ1kPKfPfE2As:\n", 1);
    has(text, "\t.balign 1024\n_ZZ1kPKfPfE2Bs:\n", 1);
    has(text, "\t.balign 1024\n", 3);
    has(text, "\t.zero 4096\n", 0);
    free(text);
}

static void a_fast_build_is_else_as_it_was(void **state)
{
    (void)state;
    char *text = patched("\tcall\t__tsan_read4@PLT\n", false);
    assert_string_equal(text, "\tcall\t__tsan_read4@PLT\n");
    free(text);
    text = patched("", false);
    assert_string_equal(text, "");
    free(text);
    text = patched("\tret", false); /* no newline at the end */
    assert_string_equal(text, "\tret\n");
    free(text);
}

/* Each way in which an `extern __shared__` array is named by either processor. */
static void dynamic_memory_gets_storage(void **state)
{
    static const char *const uses[] = {
        "\tmovl\t%eax, %fs:smem@tpoff(,%r12,4)\n",     "\tmovq\tsmem@gottpoff(%rip), %r13\n",
        "\tdata16\tleaq\tsmem@tlsgd(%rip), %rdi\n",    "\tleaq\tsmem@tlsdesc(%rip), %rax\n",
        "\tleaq\tsmem@dtpoff(%rax), %rbp\n",           "\tadrp\tx0, :tlsdesc:smem\n",
        "\tadd\tx0, x0, :tlsdesc_lo12:smem\n",         "\tadrp\tx1, :gottprel:smem\n",
        "\tadd\tx1, x1, #:tprel_hi12:smem, lsl #12\n", "\tadd\tx1, x1, #:tprel_lo12_nc:smem\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        char *text = patched(uses[i], i % 2 == 0);
        has(text, uses[i], 1);
        has(text, "\t.size gr_sim_dynamic,1000\ngr_sim_dynamic:\n\t.globl smem\n", 1);
        has(text,
            "\t.hidden smem\n\t.type smem,%tls_object\n\t.size smem,1000\nsmem:\n\t.zero 1000\n",
            1);
        free(text);
    }
}

/* All of them are at one place, as in CUDA, and each is defined once. */
static void dynamic_arrays_are_one_place(void **state)
{
    static const char text[] = "\tmovq\tsmem@gottpoff(%rip), %r13\n"
                               "\tmovq\t_Z4keep@gottpoff(%rip), %r13\n"
                               "\tmovl\t%fs:smem@tpoff(,%r12,4), %eax\n"
                               "\tmovl\t%fs:own@tpoff, %ecx\n"
                               "\t.section\t.tbss,\"awT\",@nobits\n"
                               "own:\n"
                               "\t.zero\t4\n";
    (void)state;
    char *out = patched(text, true);
    has(out, "\nsmem:\n", 1);
    has(out, "\n_Z4keep:\n", 1);
    has(out, "\nown:\n", 1);
    has(out, "\t.zero 1000\n", 1);
    const char *first = strstr(out, "gr_sim_dynamic:\n"), *end = strstr(out, "\t.zero 1000\n");
    assert_true(first && end && first < end);
    for (const char *p = first; p < end; p++) /* nothing between the names takes room */
        assert_true(strncmp(p, ".zero", 5) != 0 && strncmp(p, ".balign", 7) != 0);
    free(out);
}

/* A word in a string or a comment that is no such name. */
static void other_names_are_let_alone(void **state)
{
    static const char text[] = "\tcall\ttid@PLT\n"
                               "\t.type\tmain, @function\n"
                               "\t.string\t\"user@example\"\n"
                               "\tmovq\tstdout@GOTPCREL(%rip), %rax\n";
    (void)state;
    char *out = patched(text, false);
    assert_string_equal(out, text);
    free(out);
}

#if defined(__x86_64__)
static void own_stack_is_not_told_of(void **state)
{
    static const char text[] = "\tcall\ttid@PLT\n"
                               "\tcall\t__tsan_read4@PLT\n"
                               "\tcall\t__tsan_unaligned_read8@PLT\n"
                               "\tcall\t__tsan_func_exit@PLT\n"
                               "\tcall\t__tsan_write_range@PLT\n"
                               "\tjmp\t__tsan_init@PLT\n";
    (void)state;
    char *out = patched(text, true);
    /* 256 KB above the stack pointer; the call is passed by, and every jump has a label of its own.
     */
    has(out, "\tcmpq\t$262144, %rax\n\tjb\t.Lgr_own_", 2);
    has(out, "\tmovq\t%rdi, %rax\n\tsubq\t%rsp, %rax\n", 2);
    has(out, "\tcall\t__tsan_read4@PLT\n.Lgr_own_1:\n", 1);
    has(out, "\tcall\t__tsan_write_range@PLT\n.Lgr_own_4:\n", 1);
    has(out, "\tcall\ttid@PLT\n\tmovq", 1);
    has(out, "\tcall\t__tsan_unaligned_read8@PLT\n\tcall\t__tsan_func_exit@PLT\n", 1);
    has(out, "\tjmp\t__tsan_init@PLT\n", 1);
    free(out);
}
#endif

/* Of a shared array of halves in a function, and of one in a template. */
static void guards_are_set(void **state)
{
    (void)state;
    static const char text[] = "\t.section\t.tbss,\"awT\",@nobits\n"
                               "\t.align 8\n"
                               "_ZGVZ1kvE1s:\n"
                               "\t.zero\t8\n"
                               "_ZZ1kvE1s:\n"
                               "\t.zero\t32\n"
                               "__tls_guard:\n"
                               "\t.zero\t1\n"
                               "\t.section\t.tbss._ZGVZ1tE1s,\"awTG\",@nobits,_ZGVZ1tE1s,comdat\n"
                               "_ZGVZ1tE1s:\n"
                               "\t.quad\t0\n";
    struct gr_str out = {0};
    gr_constructor_guards_set(text, &out);
    assert_false(out.failed);
    const char *said = gr_str_text(&out);
    has(said, "\t.section\t.tdata,\"awT\",@progbits\n\t.balign 8\n_ZGVZ1kvE1s:\n\t.quad 1\n", 1);
    has(said, "\t.section\t.tdata,\"awT\",@progbits\n__tls_guard:\n\t.byte 1\n", 1);
    has(said, "\t.section\t.tdata._ZGVZ1tE1s,\"awTG\",@progbits,_ZGVZ1tE1s,comdat\n", 1);
    has(said, "\t.section\t.tbss,\"awT\",@nobits\n_ZZ1kvE1s:\n\t.zero\t32\n", 1);
    gr_str_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_are_set),
        cmocka_unit_test(shared_variables_are_kept_apart),
        cmocka_unit_test(a_fast_build_has_its_arrays_aligned),
        cmocka_unit_test(a_fast_build_is_else_as_it_was),
        cmocka_unit_test(dynamic_memory_gets_storage),
        cmocka_unit_test(dynamic_arrays_are_one_place),
        cmocka_unit_test(other_names_are_let_alone),
#if defined(__x86_64__)
        cmocka_unit_test(own_stack_is_not_told_of),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
