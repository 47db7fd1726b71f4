/* verb_version.c: gradus version: prints the version of Gradus and how it was built.
 * SPDX-License-Identifier: MIT */
#include "base/build.h"
#include "cli/verb.h"
#include "cpu/cpu.h"
#include "history/history.h"
#include "io/json.h"

#include <stdio.h>

/* Prints the levels, such as "avx512, avx2, portable (here: avx2)". */
static void print_isa(void)
{
    const char *isa, *comma = "";
    printf("isa        ");
    for (int i = 0; (isa = gr_cpu_isa_at(i)); i++) {
        printf("%s%s", comma, isa);
        comma = ", ";
    }
    printf(" (here: %s)\n", gr_cpu_isa());
}

static enum gr_exit run(const struct gr_args *args)
{
    (void)args;
    printf("gradus %s\n", gradus_version());
    printf("target     %s\n", gr_build_facts.target);
    printf("compiler   %s\n", gr_build_facts.compiler);
    printf("build      %s\n", gr_build_facts.type);
    printf("flags      %s\n", gr_build_facts.flags);
    print_isa();
    printf("json       %s\n",
           gr_json_is_readable()
               ? "written and read (cJSON)"
               : "written; not read: cJSON was missing when it was built (apt-get install "
                 "libcjson-dev)");
    if (gr_history_is_built())
        printf("history    kept (SQLite %s)\n", gr_history_sqlite_version());
    else
        printf("history    not kept: SQLite was missing when it was built (apt-get install "
               "libsqlite3-dev)\n");
    if (gr_build_facts.sanitizer[0])
        printf("sanitizer  %s\n", gr_build_facts.sanitizer);
    return GR_EXIT_RIGHT;
}

const struct gr_verb gr_verb_version = {
    .name = "version",
    .summary = "print the version and how it was built",
    .group = GR_GROUP_OTHER,
    .judges_nothing = true,
    .run = run,
};
