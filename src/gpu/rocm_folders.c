/* rocm_folders.c: lists the library folders of ROCm. SPDX-License-Identifier: MIT */
#include "gpu/rocm_folders.h"

#include "base/str.h"

#include <glob.h>
#include <stdlib.h>

char **gr_rocm_folders(void)
{
    const char *root = getenv("ROCM_PATH");
    char *pattern = gr_printf("%s/lib", root && *root ? root : "/opt/rocm*");
    glob_t found = {0};
    if (pattern)
        glob(pattern, 0, NULL, &found);
    char **folders = calloc(found.gl_pathc + 1, sizeof *folders);
    for (size_t i = 0; folders && i < found.gl_pathc; i++)
        folders[i] = gr_strdup(found.gl_pathv[found.gl_pathc - 1 - i]);
    globfree(&found);
    free(pattern);
    return folders;
}

void gr_rocm_folders_free(char **folders)
{
    for (char **folder = folders; folder && *folder; folder++)
        free(*folder);
    free(folders);
}
