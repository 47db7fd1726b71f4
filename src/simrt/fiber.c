/* fiber.c: switches between stacks. The switch ends in an indirect jump and not in a `ret`, since
 * the processor would predict the return address from the calls of the other stack.
 * SPDX-License-Identifier: MIT */
#include "simrt/fiber.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl gr_fiber_switch\n"
        ".hidden gr_fiber_switch\n"
        ".type gr_fiber_switch,@function\n"
        "gr_fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    jmp *%rcx\n"
        ".size gr_fiber_switch, .-gr_fiber_switch\n");

void *gr_fiber_start(char *top, void (*entry)(void))
{
    void **sp = (void **)((uintptr_t)top & ~(uintptr_t)15);
    *--sp = NULL; /* the return address of `entry`; the stack is aligned as after a call */
    *--sp = (void *)(uintptr_t)entry;
    for (int i = 0; i < 6; i++)
        *--sp = NULL;
    return sp;
}
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl gr_fiber_switch\n"
        ".hidden gr_fiber_switch\n"
        ".type gr_fiber_switch,%function\n"
        "gr_fiber_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    br x30\n"
        ".size gr_fiber_switch, .-gr_fiber_switch\n");

void *gr_fiber_start(char *top, void (*entry)(void))
{
    void **sp = (void **)((uintptr_t)top & ~(uintptr_t)15) - 20;
    for (int i = 0; i < 20; i++)
        sp[i] = NULL;
    sp[11] = (void *)(uintptr_t)entry; /* x30 */
    return sp;
}
#else
#error                                                                                             \
    "fiber.c: no switch of stacks for this processor: add one beside those for x86-64 and aarch64"
#endif

/* Stacks that are not in use. A launch of many small ones would otherwise spend more time in mmap,
 * mprotect and page faults than in the kernel. */
enum { MOST_KEPT = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept {
    char *stacks; /* null: an empty place */
    int count;
    size_t stride;
} kept[MOST_KEPT];

/* Exchanges the first place that is like `from` for `to`. False: there is none. */
static bool exchange(struct kept *from, struct kept to)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_KEPT && !found; i++) {
        found = !from->count ? !kept[i].stacks
                             : kept[i].stacks && kept[i].count == from->count &&
                                   kept[i].stride == from->stride;
        if (found) {
            *from = kept[i];
            kept[i] = to;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* When the kernel's shared object is unloaded. */
__attribute__((destructor)) static void unmap_kept(void)
{
    for (int i = 0; i < MOST_KEPT; i++)
        if (kept[i].stacks)
            munmap(kept[i].stacks, kept[i].stride * (size_t)kept[i].count);
}

char *gr_fiber_stacks(int count, size_t bytes, size_t *stride)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *stride = (bytes + page - 1) / page * page + page;
    struct kept wanted = {.count = count, .stride = *stride};
    if (exchange(&wanted, (struct kept){0}))
        return wanted.stacks;
    char *stacks = mmap(NULL, *stride * (size_t)count, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stacks == MAP_FAILED)
        return NULL;
    for (int i = 0; i < count; i++)
        mprotect(stacks + *stride * (size_t)i, page, PROT_NONE);
    return stacks;
}

void gr_fiber_stacks_free(char *stacks, int count, size_t stride)
{
    if (stacks && !exchange(&(struct kept){0}, (struct kept){stacks, count, stride}))
        munmap(stacks, stride * (size_t)count);
}
