/* lineprogram.c: the line number programs of DWARF 2 to 5 (section 6.2 of each standard), and the
 * extended operation by which NVIDIA's compilers describe inlined functions.
 * SPDX-License-Identifier: MIT */
#include "code/lineprogram.h"

#include "core/error.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 16384, MAX_PATH = 4096, MAX_LINE = 1 << 30 };
enum { STEP_COPY = 1, STEP_PC, STEP_LINE, STEP_FILE, STEP_COLUMN, STEP_ADD_PC = 8, STEP_FIXED_PC };
enum { LONG_END = 1, LONG_ADDRESS, LONG_FILE, LONG_INLINED = 0x90 };
enum { CONTENT_PATH = 1, CONTENT_FOLDER = 2 };
enum {
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f
};

/* Bytes still to be read. Reading past the end gives zeros and sets `failed`. */
struct cursor {
    const unsigned char *at, *end;
    bool failed;
};

struct run {
    const struct gr_line_input *input;
    struct gr_line_table *lines;
    struct gradus_error *error;
    int64_t row_room;
    int file_room;
    /* Of the unit that is being read. */
    struct cursor cursor;
    int version, offset_bytes;
    int min_step, line_base, line_range, opcode_base;
    const unsigned char *operands; /* of each standard operation */
    const char *
        *folders; /* from 1 on; 0 is the compiler's working directory, which is not stored */
    int folder_count, first_file;
    /* The machine. */
    struct gr_line_row row;
    uint64_t file;
    int64_t first; /* first row of this sequence */
    uint64_t call; /* the row of this sequence, from 1, that calls the inlined function; 0: none is
                      inlined */
    bool placed;   /* the code of this sequence exists */
};

static uint64_t take(struct cursor *c, int count)
{
    if (c->end - c->at < count) {
        c->failed = true;
        c->at = c->end;
        return 0;
    }
    c->at += count;
    return gr_elf_number(c->at - count, count);
}

static uint64_t take_uleb(struct cursor *c)
{
    uint64_t value = 0, byte;
    int shift = 0;
    do {
        byte = take(c, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !c->failed);
    return value;
}

static int64_t take_sleb(struct cursor *c)
{
    uint64_t value = 0, byte;
    int shift = 0;
    do {
        byte = take(c, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !c->failed);
    if (shift < 64 && byte & 0x40)
        value |= UINT64_MAX << shift;
    return (int64_t)value;
}

static const char *take_text(struct cursor *c)
{
    const unsigned char *text = c->at, *stop = memchr(text, 0, (size_t)(c->end - text));
    if (!stop) {
        c->failed = true;
        c->at = c->end;
        return "";
    }
    c->at = stop + 1;
    return (const char *)text;
}

static void skip(struct cursor *c, uint64_t count)
{
    if (count > (uint64_t)(c->end - c->at)) {
        c->failed = true;
        c->at = c->end;
    } else {
        c->at += count;
    }
}

static enum gradus_status damaged(const struct run *run, const char *what)
{
    return gr_fail(run->error, GRADUS_INVALID,
                   "line table: %s at byte %lld of .debug_line; compile it again", what,
                   (long long)(run->cursor.at - run->input->line->bytes));
}

/* Makes room for one more item in a list of `count` items of `bytes` each. Null: memory is out. */
static void *grow(void *list, int64_t count, int64_t *room, size_t bytes)
{
    if (count < *room)
        return list;
    int64_t wanted = *room ? *room * 2 : 64;
    void *grown = realloc(list, (size_t)wanted * bytes);
    if (grown)
        *room = wanted;
    return grown;
}

/* Joins a folder and a name. A relative folder stays relative to the compiler's working directory,
 * as the path on its command line is. */
static enum gradus_status add_file(struct run *run, const char *name, uint64_t folder)
{
    struct gr_line_table *lines = run->lines;
    if (lines->file_count >= MAX_FILES)
        return damaged(run, "more than 16384 files");
    const char *in = folder < (uint64_t)run->folder_count ? run->folders[folder] : NULL;
    bool whole = *name == '/' || !in || !*in;
    if (strlen(name) + (whole ? 0 : strlen(in)) > MAX_PATH)
        return damaged(run, "a path of more than 4096 bytes");
    int64_t room = run->file_room;
    char **files = grow(lines->files, lines->file_count, &room, sizeof *files);
    if (!files)
        return gr_fail_memory(run->error, "a line table's files", (uint64_t)room * sizeof *files);
    run->file_room = (int)room;
    lines->files = files;
    char *path = whole ? gr_strdup(name) : gr_printf("%s/%s", in, name);
    if (!path)
        return gr_fail_memory(run->error, "a path", strlen(name));
    files[lines->file_count++] = path;
    return GRADUS_OK;
}

static enum gradus_status add_folder(struct run *run, const char *name)
{
    /* Capacities are powers of two, and never more than there are bytes. */
    int n = run->folder_count;
    if ((n & (n - 1)) == 0) {
        size_t room = n ? (size_t)n * 2 : 1;
        const char **grown = realloc(run->folders, room * sizeof *grown);
        if (!grown)
            return gr_fail_memory(run->error, "a line table's folders", room * sizeof *grown);
        run->folders = grown;
    }
    run->folders[run->folder_count++] = name;
    return GRADUS_OK;
}

/* Name, folder, time and length. */
static enum gradus_status take_file(struct run *run, struct cursor *c, const char *name)
{
    uint64_t folder = take_uleb(c);
    take_uleb(c);
    take_uleb(c);
    return c->failed ? damaged(run, "a cut file entry") : add_file(run, name, folder);
}

/* Up to version 4. */
static enum gradus_status read_old_names(struct run *run)
{
    struct cursor *c = &run->cursor;
    enum gradus_status status = add_folder(run, NULL);
    for (const char *name; status == GRADUS_OK && *(name = take_text(c));)
        status = add_folder(run, name);
    for (const char *name; status == GRADUS_OK && *(name = take_text(c));)
        status = take_file(run, c, name);
    return status;
}

/* One value of a form. False: a form that no compiler uses here. */
static bool take_form(struct run *run, uint64_t form, uint64_t *number, const char **text)
{
    struct cursor *c = &run->cursor;
    switch (form) {
    case FORM_STRING:
        *text = take_text(c);
        return true;
    case FORM_STRP:
    case FORM_LINE_STRP: {
        const struct gr_elf_section *from =
            form == FORM_STRP ? run->input->str : run->input->line_str;
        *text = from ? gr_elf_text(from, take(c, run->offset_bytes)) : NULL;
        return *text != NULL;
    }
    case FORM_UDATA:
        *number = take_uleb(c);
        return true;
    case FORM_BLOCK:
        skip(c, take_uleb(c));
        return true;
    case FORM_DATA16:
        skip(c, 16);
        return true;
    case FORM_DATA1:
    case FORM_DATA2:
    case FORM_DATA4:
    case FORM_DATA8:
        *number = take(c, form == FORM_DATA1   ? 1
                          : form == FORM_DATA2 ? 2
                          : form == FORM_DATA4 ? 4
                                               : 8);
        return true;
    default:
        return false;
    }
}

/* A table of version 5: the format of its entries, and the entries. */
static enum gradus_status read_names(struct run *run, bool folders)
{
    struct cursor *c = &run->cursor;
    uint64_t contents[255], forms[255];
    int parts = (int)take(c, 1);
    for (int i = 0; i < parts; i++) {
        contents[i] = take_uleb(c);
        forms[i] = take_uleb(c);
    }
    uint64_t count = take_uleb(c);
    if (c->failed || (parts == 0 && count > 0))
        return damaged(run, "a cut table of names");
    for (uint64_t i = 0; i < count; i++) {
        const char *name = "";
        uint64_t folder = 0;
        for (int p = 0; p < parts; p++) {
            uint64_t number = 0;
            const char *text = "";
            if (!take_form(run, forms[p], &number, &text) || c->failed)
                return damaged(run, "a name that cannot be read");
            if (contents[p] == CONTENT_PATH)
                name = text;
            else if (contents[p] == CONTENT_FOLDER)
                folder = number;
        }
        enum gradus_status status =
            folders ? add_folder(run, i ? name : NULL) : add_file(run, name, folder);
        if (status != GRADUS_OK)
            return status;
    }
    return GRADUS_OK;
}

/* Reads the header up to the program. *end: the end of the unit. */
static enum gradus_status read_head(struct run *run, const unsigned char **end)
{
    struct cursor *c = &run->cursor;
    uint64_t length = take(c, 4);
    run->offset_bytes = length == UINT32_MAX ? 8 : 4;
    if (run->offset_bytes == 8)
        length = take(c, 8);
    if (c->failed || length > (uint64_t)(c->end - c->at))
        return damaged(run, "a unit that ends after the end");
    *end = c->end = c->at + length;
    run->version = (int)take(c, 2);
    if (run->version < 2 || run->version > 5)
        return damaged(run, "a version that is not 2 to 5");
    if (run->version == 5)
        skip(c, 2); /* sizes of addresses and segments */
    uint64_t rest = take(c, run->offset_bytes);
    if (c->failed || rest > (uint64_t)(c->end - c->at))
        return damaged(run, "a header that ends after the end");
    const unsigned char *program = c->at + rest;
    c->end = program; /* names end where the program begins */
    run->min_step = (int)take(c, 1);
    skip(c, run->version >= 4 ? 2 : 1); /* operations an instruction; whether rows are statements */
    run->line_base = (int)(int8_t)take(c, 1);
    run->line_range = (int)take(c, 1);
    run->opcode_base = (int)take(c, 1);
    run->operands = c->at;
    skip(c, run->opcode_base > 0 ? (uint64_t)run->opcode_base - 1 : 0);
    if (c->failed || run->line_range == 0 || run->opcode_base == 0)
        return damaged(run, "a header that cannot be");
    enum gradus_status status = run->version < 5 ? read_old_names(run) : read_names(run, true);
    if (status == GRADUS_OK && run->version == 5)
        status = read_names(run, false);
    if (status == GRADUS_OK && c->failed)
        status = damaged(run, "a cut header");
    *c = (struct cursor){.at = program, .end = *end};
    return status;
}

static void reset(struct run *run)
{
    run->row = (struct gr_line_row){.line = 1};
    run->file = 1;
    run->call = 0;
    run->placed = true;
    run->first = run->lines->count;
}

/* The register as an index, of which version 5 counts from 0. */
static int file_index(const struct run *run)
{
    uint64_t n = run->file - (run->version < 5);
    return n < (uint64_t)(run->lines->file_count - run->first_file) ? run->first_file + (int)n : -1;
}

/* Sets where the row's function was inlined. The calling row was inlined itself if it is of a
 * header's function that calls another one; its own call, which was found in the same way, counts
 * then. */
static void place_call(const struct gr_line_row *caller, struct gr_line_row *row)
{
    const bool climbs = caller->call_line > 0 && caller->file != caller->call_file;
    row->call_file = climbs ? caller->call_file : caller->file;
    row->call_line = climbs ? caller->call_line : caller->line;
}

static enum gradus_status emit(struct run *run, bool end)
{
    struct gr_line_table *lines = run->lines;
    struct gr_line_row *rows = grow(lines->rows, lines->count, &run->row_room, sizeof *rows);
    if (!rows)
        return gr_fail_memory(run->error, "a line table", (uint64_t)run->row_room * sizeof *rows);
    lines->rows = rows;
    struct gr_line_row row = run->row;
    row.end = end;
    row.file = file_index(run);
    row.call_file = -1;
    if (run->call > 0 && run->call <= (uint64_t)(lines->count - run->first))
        place_call(&rows[run->first + (int64_t)run->call - 1], &row);
    rows[lines->count++] = row;
    return GRADUS_OK;
}

/* Ends a sequence. If several rows have one address, the last one is valid. */
static void close_stretch(struct run *run)
{
    struct gr_line_table *lines = run->lines;
    int64_t kept = run->first;
    for (int64_t i = run->first; i < lines->count; i++) {
        if (kept > run->first && lines->rows[kept - 1].address == lines->rows[i].address)
            kept--;
        lines->rows[kept++] = lines->rows[i];
    }
    lines->count = run->placed && kept > run->first + 1 ? kept : run->first;
    reset(run);
}

static void step_line(struct run *run, int64_t by)
{
    int64_t line = by > MAX_LINE || by < -MAX_LINE ? 0 : run->row.line + by;
    run->row.line = line > 0 && line < MAX_LINE ? (int)line : 0;
}

static void set_address(struct run *run, struct cursor *c)
{
    int bytes = (int)(c->end - c->at);
    uint64_t offset = (uint64_t)(c->at - run->input->line->bytes);
    run->row.address = take(c, bytes > 8 ? 8 : bytes);
    run->placed =
        run->input->place(run->input->state, offset, &run->row.section, &run->row.address);
}

static enum gradus_status extended(struct run *run)
{
    uint64_t length = take_uleb(&run->cursor);
    struct cursor c = run->cursor;
    skip(&run->cursor, length);
    if (run->cursor.failed)
        return damaged(run, "a cut operation");
    if (length == 0)
        return GRADUS_OK;
    c.end = run->cursor.at;
    enum gradus_status status = GRADUS_OK;
    switch (take(&c, 1)) {
    case LONG_END:
        status = emit(run, true);
        if (status == GRADUS_OK)
            close_stretch(run);
        break;
    case LONG_ADDRESS:
        set_address(run, &c);
        break;
    case LONG_FILE: {
        const char *name = take_text(&c);
        status = take_file(run, &c, name);
        break;
    }
    case LONG_INLINED:
        run->call = take_uleb(&c);
        break;
    default:
        break;
    }
    return status;
}

static enum gradus_status standard(struct run *run, int opcode)
{
    struct cursor *c = &run->cursor;
    struct gr_line_row *row = &run->row;
    switch (opcode) {
    case STEP_COPY:
        return emit(run, false);
    case STEP_PC:
        row->address += take_uleb(c) * (uint64_t)run->min_step;
        break;
    case STEP_LINE:
        step_line(run, take_sleb(c));
        break;
    case STEP_FILE:
        run->file = take_uleb(c);
        break;
    case STEP_COLUMN: {
        uint64_t column = take_uleb(c);
        row->column = column < MAX_LINE ? (int)column : 0;
        break;
    }
    case STEP_ADD_PC:
        row->address += (uint64_t)((255 - run->opcode_base) / run->line_range * run->min_step);
        break;
    case STEP_FIXED_PC:
        row->address += take(c, 2);
        break;
    default:
        for (int i = 0; i < run->operands[opcode - 1]; i++)
            take_uleb(c);
    }
    return GRADUS_OK;
}

static enum gradus_status run_unit(struct run *run)
{
    struct cursor *c = &run->cursor;
    enum gradus_status status = GRADUS_OK;
    reset(run);
    while (c->at < c->end && status == GRADUS_OK) {
        int opcode = (int)take(c, 1);
        if (opcode >= run->opcode_base) {
            int by = opcode - run->opcode_base;
            run->row.address += (uint64_t)(by / run->line_range * run->min_step);
            step_line(run, run->line_base + by % run->line_range);
            status = emit(run, false);
        } else {
            status = opcode == 0 ? extended(run) : standard(run, opcode);
        }
        if (status == GRADUS_OK && c->failed)
            status = damaged(run, "a cut operation");
    }
    if (status == GRADUS_OK && run->lines->count > run->first)
        status = damaged(run, "code without an end");
    return status;
}

enum gradus_status gr_line_program_run(const struct gr_line_input *input,
                                       struct gr_line_table *lines, struct gradus_error *error)
{
    const unsigned char *end = input->line->bytes + input->line->size, *at = input->line->bytes;
    struct run run = {.input = input, .lines = lines, .error = error};
    enum gradus_status status = GRADUS_OK;
    while (at < end && status == GRADUS_OK) {
        run.cursor = (struct cursor){.at = at, .end = end};
        run.folder_count = 0;
        run.first_file = lines->file_count;
        status = read_head(&run, &at);
        if (status == GRADUS_OK)
            status = run_unit(&run);
    }
    free(run.folders);
    return status;
}
