/* amd_listing.c: reads the lines of a disassembly. SPDX-License-Identifier: MIT */
#include "code/amd_listing.h"

#include "base/str.h"
#include "code/amd_isa.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 4 };

/* A line's instruction, its address and its first word. */
struct line {
    char *text;
    uint64_t address, word;
};

/* False: it is no instruction. The text is copied. */
static bool take_line(const char *at, size_t length, struct line *line)
{
    static const char mark[] = "// ";
    const char *comment = memmem(at, length, mark, strlen(mark));
    char *end;
    if (!comment || comment == at)
        return false;
    char *copy = gr_strndup(at, length);
    if (!copy)
        return false;
    char *numbers = copy + (comment - at) + strlen(mark);
    line->address = strtoull(numbers, &end, 16);
    const bool whole = end > numbers && *end == ':';
    if (whole)
        line->word = strtoull(end + 1, NULL, 16);
    numbers[-(ptrdiff_t)strlen(mark)] = 0;
    line->text = copy;
    if (!whole)
        free(copy);
    return whole;
}

static struct gr_code_kernel *kernel_at(struct gr_code *code, uint64_t address)
{
    for (int i = 0; i < code->count; i++) {
        struct gr_code_kernel *k = &code->kernels[i];
        if (address >= k->address && address - k->address < k->text_bytes)
            return k;
    }
    return NULL;
}

/* An instruction has a word at least, so there is room for all; what is not in the order of its
 * addresses is skipped. */
static enum gradus_status add(struct gr_code_kernel *k, const struct line *line,
                              struct gradus_error *error)
{
    const size_t room = k->text_bytes / WORD_BYTES;
    const int64_t offset = (int64_t)(line->address - k->address);
    if (!k->instructions)
        k->instructions = calloc(room + 1, sizeof *k->instructions);
    if (!k->instructions)
        return gr_fail_memory(error, "a kernel's instructions", room * sizeof *k->instructions);
    if ((size_t)k->instruction_count >= room ||
        (k->instruction_count > 0 && k->instructions[k->instruction_count - 1].offset >= offset))
        return GRADUS_OK;
    struct gr_instruction *i = &k->instructions[k->instruction_count++];
    i->offset = offset;
    gr_amd_isa_read(line->text, k->stack_bytes > 0, i);
    i->jumps = gr_amd_isa_jumps(line->text);
    if (i->jumps)
        i->target = offset + WORD_BYTES + WORD_BYTES * (int64_t)(int16_t)(line->word & 0xffff);
    return GRADUS_OK;
}

enum gradus_status gr_amd_listing_take(const char *text, struct gr_code *code,
                                       struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    while (*text && status == GRADUS_OK) {
        const size_t length = strcspn(text, "\n");
        struct line line;
        if (take_line(text, length, &line)) {
            struct gr_code_kernel *k = kernel_at(code, line.address);
            if (k)
                status = add(k, &line, error);
            free(line.text);
        }
        text += length + (text[length] == '\n');
    }
    return status;
}
