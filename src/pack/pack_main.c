/* pack_main.c: gradus-pack, which the build runs to put GPU kernels into the library.
 * SPDX-License-Identifier: MIT */
#include "pack/pack_kernels.h"

#include <stdio.h>
#include <string.h>

static const char usage[] = "usage: gradus-pack tables OUTPUT LIST\n"
                            "       gradus-pack cubins OUTPUT LIST ARCH [as-compiled]\n"
                            "       gradus-pack points OUTPUT LIST FILE…\n";

int main(int argc, char **argv)
{
    static struct gr_pack_list list;
    struct gradus_error error = {0};
    const bool tables = argc == 4 && strcmp(argv[1], "tables") == 0;
    const bool points = argc >= 4 && strcmp(argv[1], "points") == 0;
    const bool cubins = argc >= 5 && argc <= 6 && strcmp(argv[1], "cubins") == 0;
    const bool as_compiled = cubins && argc == 6 && strcmp(argv[5], "as-compiled") == 0;
    if (!tables && !points && (!cubins || (argc == 6 && !as_compiled))) {
        fputs(usage, stderr);
        return 2;
    }
    enum gradus_status status = gr_pack_list_read(argv[3], &list, &error);
    if (status == GRADUS_OK)
        status = tables   ? gr_pack_tables(argv[2], &list, &error)
                 : points ? gr_pack_points(argv[2], &list, argv + 4, argc - 4, &error)
                          : gr_pack_cubins(argv[2], &list, argv[4], !as_compiled, &error);
    if (status != GRADUS_OK)
        fprintf(stderr, "gradus-pack: %s\n%s", error.text, error.log ? error.log : "");
    gr_pack_list_free(&list);
    gradus_error_clear(&error);
    return status == GRADUS_OK ? 0 : 1;
}
