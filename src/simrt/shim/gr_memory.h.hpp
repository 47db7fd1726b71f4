// gr_memory.h: loads and stores with a cache hint, address spaces, fences, asynchronous copies, the
// clock, and traps. SPDX-License-Identifier: MIT
#ifndef GR_MEMORY_H
#define GR_MEMORY_H

// A cache hint does not change the request: these are plain accesses, recorded at the line of the
// call.
#define __ldg(...) (*(__VA_ARGS__))
#define __ldca(...) (*(__VA_ARGS__))
#define __ldcg(...) (*(__VA_ARGS__))
#define __ldcs(...) (*(__VA_ARGS__))
#define __ldcv(...) (*(__VA_ARGS__))
#define __ldlu(...) (*(__VA_ARGS__))
#define __stwb(address, ...) ((void)(*(address) = (__VA_ARGS__)))
#define __stcg(address, ...) ((void)(*(address) = (__VA_ARGS__)))
#define __stcs(address, ...) ((void)(*(address) = (__VA_ARGS__)))
#define __stwt(address, ...) ((void)(*(address) = (__VA_ARGS__)))

GR_INLINE size_t __cvta_generic_to_shared(const void *address)
{
    return gr_sim_shared_offset(address);
}
GR_INLINE void *__cvta_shared_to_generic(size_t offset)
{
    return gr_sim_shared_pointer((unsigned)offset);
}
GR_INLINE size_t __cvta_generic_to_global(const void *address)
{
    return (size_t)address;
}
GR_INLINE void *__cvta_global_to_generic(size_t address)
{
    return (void *)address;
}
GR_INLINE unsigned __isShared(const void *address)
{
    return gr_sim_is_shared(address) != 0;
}
GR_INLINE unsigned __isGlobal(const void *address)
{
    return gr_sim_is_shared(address) == 0;
}
GR_INLINE unsigned __isConstant(const void *)
{
    return 0;
}
GR_INLINE unsigned __isLocal(const void *)
{
    return 0;
}

// The threads of a block share a host thread, so a fence for the block only keeps the order of the
// compiler; a fence for the device must be one of the host too.
GR_PLACED static void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    gr_sim_fence(2, GR_SITE);
}
GR_PLACED static void __threadfence_block()
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    gr_sim_fence(1, GR_SITE);
}
GR_PLACED static void __threadfence_system()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    gr_sim_fence(2, GR_SITE);
}

// Copies `bytes`, of which `valid` are read. The copy completes immediately, so that no wait is
// needed.
GR_PLACED static void gr_copy_async(void *shared, const void *global, int bytes, int valid)
{
    gr_sim_copy_async(shared, global, bytes, valid, GR_SITE);
}
// The same with shared memory's 32-bit address.
GR_PLACED static void gr_copy_async_to(unsigned shared, const void *global, int bytes, int valid)
{
    gr_sim_copy_async(gr_sim_shared_pointer(shared), global, bytes, valid, GR_SITE);
}

// Checks the promised alignment.
GR_PLACED static void *gr_assume_aligned(const void *address, size_t alignment, size_t offset = 0)
{
    gr_sim_promised((const char *)address - offset, (int)alignment, GR_SITE);
    return (void *)address;
}
#define __builtin_assume_aligned(...) gr_assume_aligned(__VA_ARGS__)

// sim/launch_bounds.c inserts a call at the beginning of a kernel that has `__launch_bounds__`.
GR_INLINE void gr_launch_bounds(long long threads, long long = 0, long long = 0)
{
    const gr_sim_index block = gr_sim_block_size();
    if ((long long)block.x * block.y * block.z > threads)
        gr_sim_launch_bounds(threads);
}

#define clock() ((clock_t)gr_sim_clock())
GR_INLINE long long clock64()
{
    return gr_sim_clock();
}
GR_INLINE unsigned long long __globaltimer()
{
    return (unsigned long long)gr_sim_clock();
}

__attribute__((noreturn)) GR_PLACED static void gr_fail(const char *text)
{
    gr_sim_fail(text, GR_SITE);
}
__attribute__((noreturn)) GR_PLACED static void gr_not_modelled(const char *what)
{
    gr_sim_not_modelled(what, GR_SITE);
}
__attribute__((noreturn)) GR_PLACED static void __trap()
{
    gr_sim_fail("__trap() was called", GR_SITE);
}
GR_INLINE void __brkpt()
{
}
#define __prof_trigger(counter) ((void)0)
#define __builtin_assume(condition) ((void)0)
#define __assume(condition) ((void)0)
#define __nv_unreachable() __builtin_unreachable()

#endif
