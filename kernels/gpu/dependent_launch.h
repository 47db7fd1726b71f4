// dependent_launch.h: a kernel that is launched while the one before it ends (sm_90 and later).
// SPDX-License-Identifier: MIT
//
// A launch may have the attribute CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION. Its blocks
// then begin as soon as the last block of the kernel before it in the stream has ended, and what
// that one wrote need not be visible yet: griddepcontrol.wait waits for it.
//
//     in a row:     | launch | kernel 1    | memory | launch | kernel 2    |
//
//     dependent:    | launch | kernel 1    | memory |
//                                 | launch | begin  | wait | kernel 2    |
//
// The library launches all kernels of a source so that includes this header, and others in a row.
// All threads of such a kernel must come to wait_for_earlier_grids() before they read or write
// global memory, which tests/gpu/library_early.c looks for in the machine code. What a kernel can do
// without (barriers, tensor maps, addresses, the first barrier of a cluster) stands before it.
// Without the attribute it does nothing.
//
// There is griddepcontrol.launch_dependents, too, with which a block lets the next kernel begin
// while its own still runs. It was measured and left out: the multiprocessors that have finished
// first then take as many blocks of the next kernel as fit, the others none, and products of 100 to
// 400 blocks take up to 1.4 times as long.
// Source: PTX ISA, "griddepcontrol"; CUDA C++ Programming Guide, "Programmatic Dependent Launch".
#ifndef DEPENDENT_LAUNCH_H
#define DEPENDENT_LAUNCH_H

#ifdef GRADUS_SIM
// On a simulated device every kernel has ended before the next one begins.
#define wait_for_earlier_grids() ((void)0)
#else
// Waits until all kernels before this one have ended, and their writes can be read.
__device__ static inline void wait_for_earlier_grids(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;\n"
                 "griddepcontrol.wait;" ::
                     : "memory");
#endif
}
#endif

#endif
