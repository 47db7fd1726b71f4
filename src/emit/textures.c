/* textures.c: rejects textures and surfaces by name. SPDX-License-Identifier: MIT */
#include "emit/textures.h"

#include "core/error.h"
#include "source/scan.h"

#include <stdlib.h>
#include <string.h>

static bool is_texture_word(const struct gr_scan *scan, int i)
{
    static const char *const words[] = {
        "cudaTextureObject_t", "cudaSurfaceObject_t", "tex1Dfetch", "tex1D", "tex2D", "tex3D",
        "surf1Dread",          "surf2Dread",          "surf2Dwrite"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (gr_token_is(scan, i, words[w]))
            return true;
    bool reference = gr_token_is(scan, i, "texture") || gr_token_is(scan, i, "surface");
    return reference && gr_token_is(scan, i + 1, "<");
}

enum gradus_status gr_textures_refuse(const struct gr_kernel *kernel, struct gradus_error *error)
{
    struct gr_scan scan;
    enum gradus_status status = gr_scan_text(kernel->path, kernel->source, &scan, error);
    if (status != GRADUS_OK)
        return status;
    for (int i = 0; i < scan.token_count && status == GRADUS_OK; i++) {
        if (scan.tokens[i].kind != GR_TOKEN_WORD || !is_texture_word(&scan, i))
            continue;
        char *name = gr_token_text(&scan, i);
        status =
            gr_fail(error, GRADUS_UNSUPPORTED,
                    "%s:%d: found %s: textures and surfaces are not supported; read the matrix "
                    "through a pointer",
                    kernel->path, scan.tokens[i].line, name ? name : "a texture");
        free(name);
    }
    gr_scan_free(&scan);
    return status;
}
