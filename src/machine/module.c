/* module.c: reads the sections of a cubin that a launch needs. The layout is not published; it was
 * inferred from the output of CUDA 13 for sm_75 to sm_120. SPDX-License-Identifier: MIT */
#include "machine/module.h"

#include "base/str.h"
#include "core/error.h"
#include "machine/device_heap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ABI_WIDE_ARCH =
        8, /* from this EI_ABIVERSION on, bits 8 to 15 of e_flags are the architecture */
    SYMBOL_OBJECT = 1,
    RELOCATION_64 = 2, /* the address of the symbol, plus the addend */
    FORMAT_SIZED = 4,
    ATTRIBUTE_PARAMETER_BANK = 0x0a,
    ATTRIBUTE_MIN_STACK_SIZE = 0x12,
    ATTRIBUTE_PARAMETER = 0x17,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_CLUSTER = 0x3d, /* the extents of a cluster in blocks */
    SPARE_STACK_BYTES = 1024, /* for calls whose depth is not known */
    /* From the compute capabilities in the CUDA C++ Programming Guide. */
    MOST_LOCAL_BYTES = 512 << 10,
    VARIABLE_ALIGNMENT = 256,
    MOST_CLUSTER = 16 /* in blocks */
};

/* A symbol of the ELF symbol table. */
struct symbol {
    const char *name;
    int type, section;
    uint64_t value, size;
};

static const struct gr_elf_section *symbol_table(const struct gr_elf *elf)
{
    for (int i = 0; i < elf->count; i++)
        if (elf->sections[i].type == GR_ELF_SYMTAB && elf->sections[i].bytes)
            return &elf->sections[i];
    return NULL;
}

static bool read_symbol(const struct gr_elf *elf, uint64_t index, struct symbol *out)
{
    const struct gr_elf_section *table = symbol_table(elf);
    if (!table || table->link >= (uint32_t)elf->count || index >= table->size / GR_ELF_SYMBOL_BYTES)
        return false;
    const unsigned char *at = table->bytes + index * GR_ELF_SYMBOL_BYTES;
    *out = (struct symbol){.name = gr_elf_text(&elf->sections[table->link], gr_elf_number(at, 4)),
                           .type = at[4] & 0xf,
                           .section = (int)gr_elf_number(at + 6, 2),
                           .value = gr_elf_number(at + 8, 8),
                           .size = gr_elf_number(at + 16, 8)};
    return out->name != NULL;
}

static const struct gr_elf_section *find_with(const struct gr_elf *elf, const char *prefix,
                                              const char *symbol)
{
    const size_t length = strlen(prefix);
    for (int i = 0; i < elf->count; i++)
        if (strncmp(elf->sections[i].name, prefix, length) == 0 &&
            strcmp(elf->sections[i].name + length, symbol) == 0)
            return &elf->sections[i];
    return NULL;
}

/* ---- The kernel. ---- */

static void read_own(struct gr_program *p, int attribute, const unsigned char *value, size_t size)
{
    if (attribute == ATTRIBUTE_PARAMETER_BANK && size >= 8)
        p->parameter_base = (int)gr_elf_number(value + 4, 2);
    if (attribute == ATTRIBUTE_CLUSTER && size >= 12)
        for (int i = 0; i < 3; i++)
            p->cluster[i] = (unsigned)gr_elf_number(value + 4 * i, 4);
    if (attribute != ATTRIBUTE_PARAMETER || size < 12)
        return;
    unsigned ordinal = (unsigned)gr_elf_number(value + 4, 2);
    if (ordinal >= GR_PROGRAM_PARAMETERS)
        return;
    p->parameters[ordinal].offset = (int)gr_elf_number(value + 6, 2);
    p->parameters[ordinal].bytes = (int)(gr_elf_number(value + 8, 4) >> 18);
    if ((int)ordinal >= p->parameter_count)
        p->parameter_count = (int)ordinal + 1;
}

/* The frames of all functions: an upper bound for each chain of calls without recursion. */
static void read_shared_one(struct gr_program *p, int attribute, const unsigned char *value,
                            size_t size)
{
    struct symbol s;
    if (size < 8)
        return;
    int64_t bytes = (int64_t)gr_elf_number(value + 4, 4);
    bool own = read_symbol(&p->elf, gr_elf_number(value, 4), &s) && strcmp(s.name, p->symbol) == 0;
    if (attribute == ATTRIBUTE_FRAME_SIZE && !own)
        p->local_bytes += bytes;
    if (attribute == ATTRIBUTE_MIN_STACK_SIZE && own)
        p->local_bytes += bytes;
}

static void read_attributes(struct gr_program *p, const struct gr_elf_section *s, bool own)
{
    const unsigned char *at = s && s->bytes ? s->bytes : NULL, *end = at ? at + s->size : NULL;
    while (at && end - at >= 4) {
        int format = at[0], attribute = at[1];
        size_t size = format == FORMAT_SIZED ? (size_t)gr_elf_number(at + 2, 2) : 0;
        at += 4;
        if (size > (size_t)(end - at))
            return;
        if (own)
            read_own(p, attribute, at, size);
        else
            read_shared_one(p, attribute, at, size);
        at += size;
    }
}

enum gradus_status gr_module_kernel(struct gr_program *p, const char *symbol,
                                    struct gradus_error *error)
{
    const struct gr_elf_section *text = find_with(&p->elf, ".text.", symbol);
    if (!text || !text->bytes || text->size % GR_STEP_BYTES != 0)
        return gr_fail(error, GRADUS_INVALID, "cubin: no kernel %s with whole instructions in it",
                       symbol);
    p->cc = (int)(p->elf.abi >= ABI_WIDE_ARCH ? p->elf.flags >> 8 & 0xff : p->elf.flags & 0xff);
    p->symbol = text->name + strlen(".text.");
    p->section = (int)(text - p->elf.sections);
    p->count = (int)(text->size / GR_STEP_BYTES);
    p->registers = (int)(text->info >> 24);
    read_attributes(p, find_with(&p->elf, ".nv.info.", symbol), true);
    read_attributes(p, gr_elf_find(&p->elf, ".nv.info"), false);
    if (p->local_bytes > MOST_LOCAL_BYTES)
        return gr_fail(error, GRADUS_LAUNCH,
                       "%lld bytes of local memory (its stack) a thread, a GPU gives at most "
                       "%d; keep large arrays in global memory",
                       (long long)p->local_bytes, MOST_LOCAL_BYTES);
    p->local_bytes = (p->local_bytes + SPARE_STACK_BYTES + 15) / 16 * 16;
    const struct gr_elf_section *shared = find_with(&p->elf, ".nv.shared.", symbol);
    p->shared_bytes = shared ? (int64_t)shared->size : p->cc >= 90 ? 1024 : 0;
    return GRADUS_OK;
}

/* ---- Variables in global memory. ---- */

/* Is it a section of variables in global memory? These sections are placed one after another. */
static bool is_global(const struct gr_elf_section *s)
{
    return strcmp(s->name, ".nv.global") == 0 || strcmp(s->name, ".nv.global.init") == 0;
}

static int64_t offset_of_section(const struct gr_elf *elf, int section)
{
    int64_t at = 0;
    for (int i = 0; i < elf->count && i < section; i++)
        if (is_global(&elf->sections[i]))
            at += ((int64_t)elf->sections[i].size + VARIABLE_ALIGNMENT - 1) / VARIABLE_ALIGNMENT *
                  VARIABLE_ALIGNMENT;
    return at;
}

/* Do functions of the module call malloc? */
static bool has_heap(const struct gr_elf *elf)
{
    const struct gr_elf_section *table = symbol_table(elf);
    const uint64_t many = table ? table->size / GR_ELF_SYMBOL_BYTES : 0;
    struct symbol s;
    for (uint64_t i = 0; i < many; i++)
        if (read_symbol(elf, i, &s) && s.section == 0 && strcmp(s.name, "malloc") == 0)
            return true;
    return false;
}

int64_t gr_program_globals(const void *image, size_t length)
{
    struct gr_elf elf;
    struct gradus_error error = {0};
    int64_t bytes = 0;
    if (gr_elf_read(image, length, "cubin", &elf, &error) == GRADUS_OK)
        bytes = offset_of_section(&elf, elf.count) + (has_heap(&elf) ? GR_HEAP_BYTES : 0);
    gr_elf_free(&elf);
    gradus_error_clear(&error);
    return bytes;
}

static uint64_t driver_function(const char *name)
{
    static const char *const names[GR_DRIVER_FUNCTION_COUNT] = {"vprintf", "__assertfail", "malloc",
                                                                "free"};
    for (unsigned i = 0; i < GR_DRIVER_FUNCTION_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return GR_DRIVER_FUNCTIONS + i * GR_STEP_BYTES;
    return 0;
}

/* Finds the generic address of a symbol. */
static bool address_of(const struct gr_program *p, const struct symbol *s, uint64_t *address)
{
    if (s->section == 0)
        return (*address = driver_function(s->name)) != 0;
    if (s->section >= p->elf.count)
        return false;
    const struct gr_elf_section *section = &p->elf.sections[s->section];
    if (is_global(section))
        *address =
            (uintptr_t)p->globals + (uint64_t)offset_of_section(&p->elf, s->section) + s->value;
    else if (s->section == p->section)
        *address = s->value;
    else if (gr_starts_with(section->name, ".nv.shared."))
        *address = s->value;
    else
        return false;
    return true;
}

static enum gradus_status place_variables(struct gr_program *p, struct gradus_error *error)
{
    const struct gr_elf_section *table = symbol_table(&p->elf);
    uint64_t many = table ? table->size / GR_ELF_SYMBOL_BYTES : 0;
    p->variables = calloc((size_t)many + 2, sizeof *p->variables);
    if (!p->variables)
        return gr_fail_memory(error, "a module's variables", (size_t)many);
    for (int i = 0; i < p->elf.count; i++) {
        const struct gr_elf_section *s = &p->elf.sections[i];
        if (is_global(s) && s->bytes)
            memcpy(p->globals + offset_of_section(&p->elf, i), s->bytes, (size_t)s->size);
    }
    if (has_heap(&p->elf)) {
        unsigned char *at = p->globals + offset_of_section(&p->elf, p->elf.count);
        p->heap = gr_heap_create(at);
        if (!p->heap)
            return gr_fail_memory(error, "a heap", GR_HEAP_BYTES);
        p->variables[p->variable_count++] =
            (struct gr_program_variable){"heap", (uintptr_t)at, GR_HEAP_BYTES};
    }
    for (uint64_t i = 0; i < many; i++) {
        struct symbol s;
        uint64_t address;
        if (read_symbol(&p->elf, i, &s) && s.type == SYMBOL_OBJECT && s.section > 0 &&
            s.section < p->elf.count && is_global(&p->elf.sections[s.section]) &&
            address_of(p, &s, &address))
            p->variables[p->variable_count++] =
                (struct gr_program_variable){s.name, address, (int64_t)s.size};
    }
    return GRADUS_OK;
}

/* ---- Constant banks. ---- */

static enum gradus_status new_bank(struct gr_program *p, int bank, int64_t bytes,
                                   const unsigned char *from, struct gradus_error *error)
{
    /* Tensor maps must be at multiples of 64. */
    size_t room = ((size_t)bytes + 16 + 127) / 128 * 128;
    p->bank[bank] = aligned_alloc(128, room);
    if (!p->bank[bank])
        return gr_fail_memory(error, "a constant bank", (size_t)bytes);
    memset(p->bank[bank], 0, room);
    p->bank_bytes[bank] = bytes;
    if (from)
        memcpy(p->bank[bank], from, (size_t)bytes);
    return GRADUS_OK;
}

/* The offsets of what the driver passes in bank 0, by architecture. */
struct driver_area {
    int first_cc;
    int block, grid, shared_window, local_window, stack, descriptor;
    int parameters; /* the generic address of the parameters */
    int cluster;    /* the number of blocks of the cluster */
    int shape; /* 1 if the launch has clusters; their extents; the factors, as floats, that convert
                  a block index to an index of clusters; the extents of the grid of clusters */
};
static const struct driver_area areas[] = {
    {100, 0x360, 0x370, -1, 0x2f8, 0x37c, 0x358, -1, -1, -1},
    {90, 0x0, 0xc, -1, 0x20, 0x28, 0x208, 0x198, 0x188, 0x140},
    {80, 0x0, 0xc, 0x18, 0x20, 0x28, 0x118, -1, -1, -1},
    {0, 0x0, 0xc, 0x18, 0x20, 0x28, -1, -1, -1, -1},
};

static void put(unsigned char *bank, int at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes && at >= 0; i++)
        bank[at + i] = (unsigned char)(value >> 8 * i);
}

/* The factor is rounded up, because the code truncates its product with a block index: for a
 * multiple of the extent, this must not become less than the quotient. */
static float reciprocal(unsigned extent)
{
    const float nearest = 1.0f / (float)extent;
    return (double)nearest * extent < 1 ? nextafterf(nearest, 1) : nearest;
}

static void fill_cluster(const struct gr_program *p, const struct gr_program_launch *launch,
                         const struct driver_area *a, unsigned char *bank)
{
    uint64_t blocks = 1;
    put(bank, a->shape, p->cluster[0] > 0, 4);
    for (int i = 0; i < 3 && a->shape >= 0; i++) {
        const unsigned extent = p->cluster[i] ? p->cluster[i] : 1;
        const float factor = reciprocal(extent);
        uint32_t bits;
        memcpy(&bits, &factor, 4);
        put(bank, a->shape + 4 + 4 * i, extent, 4);
        put(bank, a->shape + 16 + 4 * i, bits, 4);
        put(bank, a->shape + 28 + 4 * i, launch->grid[i] / extent, 4);
        blocks *= extent;
    }
    put(bank, a->cluster, blocks, 4);
}

static void fill_bank_0(struct gr_program *p, const struct gr_program_launch *launch)
{
    const struct driver_area *a = areas;
    unsigned char *bank = p->bank[0];
    while (a->first_cc > p->cc)
        a++;
    for (int i = 0; i < 3; i++) {
        put(bank, a->block + 4 * i, launch->block[i], 4);
        put(bank, a->grid + 4 * i, launch->grid[i], 4);
    }
    put(bank, a->shared_window, GR_SHARED_WINDOW, 8);
    put(bank, a->local_window, GR_LOCAL_WINDOW, 8);
    put(bank, a->stack, (uint64_t)p->local_bytes, 4);
    put(bank, a->descriptor, 0, 8);
    fill_cluster(p, launch, a, bank);
    put(bank, a->parameters, (uintptr_t)bank + (uint64_t)p->parameter_base, 8);
    for (int i = 0; i < p->parameter_count; i++)
        memcpy(bank + p->parameter_base + p->parameters[i].offset, launch->parameters[i],
               (size_t)p->parameters[i].bytes);
}

static enum gradus_status make_banks(struct gr_program *p, const struct gr_program_launch *launch,
                                     struct gradus_error *error)
{
    const int64_t least = 0x400;
    int64_t bytes = p->parameter_base;
    for (int i = 0; i < p->parameter_count; i++) {
        int64_t end = p->parameter_base + p->parameters[i].offset + p->parameters[i].bytes;
        bytes = end > bytes ? end : bytes;
    }
    enum gradus_status status = new_bank(p, 0, bytes > least ? bytes : least, NULL, error);
    if (status == GRADUS_OK)
        fill_bank_0(p, launch);
    for (int bank = 1; bank < GR_CONSTANT_BANKS && status == GRADUS_OK; bank++) {
        char own[32], prefix[32];
        snprintf(own, sizeof own, ".nv.constant%d", bank);
        snprintf(prefix, sizeof prefix, ".nv.constant%d.", bank);
        const struct gr_elf_section *s = find_with(&p->elf, prefix, p->symbol);
        if (!s)
            s = gr_elf_find(&p->elf, own);
        if (s && s->bytes)
            status = new_bank(p, bank, (int64_t)s->size, s->bytes, error);
    }
    return status;
}

/* ---- Relocations. ---- */

/* Returns the memory of a section that was loaded, or null. */
static unsigned char *loaded(const struct gr_program *p, uint32_t section)
{
    const struct gr_elf_section *s = &p->elf.sections[section];
    if (is_global(s))
        return p->globals + offset_of_section(&p->elf, (int)section);
    if (!gr_starts_with(s->name, ".nv.constant"))
        return NULL;
    int bank = s->name[strlen(".nv.constant")] - '0';
    const char *of = s->name + strlen(".nv.constant") + 1;
    bool other = *of == '.' && strcmp(of + 1, p->symbol) != 0;
    return bank > 0 && bank < GR_CONSTANT_BANKS && !other ? p->bank[bank] : NULL;
}

static enum gradus_status relocate_section(struct gr_program *p, const struct gr_elf_section *s,
                                           struct gradus_error *error)
{
    const uint64_t each = s->type == GR_ELF_RELA ? 24 : 16;
    if (s->info >= (uint32_t)p->elf.count || !s->bytes)
        return GRADUS_OK;
    const struct gr_elf_section *target = &p->elf.sections[s->info];
    unsigned char *memory = loaded(p, s->info);
    bool text = (int)s->info == p->section;
    for (uint64_t i = 0; i < s->size / each && (memory || text); i++) {
        const unsigned char *at = s->bytes + i * each;
        uint64_t offset = gr_elf_number(at, 8), addend = each == 24 ? gr_elf_number(at + 16, 8) : 0;
        unsigned type = (unsigned)gr_elf_number(at + 8, 4);
        struct symbol symbol;
        uint64_t address;
        if (text || type != RELOCATION_64 || offset + 8 > target->size)
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "not modelled: a relocation of type %u in %s of the cubin", type,
                           target->name);
        if (!read_symbol(&p->elf, gr_elf_number(at + 12, 4), &symbol) ||
            !address_of(p, &symbol, &address))
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "not modelled: the cubin refers to %s, which it does not contain",
                           symbol.name ? symbol.name : "a symbol");
        put(memory, (int)offset, address + addend, 8);
    }
    return GRADUS_OK;
}

/* The kernel's own cluster size has precedence over that of the launch. */
static enum gradus_status set_cluster(struct gr_program *p, const struct gr_program_launch *launch,
                                      struct gradus_error *error)
{
    uint64_t blocks = 1;
    if (p->cluster[0] == 0)
        memcpy(p->cluster, launch->cluster, sizeof p->cluster);
    if (p->cluster[0] == 0)
        return GRADUS_OK;
    for (int i = 0; i < 3; i++) {
        p->cluster[i] = p->cluster[i] ? p->cluster[i] : 1;
        blocks *= p->cluster[i] <= MOST_CLUSTER ? p->cluster[i] : MOST_CLUSTER + 1;
        const unsigned extent = launch->grid[i];
        if (extent % p->cluster[i] != 0)
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "not modelled: %s runs in clusters of %u blocks along %c, of which a "
                           "grid of %u is no multiple: a GPU refuses it",
                           p->symbol, p->cluster[i], "xyz"[i], extent);
    }
    if (blocks > MOST_CLUSTER || (blocks > 1 && (p->cc < 90 || p->cc >= 100)))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "not modelled: %s runs in clusters of %u x %u x %u blocks, at most %d and "
                       "for sm_90",
                       p->symbol, p->cluster[0], p->cluster[1], p->cluster[2], (int)MOST_CLUSTER);
    return GRADUS_OK;
}

enum gradus_status gr_module_memory(struct gr_program *p, const struct gr_program_launch *launch,
                                    struct gradus_error *error)
{
    enum gradus_status status = set_cluster(p, launch, error);
    if (status == GRADUS_OK)
        status = place_variables(p, error);
    if (status == GRADUS_OK)
        status = make_banks(p, launch, error);
    for (int i = 0; i < p->elf.count && status == GRADUS_OK; i++) {
        const struct gr_elf_section *s = &p->elf.sections[i];
        if (s->type == GR_ELF_RELA || s->type == GR_ELF_REL)
            status = relocate_section(p, s, error);
    }
    return status;
}
