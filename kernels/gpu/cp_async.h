// cp_async.h: copies from global to shared memory that bypass the registers (sm_80 and later).
// SPDX-License-Identifier: MIT
//
// A copy is asynchronous. cp_async_commit ends a group of copies, and cp_async_wait waits until all
// groups of this thread are complete except the most recent few. Data that other threads copied is
// visible only after a barrier that follows their wait. Source: PTX ISA, "cp.async".
#ifndef CP_ASYNC_H
#define CP_ASYNC_H

#ifdef GRADUS_SIM
// On a simulated device a copy is complete at once, so there is nothing to wait for. These are
// macros, so that a copy is counted at the source line that issues it.
#define shared_address(p) ((unsigned)__cvta_generic_to_shared(p))
#define cp_async_4(to, from, valid) gr_copy_async_to(to, from, 4, (valid) ? 4 : 0)
#define cp_async_4_unless(to, from, none) gr_copy_async_to(to, from, 4, (none) ? 0 : 4)
#define cp_async_8(to, from, valid) gr_copy_async_to(to, from, 8, (valid) ? 8 : 0)
#define cp_async_16(to, from) gr_copy_async_to(to, from, 16, 16)
#define cp_async_16_or_0(to, from, valid) gr_copy_async_to(to, from, 16, (valid) ? 16 : 0)
#define cp_async_16_of(to, from, bytes) gr_copy_async_to(to, from, 16, bytes)
#define cp_async_commit() ((void)0)
#define cp_async_wait(pending) ((void)(pending))
#else

// The address of a shared variable as the instruction needs it: 32 bits, counted in bytes.
__device__ static inline unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// On a host: *to = valid ? *from : 0, for one 4-byte element. `from` is not read unless valid.
__device__ static inline void cp_async_4(unsigned to, const void *from, bool valid)
{
    const int bytes = valid ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

// *to = none ? 0 : *from. The condition is a predicate of the instruction and not a size in a
// register. This is for loops with many copies.
__device__ static inline void cp_async_4_unless(unsigned to, const void *from, bool none)
{
    asm volatile("{\n"
                 ".reg .pred ignored;\n"
                 "setp.ne.s32 ignored, %2, 0;\n"
                 "cp.async.ca.shared.global [%0], [%1], 4, ignored;\n"
                 "}" ::"r"(to),
                 "l"(from), "r"((int)none)
                 : "memory");
}

// The same for one element of 8 bytes.
__device__ static inline void cp_async_8(unsigned to, const void *from, bool valid)
{
    const int bytes = valid ? 8 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

// On a host: memcpy(to, from, 16). Both addresses are multiples of 16. The copy bypasses L1, where
// the line would not be read again.
__device__ static inline void cp_async_16(unsigned to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// The same if `valid`; if not, 16 bytes of zeros.
__device__ static inline void cp_async_16_or_0(unsigned to, const void *from, bool valid)
{
    const int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

// The first `bytes` of 16, and zeros in place of the others, which are not read. Both addresses
// must still be multiples of 16.
__device__ static inline void cp_async_16_of(unsigned to, const void *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

// On a host: nothing, because each copy is complete at once. An empty group is allowed, so that the
// number of groups can be the same in every step.
__device__ static inline void cp_async_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// On a host: nothing. `pending` is a constant: the number of most recent groups that may be
// incomplete.
#define cp_async_wait(pending) asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory")

#endif
#endif
