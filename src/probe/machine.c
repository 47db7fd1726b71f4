/* machine.c: the names of this machine's CPU and system. SPDX-License-Identifier: MIT */
#include "probe/machine.h"

#include "base/cpuinfo.h"
#include "base/str.h"
#include "cpu/cpu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

char *gr_machine_cpu(void)
{
    char *name = gr_cpuinfo_value("model name");
    if (name)
        return name;
    char *implementer = gr_cpuinfo_value("CPU implementer"), *part = gr_cpuinfo_value("CPU part");
    bool arm = implementer && strcmp(implementer, "0x41") == 0;
    if (implementer && part)
        name =
            gr_printf("%s%s part %s", arm ? "ARM" : "implementer ", arm ? "" : implementer, part);
    else
        name = gr_strdup("unknown CPU");
    free(implementer);
    free(part);
    return name;
}

char *gr_machine_system(void)
{
    struct utsname name;
    if (uname(&name) != 0)
        return gr_strdup("unknown system");
    char *pretty = gr_file_value("/etc/os-release", "PRETTY_NAME", '=');
    char *system = pretty ? gr_printf("%s, %s %s", pretty, name.sysname, name.release)
                          : gr_printf("%s %s", name.sysname, name.release);
    free(pretty);
    return system;
}

char *gr_machine_caches(void)
{
    static const char *const names[] = {"", "L1d", "L2", "L3"};
    struct gr_str s = {0};
    for (int level = 1; level <= 3; level++) {
        long long bytes = gr_cpu_cache_bytes(level);
        if (bytes <= 0)
            continue;
        gr_str_printf(&s, "%s%s ", s.length ? ", " : "", names[level]);
        if (bytes >= 1 << 20)
            gr_str_printf(&s, "%.4g MB", (double)bytes / (1 << 20));
        else
            gr_str_printf(&s, "%lld KB", bytes >> 10);
    }
    char *caches = gr_strdup(s.length ? gr_str_text(&s) : "unknown");
    gr_str_free(&s);
    return caches;
}
