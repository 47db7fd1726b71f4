/* embed_main.c: gradus-embed, which the build runs to put kernels and texts into the binary.
 * SPDX-License-Identifier: MIT */
#include "embed/embed.h"

#include "core/error.h"
#include "catalog/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: gradus-embed stubs DIRECTORY KERNEL LEVEL…\n"
    "       gradus-embed table OUTPUT LEVEL=FLAGS… -- KERNEL…\n"
    "       gradus-embed texts OUTPUT FILE…\n"
    "Paths are relative to the source tree, and are named so in what is written.\n";

static enum gradus_status run_stubs(int argc, char **argv, struct gradus_error *error)
{
    struct gr_kernel *kernel;
    enum gradus_status status = gr_kernel_read(argv[3], NULL, &kernel, error);
    if (status == GRADUS_OK)
        status = gr_embed_stubs(argv[2], kernel, argv + 4, argc - 4, error);
    gr_kernel_free(kernel);
    return status;
}

static enum gradus_status run_table(int argc, char **argv, struct gradus_error *error)
{
    int dashes = 3;
    while (dashes < argc && strcmp(argv[dashes], "--") != 0)
        dashes++;
    int count = argc - dashes - 1;
    struct gr_kernel **kernels = calloc((size_t)argc, sizeof *kernels);
    if (!kernels)
        return gr_fail_memory(error, "kernels", 0);
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < count && status == GRADUS_OK; i++)
        status = gr_kernel_read(argv[dashes + 1 + i], NULL, &kernels[i], error);
    /* A rung that the catalog would reject at run time is rejected at build time. */
    struct gr_catalog catalog = {kernels, count > 0 ? count : 0};
    if (status == GRADUS_OK)
        status = gr_catalog_order(&catalog, error);
    if (status == GRADUS_OK)
        status =
            gr_embed_table(argv[2], kernels, count > 0 ? count : 0, argv + 3, dashes - 3, error);
    for (int i = 0; i < count; i++)
        gr_kernel_free(kernels[i]);
    free(kernels);
    return status;
}

int main(int argc, char **argv)
{
    struct gradus_error error = {0};
    enum gradus_status status;
    if (argc >= 4 && strcmp(argv[1], "stubs") == 0) {
        status = run_stubs(argc, argv, &error);
    } else if (argc >= 3 && strcmp(argv[1], "table") == 0) {
        status = run_table(argc, argv, &error);
    } else if (argc >= 3 && strcmp(argv[1], "texts") == 0) {
        status = gr_embed_texts(argv[2], argv + 3, argc - 3, &error);
    } else {
        fputs(usage, stderr);
        return 2;
    }
    if (status != GRADUS_OK)
        fprintf(stderr, "gradus-embed: %s\n", error.text);
    gradus_error_clear(&error);
    return status == GRADUS_OK ? 0 : 1;
}
