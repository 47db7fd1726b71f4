/* verb_version.c: gradus version: which Gradus this is and how it was built.
 * SPDX-License-Identifier: MIT */
#include "base/build.h"
#include "cli/verb.h"

#include <stdio.h>

static enum gr_exit run(const struct gr_args *args)
{
    (void)args;
    printf("gradus %s\n", gradus_version());
    printf("target     %s\n", gr_build_facts.target);
    printf("compiler   %s\n", gr_build_facts.compiler);
    printf("build      %s\n", gr_build_facts.type);
    printf("flags      %s\n", gr_build_facts.flags);
    if (gr_build_facts.sanitizer[0])
        printf("sanitizer  %s\n", gr_build_facts.sanitizer);
    return GR_EXIT_RIGHT;
}

const struct gr_verb gr_verb_version = {
    .name = "version",
    .summary = "say which Gradus this is and how it was built",
    .group = GR_GROUP_OTHER,
    .run = run,
};
