/* interpreter.c: reads the `#!` line of a script and PT_INTERP of a program. They are needed
 * because the system reports a missing interpreter as if the program itself did not exist.
 * SPDX-License-Identifier: MIT */
#include "base/interpreter.h"

#include "base/str.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_LINE = 256, LOADER_PATH = 4096, MOST_HEADERS = 256, MOST_SCRIPTS = 5 };

/* False also if the file ends earlier. */
static bool read_at(int fd, void *bytes, size_t length, uint64_t offset)
{
    return pread(fd, bytes, length, (off_t)offset) == (ssize_t)length;
}

static int open_quietly(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* As the kernel parses it: a carriage return is part of the name. */
char *gr_script_interpreter(const char *path)
{
    char line[FIRST_LINE + 1] = "";
    const int fd = open_quietly(path);
    const ssize_t length = fd < 0 ? 0 : pread(fd, line, FIRST_LINE, 0);
    if (fd >= 0)
        close(fd);
    line[length > 0 ? length : 0] = 0;
    if (strncmp(line, "#!", 2) != 0)
        return NULL;
    const char *start = line + 2 + strspn(line + 2, " \t");
    return gr_strndup(start, strcspn(start, " \t\n"));
}

/* The string in the segment of a program header; malloc'ed. */
static char *read_loader(int fd, uint64_t offset, uint64_t length)
{
    char *text = length > 0 && length <= LOADER_PATH ? calloc(length + 1, 1) : NULL;
    if (text && !read_at(fd, text, length, offset)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Defines find_loader_64 and find_loader_32, whose ELF structs have the same fields at different
 * offsets. */
#define FIND_LOADER(bits)                                                                          \
    static char *find_loader_##bits(int fd)                                                        \
    {                                                                                              \
        Elf##bits##_Ehdr head;                                                                     \
        if (!read_at(fd, &head, sizeof head, 0))                                                   \
            return NULL;                                                                           \
        for (int i = 0; i < head.e_phnum && i < MOST_HEADERS; i++) {                               \
            Elf##bits##_Phdr part;                                                                 \
            if (!read_at(fd, &part, sizeof part, head.e_phoff + (uint64_t)i * sizeof part))        \
                return NULL;                                                                       \
            if (part.p_type == PT_INTERP)                                                          \
                return read_loader(fd, part.p_offset, part.p_filesz);                              \
        }                                                                                          \
        return NULL;                                                                               \
    }
FIND_LOADER(32)
FIND_LOADER(64)

/* Reads e_ident of an ELF file with this machine's byte order; false for any other file. */
static bool read_ident(int fd, unsigned char ident[EI_NIDENT])
{
    const uint16_t one = 1;
    const unsigned char order = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
    return fd >= 0 && read_at(fd, ident, EI_NIDENT, 0) && memcmp(ident, ELFMAG, SELFMAG) == 0 &&
           ident[EI_DATA] == order;
}

/* The dynamic loader that an ELF program names, malloc'ed; null for a static program and for a
 * file that is not ELF. *bits: 32 or 64. */
static char *loader_of(const char *path, int *bits)
{
    unsigned char ident[EI_NIDENT];
    const int fd = open_quietly(path);
    char *loader = NULL;
    if (read_ident(fd, ident)) {
        *bits = ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
        loader = *bits == 32 ? find_loader_32(fd) : find_loader_64(fd);
    }
    if (fd >= 0)
        close(fd);
    return loader;
}

static char *refuse_script(const char *interpreter)
{
    const size_t length = strlen(interpreter);
    if (length && interpreter[length - 1] == '\r')
        return gr_printf("its lines end as on Windows, so that the interpreter in the first is "
                         "taken to be '%.*s' with a carriage return behind it",
                         (int)length - 1, interpreter);
    return errno == ENOENT
               ? gr_printf("the interpreter in its first line, %s, is not there", interpreter)
               : gr_printf("the interpreter in its first line, %s: %s", interpreter,
                           strerror(errno));
}

/* Null if the loader exists. */
static char *refuse_program(const char *path)
{
    int bits = 64;
    char *loader = loader_of(path, &bits), *why = NULL;
    if (loader && access(loader, X_OK) != 0)
        why = errno == ENOENT
                  ? gr_printf("its dynamic loader, %s, is not there: install the C library that "
                              "it was built for, of %d bits",
                              loader, bits)
                  : gr_printf("its dynamic loader, %s: %s", loader, strerror(errno));
    free(loader);
    return why;
}

static char *refuse_format(const char *path)
{
    unsigned char ident[EI_NIDENT];
    const int fd = open_quietly(path);
    const bool is_elf =
        fd >= 0 && read_at(fd, ident, EI_NIDENT, 0) && memcmp(ident, ELFMAG, SELFMAG) == 0;
    if (fd >= 0)
        close(fd);
    return gr_strdup(is_elf ? "it is a program for another machine"
                            : "it is no program, and no script whose first line is '#!' and an "
                              "interpreter");
}

/* The interpreter of a script may itself be a script. */
char *gr_program_refusal(const char *path, int number)
{
    char *why = NULL,
         *file = path && (number == ENOENT || number == EACCES) ? gr_strdup(path) : NULL;
    for (int depth = 0; file && !why && depth < MOST_SCRIPTS; depth++) {
        char *interpreter = gr_script_interpreter(file);
        if (interpreter && access(interpreter, X_OK) != 0)
            why = refuse_script(interpreter);
        else if (!interpreter)
            why = refuse_program(file);
        free(file);
        file = interpreter;
    }
    free(file);
    if (!why && path && number == ENOEXEC)
        why = refuse_format(path);
    return why ? why : gr_strdup(strerror(number));
}
