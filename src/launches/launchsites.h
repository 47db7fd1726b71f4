/* launchsites.h: finds where a project launches a kernel. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_LAUNCHSITES_H
#define LAUNCHES_LAUNCHSITES_H

#include "launches/launchsite.h"
#include "source/project.h"

enum { GR_MOST_SITES = 16 };

/* A file with the headers of its project inserted. */
struct gr_site_file {
    char *path, *text;
    struct gr_scan scan;
    struct gr_site_file *next;
};

struct gr_site {
    const struct gr_site_file *file;
    struct gr_launch_site launch;
    char *path; /* the file or header as shown to the user */
    int line;
};

struct gr_sites {
    struct gr_site_file *files;
    struct gr_site items[GR_MOST_SITES];
    int count;
};

/* Finds launches of the kernel's function with as many arguments as it has parameters: in its
 * own file, else in the file that includes it, else in the project's other files that define no
 * kernel of that name. Start with {0}, end with gr_sites_free. */
void gr_sites_find(const struct gr_kernel *kernel, const struct gr_signature *signature,
                   struct gr_project *project, struct gr_sites *sites);
void gr_sites_free(struct gr_sites *sites);

#endif
