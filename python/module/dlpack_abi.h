/* dlpack_abi.h: DLPack's binary interface: arrays handed from one library to another in a capsule.
 * https://dmlc.github.io/dlpack/latest/c_api.html. SPDX-License-Identifier: MIT */
#ifndef PYTHON_DLPACK_ABI_H
#define PYTHON_DLPACK_ABI_H

#include <stdint.h>

enum { GR_DL_CPU = 1, GR_DL_CUDA = 2, GR_DL_CUDA_HOST = 3, GR_DL_ROCM = 10, GR_DL_ROCM_HOST = 11 };
enum { GR_DL_INT = 0, GR_DL_UINT = 1, GR_DL_FLOAT = 2, GR_DL_BFLOAT = 4 };

struct gr_dl_tensor {
    void *data;
    struct {
        int32_t type, number;
    } device;
    int32_t dims;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape;
    int64_t *step; /* in elements; null: C's order */
    uint64_t offset_bytes;
};

/* In a capsule "dltensor". */
struct gr_dl_managed {
    struct gr_dl_tensor tensor;
    void *context;
    void (*deleter)(struct gr_dl_managed *managed);
};
#define GR_DL_CAPSULE "dltensor"

/* In a capsule "dltensor_versioned". */
struct gr_dl_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct gr_dl_versioned *managed);
    uint64_t flags;
    struct gr_dl_tensor tensor;
};
#define GR_DL_VERSIONED_CAPSULE "dltensor_versioned"
enum { GR_DL_MAJOR = 1, GR_DL_READ_ONLY = 1 };

#endif
