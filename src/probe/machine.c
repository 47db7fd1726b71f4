/* machine.c: the names of this machine's CPU and system. SPDX-License-Identifier: MIT */
#include "probe/machine.h"

#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"
#include "cpu/cpu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* The value of the first line "KEY <blanks> <separator> VALUE" of a text; malloc'ed, or null. */
static char *value_of(const char *text, const char *key, char separator)
{
    size_t length = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        const char *p = line + length;
        if (!gr_starts_with(line, key))
            continue;
        p += strspn(p, " \t");
        if (*p != separator)
            continue;
        p++;
        p += strspn(p, " \t\"");
        return gr_strndup(p, strcspn(p, "\"\n"));
    }
    return NULL;
}

static char *file_value(const char *path, const char *key, char separator)
{
    char *text = NULL;
    struct gradus_error ignored = {0};
    char *value = NULL;
    if (gr_file_read(path, &text, NULL, &ignored) == GRADUS_OK)
        value = value_of(text, key, separator);
    gradus_error_clear(&ignored);
    free(text);
    return value;
}

static char *cpuinfo(const char *key)
{
    return file_value("/proc/cpuinfo", key, ':');
}

char *gr_machine_cpu(void)
{
    char *name = cpuinfo("model name");
    if (name)
        return name;
    char *implementer = cpuinfo("CPU implementer"), *part = cpuinfo("CPU part");
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

uint64_t gr_machine_cpu_hash(void)
{
    static const char *const keys[] = {"model name", "cpu family",  "model",    "stepping",
                                       "microcode",  "flags",       "Features", "CPU implementer",
                                       "CPU part",   "CPU revision"};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *value = cpuinfo(keys[i]);
        hash = gr_hash(value ? value : "", value ? strlen(value) : 0, hash);
        free(value);
    }
    return hash;
}

char *gr_machine_system(void)
{
    struct utsname name;
    if (uname(&name) != 0)
        return gr_strdup("unknown system");
    char *pretty = file_value("/etc/os-release", "PRETTY_NAME", '=');
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
