/* lines.c: reads the line tables of an ELF file, sorts their rows, and searches them.
 * SPDX-License-Identifier: MIT */
#include "code/lines.h"

#include "core/error.h"
#include "code/lineprogram.h"

#include <stdlib.h>
#include <string.h>

/* A relocation of .debug_line: the address at `offset` is `value` bytes into `section`. */
struct place {
    uint64_t offset, value;
    int section;
    bool adds; /* `value` is added to what is stored there */
};

struct object {
    struct gr_elf elf;
    struct place *places; /* by offset */
    int64_t place_count;
    bool relocated; /* there are relocations */
};

static int by_offset(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Reads the entries of one .rel.debug_line or .rela.debug_line. An entry that names no existing
 * section is skipped, and its code has no rows. */
static enum gradus_status read_places(struct object *object, const struct gr_elf_section *s,
                                      struct gradus_error *error)
{
    size_t entry = s->type == GR_ELF_RELA ? 24 : 16, count = (size_t)(s->size / entry);
    const struct gr_elf *elf = &object->elf;
    const struct gr_elf_section *symbols =
        s->link < (uint32_t)elf->count ? &elf->sections[s->link] : NULL;
    size_t bytes = ((size_t)object->place_count + count + 1) * sizeof *object->places;
    struct place *grown = realloc(object->places, bytes);
    if (!grown)
        return gr_fail_memory(error, "a line table's addresses", bytes);
    object->places = grown;
    object->relocated = true;
    for (size_t i = 0; i < count && symbols && symbols->bytes; i++) {
        const unsigned char *at = s->bytes + i * entry;
        uint64_t symbol = gr_elf_number(at + 12, 4); /* the type is in the lower half */
        if (symbol >= symbols->size / GR_ELF_SYMBOL_BYTES)
            continue;
        const unsigned char *named = symbols->bytes + symbol * GR_ELF_SYMBOL_BYTES;
        int section = (int)gr_elf_number(named + 6, 2);
        if (section > 0 && section < elf->count)
            object->places[object->place_count++] =
                (struct place){.offset = gr_elf_number(at, 8),
                               .value = gr_elf_number(named + 8, 8) +
                                        (entry == 24 ? gr_elf_number(at + 16, 8) : 0),
                               .section = section,
                               .adds = entry == 16};
    }
    return GRADUS_OK;
}

static enum gradus_status read_all_places(struct object *object, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < object->elf.count && status == GRADUS_OK; i++) {
        const struct gr_elf_section *s = &object->elf.sections[i];
        if ((s->type == GR_ELF_REL && strcmp(s->name, ".rel.debug_line") == 0) ||
            (s->type == GR_ELF_RELA && strcmp(s->name, ".rela.debug_line") == 0))
            status = read_places(object, s, error);
    }
    if (object->place_count > 1)
        qsort(object->places, (size_t)object->place_count, sizeof *object->places, by_offset);
    return status;
}

/* For a function that the linker removed, it leaves the address 0 or 1, which is no code. */
static bool is_code(const struct gr_elf *elf, uint64_t address)
{
    for (int i = 0; i < elf->count; i++) {
        const struct gr_elf_section *s = &elf->sections[i];
        if (s->flags & GR_ELF_EXECUTABLE && address >= s->address && address - s->address < s->size)
            return true;
    }
    return false;
}

static bool find_place(const void *state, uint64_t offset, int *section, uint64_t *address)
{
    const struct object *object = state;
    *section = 0;
    if (!object->relocated)
        return is_code(&object->elf, *address);
    const struct place wanted = {.offset = offset}, *place = NULL;
    if (object->place_count > 0)
        place =
            bsearch(&wanted, object->places, (size_t)object->place_count, sizeof wanted, by_offset);
    if (!place)
        return false;
    *section = place->section;
    *address = place->value + (place->adds ? *address : 0);
    return true;
}

/* An `end` row is sorted before a row that begins at the same address. */
static int by_place(const void *a, const void *b)
{
    const struct gr_line_row *x = a, *y = b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return y->end - x->end;
}

struct named {
    const char *path;
    int index;
};

static int by_path(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Keeps each path once, at its first position. */
static enum gradus_status unite_files(struct gr_line_table *lines, struct gradus_error *error)
{
    size_t count = (size_t)lines->file_count;
    struct named *sorted = malloc((count + 1) * sizeof *sorted);
    int *moved = malloc((count + 1) * sizeof *moved);
    if (!sorted || !moved) {
        free(sorted);
        free(moved);
        return gr_fail_memory(error, "a line table's files", count * sizeof *sorted);
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct named){lines->files[i], (int)i};
    qsort(sorted, count, sizeof *sorted, by_path);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (strcmp(sorted[first].path, sorted[i].path) != 0)
            first = i;
        moved[sorted[i].index] = sorted[first].index;
    }
    int kept = 0;
    for (int i = 0; i < lines->file_count; i++) {
        if (moved[i] != i) {
            free(lines->files[i]);
            moved[i] = moved[moved[i]]; /* an earlier one, which has its new index already */
        } else {
            lines->files[kept] = lines->files[i];
            moved[i] = kept++;
        }
    }
    lines->file_count = kept;
    for (int64_t i = 0; i < lines->count; i++) {
        struct gr_line_row *row = &lines->rows[i];
        row->file = row->file >= 0 ? moved[row->file] : -1;
        row->call_file = row->call_file >= 0 ? moved[row->call_file] : -1;
    }
    free(sorted);
    free(moved);
    return GRADUS_OK;
}

static enum gradus_status read_object(struct object *object, struct gr_line_table *lines,
                                      struct gradus_error *error)
{
    const struct gr_elf_section *line = gr_elf_find(&object->elf, ".debug_line");
    if (!line || !line->bytes)
        return GRADUS_OK;
    if (line->flags & GR_ELF_COMPRESSED)
        return gr_fail(error, GRADUS_INVALID,
                       "line table: .debug_line is compressed; compile it with -gz=none");
    enum gradus_status status = read_all_places(object, error);
    const struct gr_line_input input = {.line = line,
                                        .line_str = gr_elf_find(&object->elf, ".debug_line_str"),
                                        .str = gr_elf_find(&object->elf, ".debug_str"),
                                        .place = find_place,
                                        .state = object};
    if (status == GRADUS_OK)
        status = gr_line_program_run(&input, lines, error);
    if (status == GRADUS_OK)
        status = unite_files(lines, error);
    if (status == GRADUS_OK && lines->count > 1)
        qsort(lines->rows, (size_t)lines->count, sizeof *lines->rows, by_place);
    return status;
}

enum gradus_status gr_line_table_read(const void *image, size_t length, struct gr_line_table *lines,
                                      struct gradus_error *error)
{
    struct object object = {0};
    *lines = (struct gr_line_table){0};
    enum gradus_status status = gr_elf_read(image, length, "line table", &object.elf, error);
    if (status == GRADUS_OK)
        status = read_object(&object, lines, error);
    gr_elf_free(&object.elf);
    free(object.places);
    if (status != GRADUS_OK)
        gr_line_table_free(lines);
    return status;
}

void gr_line_table_free(struct gr_line_table *lines)
{
    for (int i = 0; i < lines->file_count; i++)
        free(lines->files[i]);
    free(lines->files);
    free(lines->rows);
    *lines = (struct gr_line_table){0};
}

const struct gr_line_row *gr_line_table_find(const struct gr_line_table *lines, int section,
                                             uint64_t address)
{
    int64_t low = 0, high = lines->count; /* the first row that is beyond */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const struct gr_line_row *row = &lines->rows[middle];
        if (row->section < section || (row->section == section && row->address <= address))
            low = middle + 1;
        else
            high = middle;
    }
    const struct gr_line_row *row = low > 0 ? &lines->rows[low - 1] : NULL;
    return row && row->section == section && !row->end ? row : NULL;
}

/* "./my.cu" is my.cu. */
static const char *past_dots(const char *path)
{
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return path;
}

int gr_line_table_file(const struct gr_line_table *lines, const char *path)
{
    path = past_dots(path);
    size_t length = strlen(path);
    for (int i = 0; i < lines->file_count; i++)
        if (strcmp(past_dots(lines->files[i]), path) == 0)
            return i;
    for (int i = 0; i < lines->file_count; i++) {
        const char *file = lines->files[i];
        size_t whole = strlen(file);
        if (*file == '/' && whole > length && file[whole - length - 1] == '/' &&
            strcmp(file + whole - length, path) == 0)
            return i;
    }
    return -1;
}
