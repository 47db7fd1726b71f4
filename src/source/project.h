/* project.h: finds the source files of the project that a kernel's file belongs to, since its
 * launch is often in another file. SPDX-License-Identifier: MIT */
#ifndef SOURCE_PROJECT_H
#define SOURCE_PROJECT_H

#include <stdbool.h>

/* Start with gr_project_of, end with gr_project_free. */
struct gr_project {
    char *file;   /* the kernel's, with links resolved; null: it does not exist */
    char **paths; /* of the project's C and C++ files, those closest to `file` first */
    int count;    /* of paths; valid once gr_project_list has been called */
    bool listed;
};

/* The project of the file at `path`. Nothing is searched yet, since most kernels need no more than
 * their own file. */
struct gr_project gr_project_of(const char *path);
void gr_project_free(struct gr_project *project);

/* Lists the project's files, at the first call, and returns their number. Its folder is the highest
 * one, at most a few levels above the file, that has version control, a README or a build file;
 * else the file's own. Build folders and folders of third-party code are skipped, and of a project
 * with thousands of files only a part is listed. If the file does not exist, there are none. */
int gr_project_list(struct gr_project *project);

/* The file that `name`, as `from` includes it, is by its path alone: from the folder of `from`.
 * malloc'ed; null if there is none. */
char *gr_project_beside(const char *from, const char *name);

/* Resolves the `name` of an #include in the file `from`: the file beside it, else the closest
 * file of the project whose path ends with `name`. malloc'ed; null if there is none. */
char *gr_project_header(struct gr_project *project, const char *from, const char *name);

#endif
