/* many_threads.c: up to eight threads on machines of fewer cores, for programs linked with
 * --wrap=gr_cpu_threads_capped (gradus_many_threads in tests/CMakeLists.txt).
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

enum { THREADS = 8 };

int __real_gr_cpu_threads_capped(int wanted);
int __wrap_gr_cpu_threads_capped(int wanted);

int __wrap_gr_cpu_threads_capped(int wanted)
{
    const int capped = __real_gr_cpu_threads_capped(wanted);
    return wanted <= THREADS ? wanted : capped > THREADS ? capped : THREADS;
}
