/* amd_disassemble.c: runs llvm-objdump on a code object. SPDX-License-Identifier: MIT */
#include "gpu/amd_disassemble.h"

#include "base/process.h"
#include "base/temporary.h"
#include "code/amd_listing.h"
#include "core/error.h"
#include "gpu/amd_llvm.h"

#include <stdlib.h>

static const int64_t limit_ns = 60000000000LL;

static enum gradus_status run(const char *program, const char *path, struct gr_str *listing,
                              struct gr_code *code, struct gradus_error *error)
{
    const char *const argv[] = {program, "-d", path, NULL};
    int exit_code = 1;
    enum gradus_status status = gr_process_run(argv, NULL, limit_ns, listing, &exit_code, error);
    if (status == GRADUS_OK && exit_code != 0)
        status = gr_fail(error, GRADUS_UNSUPPORTED,
                         "skip: the instructions are not known: %s does not read code of %s; get a "
                         "newer one, and say where it is with: export GRADUS_LLVM_OBJDUMP=PATH",
                         program, code->arch);
    return status;
}

enum gradus_status gr_amd_disassemble(const void *image, size_t length, struct gr_code *code,
                                      struct gradus_error *error)
{
    char *program = gr_amd_objdump_find(), path[512] = "";
    int slot = -1;
    struct gr_str listing = {0};
    if (!program)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: the instructions are not known: no llvm-objdump here; get it with: "
                       "apt-get install llvm-19");
    enum gradus_status status = gr_temporary_make(".co", path, sizeof path, &slot, error);
    if (status == GRADUS_OK)
        status = gr_temporary_fill(path, image, length, error);
    if (status == GRADUS_OK)
        status = run(program, path, &listing, code, error);
    if (status == GRADUS_OK)
        status = gr_amd_listing_take(gr_str_text(&listing), code, error);
    gr_temporary_remove(path, slot);
    gr_str_free(&listing);
    free(program);
    return status;
}
