/* decode.c: decodes an instruction of NVIDIA's machine code with the table of forms.
 * SPDX-License-Identifier: MIT */
#include "code/decode.h"

#include "code/forms.h"

#include <stdlib.h>
#include <string.h>

enum { NARROW_ZERO = 63, REUSE_FIRST = 17, REUSE_LAST = 27, REUSE_BITS = 3 };

struct reader {
    const char *p; /* in the form's text */
    uint64_t low, high;
    bool refused; /* a value without a meaning was met */
};

/* A piece of the table's text. */
struct word {
    const char *text;
    size_t length;
};

static uint64_t take(uint64_t low, uint64_t high, int first, int count)
{
    uint64_t value = first >= 64 ? high >> (first - 64) : low >> first;
    if (first < 64 && first + count > 64)
        value |= high << (64 - first);
    return count >= 64 ? value : value & ((UINT64_C(1) << count) - 1);
}

static int64_t integer(struct reader *r, int base)
{
    char *end;
    int64_t value = (int64_t)strtoll(r->p, &end, base);
    r->p = end;
    return value;
}

static bool skip(struct reader *r, char c)
{
    if (*r->p != c)
        return false;
    r->p++;
    return true;
}

/* BITS */
static uint64_t read_bits(struct reader *r, int *width)
{
    uint64_t value = 0;
    *width = 0;
    do {
        int first = (int)integer(r, 10), count = 1;
        if (skip(r, 'w'))
            count = (int)integer(r, 10);
        if (*width < 64)
            value |= take(r->low, r->high, first, count) << *width;
        *width += count;
    } while (skip(r, '_'));
    return value;
}

/* N */
static int64_t read_number(struct reader *r, int *width)
{
    *width = 0;
    if (skip(r, '='))
        return integer(r, 10);
    bool inverted = skip(r, '~');
    uint64_t value = read_bits(r, width);
    uint64_t all = *width >= 64 ? UINT64_MAX : (UINT64_C(1) << *width) - 1;
    if (inverted)
        value ^= all;
    if (skip(r, 's') && value >> (*width - 1))
        value |= ~all;
    if (skip(r, '*'))
        value *= (uint64_t)integer(r, 10);
    if (skip(r, '+'))
        value += (uint64_t)integer(r, 10);
    return (int64_t)value;
}

/* BITS=HEX */
static bool read_equal(struct reader *r)
{
    int width;
    uint64_t value = read_bits(r, &width);
    r->p++;
    char *end;
    uint64_t wanted = strtoull(r->p, &end, 16);
    r->p = end;
    return value == wanted;
}

/* A register's number. On the architectures where a uniform register's has 6 bits, URZ is 63. */
static uint8_t read_register(struct reader *r, bool uniform)
{
    int width;
    int64_t number = read_number(r, &width);
    return uniform && width == 6 && number == NARROW_ZERO ? GR_REGISTER_ZERO : (uint8_t)number;
}

static size_t item_length(const char *p)
{
    return strcspn(p, "|, ");
}

/* LIST: the item for `value`. */
static struct word read_item(struct reader *r, uint64_t value)
{
    const char *list = r->p;
    r->p += strcspn(r->p, ", ");
    if (*list == '$')
        list = gr_form_lists[strtoul(list + 1, NULL, 10)];
    for (; value > 0; value--) {
        list += item_length(list);
        if (*list != '|') {
            r->refused = true;
            return (struct word){"", 0};
        }
        list++;
    }
    struct word item = {list, item_length(list)};
    if (item.length == 1 && *list == '!')
        r->refused = true;
    return item;
}

/* BITS:LIST, or :WORD; `value`, if it is wanted: of the bits. */
static struct word read_choice(struct reader *r, uint64_t *value)
{
    int width;
    uint64_t bits = *r->p == ':' ? 0 : read_bits(r, &width);
    r->p++;
    if (value)
        *value = bits;
    return read_item(r, bits);
}

/* The words of the table are sorted, so that each is one static string. */
static const char *find_word(struct word word)
{
    size_t low = 0, high = gr_form_word_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *text = gr_form_words[middle];
        int order = strncmp(text, word.text, word.length);
        if (order == 0 && text[word.length] == 0)
            return text;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Adds what is parted by points in `word` to a list that ends with null. */
static void add_words(struct reader *r, struct word word, const char **list, size_t room)
{
    size_t count = 0;
    while (count < room && list[count])
        count++;
    while (word.length > 0) {
        const char *point = memchr(word.text, '.', word.length);
        size_t length = point ? (size_t)(point - word.text) : word.length;
        const char *found = find_word((struct word){word.text, length});
        if (!found || count == room) {
            r->refused = true;
            return;
        }
        list[count++] = found;
        length += point ? 1 : 0;
        word.text += length;
        word.length -= length;
    }
}

/* .WORD or /BITS:LIST, behind its first character `kind`. */
static void read_words(struct reader *r, char kind, const char **list, size_t room)
{
    struct word word;
    if (kind == '/') {
        word = read_choice(r, NULL);
    } else {
        word = (struct word){r->p, strcspn(r->p, ", ")};
        r->p += word.length;
    }
    if (!r->refused)
        add_words(r, word, list, room);
}

/* Behind - | ~: nothing, BITS, or BITS:LIST. */
static bool read_flag(struct reader *r)
{
    if (*r->p < '0' || *r->p > '9')
        return true;
    int width;
    uint64_t bits = read_bits(r, &width);
    if (!skip(r, ':'))
        return bits != 0;
    struct word word = read_item(r, bits);
    return word.length == 1 && *word.text == '1';
}

static bool read_presence(struct reader *r)
{
    if (skip(r, '^'))
        return !read_equal(r);
    return !skip(r, '?') || read_equal(r);
}

static bool is_number_of(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && name[length] >= '0' && name[length] <= '9';
}

static void read_name(struct reader *r, struct gr_operand *op)
{
    uint64_t value = 0;
    struct word word = read_choice(r, &value);
    op->number = (uint8_t)value;
    op->name = r->refused ? NULL : word.length == 0 ? "" : find_word(word);
    if (!op->name) {
        r->refused = true;
        return;
    }
    if (strncmp(op->name, "SR_", 3) == 0 || is_number_of(op->name, "SR"))
        op->kind = GR_OPERAND_SPECIAL;
    else if (is_number_of(op->name, "SB") || is_number_of(op->name, "gsb"))
        op->kind = GR_OPERAND_SCOREBOARD;
    else if (is_number_of(op->name, "B"))
        op->kind = GR_OPERAND_BARRIER;
}

/* The kind's letter and what is directly behind it. */
static void read_kind(struct reader *r, struct gr_operand *op, uint64_t address)
{
    static const char letters[] = "RUPQIFTLNCA";
    static const enum gr_operand_kind kinds[] = {GR_OPERAND_REGISTER,  GR_OPERAND_UNIFORM,
                                                 GR_OPERAND_PREDICATE, GR_OPERAND_UNIFORM_PREDICATE,
                                                 GR_OPERAND_IMMEDIATE, GR_OPERAND_IMMEDIATE,
                                                 GR_OPERAND_TARGET,    GR_OPERAND_LIST,
                                                 GR_OPERAND_NAMED,     GR_OPERAND_CONSTANT,
                                                 GR_OPERAND_ADDRESS};
    char letter = *r->p++;
    const char *found = strchr(letters, letter);
    op->kind = kinds[found - letters];
    op->base = op->uniform = op->descriptor = GR_REGISTER_ZERO;
    op->is_float = letter == 'F';
    int width;
    if (letter == 'N') {
        read_name(r, op);
    } else if (found - letters < 4) {
        op->number = read_register(r, letter == 'U');
    } else if (letter != 'C' && letter != 'A') {
        op->value = read_number(r, &width);
        if (letter == 'T')
            op->value += (int64_t)address;
    }
}

/* A part of an address or of a constant; false: it is none of these. */
static bool read_part(struct reader *r, char letter, struct gr_operand *op)
{
    int width;
    switch (letter) {
    case 'a':
        op->base = read_register(r, false);
        op->has_base = read_presence(r);
        break;
    case 'g':
        op->base = read_register(r, true);
        op->uniform_base = op->has_base = read_presence(r);
        break;
    case 'u':
        op->uniform = read_register(r, true);
        op->has_uniform = read_presence(r);
        break;
    case 'd':
        op->descriptor = read_register(r, true);
        op->has_descriptor = true;
        break;
    case 'b':
        op->bank = (uint8_t)read_number(r, &width);
        break;
    case 'v':
        op->value = read_number(r, &width);
        break;
    case 'y': {
        struct word word = read_choice(r, NULL);
        op->base_suffix = !r->refused && word.length > 0 ? find_word(word) : NULL;
        break;
    }
    case 'x':
        op->extended = true;
        break;
    default:
        return false;
    }
    return true;
}

/* Behind r. */
static bool read_reuse(struct reader *r)
{
    int bit = (int)integer(r, 10);
    unsigned flags = (unsigned)take(0, r->high, 105, 5);
    if (bit >= REUSE_BITS)
        return take(r->low, r->high, bit, 1) != 0;
    return flags >= REUSE_FIRST && flags <= REUSE_LAST && take(0, r->high, 122 + bit, 1) != 0;
}

/* True: the operand is written. What its bits are does not matter of one that is not: HGMMA's
 * scoreboard has a number then that no list has. */
static bool read_operand(struct reader *r, struct gr_operand *op, uint64_t address)
{
    bool there = true;
    *op = (struct gr_operand){0};
    read_kind(r, op, address);
    const bool wrong = r->refused;
    r->refused = false;
    while (!r->refused && skip(r, ',')) {
        char letter = *r->p++;
        if (read_part(r, letter, op))
            continue;
        if (letter == '-') {
            op->negated = read_flag(r);
        } else if (letter == '|') {
            op->absolute = read_flag(r);
        } else if (letter == '~') {
            op->inverted = read_flag(r);
        } else if (letter == 'r') {
            op->reused = read_reuse(r);
        } else if (letter == '.' || letter == '/') {
            read_words(r, letter, op->suffix, GR_DECODED_SUFFIXES);
        } else if (letter == 'f') {
            op->name = find_word(read_choice(r, NULL));
        } else if (letter == 'n') {
            op->name = find_word(read_choice(r, NULL));
        } else {
            r->p--;
            there = read_presence(r) && there;
        }
    }
    r->refused |= wrong && there;
    if (!op->has_base)
        op->base_suffix = NULL;
    if (op->is_float && op->name && strcmp(op->name, "F64") == 0)
        op->value = (int64_t)((uint64_t)op->value << 32);
    return there;
}

/* Reads the form's items; false: it is refused. */
static bool read_form(struct reader *r, struct gr_decoded *out)
{
    struct word mnemonic = {r->p, strcspn(r->p, " ")};
    out->mnemonic = find_word(mnemonic);
    r->p += mnemonic.length;
    while (skip(r, ' ') && !r->refused) {
        if (*r->p == '.' || *r->p == '/') {
            char kind = *r->p++;
            read_words(r, kind, out->modifier, GR_DECODED_MODIFIERS);
        } else if (out->operand_count == GR_DECODED_OPERANDS) {
            return false;
        } else {
            struct gr_operand *op = &out->operand[out->operand_count];
            if (read_operand(r, op, out->address))
                out->operand_count++;
        }
    }
    return out->mnemonic && !r->refused;
}

static bool is_zero(const struct gr_operand *op)
{
    return (op->kind == GR_OPERAND_REGISTER && op->number == GR_REGISTER_ZERO) ||
           (op->kind == GR_OPERAND_IMMEDIATE && op->value == 0);
}

/* nvdisasm says of a multiplication d = a * b + c what it is used for: a move where a or b is zero,
 * an addition where b is one, a shift where b is a power of two and c is zero. */
static const char *use_of_product(const struct gr_decoded *d)
{
    const struct gr_operand *a = &d->operand[1], *b = a + 1, *c = b + 1;
    bool immediate = b->kind == GR_OPERAND_IMMEDIATE;
    for (int i = 0; i < d->operand_count; i++)
        if (d->operand[i].kind == GR_OPERAND_UNIFORM || d->operand[i].extended)
            return NULL;
    if (is_zero(a) || is_zero(b))
        return "MOV";
    if (immediate && b->value == 1)
        return is_zero(c) ? "MOV" : "IADD";
    uint32_t factor = (uint32_t)b->value;
    bool shift = immediate && b->value > 0 && (factor & (factor - 1)) == 0 && factor != 0x10000;
    return shift && is_zero(c) ? "SHL" : NULL;
}

/* Puts it before the modifiers. The wide and the high product have none, nor one with a carry, nor
 * one with the reuse bits of both of its factors beside a stall count with which they have no
 * effect. */
static void name_product(struct gr_decoded *d, uint64_t high)
{
    const char *use = NULL;
    unsigned flags = (unsigned)take(0, high, 105, 5);
    bool idle = take(0, high, 122, 2) == 3 && (flags < REUSE_FIRST || flags > REUSE_LAST);
    if (strcmp(d->mnemonic, "IMAD") == 0 && d->operand_count == 4 && !idle)
        use = use_of_product(d);
    size_t count = 0;
    for (; count < GR_DECODED_MODIFIERS - 1 && d->modifier[count]; count++)
        if (strcmp(d->modifier[count], "U32") != 0)
            use = NULL;
    if (use) {
        memmove(d->modifier + 1, d->modifier, count * sizeof *d->modifier);
        d->modifier[0] = use;
    }
}

static int architecture(int cc)
{
    for (int i = 0; gr_form_cc[i]; i++)
        if (gr_form_cc[i] == cc)
            return i;
    return -1;
}

/* The first form whose conditions hold; its reader is behind them. */
static const struct gr_form *find_form(int cc, struct reader *r)
{
    int arch = architecture(cc);
    unsigned opcode = (unsigned)(r->low & 0xfff);
    size_t low = 0, high = gr_form_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (gr_forms[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    for (; arch >= 0 && low < gr_form_count && gr_forms[low].opcode == opcode; low++) {
        const struct gr_form *form = &gr_forms[low];
        bool fits = form->cc >> arch & 1;
        r->p = form->text;
        while (fits && skip(r, '=')) {
            fits = read_equal(r);
            skip(r, ' ');
        }
        if (fits)
            return *r->p == '!' ? NULL : form;
    }
    return NULL;
}

static void read_control(uint64_t high, struct gr_decoded *out)
{
    out->stall = (uint8_t)take(0, high, 105, 4);
    out->yield = (uint8_t)take(0, high, 109, 1);
    out->write_barrier = (uint8_t)take(0, high, 110, 3);
    out->read_barrier = (uint8_t)take(0, high, 113, 3);
    out->wait_mask = (uint8_t)take(0, high, 116, 6);
}

static bool is_allowed(const struct gr_form_control *control, uint64_t high)
{
    unsigned flags = (unsigned)(take(0, high, 105, 5) | take(0, high, 122, 3) << 5);
    return control->stall_and_reuse[flags / 64] >> flags % 64 & 1 &&
           control->write_barriers >> take(0, high, 110, 3) & 1 &&
           control->read_barriers >> take(0, high, 113, 3) & 1;
}

bool gr_decode(int cc, uint64_t low, uint64_t high, uint64_t address, struct gr_decoded *out)
{
    struct reader r = {.low = low, .high = high};
    *out = (struct gr_decoded){.address = address};
    const struct gr_form *form = find_form(cc, &r);
    if (!form)
        return false;
    if (!is_allowed(&gr_form_controls[form->controls], high))
        return false;
    read_control(high, out);
    out->guard.kind = form->guard == 'U' ? GR_OPERAND_UNIFORM_PREDICATE : GR_OPERAND_PREDICATE;
    out->guard.number = GR_PREDICATE_TRUE;
    if (form->guard == '!' && take(low, high, 12, 4) != GR_PREDICATE_TRUE)
        return false;
    if (form->guard != '-') {
        out->guard.number = (uint8_t)take(low, high, 12, 3);
        out->guard.inverted = take(low, high, 15, 1) != 0;
    }
    if (!read_form(&r, out))
        return false;
    name_product(out, high);
    return true;
}

bool gr_decode_knows(int cc)
{
    int i = 0;
    while (gr_form_cc[i] && gr_form_cc[i] != cc)
        i++;
    return gr_form_cc[i] != 0;
}
