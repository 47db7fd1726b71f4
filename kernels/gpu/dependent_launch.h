// dependent_launch.h: a kernel that begins while the one before it runs (sm_90 and later).
// SPDX-License-Identifier: MIT
//
// A launch may have the attribute CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION. Its blocks
// may then begin as soon as all blocks of the kernel before it in the stream have executed
// griddepcontrol.launch_dependents or have ended, if a multiprocessor has resources for them. The
// writes of that kernel may not be visible yet: griddepcontrol.wait waits until the kernel has
// ended and its writes are visible.
//
//     in a row:     | launch | begin | kernel 1    | memory | launch | begin | kernel 2    |
//
//     dependent:    | launch | begin | kernel 1    | memory |
//                                  | launch | begin | wait  | kernel 2    |
//
// The library launches all kernels of a source that includes this header with this attribute. All
// threads of such a kernel must call wait_for_earlier_grids() before they read or write global
// memory; tests/gpu/library_early.c checks this in the machine code. Work that needs no global
// memory (barriers, tensor maps, addresses, the first barrier of a cluster) is done before the
// call. Without the attribute the call does nothing.
//
// The multiprocessors that finish the first kernel early would take as many blocks of the second as
// fit, and the others none: products of 100 to 400 blocks took up to 1.4 times as long. The library
// gives such a launch so much shared memory that its blocks spread evenly (device_launch.c).
// Source: PTX ISA, "griddepcontrol"; CUDA C++ Programming Guide, "Programmatic Dependent Launch".
#ifndef DEPENDENT_LAUNCH_H
#define DEPENDENT_LAUNCH_H

#ifdef GRADUS_SIM
// On a simulated device each kernel has ended before the next one begins.
#define wait_for_earlier_grids() ((void)0)
#else
// Waits until all kernels before this one have ended and their writes are visible.
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
