/* npy_write.c: writes .npy files. SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "io/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* As in numpy.lib.format: the elements begin at a multiple of 64 bytes, and blanks fill the gap. */
enum { ALIGNMENT = 64, PREFIX = 10 };

static const char *descr_of(enum gr_dtype type)
{
    bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    switch (type) {
    case GR_F64:
        return big ? ">f8" : "<f8";
    case GR_F32:
        return big ? ">f4" : "<f4";
    case GR_F16:
        return big ? ">f2" : "<f2";
    default:
        return NULL;
    }
}

static enum gradus_status not_written(struct gradus_error *error)
{
    return gr_fail(error, GRADUS_IO, "could not be written: %s",
                   errno ? strerror(errno) : "write error");
}

enum gradus_status gr_npy_write_header(FILE *stream, enum gr_dtype type, int rank, int64_t rows,
                                       int64_t cols, struct gradus_error *error)
{
    if (!descr_of(type) || rank < 0 || rank > 2)
        return gr_fail(error, GRADUS_INVALID,
                       "npy: found %s of rank %d, wanted f16, f32 or f64, rank 0 to 2",
                       gr_dtype_name(type), rank);
    char shape[64] = "", text[192];
    if (rank == 1)
        snprintf(shape, sizeof shape, "%" PRId64 ",", rows * cols);
    else if (rank == 2)
        snprintf(shape, sizeof shape, "%" PRId64 ", %" PRId64, rows, cols);
    int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                 descr_of(type), shape);
    int whole = (PREFIX + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - PREFIX;
    memset(text + length, ' ', (size_t)(whole - length));
    text[whole - 1] = '\n';
    const unsigned char prefix[PREFIX] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)whole,
                                          0};
    errno = 0;
    if (fwrite(prefix, 1, PREFIX, stream) != PREFIX ||
        fwrite(text, 1, (size_t)whole, stream) != (size_t)whole)
        return not_written(error);
    return GRADUS_OK;
}

enum gradus_status gr_npy_write(FILE *stream, enum gr_dtype type, int rank, int64_t rows,
                                int64_t cols, const void *elements, struct gradus_error *error)
{
    enum gradus_status status = gr_npy_write_header(stream, type, rank, rows, cols, error);
    if (status != GRADUS_OK)
        return status;
    const size_t count = (size_t)(rows * cols);
    errno = 0;
    if (count && fwrite(elements, gr_dtype_bytes(type), count, stream) != count)
        return not_written(error);
    return GRADUS_OK;
}
