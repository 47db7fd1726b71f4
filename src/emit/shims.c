/* shims.c: the simulator's headers by name. The file src/simrt/shim/NAME.hpp is the header NAME,
 * with "__" for each slash: cuda__barrier.hpp is <cuda/barrier>, and cuda_fp16.h.hpp is
 * <cuda_fp16.h>. SPDX-License-Identifier: MIT */
#include "emit/shims.h"

#include "base/str.h"
#include "catalog/catalog.h"
#include "emit/clangtypes.h"
#include "emit/hipheaders.h"
#include "emit/hostheaders.h"

#include <string.h>

static const char folder[] = "src/simrt/shim/";
static const char interface[] = "src/simrt/gr_sim.h";

/* Headers of the toolkits that gr_cuda.h already covers, and helpers for host code, which is
 * removed. */
static const char *const empty[] = {
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_device_runtime_api.h",
    "device_launch_parameters.h",
    "device_functions.h",
    "device_atomic_functions.h",
    "device_types.h",
    "driver_types.h",
    "vector_types.h",
    "vector_functions.h",
    "math_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_32_intrinsics.h",
    "sm_35_intrinsics.h",
    "cuda_profiler_api.h",
    "cublas_v2.h",
    "cublasLt.h",
    "cublas.h",
    "curand.h",
    "curand_kernel.h",
    "cusparse.h",
    "cusparse_v2.h",
    "cusolverDn.h",
    "cufft.h",
    "nvml.h",
    "nvrtc.h",
    "nvToolsExt.h",
    "nvtx3/nvToolsExt.h",
    "cudaTypedefs.h",
    "helper_cuda.h",
    "helper_functions.h",
    "helper_string.h",
    "hip/hip_common.h",
    "hip/driver_types.h",
};

static const char *const host_only[] = {
#define ROW(name) name,
    GR_HOST_HEADERS(ROW)
#undef ROW
};

/* <cuda/std/NAME> includes the host's <NAME>. */
#define ALIAS(name)                                                                                \
    {                                                                                              \
        "cuda/std/" name, "#pragma once\n#include <" name ">\n"                                    \
                          "namespace cuda { namespace std = ::std; }\n"                            \
    }
static const struct {
    const char *name, *text;
} aliases[] = {ALIAS("array"),      ALIAS("cassert"),     ALIAS("cfloat"),  ALIAS("chrono"),
               ALIAS("climits"),    ALIAS("cmath"),       ALIAS("cstddef"), ALIAS("cstdint"),
               ALIAS("functional"), ALIAS("limits"),      ALIAS("ratio"),   ALIAS("tuple"),
               ALIAS("utility"),    ALIAS("type_traits"), ALIAS("complex"),
#define ROW(name, header) {name, "#pragma once\n#include <" header ">\n"},
               GR_HIP_ALIASES(ROW)
#undef ROW
};

/* "src/simrt/shim/cuda__barrier.hpp" becomes cuda/barrier. */
static void name_of(const char *path, struct gr_shim *shim)
{
    const char *from = path + strlen(folder), *end = path + strlen(path) - strlen(".hpp");
    size_t length = 0;
    while (from < end && length + 1 < sizeof shim->name) {
        bool slash = from[0] == '_' && from[1] == '_';
        shim->name[length++] = slash ? '/' : *from;
        from += slash ? 2 : 1;
    }
    shim->name[length] = 0;
}

static bool empty_at(const char *const *names, int count, int i, struct gr_shim *shim)
{
    if (i < 0 || i >= count)
        return false;
    strcpy(shim->name, names[i]);
    shim->text = "#pragma once\n";
    return true;
}

bool gr_shim_at(int i, struct gr_shim *shim)
{
    const int empty_count = (int)(sizeof empty / sizeof *empty);
    const int host_count = (int)(sizeof host_only / sizeof *host_only);
    if (i < 0)
        return false;
    if (empty_at(empty, empty_count, i, shim) ||
        empty_at(host_only, host_count, i - empty_count, shim))
        return true;
    i -= empty_count + host_count;
    const int alias_count = (int)(sizeof aliases / sizeof *aliases);
    if (i < alias_count) {
        strcpy(shim->name, aliases[i].name);
        shim->text = aliases[i].text;
        return true;
    }
    i -= alias_count;
    if (i < GR_CLANG_TYPES_HEADERS) {
        strcpy(shim->name, gr_clang_types_header(i, &shim->text));
        return true;
    }
    i -= GR_CLANG_TYPES_HEADERS;
    for (int e = 0; gr_embedded_at(e); e++) {
        const struct gr_embedded *file = gr_embedded_at(e);
        bool is_interface = strcmp(file->path, interface) == 0;
        bool is_shim = gr_starts_with(file->path, folder) && gr_ends_with(file->path, ".hpp");
        if ((!is_interface && !is_shim) || i-- > 0)
            continue;
        if (is_interface)
            strcpy(shim->name, "gr_sim.h");
        else
            name_of(file->path, shim);
        shim->text = file->text;
        return true;
    }
    return false;
}
