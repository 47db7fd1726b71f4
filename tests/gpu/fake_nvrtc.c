/* fake_nvrtc.c: a compiler for tests without the toolkit. It compiles nothing: of each kernel that
 * is asked for it notes the sizes of the parameters, in the image that the fake driver reads.
 * SPDX-License-Identifier: MIT
 *
 * GRADUS_NVRTC=libfake_nvrtc.so; the environment turns its knobs:
 *   GRADUS_FAKE_NVRTC_VERSION=12.4       what it says it is (13.0)
 *   GRADUS_FAKE_NVRTC_ARCHS=75,80,90     what it compiles for (75,80,86,89,90,100,120)
 *   GRADUS_FAKE_NVRTC_LOG=FILE           each compilation appends one line, the program's name
 * A source that holds the word BROKEN does not compile: the log says "NAME(LINE): error: BROKEN".
 *
 * A type is known by its name: pointers and 64-bit integers have 8 bytes, double 8, short and half
 * 2, char and bool 1, CUtensorMap 128, all else 4; the name T is what the source defines it as. */
#include "fake_image.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { SUCCESS = 0, COMPILATION = 6, NAME_NOT_VALID = 7, NAMES = 16 };

struct program {
    char *text, *name;
    char *expressions[NAMES], symbols[NAMES][256];
    int name_count;
    char log[512], image[16384];
};

EXPORT int nvrtcVersion(int *major, int *minor);
EXPORT int nvrtcGetNumSupportedArchs(int *count);
EXPORT int nvrtcGetSupportedArchs(int *list);
EXPORT int nvrtcCreateProgram(struct program **program, const char *text, const char *name,
                              int header_count, const char *const *headers,
                              const char *const *header_names);
EXPORT int nvrtcDestroyProgram(struct program **program);
EXPORT int nvrtcAddNameExpression(struct program *program, const char *expression);
EXPORT int nvrtcCompileProgram(struct program *program, int option_count,
                               const char *const *options);
EXPORT int nvrtcGetProgramLogSize(struct program *program, size_t *bytes);
EXPORT int nvrtcGetProgramLog(struct program *program, char *text);
EXPORT int nvrtcGetLoweredName(struct program *program, const char *expression,
                               const char **symbol);
EXPORT int nvrtcGetCUBINSize(struct program *program, size_t *bytes);
EXPORT int nvrtcGetCUBIN(struct program *program, char *image);
EXPORT int nvrtcGetPTXSize(struct program *program, size_t *bytes);
EXPORT int nvrtcGetPTX(struct program *program, char *text);
EXPORT const char *nvrtcGetErrorString(int result);

static char *copy_of(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

int nvrtcVersion(int *major, int *minor)
{
    const char *version = getenv("GRADUS_FAKE_NVRTC_VERSION");
    return sscanf(version ? version : "13.0", "%d.%d", major, minor) == 2 ? SUCCESS : COMPILATION;
}

/* Fills `list` where it is not null. */
static int supported(int *list)
{
    const char *archs = getenv("GRADUS_FAKE_NVRTC_ARCHS");
    int count = 0;
    for (archs = archs ? archs : "75,80,86,89,90,100,120"; *archs; archs += *archs == ',') {
        char *end;
        int arch = (int)strtol(archs, &end, 10);
        if (end == archs)
            break;
        if (list)
            list[count] = arch;
        count++;
        archs = end;
    }
    return count;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    *count = supported(NULL);
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int *list)
{
    supported(list);
    return SUCCESS;
}

int nvrtcCreateProgram(struct program **program, const char *text, const char *name,
                       int header_count, const char *const *headers,
                       const char *const *header_names)
{
    (void)header_count, (void)headers, (void)header_names;
    *program = calloc(1, sizeof **program);
    if (!*program)
        return COMPILATION;
    (*program)->text = copy_of(text);
    (*program)->name = copy_of(name);
    return SUCCESS;
}

int nvrtcDestroyProgram(struct program **program)
{
    for (int i = 0; i < (*program)->name_count; i++)
        free((*program)->expressions[i]);
    free((*program)->text);
    free((*program)->name);
    free(*program);
    *program = NULL;
    return SUCCESS;
}

int nvrtcAddNameExpression(struct program *program, const char *expression)
{
    if (program->name_count == NAMES)
        return NAME_NOT_VALID;
    program->expressions[program->name_count++] = copy_of(expression);
    return SUCCESS;
}

/* ---- Compiling ---- */

static bool holds_word(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; i++)
        if (strncmp(text + i, word, size) == 0 &&
            (i == 0 || !(isalnum((unsigned char)text[i - 1]) || text[i - 1] == '_')) &&
            (i + size == length ||
             !(isalnum((unsigned char)text[i + size]) || text[i + size] == '_')))
            return true;
    return false;
}

/* What T is: by "#define T TYPE" or "typedef TYPE T;". */
static const char *element_type(const char *text, size_t *length)
{
    static const char define[] = "#define T ", typedef_word[] = "typedef ";
    const char *at = strstr(text, define);
    if (at) {
        *length = strcspn(at + strlen(define), "\n");
        return at + strlen(define);
    }
    for (at = strstr(text, typedef_word); at; at = strstr(at, typedef_word)) {
        at += strlen(typedef_word);
        *length = strcspn(at, " ;");
        if (strncmp(at + *length, " T;", 3) == 0)
            return at;
    }
    return NULL;
}

static size_t size_of(const struct program *program, const char *text, size_t length)
{
    static const char *const wide[] = {"long", "int64_t", "uint64_t", "size_t", "double"};
    size_t type_length = 0;
    const char *type = element_type(program->text, &type_length);
    if (memchr(text, '*', length))
        return 8;
    if (type && holds_word(text, length, "T"))
        return size_of(program, type, type_length);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (holds_word(text, length, wide[i]))
            return 8;
    if (holds_word(text, length, "CUtensorMap"))
        return 128;
    if (holds_word(text, length, "half") || holds_word(text, length, "short"))
        return 2;
    return holds_word(text, length, "char") || holds_word(text, length, "bool") ? 1 : 4;
}

/* The opening parenthesis of the definition: the name as a word of its own, after a __global__. */
static const char *find_parameters(const char *text, const char *name, size_t length)
{
    const char *at = strstr(text, "__global__");
    for (; at && (at = strstr(at, name)); at += length) {
        const char *after = at + length + strspn(at + length, " \t\n");
        if (!(isalnum((unsigned char)at[-1]) || at[-1] == '_') && *after == '(')
            return after;
    }
    return NULL;
}

static bool add_kernel(struct program *program, int index)
{
    const char *expression = program->expressions[index];
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(expression, "< "), expression);
    const char *at = find_parameters(program->text, name, strlen(name));
    if (!at)
        return false;
    char *symbol = program->symbols[index];
    snprintf(symbol, sizeof program->symbols[index], "fake_%s", expression);
    for (char *c = symbol; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    size_t used = strlen(program->image);
    used += (size_t)snprintf(program->image + used, sizeof program->image - used, "%s", symbol);
    while (*at && *at != ')' && used < sizeof program->image - 32) {
        size_t length = strcspn(++at, ",)");
        if (strspn(at, " \t\n") < length)
            used += (size_t)snprintf(program->image + used, sizeof program->image - used, " %zu",
                                     size_of(program, at, length));
        at += length;
    }
    snprintf(program->image + used, sizeof program->image - used, "\n");
    return true;
}

static void log_compilation(const struct program *program)
{
    const char *path = getenv("GRADUS_FAKE_NVRTC_LOG");
    FILE *file = path && *path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s\n", program->name);
    fclose(file);
}

int nvrtcCompileProgram(struct program *program, int option_count, const char *const *options)
{
    (void)option_count, (void)options;
    log_compilation(program);
    const char *broken = strstr(program->text, "BROKEN");
    if (broken) {
        int line = 1;
        for (const char *c = program->text; c < broken; c++)
            line += *c == '\n';
        snprintf(program->log, sizeof program->log, "%s(%d): error: BROKEN\n", program->name, line);
        return COMPILATION;
    }
    snprintf(program->image, sizeof program->image, "%s", FAKE_IMAGE_HEAD);
    for (int i = 0; i < program->name_count; i++)
        if (!add_kernel(program, i)) {
            snprintf(program->log, sizeof program->log, "%s: error: no kernel %s\n", program->name,
                     program->expressions[i]);
            return COMPILATION;
        }
    return SUCCESS;
}

/* ---- Results ---- */

int nvrtcGetProgramLogSize(struct program *program, size_t *bytes)
{
    *bytes = strlen(program->log) + 1;
    return SUCCESS;
}

int nvrtcGetProgramLog(struct program *program, char *text)
{
    memcpy(text, program->log, strlen(program->log) + 1);
    return SUCCESS;
}

int nvrtcGetLoweredName(struct program *program, const char *expression, const char **symbol)
{
    for (int i = 0; i < program->name_count; i++)
        if (strcmp(program->expressions[i], expression) == 0) {
            *symbol = program->symbols[i];
            return SUCCESS;
        }
    return NAME_NOT_VALID;
}

int nvrtcGetCUBINSize(struct program *program, size_t *bytes)
{
    *bytes = strlen(program->image) + 1; /* with its end, since a driver gets no length */
    return SUCCESS;
}

int nvrtcGetCUBIN(struct program *program, char *image)
{
    memcpy(image, program->image, strlen(program->image) + 1);
    return SUCCESS;
}

int nvrtcGetPTXSize(struct program *program, size_t *bytes)
{
    return nvrtcGetCUBINSize(program, bytes);
}

int nvrtcGetPTX(struct program *program, char *text)
{
    return nvrtcGetCUBIN(program, text);
}

const char *nvrtcGetErrorString(int result)
{
    return result == SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION";
}
