/* project.h: the source files of the project that a kernel's file belongs to.
 * SPDX-License-Identifier: MIT */
#ifndef SOURCE_PROJECT_H
#define SOURCE_PROJECT_H

#include <stdbool.h>

/* Start with {0}, end with gr_project_free. */
struct gr_project {
    char *root;   /* its folder, with a slash at the end */
    char **paths; /* of its C and C++ files, those nearest to the kernel's own first */
    int count;
};

/* The project's folder is the highest above the file that looks like one (version control, a
 * README, a build file), at most a few levels up; else the file's own. Folders of builds and of
 * other people's code are left out, and a project of thousands of files is read in part. A file
 * that is not there has an empty project. */
void gr_project_find(const char *path, struct gr_project *project);
void gr_project_free(struct gr_project *project);

/* The file that `name`, as an #include writes it, means for a file of the project: beside `from`,
 * else the one whose path ends so that lies nearest. malloc'ed, null where there is none. */
char *gr_project_header(const struct gr_project *project, const char *from, const char *name);

#endif
