/* arch.c: names of GPU architectures. SPDX-License-Identifier: MIT */
#include "catalog/arch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

bool gr_arch_is_name(const char *name)
{
    return begins(name, "sm_") ? isdigit((unsigned char)name[3])
                               : begins(name, "gfx") && isdigit((unsigned char)name[3]);
}

bool gr_arch_is_of(const char *claimed, const char *arch)
{
    size_t length = strlen(claimed);
    if (!begins(arch, claimed))
        return false;
    const char *rest = arch + length;
    return !*rest || (begins(arch, "gfx") ? strlen(rest) == 2 : strcmp(rest, "a") == 0);
}

bool gr_arch_fits(const char *line, const char *arch, int cc)
{
    if (begins(line, ">= sm_"))
        return cc >= atoi(line + strlen(">= sm_"));
    while (*line) {
        char name[32];
        size_t length = strcspn(line, ", ");
        if (length < sizeof name) {
            memcpy(name, line, length);
            name[length] = 0;
            /* sm_90a is for every GPU of compute capability 9.0, which may also be named sm_90. */
            if (gr_arch_is_of(name, arch) || (begins(name, "sm_") && atoi(name + 3) == cc))
                return true;
        }
        line += length;
        line += strspn(line, ", ");
    }
    return false;
}
