/* npy.c: opens .npy files by mapping them. SPDX-License-Identifier: MIT */
#include "io/npy.h"

#include "core/error.h"
#include "base/file.h"
#include "io/npy_header.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NATIVE_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Describes an unsupported type code, and what to do about it. */
static const char *type_words(char kind)
{
    switch (kind) {
    case 'b':
        return "booleans";
    case 'i':
    case 'u':
        return "integers";
    case 'c':
        return "complex numbers";
    case 'O':
        return "Python objects";
    case 'S':
    case 'U':
    case 'a':
        return "text";
    case 'm':
    case 'M':
        return "times";
    case 'V':
        return "raw bytes";
    default:
        return "an unknown type";
    }
}

/* "u2", "i2", "V2": words without a type of their own. */
static bool is_word(const char *code, enum gr_dtype raw)
{
    return *code && strchr("uiV", *code) && code[1] == '0' + (char)gr_dtype_bytes(raw) &&
           code[2] == 0;
}

/* Parses "<f4": byte order, kind, bytes. '=', '|' and no byte order mean this machine's. `raw`,
 * which may be null, is what words are. */
static enum gradus_status read_type(const char *name, const char *descr, const enum gr_dtype *raw,
                                    struct gr_npy *array, struct gradus_error *error)
{
    bool ordered = *descr && strchr("<>=|", *descr);
    char order = ordered ? *descr : '=';
    const char *code = descr + ordered;
    array->big_endian = order == '>' || (order != '<' && NATIVE_BIG_ENDIAN);
    if (strcmp(code, "f8") == 0)
        array->type = GR_F64;
    else if (strcmp(code, "f4") == 0)
        array->type = GR_F32;
    else if (strcmp(code, "f2") == 0)
        array->type = GR_F16;
    else if (raw && is_word(code, *raw))
        array->type = *raw;
    else if (raw)
        return gr_fail(
            error, GRADUS_INVALID,
            "%s: descr: found '%s', wanted u%zu, i%zu or V%zu for words of %s, or f4, f8 "
            "or f2",
            name, descr, gr_dtype_bytes(*raw), gr_dtype_bytes(*raw), gr_dtype_bytes(*raw),
            gr_dtype_name(*raw));
    else
        return gr_fail(
            error, GRADUS_INVALID,
            "%s: descr: found '%s' (%s), wanted f4, f8 or f2: convert with .astype('f4')", name,
            descr, *code == 'f' ? "another float" : type_words(*code));
    return GRADUS_OK;
}

/* Checks the shape, and that the file has as many elements as it declares. */
static enum gradus_status read_shape(const char *name, const struct gr_npy_header *header,
                                     uint64_t bytes_left, struct gr_npy *array,
                                     struct gradus_error *error)
{
    if (header->rank > 2)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: shape: found %s (rank %" PRId64 "), wanted a matrix or a vector", name,
                       header->shape_text, header->rank);
    array->rank = (int)header->rank;
    array->rows = array->rank > 0 ? header->shape[0] : 1;
    array->cols = array->rank > 1 ? header->shape[1] : 1;
    int64_t wanted;
    if (__builtin_mul_overflow(array->rows, array->cols, &wanted) ||
        __builtin_mul_overflow(wanted, (int64_t)gr_dtype_bytes(array->type), &wanted))
        return gr_fail(
            error, GRADUS_INVALID,
            "%s: shape: found %s, more than 2^63 bytes, wanted what the file holds (%" PRIu64
            " bytes)",
            name, header->shape_text, bytes_left);
    if ((uint64_t)wanted > bytes_left)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: data: found %" PRIu64 " bytes, wanted %" PRId64
                       " for shape %s of %s; is the "
                       "file cut short?",
                       name, bytes_left, wanted, header->shape_text, header->descr);
    return GRADUS_OK;
}

/* Reads the magic number, the version and the header's length. *text is the start of the header. */
static enum gradus_status read_prefix(const char *name, const unsigned char *bytes, uint64_t count,
                                      uint64_t *text, uint64_t *length, struct gradus_error *error)
{
    static const char magic[] = "\x93NUMPY";
    enum { MAGIC = sizeof magic - 1 };
    if (count < MAGIC || memcmp(bytes, magic, MAGIC) != 0)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: magic: found %s, wanted \\x93NUMPY: is it a .npy file?", name,
                       count == 0 ? "an empty file" : "other bytes");
    if (count < MAGIC + 2)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: version: found the end of the file, wanted 1.0, 2.0 or 3.0", name);
    if (bytes[MAGIC] < 1 || bytes[MAGIC] > 3 || bytes[MAGIC + 1] != 0)
        return gr_fail(error, GRADUS_INVALID, "%s: version: found %d.%d, wanted 1.0, 2.0 or 3.0",
                       name, bytes[MAGIC], bytes[MAGIC + 1]);
    uint64_t width = bytes[MAGIC] == 1 ? 2 : 4;
    *text = MAGIC + 2 + width;
    *length = 0;
    for (uint64_t i = width; i-- > 0 && count >= *text;)
        *length = *length << 8 | bytes[MAGIC + 2 + i];
    if (count < *text || *length > count - *text)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: header length: found %" PRIu64 ", wanted at most %" PRIu64
                       ", as the file ends there",
                       name, *length, count < *text ? 0 : count - *text);
    return GRADUS_OK;
}

static enum gradus_status parse(const char *name, const void *bytes, uint64_t count,
                                const enum gr_dtype *raw, struct gr_npy *array,
                                struct gradus_error *error)
{
    *array = (struct gr_npy){0};
    uint64_t text = 0, length = 0;
    struct gr_npy_header header;
    enum gradus_status status = read_prefix(name, bytes, count, &text, &length, error);
    if (status == GRADUS_OK)
        status = gr_npy_header_parse(name, (const char *)bytes + text, length, &header, error);
    if (status == GRADUS_OK)
        status = read_type(name, header.descr, raw, array, error);
    if (status == GRADUS_OK)
        status = read_shape(name, &header, count - text - length, array, error);
    if (status != GRADUS_OK)
        return status;
    array->fortran = header.fortran_order;
    array->elements = (const char *)bytes + text + length;
    return GRADUS_OK;
}

enum gradus_status gr_npy_parse(const char *name, const void *bytes, uint64_t count,
                                struct gr_npy *array, struct gradus_error *error)
{
    return parse(name, bytes, count, NULL, array, error);
}

/* A pipe cannot be mapped, so its bytes are read into memory, and mapping_bytes stays 0. */
static enum gradus_status read_pipe(const char *path, const enum gr_dtype *raw,
                                    struct gr_npy *array, struct gradus_error *error)
{
    char *bytes;
    size_t count;
    enum gradus_status status = gr_file_read(path, &bytes, &count, error);
    if (status != GRADUS_OK)
        return status;
    status = parse(path, bytes, count, raw, array, error);
    array->mapping = bytes;
    if (status != GRADUS_OK)
        gr_npy_close(array);
    return status;
}

static enum gradus_status map_file(const char *path, int fd, uint64_t count,
                                   const enum gr_dtype *raw, struct gr_npy *array,
                                   struct gradus_error *error)
{
    if (count == 0)
        return parse(path, "", 0, raw, array, error);
    void *bytes = mmap(NULL, count, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return gr_fail(error, GRADUS_IO, "%s: cannot be mapped: %s", path, strerror(errno));
    enum gradus_status status = parse(path, bytes, count, raw, array, error);
    array->mapping = bytes;
    array->mapping_bytes = count;
    if (status != GRADUS_OK)
        gr_npy_close(array);
    return status;
}

static enum gradus_status open_file(const char *path, const enum gr_dtype *raw,
                                    struct gr_npy *array, struct gradus_error *error)
{
    *array = (struct gr_npy){0};
    struct stat st;
    if (stat(path, &st) != 0)
        return gr_fail(error, errno == ENOENT ? GRADUS_NOT_FOUND : GRADUS_IO, "%s: %s", path,
                       strerror(errno));
    if (S_ISFIFO(st.st_mode))
        return read_pipe(path, raw, array, error);
    if (!S_ISREG(st.st_mode))
        return gr_fail(error, GRADUS_INVALID, "%s: found %s, wanted a .npy file", path,
                       S_ISDIR(st.st_mode) ? "a directory" : "a device");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd == -1 || fstat(fd, &st) != 0) {
        int reason = errno;
        if (fd != -1)
            close(fd);
        return gr_fail(error, GRADUS_IO, "%s: %s", path, strerror(reason));
    }
    enum gradus_status status = map_file(path, fd, (uint64_t)st.st_size, raw, array, error);
    close(fd);
    return status;
}

enum gradus_status gr_npy_open(const char *path, struct gr_npy *array, struct gradus_error *error)
{
    return open_file(path, NULL, array, error);
}

enum gradus_status gr_npy_open_raw(const char *path, enum gr_dtype raw, struct gr_npy *array,
                                   struct gradus_error *error)
{
    return open_file(path, &raw, array, error);
}

void gr_npy_close(struct gr_npy *array)
{
    if (array->mapping_bytes)
        munmap(array->mapping, array->mapping_bytes);
    else
        free(array->mapping);
    *array = (struct gr_npy){0};
}
