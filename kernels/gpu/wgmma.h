// wgmma.h: Hopper's tensor cores: 64 x N sums per warpgroup, from shared memory (sm_90a).
// SPDX-License-Identifier: MIT
//
// One instruction adds a product of 64 x 16 by 16 x N elements, f16 or bf16, to 64 x N sums in f32;
// for tf32 it is 64 x 8 by 8 x N, and for 8-bit numbers 64 x 32 by 32 x N: 32 bytes of each row of
// A and column of B in all cases. It is executed by a warpgroup: four warps, of which the number of
// the first one is a multiple of 4. A and B are in shared memory, described by 64 bits
// (wgmma_descriptor). The sums are in registers, N/2 of them per thread:
//
//            n  0    1    2    3  ..   7     8    9  ..  15    16 ..
//   row  0   |  0    0    1    1  ..   3  |  0    0  ..   3  |
//        1   |  4    4    5    5  ..   7  |  4    4  ..   7  |     the lane that has it, in
//       ..   |                            |                  |     sums 0 and 1, then 4 and 5, ..
//        7   | 28   28   29   29  ..  31  | 28   28  ..  31  |
//        8   |  0    0    1    1  ..   3  |  0    0  ..   3  |     sums 2 and 3, then 6 and 7, ..
//       ..   |                            |                  |
//       15   | 28   28   29   29  ..  31  | 28   28  ..  31  |
//   rows 16 to 31 are those of the warpgroup's second warp, and so on
//
// So sum 4*j + 2*h + e of a thread is row 16*warp + lane/4 + 8*h, column 8*j + lane%4*2 + e. For
// each j, these are the places of the sums in mma.h.
//
// Only 16-bit operands may be stored across k (MN-major). Those of 32 and 8 bits must be stored
// along k (K-major):
//
//             k  0    1    2    3  |  4    5    6    7  |  8 ..          tf32: 32 of k in 128 bytes
//   row r    | piece 0: 16 bytes   | piece 1            | piece 2 ..     an instruction takes two
//   row r+1  | ..                                                        pieces of each row, and
//                                                                        the next one the next two
//             k  0 1 2 .. 15       | 16 .. 31           | 32 ..          8 bits: 128 of k
//
// tf32 is a float whose lower 13 bits are not read, so the tile must be rounded when it is written
// (by wgmma_tf32, or by the copy engine if the kernel has `//@ math tf32`, see tma.h). The sums of
// 8-bit numbers are truncated to 13 bits after the binary point of the largest term. Sums of a few
// instructions, which are then added in float, are as accurate as 8-bit numbers are (26_fp8.cu).
//
// The instruction is asynchronous: wgmma_fence is needed before the first one, after other writes
// to the sums and to shared memory, wgmma_commit after the last one of a group, and wgmma_wait
// waits until all groups but the most recent few are complete. The sums must not be accessed in
// between.
// Source: PTX ISA, "wgmma", "Shared memory matrix layout".
#ifndef WGMMA_H
#define WGMMA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// These are types of cuda_fp8.h, which is included only by kernels that use them.
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

__device__ static inline void wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ static inline void wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Makes this thread's writes to shared memory (its stores, and its cp.async copies after their
// wait) visible to wgmma, which reads through another proxy. It must be called before the barrier.
__device__ static inline void wgmma_sees_writes(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// `pending` is a constant: the number of most recent groups that may still run.
#define wgmma_wait(pending)                                                                        \
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory")

// Describes 16 steps of k of a tile whose rows are 128 bytes, as tma_load writes them with
// swizzle128. Each 8 rows are 1024 bytes: the third field, in units of 16 bytes like the others.
//
//    along k:  rows are rows of A or columns of B, and their 128 bytes are 64 steps of k. The next
//    16 steps begin 32 bytes later. The second field is not used.
//
//    across k: rows are steps of k, and their 128 bytes are 64 rows of A or columns of B. The next
//    64 begin `next` bytes later: the second field. The next 16 steps of k begin 2048 bytes later.
//
//    bits     63 62   ..  45 .. 32      ..  29 .. 16      ..  13 .. 0
//             1: 128      1024 / 16         next / 16         address / 16
__device__ static inline unsigned long long wgmma_descriptor(unsigned address, unsigned next)
{
    return 1ull << 62 | 1024ull / 16 << 32 | (unsigned long long)(next / 16) << 16 |
           (address & 0x3ffff) / 16;
}

// The same without a swizzle: pieces of 8 rows by 8 steps of k, 128 bytes each, row after row. The
// next 8 rows follow directly; the next 8 steps of k begin `next` bytes later, and the next 16
// twice as far.
__device__ static inline unsigned long long wgmma_descriptor_plain(unsigned address, unsigned next)
{
    return 128ull / 16 << 32 | (unsigned long long)(next / 16) << 16 | (address & 0x3ffff) / 16;
}

// The same for an operand that is stored across k: pieces of 8 steps of k by 8 rows. The next 8
// steps follow directly; the next 8 rows begin `next` bytes later.
__device__ static inline unsigned long long wgmma_descriptor_plain_across(unsigned address,
                                                                          unsigned next)
{
    return (unsigned long long)(next / 16) << 32 | 128ull / 16 << 16 | (address & 0x3ffff) / 16;
}

// To be called after wgmma_wait, if other instructions read the sums while the loop continues: the
// compiler does not know that they depend on the wait.
__device__ __forceinline__ static void wgmma_done(float *sum, int count)
{
#pragma unroll
    for (int i = 0; i < count; i++)
        asm volatile("" : "+f"(sum[i])::"memory");
}

#define WGMMA_SUMS_4(s) "+f"((s)[0]), "+f"((s)[1]), "+f"((s)[2]), "+f"((s)[3])
#define WGMMA_SUMS_16(s)                                                                           \
    WGMMA_SUMS_4(s), WGMMA_SUMS_4((s) + 4), WGMMA_SUMS_4((s) + 8), WGMMA_SUMS_4((s) + 12)
#define WGMMA_SUMS_64(s)                                                                           \
    WGMMA_SUMS_16(s), WGMMA_SUMS_16((s) + 16), WGMMA_SUMS_16((s) + 32), WGMMA_SUMS_16((s) + 48)
#define WGMMA_NAMES_64                                                                             \
    "%0, %1, %2, %3, %4, %5, %6, %7"                                                               \
    ", "                                                                                           \
    "%8, %9, %10, %11, %12, %13, %14, %15"                                                         \
    ", "                                                                                           \
    "%16, %17, %18, %19, %20, %21, %22, %23"                                                       \
    ", "                                                                                           \
    "%24, %25, %26, %27, %28, %29, %30, %31"                                                       \
    ", "                                                                                           \
    "%32, %33, %34, %35, %36, %37, %38, %39"                                                       \
    ", "                                                                                           \
    "%40, %41, %42, %43, %44, %45, %46, %47"                                                       \
    ", "                                                                                           \
    "%48, %49, %50, %51, %52, %53, %54, %55"                                                       \
    ", "                                                                                           \
    "%56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_NAMES_128                                                                            \
    WGMMA_NAMES_64                                                                                 \
    ", "                                                                                           \
    "%64, %65, %66, %67, %68, %69, %70, %71"                                                       \
    ", "                                                                                           \
    "%72, %73, %74, %75, %76, %77, %78, %79"                                                       \
    ", "                                                                                           \
    "%80, %81, %82, %83, %84, %85, %86, %87"                                                       \
    ", "                                                                                           \
    "%88, %89, %90, %91, %92, %93, %94, %95"                                                       \
    ", "                                                                                           \
    "%96, %97, %98, %99, %100, %101, %102, %103"                                                   \
    ", "                                                                                           \
    "%104, %105, %106, %107, %108, %109, %110, %111"                                               \
    ", "                                                                                           \
    "%112, %113, %114, %115, %116, %117, %118, %119"                                               \
    ", "                                                                                           \
    "%120, %121, %122, %123, %124, %125, %126, %127"
#define WGMMA_NAMES_32                                                                             \
    "%0, %1, %2, %3, %4, %5, %6, %7"                                                               \
    ", "                                                                                           \
    "%8, %9, %10, %11, %12, %13, %14, %15"                                                         \
    ", "                                                                                           \
    "%16, %17, %18, %19, %20, %21, %22, %23"                                                       \
    ", "                                                                                           \
    "%24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_NAMES_48                                                                             \
    WGMMA_NAMES_32                                                                                 \
    ", "                                                                                           \
    "%32, %33, %34, %35, %36, %37, %38, %39"                                                       \
    ", "                                                                                           \
    "%40, %41, %42, %43, %44, %45, %46, %47"
#define WGMMA_NAMES_96                                                                             \
    WGMMA_NAMES_64                                                                                 \
    ", "                                                                                           \
    "%64, %65, %66, %67, %68, %69, %70, %71"                                                       \
    ", "                                                                                           \
    "%72, %73, %74, %75, %76, %77, %78, %79"                                                       \
    ", "                                                                                           \
    "%80, %81, %82, %83, %84, %85, %86, %87"                                                       \
    ", "                                                                                           \
    "%88, %89, %90, %91, %92, %93, %94, %95"
#define WGMMA_16(type, across)                                                                     \
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %10, 0; "                                    \
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32." type "." type " "                   \
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, adds, 1, 1, " across ";}"              \
                 : WGMMA_SUMS_4(sum), WGMMA_SUMS_4((sum) + 4)                                      \
                 : "l"(a), "l"(b), "r"((int)adds))
#define WGMMA_64_OF(k, type, across)                                                               \
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %34, 0; "                                    \
                 "wgmma.mma_async.sync.aligned.m64n64" k ".f32." type "." type " "                 \
                 "{" WGMMA_NAMES_32 "}, %32, %33, adds, 1, 1" across ";}"                          \
                 : WGMMA_SUMS_16(sum), WGMMA_SUMS_16((sum) + 16)                                   \
                 : "l"(a), "l"(b), "r"((int)adds))
#define WGMMA_96_OF(k, type, across)                                                               \
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %50, 0; "                                    \
                 "wgmma.mma_async.sync.aligned.m64n96" k ".f32." type "." type " "                 \
                 "{" WGMMA_NAMES_48 "}, %48, %49, adds, 1, 1" across ";}"                          \
                 : WGMMA_SUMS_16(sum), WGMMA_SUMS_16((sum) + 16), WGMMA_SUMS_16((sum) + 32)        \
                 : "l"(a), "l"(b), "r"((int)adds))
#define WGMMA_192_OF(k, type, across)                                                              \
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %98, 0; "                                    \
                 "wgmma.mma_async.sync.aligned.m64n192" k ".f32." type "." type " "                \
                 "{" WGMMA_NAMES_96 "}, %96, %97, adds, 1, 1" across ";}"                          \
                 : WGMMA_SUMS_64(sum), WGMMA_SUMS_16(sum + 64), WGMMA_SUMS_16(sum + 80)            \
                 : "l"(a), "l"(b), "r"((int)adds))
#define WGMMA_128_OF(k, type, across)                                                              \
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %66, 0; "                                    \
                 "wgmma.mma_async.sync.aligned.m64n128" k ".f32." type "." type " "                \
                 "{" WGMMA_NAMES_64 "}, %64, %65, adds, 1, 1" across ";}"                          \
                 : WGMMA_SUMS_64(sum)                                                              \
                 : "l"(a), "l"(b), "r"((int)adds))
#define WGMMA_256_OF(k, type, across)                                                              \
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %130, 0; "                                   \
                 "wgmma.mma_async.sync.aligned.m64n256" k ".f32." type "." type " "                \
                 "{" WGMMA_NAMES_128 "}, %128, %129, adds, 1, 1" across ";}"                       \
                 : WGMMA_SUMS_64(sum), WGMMA_SUMS_64(sum + 64)                                     \
                 : "l"(a), "l"(b), "r"((int)adds))

#define WGMMA_64(type, across) WGMMA_64_OF("k16", type, ", " across)
#define WGMMA_128(type, across) WGMMA_128_OF("k16", type, ", " across)
#define WGMMA_192(type, across) WGMMA_192_OF("k16", type, ", " across)
#define WGMMA_256(type, across) WGMMA_256_OF("k16", type, ", " across)

// Moves registers from one warpgroup to another: those that one gives up, another one can take.
// `count` is a constant, a multiple of 8 from 24 to 256. Every warp of the warpgroup executes it,
// and the kernel needs __launch_bounds__ with the number of blocks per multiprocessor.
#define warpgroup_keeps_registers(count)                                                           \
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count))
#define warpgroup_takes_registers(count)                                                           \
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count))

// Whether an operand is stored across k is part of the instruction.
#define WGMMA_ANY(instruction, type)                                                               \
    if (across_a && across_b)                                                                      \
        instruction(type, "1, 1");                                                                 \
    else if (across_a)                                                                             \
        instruction(type, "1, 0");                                                                 \
    else if (across_b)                                                                             \
        instruction(type, "0, 1");                                                                 \
    else                                                                                           \
        instruction(type, "0, 0")

// On a host, for all i, j of 64 x N: sum(i,j) = (adds ? sum(i,j) : 0) + A(i,0)*B(0,j) + .. +
// A(i,15)*B(15,j). The first argument only selects the type of the elements; across_a and across_b
// are constants. If the first product sets the sums (adds is false), they need not be set to zero
// before: a move into a sum between two products would make the compiler wait for each product.
__device__ __forceinline__ static void wgmma_64x128x16(const __nv_bfloat16 *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_128, "bf16");
}

__device__ __forceinline__ static void wgmma_64x128x16(const __half *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_128, "f16");
}

__device__ __forceinline__ static void wgmma_64x256x16(const __nv_bfloat16 *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_256, "bf16");
}

__device__ __forceinline__ static void wgmma_64x256x16(const __half *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_256, "f16");
}

__device__ __forceinline__ static void wgmma_64x16x16(const __nv_bfloat16 *, float *sum,
                                                      unsigned long long a, unsigned long long b,
                                                      bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_16, "bf16");
}

__device__ __forceinline__ static void wgmma_64x16x16(const __half *, float *sum,
                                                      unsigned long long a, unsigned long long b,
                                                      bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_16, "f16");
}

__device__ __forceinline__ static void wgmma_64x64x16(const __nv_bfloat16 *, float *sum,
                                                      unsigned long long a, unsigned long long b,
                                                      bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_64, "bf16");
}

__device__ __forceinline__ static void wgmma_64x64x16(const __half *, float *sum,
                                                      unsigned long long a, unsigned long long b,
                                                      bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_64, "f16");
}

__device__ __forceinline__ static void wgmma_64x192x16(const __nv_bfloat16 *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_192, "bf16");
}

__device__ __forceinline__ static void wgmma_64x192x16(const __half *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds, bool across_a, bool across_b)
{
    WGMMA_ANY(WGMMA_192, "f16");
}

// The same for 8 steps of k in tf32, and 32 steps of 8-bit numbers. Both operands are stored along
// k.
__device__ __forceinline__ static void wgmma_64x64x8(float *sum, unsigned long long a,
                                                     unsigned long long b, bool adds)
{
    WGMMA_64_OF("k8", "tf32", "");
}

__device__ __forceinline__ static void wgmma_64x128x8(float *sum, unsigned long long a,
                                                      unsigned long long b, bool adds)
{
    WGMMA_128_OF("k8", "tf32", "");
}

__device__ __forceinline__ static void wgmma_64x192x8(float *sum, unsigned long long a,
                                                      unsigned long long b, bool adds)
{
    WGMMA_192_OF("k8", "tf32", "");
}

__device__ __forceinline__ static void wgmma_64x256x8(float *sum, unsigned long long a,
                                                      unsigned long long b, bool adds)
{
    WGMMA_256_OF("k8", "tf32", "");
}

__device__ __forceinline__ static void wgmma_64x64x32(const struct __nv_fp8_e4m3 *, float *sum,
                                                      unsigned long long a, unsigned long long b,
                                                      bool adds)
{
    WGMMA_64_OF("k32", "e4m3", "");
}

__device__ __forceinline__ static void wgmma_64x64x32(const struct __nv_fp8_e5m2 *, float *sum,
                                                      unsigned long long a, unsigned long long b,
                                                      bool adds)
{
    WGMMA_64_OF("k32", "e5m2", "");
}

__device__ __forceinline__ static void wgmma_64x128x32(const struct __nv_fp8_e4m3 *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds)
{
    WGMMA_128_OF("k32", "e4m3", "");
}

__device__ __forceinline__ static void wgmma_64x128x32(const struct __nv_fp8_e5m2 *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds)
{
    WGMMA_128_OF("k32", "e5m2", "");
}

__device__ __forceinline__ static void wgmma_64x96x32(const struct __nv_fp8_e4m3 *, float *sum,
                                                      unsigned long long a, unsigned long long b,
                                                      bool adds)
{
    WGMMA_96_OF("k32", "e4m3", "");
}

__device__ __forceinline__ static void wgmma_64x96x32(const struct __nv_fp8_e5m2 *, float *sum,
                                                      unsigned long long a, unsigned long long b,
                                                      bool adds)
{
    WGMMA_96_OF("k32", "e5m2", "");
}

__device__ __forceinline__ static void wgmma_64x192x32(const struct __nv_fp8_e4m3 *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds)
{
    WGMMA_192_OF("k32", "e4m3", "");
}

__device__ __forceinline__ static void wgmma_64x192x32(const struct __nv_fp8_e5m2 *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds)
{
    WGMMA_192_OF("k32", "e5m2", "");
}

__device__ __forceinline__ static void wgmma_64x256x32(const struct __nv_fp8_e4m3 *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds)
{
    WGMMA_256_OF("k32", "e4m3", "");
}

__device__ __forceinline__ static void wgmma_64x256x32(const struct __nv_fp8_e5m2 *, float *sum,
                                                       unsigned long long a, unsigned long long b,
                                                       bool adds)
{
    WGMMA_256_OF("k32", "e5m2", "");
}

// The same for 8 steps of k in tf32 with A in registers, which thus may be stored in any way: those
// of a warp are its 16 rows by 8 of k (mma.h draws them): a[0] is row lane/4, k lane%4; a[1] is 8
// rows below, and a[2] and a[3] are 4 steps of k further. They must not be written before
// wgmma_wait.
__device__ __forceinline__ static void wgmma_registers_x64x8(float *sum, const unsigned *a,
                                                             unsigned long long b, bool adds)
{
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %37, 0; "
                 "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
                 "{" WGMMA_NAMES_32 "}, "
                 "{%32, %33, %34, %35}, %36, adds, 1, 1;}"
                 : WGMMA_SUMS_16(sum), WGMMA_SUMS_16((sum) + 16)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds));
}

__device__ __forceinline__ static void wgmma_registers_x128x8(float *sum, const unsigned *a,
                                                              unsigned long long b, bool adds)
{
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %69, 0; "
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
                 "{" WGMMA_NAMES_64 "}, "
                 "{%64, %65, %66, %67}, %68, adds, 1, 1;}"
                 : WGMMA_SUMS_64(sum)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds));
}

__device__ __forceinline__ static void wgmma_registers_x192x8(float *sum, const unsigned *a,
                                                              unsigned long long b, bool adds)
{
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %101, 0; "
                 "wgmma.mma_async.sync.aligned.m64n192k8.f32.tf32.tf32 "
                 "{" WGMMA_NAMES_96 "}, "
                 "{%96, %97, %98, %99}, %100, adds, 1, 1;}"
                 : WGMMA_SUMS_64(sum), WGMMA_SUMS_16(sum + 64), WGMMA_SUMS_16(sum + 80)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds));
}

__device__ __forceinline__ static void wgmma_registers_x256x8(float *sum, const unsigned *a,
                                                              unsigned long long b, bool adds)
{
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %133, 0; "
                 "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 "
                 "{" WGMMA_NAMES_128 "}, "
                 "{%128, %129, %130, %131}, %132, adds, 1, 1;}"
                 : WGMMA_SUMS_64(sum), WGMMA_SUMS_64(sum + 64)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds));
}

// x rounded to the 10 bits of tf32, to nearest, ties to even.
__device__ static inline float wgmma_tf32(float x)
{
    unsigned word;
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(word) : "f"(x));
    return __uint_as_float(word);
}

#endif
