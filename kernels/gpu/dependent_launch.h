// dependent_launch.h: a kernel that begins while the one before it runs (sm_90 and later).
// SPDX-License-Identifier: MIT
//
// A launch may have the attribute CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION. Its blocks
// may then begin as soon as all blocks of the kernel before it in the stream have executed
// griddepcontrol.launch_dependents or have ended, where there is room for them. What that kernel
// wrote need not be there yet: griddepcontrol.wait waits until it has ended and its writes can be
// read.
//
//     in a row:     | launch | begin | kernel 1    | memory | launch | begin | kernel 2    |
//
//     dependent:    | launch | begin | kernel 1    | memory |
//                                  | launch | begin | wait  | kernel 2    |
//
// The library launches all kernels of a source that includes this header so. All threads of such a
// kernel must come to wait_for_earlier_grids() before they read or write global memory, which
// tests/gpu/library_early.c looks for in the machine code. What a kernel can do without (barriers,
// tensor maps, addresses, the first barrier of a cluster) stands before it. Without the attribute
// it does nothing.
//
// The multiprocessors that finish the first kernel first would take as many blocks of the second as
// fit, and the others none: products of 100 to 400 blocks took up to 1.4 times as long. The library
// gives such a launch so much shared memory that the blocks spread evenly (device_launch.c).
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
