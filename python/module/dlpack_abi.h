/* dlpack_abi.h: DLPack's binary interface: arrays handed from one library to another in a capsule.
 * https://dmlc.github.io/dlpack/latest/c_api.html. SPDX-License-Identifier: MIT */
#ifndef PYTHON_DLPACK_ABI_H
#define PYTHON_DLPACK_ABI_H

#include <stdint.h>

enum {
    GR_DL_CPU = 1,
    GR_DL_CUDA = 2,
    GR_DL_CUDA_HOST = 3,
    GR_DL_ROCM = 10,
    GR_DL_ROCM_HOST = 11,
    GR_DL_CUDA_MANAGED = 13
};
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

/* Since 1.2: functions of a library, in the capsule of a type's __dlpack_c_exchange_api__, that do
 * the same without Python. They return 0, or -1 with an exception. */
struct gr_dl_exchange {
    struct {
        uint32_t major, minor;
    } version;
    const void *older;
    /* A new array; of `like`, the dtype, the shape and the device are read. */
    int (*make)(struct gr_dl_tensor *like, struct gr_dl_versioned **made, void *context,
                void (*fail)(void *context, const char *kind, const char *text));
    int (*from_object)(void *object, struct gr_dl_versioned **array);
    int (*to_object)(struct gr_dl_versioned *array, void **object); /* takes the array over */
    int (*view_object)(void *object, struct gr_dl_tensor *view);
    int (*current_stream)(int32_t device_type, int32_t device_number, void **stream);
};
#define GR_DL_EXCHANGE_CAPSULE "dlpack_exchange_api"

#endif
