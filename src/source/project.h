/* project.h: finds the source files of the project that a kernel's file belongs to, since its
 * launch is often in another file. SPDX-License-Identifier: MIT */
#ifndef SOURCE_PROJECT_H
#define SOURCE_PROJECT_H

#include <stdbool.h>

/* Start with {0}, end with gr_project_free. */
struct gr_project {
    char *root;   /* its folder, with a trailing slash */
    char **paths; /* of its C and C++ files, those closest to the kernel's file first */
    int count;
};

/* Finds the project's folder and files. It is the highest folder, at most a few levels above the
 * file, that has version control, a README or a build file; else the file's own folder. Build
 * folders and folders of third-party code are skipped, and of a project with thousands of files
 * only a part is listed. If the file does not exist, the project is empty. */
void gr_project_find(const char *path, struct gr_project *project);
void gr_project_free(struct gr_project *project);

/* Resolves the `name` of an #include in the file `from`: the file beside it, else the closest
 * file of the project whose path ends with `name`. malloc'ed; null if there is none. */
char *gr_project_header(const struct gr_project *project, const char *from, const char *name);

#endif
