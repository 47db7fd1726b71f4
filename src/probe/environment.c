/* environment.c: the machine's part of a run's environment. SPDX-License-Identifier: MIT */
#include "probe/probe.h"

#include "base/build.h"
#include "core/error.h"
#include "base/str.h"
#include "cpu/cpu.h"
#include "probe/machine.h"

#include <time.h>

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
    environment->version =
        gr_printf("%s (%s, %s)", gradus_version(), gr_build_facts.target, gr_build_facts.type);
    environment->date = now_utc();
    environment->system = gr_machine_system();
    environment->cpu = gr_machine_cpu();
    environment->isa = gr_strdup(gr_cpu_isa());
    environment->cores = gr_cpu_threads_allowed();
    environment->caches = gr_machine_caches();
    environment->compiler = gr_strdup(gr_build_facts.compiler);
    bool whole = environment->version && environment->date && environment->system &&
                 environment->cpu && environment->isa && environment->caches &&
                 environment->compiler;
    return whole ? GRADUS_OK : gr_fail_memory(error, "the environment", 256);
}
