/* launchsites.h: the places of a project where a kernel is launched. SPDX-License-Identifier: MIT
 */
#ifndef LAUNCHES_LAUNCHSITES_H
#define LAUNCHES_LAUNCHSITES_H

#include "launches/launchsite.h"
#include "source/project.h"

enum { GR_MOST_SITES = 16 };

/* A file with the headers of its project in it. */
struct gr_site_file {
    char *path, *text;
    struct gr_scan scan;
    struct gr_site_file *next;
};

struct gr_site {
    const struct gr_site_file *file;
    struct gr_launch_site launch;
    char *path; /* where it stands, as people would say it: the file, or the header */
    int line;
};

struct gr_sites {
    struct gr_site_file *files;
    struct gr_site items[GR_MOST_SITES];
    int count;
};

/* Launches of the kernel's function with as many arguments as it has parameters: those of its own
 * file, else of the file that includes it, else of the project's other files that have no kernel of
 * that name themselves. Start with {0}, end with gr_sites_free. */
void gr_sites_find(const struct gr_kernel *kernel, const struct gr_signature *signature,
                   const struct gr_project *project, struct gr_sites *sites);
void gr_sites_free(struct gr_sites *sites);

#endif
