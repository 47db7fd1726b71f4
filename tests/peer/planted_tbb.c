/* planted_tbb.c: a library that looks like TBB. As TBB does, it loads another one with RTLD_GLOBAL
 * when it is loaded itself. SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

struct arena {
    intptr_t version_and_traits;
    int initialization_state;
    void *arena;
    int max_concurrency;
    unsigned reserved_slots;
    int priority, numa_id, core_type, max_threads_per_core;
};

struct delegate {
    bool (*const *virtual_functions)(const struct delegate *delegate);
};

#define R1(name) _ZN3tbb6detail2r1##name##NS0_2d115task_arena_baseE
void R1(10initializeER)(struct arena *arena);
void R1(9terminateER)(struct arena *arena);
int R1(15max_concurrencyEPK)(const struct arena *arena);
void _ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE(
    struct arena *arena, struct delegate *delegate);
extern int planted_entered, planted_arenas;

int planted_entered, planted_arenas; /* how often an arena was entered; how many there are */
static const struct arena *current;

__attribute__((constructor)) static void load_allocator(void)
{
    dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
}

void R1(10initializeER)(struct arena *arena)
{
    static char implementation;
    arena->arena = &implementation;
    planted_arenas++;
}

void R1(9terminateER)(struct arena *arena)
{
    arena->arena = 0;
    planted_arenas--;
}

/* Every thread has an arena for one thread. */
int R1(15max_concurrencyEPK)(const struct arena *arena)
{
    const struct arena *asked = arena ? arena : current;
    return asked ? asked->max_concurrency : 1;
}

void _ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE(
    struct arena *arena, struct delegate *delegate)
{
    planted_entered++;
    current =
        arena->arena && arena->version_and_traits == 1 && arena->reserved_slots == 1 ? arena : 0;
    delegate->virtual_functions[0](delegate);
    current = 0;
}
