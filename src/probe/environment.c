/* environment.c: the machine's part of a run's environment. SPDX-License-Identifier: MIT */
#include "probe/probe.h"

#include "base/error.h"
#include "base/str.h"
#include "cpu/cpu.h"
#include "probe/machine.h"

#include <time.h>

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if defined(__x86_64__)
#define ARCHITECTURE "x86-64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#else
#define ARCHITECTURE "unknown architecture"
#endif

#if defined(__OPTIMIZE__)
#define OPTIMIZED "optimized"
#else
#define OPTIMIZED "not optimized"
#endif

static char *now_utc(void)
{
    char text[32];
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        return gr_strdup("unknown");
    return gr_strdup(text);
}

enum gradus_status gr_probe_environment(struct gr_environment *environment,
                                        struct gradus_error *error)
{
    environment->version = gr_printf("%s (%s, %s)", gradus_version(), ARCHITECTURE, OPTIMIZED);
    environment->date = now_utc();
    environment->system = gr_machine_system();
    environment->cpu = gr_machine_cpu();
    environment->isa = gr_strdup(gr_cpu_isa());
    environment->cores = gr_cpu_threads_allowed();
    environment->caches = gr_machine_caches();
    environment->compiler = gr_strdup(COMPILER);
    bool whole = environment->version && environment->date && environment->system &&
                 environment->cpu && environment->isa && environment->caches &&
                 environment->compiler;
    return whole ? GRADUS_OK : gr_fail_memory(error, "the environment", 256);
}
