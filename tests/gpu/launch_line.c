/* launch_line.c: launches the kernels of a list of launches on an NVIDIA GPU through the driver,
 * with arrays whose bytes the list determines, and says what they wrote. SPDX-License-Identifier:
 * MIT
 *
 *   cc -std=c11 -O2 -o launch_line launch_line.c -ldl
 *   launch_line [--order FILE] [--hashes FILE] [--raw FOLDER] [--skip FILE] [--only TEXT]
 * [--seconds N]
 *               [--folder CUBINS] LIST …
 *
 * It needs no headers of CUDA: it loads libcuda.so.1. With --fill ID it needs no GPU: it prints the
 * hashes of what the launch's arrays hold before it. With --check it only reads the lists.
 *
 * A line of a list, of fields that " | " separates; lines that begin with # are comments:
 *
 *   id | cubin | kernel's symbol | grid x,y,z | block x,y,z | bytes of dynamic shared memory |
 * arguments | notes
 *
 * Arguments are separated by " ; ". One is
 *
 *   i32 V, i64 V, f32 V, f64 V, f16 0xBITS, bf16 0xBITS         a number
 *   in|out|io TYPE COUNT FILL                                   a pointer to COUNT elements; out
 * and io are hashed afterwards map in|out|io TYPE COUNT FILL rank R dims D,… strides BYTES,… box
 * B,… swizzle 0|32|64|128 a CUtensorMap, by value, of an array mapp … the same, by a pointer to a
 * map in global memory { ARGUMENT , ARGUMENT … }                                   a structure of
 * numbers and pointers, laid out as C does
 *
 * TYPE: f32 f64 f16 bf16 s8 u8 i32 i64. FILL, of element i:
 *
 *   zero
 *   rand               h = mix((k + 1) << 40 | i) where k counts the line's arrays from 0, in the
 * order of the text; f32 ((h >> 40) - 2^23) / 2^23; f64 ((h >> 11) - 2^52) / 2^52; f16 ((h >> 54) -
 * 512) / 512; bf16 ((h >> 56) - 128) / 128, all of them exact; integers the upper bits of h
 *   randint:L          (h >> 32) mod L
 *   ramp:A,B           i * A, mod B if that is not 0
 *   sparse:D,I=V,…     V at I, and D elsewhere
 *
 * mix is the finalizer of SplitMix64: z += 0x9e3779b97f4a7c15; z = (z ^ z >> 30) *
 * 0xbf58476d1ce4e5b9; z = (z ^ z >> 27) * 0x94d049bb133111eb; z ^ z >> 31.
 *
 * Every array has 4096 zero bytes before it and 65536 after it, of its own allocation: a kernel
 * that reads past an end reads zeros. --hashes appends "id,array,type,count,fnv1a64" per array that
 * a kernel may write (arrays numbered as above), or "id,-,-,-,ERROR"; a launch that fails ends its
 * process, which starts itself anew after that line. --order appends the id of every launch that it
 * makes, in order: the rows of ncu. --skip: a file of ids that are not launched, one a line or as
 * --hashes writes them. --seconds: what a launch may take (30). --raw: each such array's bytes, as
 * FOLDER/id.array.bin.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long device_pointer;
static int (*driver_init)(unsigned);
static int (*device_get)(int *, int);
static int (*context_retain)(void **, int);
static int (*context_set)(void *);
static int (*context_synchronize)(void);
static int (*module_load)(void **, const void *);
static int (*module_function)(void **, void *, const char *);
static int (*function_set)(void *, int, int);
static int (*memory_alloc)(device_pointer *, size_t);
static int (*memory_free)(device_pointer);
static int (*memory_set)(device_pointer, unsigned char, size_t);
static int (*copy_to)(device_pointer, const void *, size_t);
static int (*copy_from)(void *, device_pointer, size_t);
static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     void *, void **, void **);
static int (*error_name)(int, const char **);
static int (*map_encode)(void *, int, unsigned, void *, const uint64_t *, const uint64_t *,
                         const uint32_t *, const uint32_t *, int, int, int, int);

enum { MOST_ARGUMENTS = 64, BEFORE = 4096, AFTER = 65536 };

struct array {
    char direction[4], type[8], fill[4096];
    size_t count, bytes;
    device_pointer base, at;
};
struct argument {
    _Alignas(128) unsigned char value[256];
};
struct job {
    char *field[8];
    char line[16384];
    struct array array[MOST_ARGUMENTS];
    int arrays;
    struct argument argument[MOST_ARGUMENTS];
    void *pointer[MOST_ARGUMENTS];
    int arguments;
    device_pointer map[MOST_ARGUMENTS];
    int maps;
};

static const char *folder = ".", *hashes_path, *order_path, *raw_folder, *only;
static char **skipped;
static size_t skips;
static int dry;
static unsigned seconds_a_launch = 30;
static char **self;
static int self_count;
static int line_number;
static struct job job;

static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

static uint64_t fnv1a(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
    return hash;
}

static void append(const char *path, const char *text)
{
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    if (file != NULL) {
        fputs(text, file);
        fclose(file);
    }
}

/* Notes the error and goes on in a new process, because an error of a kernel stays with the
 * process's context. */
static void give_up(const char *what)
{
    char text[1024], from[32];
    snprintf(text, sizeof text, "%s,-,-,-,%s\n", job.field[0], what);
    append(hashes_path, text);
    fprintf(stderr, "%s", text);
    if (dry)
        exit(1);
    snprintf(from, sizeof from, "%d", line_number);
    char **words = calloc((size_t)self_count + 3, sizeof *words);
    int count = 0;
    for (int i = 0; i < self_count; i++) {
        if (strcmp(self[i], "--from") == 0) {
            i++;
            continue;
        }
        words[count++] = self[i];
        if (i == 0) {
            words[count++] = "--from";
            words[count++] = from;
        }
    }
    execv("/proc/self/exe", words);
    _exit(2);
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
    give_up("TIMEOUT");
}

static void check(int code, const char *what)
{
    if (code == 0)
        return;
    const char *name = "?";
    if (error_name != NULL)
        error_name(code, &name);
    char text[256];
    snprintf(text, sizeof text, "%s: %s", what, name);
    give_up(text);
}

static size_t size_of(const char *type)
{
    static const char *names[] = {"f32", "f64", "f16", "bf16", "s8", "u8", "i32", "i64"};
    static const size_t sizes[] = {4, 8, 2, 2, 1, 1, 4, 8};
    for (size_t i = 0; i < 8; i++)
        if (strcmp(type, names[i]) == 0)
            return sizes[i];
    give_up("unknown type");
    return 0;
}

/* The bits of a 16-bit float for value = numerator / 2^power exactly. */
static uint16_t small_float(int numerator, int power, int mantissa_bits, int bias)
{
    if (numerator == 0)
        return 0;
    unsigned sign = numerator < 0, size = (unsigned)(sign ? -numerator : numerator);
    int top = 31;
    while ((size >> top) == 0)
        top--;
    unsigned mantissa =
        (unsigned)(((uint64_t)size << mantissa_bits) >> top) & ((1U << mantissa_bits) - 1U);
    return (uint16_t)(sign << 15 | (unsigned)(top - power + bias) << mantissa_bits | mantissa);
}

static void put(unsigned char *at, const char *type, int64_t value)
{
    if (strcmp(type, "f32") == 0) {
        float f = (float)value;
        memcpy(at, &f, 4);
    } else if (strcmp(type, "f64") == 0) {
        double f = (double)value;
        memcpy(at, &f, 8);
    } else {
        memcpy(at, &value, size_of(type));
    }
}

static void put_random(unsigned char *at, const char *type, uint64_t h)
{
    if (strcmp(type, "f32") == 0) {
        float f = (float)((int)(h >> 40) - (1 << 23)) / (float)(1 << 23);
        memcpy(at, &f, 4);
    } else if (strcmp(type, "f64") == 0) {
        double f = (double)((int64_t)(h >> 11) - (1LL << 52)) / (double)(1LL << 52);
        memcpy(at, &f, 8);
    } else if (strcmp(type, "f16") == 0) {
        uint16_t f = small_float((int)(h >> 54) - 512, 9, 10, 15);
        memcpy(at, &f, 2);
    } else if (strcmp(type, "bf16") == 0) {
        uint16_t f = small_float((int)(h >> 56) - 128, 7, 7, 127);
        memcpy(at, &f, 2);
    } else {
        size_t size = size_of(type);
        uint64_t v = h >> (64 - 8 * size);
        memcpy(at, &v, size);
    }
}

static unsigned char *filled(const struct array *array, int k)
{
    size_t size = size_of(array->type);
    unsigned char *bytes = calloc(array->count + 1, size);
    long long a = 0, b = 0;
    if (bytes == NULL)
        give_up("no memory");
    if (strcmp(array->fill, "zero") == 0)
        return bytes;
    if (strncmp(array->fill, "sparse:", 7) == 0) {
        char *at = strdup(array->fill + 7), *rest = at, *word = strtok_r(rest, ",", &rest);
        for (size_t i = 0; i < array->count; i++)
            put(bytes + i * size, array->type, atoll(word));
        while ((word = strtok_r(NULL, ",", &rest)) != NULL)
            if (sscanf(word, "%lld=%lld", &a, &b) == 2 && (size_t)a < array->count)
                put(bytes + (size_t)a * size, array->type, b);
        free(at);
        return bytes;
    }
    for (size_t i = 0; i < array->count; i++) {
        uint64_t h = mix((uint64_t)(k + 1) << 40 | i);
        if (strcmp(array->fill, "rand") == 0)
            put_random(bytes + i * size, array->type, h);
        else if (sscanf(array->fill, "randint:%lld", &a) == 1)
            put(bytes + i * size, array->type, (int64_t)((h >> 32) % (uint64_t)a));
        else if (sscanf(array->fill, "ramp:%lld,%lld", &a, &b) == 2)
            put(bytes + i * size, array->type, b == 0 ? (int64_t)i * a : (int64_t)i * a % b);
        else
            give_up("unknown fill");
    }
    return bytes;
}

static struct array *new_array(const char *direction, const char *type, size_t count,
                               const char *fill)
{
    struct array *array = &job.array[job.arrays++];
    snprintf(array->direction, sizeof array->direction, "%s", direction);
    snprintf(array->type, sizeof array->type, "%s", type);
    snprintf(array->fill, sizeof array->fill, "%s", fill);
    array->count = count;
    array->bytes = count * size_of(type);
    array->base = array->at = 0;
    if (dry)
        return array;
    check(memory_alloc(&array->base, BEFORE + array->bytes + AFTER), "cuMemAlloc");
    array->at = array->base + BEFORE;
    check(memory_set(array->base, 0, BEFORE + array->bytes + AFTER), "cuMemsetD8");
    unsigned char *bytes = filled(array, job.arrays - 1);
    check(copy_to(array->at, bytes, array->bytes), "cuMemcpyHtoD");
    free(bytes);
    return array;
}

static void numbers(const char *text, uint64_t *to, int most)
{
    for (int i = 0; i < most && text != NULL && *text != 0; i++) {
        to[i] = strtoull(text, NULL, 10);
        text = strchr(text, ',');
        if (text != NULL)
            text++;
    }
}

static void tensor_map(const char *text, unsigned char *value)
{
    char kind[8], direction[8], type[8], fill[4096], dims[128], strides[128], box[128];
    unsigned long long count;
    unsigned rank, swizzle;
    if (sscanf(text,
               "%7s %7s %7s %llu %4095s rank %u dims %127s strides %127s box %127s swizzle %u",
               kind, direction, type, &count, fill, &rank, dims, strides, box, &swizzle) != 10)
        give_up("a tensor map that is not understood");
    struct array *array = new_array(direction, type, (size_t)count, fill);
    uint64_t d[5] = {1, 1, 1, 1, 1}, s[5] = {0}, b[5] = {1, 1, 1, 1, 1};
    numbers(dims, d, 5);
    numbers(strides, s, 5);
    numbers(box, b, 5);
    uint32_t box32[5], ones[5] = {1, 1, 1, 1, 1};
    for (int i = 0; i < 5; i++)
        box32[i] = (uint32_t)b[i];
    /* CUtensorMapDataType: UINT8 0, UINT16 1, UINT32 2, INT32 3, UINT64 4, INT64 5, FLOAT16 6,
     * FLOAT32 7, FLOAT64 8, BFLOAT16 9. */
    int data = strcmp(type, "bf16") == 0  ? 9
               : strcmp(type, "f16") == 0 ? 6
               : strcmp(type, "f32") == 0 ? 7
               : strcmp(type, "f64") == 0 ? 8
               : strcmp(type, "i32") == 0 ? 3
                                          : 0;
    int mode = swizzle == 128 ? 3 : swizzle == 64 ? 2 : swizzle == 32 ? 1 : 0;
    if (dry)
        return;
    if (map_encode == NULL)
        give_up("no cuTensorMapEncodeTiled");
    check(map_encode(value, data, rank, (void *)(uintptr_t)array->at, d, s, box32, ones, 0, mode, 0,
                     0),
          "cuTensorMapEncodeTiled");
}

/* Writes an argument's bytes and returns their number; the alignment goes to *align. */
static size_t argument_bytes(char *text, unsigned char *value, size_t *align)
{
    char word[16], type[8], fill[4096];
    unsigned long long count;
    if (sscanf(text, "%15s", word) != 1)
        give_up("an empty argument");
    if (strcmp(word, "map") == 0) {
        tensor_map(text, value);
        *align = 128;
        return 128;
    }
    if (strcmp(word, "mapp") == 0) {
        _Alignas(128) unsigned char map[128] = {0};
        device_pointer at = 0;
        tensor_map(text, map);
        if (!dry) {
            check(memory_alloc(&at, 128), "cuMemAlloc");
            check(copy_to(at, map, 128), "cuMemcpyHtoD");
            job.map[job.maps++] = at;
        }
        memcpy(value, &at, 8);
        return *align = 8;
    }
    if (strcmp(word, "{") == 0) {
        size_t at = 0, widest = 1;
        char *rest = strstr(text, "{ ") + 2, *end = strrchr(text, '}');
        if (end != NULL)
            *end = 0;
        while (rest != NULL) {
            char *next = strstr(rest, " , ");
            if (next != NULL) {
                *next = 0;
                next += 3;
            }
            unsigned char part[128] = {0};
            size_t part_align = 1, size = argument_bytes(rest, part, &part_align);
            at = (at + part_align - 1) / part_align * part_align;
            memcpy(value + at, part, size);
            at += size;
            widest = part_align > widest ? part_align : widest;
            rest = next;
        }
        *align = widest;
        return (at + widest - 1) / widest * widest;
    }
    if (strcmp(word, "in") == 0 || strcmp(word, "out") == 0 || strcmp(word, "io") == 0) {
        if (sscanf(text, "%*s %7s %llu %4095s", type, &count, fill) != 3)
            give_up("an array that is not understood");
        struct array *array = new_array(word, type, (size_t)count, fill);
        memcpy(value, &array->at, 8);
        return *align = 8;
    }
    char number[64];
    if (sscanf(text, "%*s %63s", number) != 1)
        give_up("a number is missing");
    *align = size_of(word);
    if (strcmp(word, "f32") == 0) {
        float f = strtof(number, NULL);
        memcpy(value, &f, 4);
    } else if (strcmp(word, "f64") == 0) {
        double f = strtod(number, NULL);
        memcpy(value, &f, 8);
    } else {
        long long v = strtoll(number, NULL, 0);
        memcpy(value, &v, *align);
    }
    return *align;
}

static void *function_of(const char *cubin, const char *symbol)
{
    static char name[512];
    static void *module;
    if (strcmp(name, cubin) != 0) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, cubin);
        FILE *file = fopen(path, "rb");
        if (file == NULL)
            give_up("no such cubin");
        fseek(file, 0, SEEK_END);
        long size = ftell(file);
        rewind(file);
        char *image = malloc((size_t)size + 1);
        if (image == NULL || fread(image, 1, (size_t)size, file) != (size_t)size)
            give_up("a cubin that cannot be read");
        fclose(file);
        name[0] = 0;
        int status = module_load(&module, image); /* the driver keeps a copy */
        free(image);
        check(status, "cuModuleLoadData");
        snprintf(name, sizeof name, "%s", cubin);
    }
    void *function = NULL;
    check(module_function(&function, module, symbol), "cuModuleGetFunction");
    return function;
}

static int is_skipped(const char *id)
{
    for (size_t i = 0; i < skips; i++)
        if (strcmp(skipped[i], id) == 0)
            return 1;
    return 0;
}

static void report(void)
{
    for (int k = 0; k < job.arrays; k++) {
        struct array *array = &job.array[k];
        if (strcmp(array->direction, "in") == 0)
            continue;
        unsigned char *bytes = malloc(array->bytes + 1);
        if (bytes == NULL)
            give_up("no memory");
        check(copy_from(bytes, array->at, array->bytes), "cuMemcpyDtoH");
        char text[1024];
        snprintf(text, sizeof text, "%s,%d,%s,%zu,%016llx\n", job.field[0], k, array->type,
                 array->count, (unsigned long long)fnv1a(bytes, array->bytes));
        append(hashes_path, text);
        if (raw_folder != NULL) {
            snprintf(text, sizeof text, "%s/%s.%d.bin", raw_folder, job.field[0], k);
            FILE *file = fopen(text, "wb");
            if (file != NULL) {
                fwrite(bytes, 1, array->bytes, file);
                fclose(file);
            }
        }
        free(bytes);
    }
}

static void run_line(const char *fill_id)
{
    char *at = job.line;
    for (int i = 0; i < 8; i++) {
        job.field[i] = at;
        char *end = at == NULL ? NULL : strstr(at, " | ");
        if (end == NULL && i < 7)
            give_up("fewer than eight fields");
        if (end != NULL) {
            *end = 0;
            at = end + 3;
        }
    }
    if (is_skipped(job.field[0]) || (only != NULL && strstr(job.field[0], only) == NULL))
        return;
    if (fill_id != NULL && strcmp(fill_id, job.field[0]) != 0)
        return;
    uint64_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    numbers(job.field[3], grid, 3);
    numbers(job.field[4], block, 3);
    unsigned shared = (unsigned)strtoul(job.field[5], NULL, 10);
    job.arrays = job.arguments = job.maps = 0;
    memset(job.argument, 0, sizeof job.argument);
    alarm(dry ? 0 : seconds_a_launch);
    for (char *rest = job.field[6]; rest != NULL && *rest != 0 && job.arguments < MOST_ARGUMENTS;) {
        char *next = strstr(rest, " ; ");
        if (next != NULL) {
            *next = 0;
            next += 3;
        }
        size_t align = 1;
        argument_bytes(rest, job.argument[job.arguments].value, &align);
        job.pointer[job.arguments] = job.argument[job.arguments].value;
        job.arguments++;
        rest = next;
    }
    if (fill_id != NULL) {
        for (int k = 0; k < job.arrays; k++) {
            unsigned char *bytes = filled(&job.array[k], k);
            printf("%s,%d,%s,%zu,%016llx\n", job.field[0], k, job.array[k].type, job.array[k].count,
                   (unsigned long long)fnv1a(bytes, job.array[k].bytes));
            free(bytes);
        }
        return;
    }
    if (dry)
        return;
    void *function = function_of(job.field[1], job.field[2]);
    if (shared > 48 * 1024) /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
        check(function_set(function, 8, (int)shared), "cuFuncSetAttribute");
    char text[1024];
    snprintf(text, sizeof text, "%s\n", job.field[0]);
    check(launch(function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
                 (unsigned)block[0], (unsigned)block[1], (unsigned)block[2], shared, NULL,
                 job.pointer, NULL),
          "cuLaunchKernel");
    append(order_path, text);
    check(context_synchronize(), "cuCtxSynchronize");
    report();
    alarm(0);
    for (int k = 0; k < job.arrays; k++)
        memory_free(job.array[k].base);
    for (int k = 0; k < job.maps; k++)
        memory_free(job.map[k]);
}

static void read_skips(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[4096];
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, ",\r\n")] = 0;
        skipped = realloc(skipped, (skips + 1) * sizeof *skipped);
        if (skipped == NULL)
            exit(2);
        skipped[skips++] = strdup(line);
    }
    fclose(file);
}

static void *entry(void *library, const char *name, int needed)
{
    void *found = dlsym(library, name);
    if (found == NULL && needed) {
        fprintf(stderr, "launch_line: the driver has no %s\n", name);
        exit(3);
    }
    return found;
}

#ifndef DRIVER /* NULL: a driver that this program is linked with (tests/machine) */
#define DRIVER "libcuda.so.1"
#endif

static void start(void)
{
    void *library = dlopen(DRIVER, RTLD_NOW), *context = NULL;
    int device = 0;
    if (library == NULL) {
        fprintf(stderr, "launch_line: %s\n", dlerror());
        exit(3);
    }
#define ENTRY(variable, name) *(void **)&(variable) = entry(library, name, 1)
    ENTRY(driver_init, "cuInit");
    ENTRY(device_get, "cuDeviceGet");
    ENTRY(context_retain, "cuDevicePrimaryCtxRetain");
    ENTRY(context_set, "cuCtxSetCurrent");
    ENTRY(context_synchronize, "cuCtxSynchronize");
    ENTRY(module_load, "cuModuleLoadData");
    ENTRY(module_function, "cuModuleGetFunction");
    ENTRY(function_set, "cuFuncSetAttribute");
    ENTRY(memory_alloc, "cuMemAlloc_v2");
    ENTRY(memory_free, "cuMemFree_v2");
    ENTRY(memory_set, "cuMemsetD8_v2");
    ENTRY(copy_to, "cuMemcpyHtoD_v2");
    ENTRY(copy_from, "cuMemcpyDtoH_v2");
    ENTRY(launch, "cuLaunchKernel");
    ENTRY(error_name, "cuGetErrorName");
#undef ENTRY
    *(void **)&map_encode = entry(library, "cuTensorMapEncodeTiled", 0);
    if (driver_init(0) != 0 || device_get(&device, 0) != 0 ||
        context_retain(&context, device) != 0 || context_set(context) != 0) {
        fprintf(stderr, "launch_line: no NVIDIA GPU that the driver can use\n");
        exit(3);
    }
}

int main(int count, char **words)
{
    const char *fill_id = NULL;
    int from = 0, done = 0, first = count;
    job.field[0] = "-";
    self = words;
    self_count = count;
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        if (strncmp(word, "--", 2) != 0) {
            first = i;
            break;
        }
        if (strcmp(word, "--check") == 0) {
            dry = 1;
            continue;
        }
        if (++i == count)
            return 2;
        if (strcmp(word, "--order") == 0)
            order_path = words[i];
        else if (strcmp(word, "--hashes") == 0)
            hashes_path = words[i];
        else if (strcmp(word, "--raw") == 0)
            raw_folder = words[i];
        else if (strcmp(word, "--skip") == 0)
            read_skips(words[i]);
        else if (strcmp(word, "--only") == 0)
            only = words[i];
        else if (strcmp(word, "--folder") == 0)
            folder = words[i];
        else if (strcmp(word, "--seconds") == 0)
            seconds_a_launch = (unsigned)strtoul(words[i], NULL, 10);
        else if (strcmp(word, "--from") == 0)
            from = atoi(words[i]);
        else if (strcmp(word, "--fill") == 0) {
            fill_id = words[i];
            dry = 1;
        } else
            return 2;
    }
    if (!dry) {
        struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_NODEFER};
        sigaction(SIGALRM, &action, NULL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        start();
    }
    for (int i = first; i < count; i++) {
        FILE *file = fopen(words[i], "r");
        if (file == NULL) {
            fprintf(stderr, "launch_line: no list %s\n", words[i]);
            return 2;
        }
        while (fgets(job.line, sizeof job.line, file) != NULL) {
            line_number++;
            job.line[strcspn(job.line, "\r\n")] = 0;
            if (job.line[0] == 0 || job.line[0] == '#' || line_number <= from)
                continue;
            run_line(fill_id);
            done++;
        }
        fclose(file);
    }
    if (fill_id == NULL)
        fprintf(stderr, "launch_line: %d lines\n", done);
    return 0;
}
