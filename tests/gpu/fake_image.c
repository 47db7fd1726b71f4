/* fake_image.c: reading what the fake driver is given to load. SPDX-License-Identifier: MIT */
#include "fake_image.h"

#include "code/msgpack.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records of .nv.info: a byte of the format, a byte of the attribute, two bytes that are the value,
 * or for SIZED the number of bytes that follow. A KPARAM_INFO: index, ordinal and offset, and flags
 * with the size from bit 18 on. */
enum { SIZED = 4, KPARAM_INFO = 0x17, EM_NVIDIA_GPU = 190, EM_AMD_GPU = 224, NOTE_METADATA = 32 };

static void read_parameters(const unsigned char *info, size_t length, struct fake_kernel *kernel)
{
    for (size_t at = 0; at + 4 <= length;) {
        uint16_t value;
        memcpy(&value, info + at + 2, sizeof value);
        size_t payload = info[at] == SIZED ? value : 0;
        if (info[at] == SIZED && info[at + 1] == KPARAM_INFO && payload >= 12 &&
            at + 4 + payload <= length) {
            uint16_t ordinal;
            uint32_t flags;
            memcpy(&ordinal, info + at + 8, sizeof ordinal);
            memcpy(&flags, info + at + 12, sizeof flags);
            if (ordinal < FAKE_PARAMETERS) {
                kernel->parameter_bytes[ordinal] = flags >> 18;
                if (ordinal >= kernel->parameter_count)
                    kernel->parameter_count = ordinal + 1;
            }
        }
        at += 4 + payload;
    }
}

static struct fake_kernel *find(struct fake_module *module, const char *symbol)
{
    for (int i = 0; i < module->count; i++)
        if (strcmp(module->kernels[i].symbol, symbol) == 0)
            return &module->kernels[i];
    return NULL;
}

static struct fake_kernel *add(struct fake_module *module, const char *symbol)
{
    if (module->count == FAKE_KERNELS)
        return NULL;
    struct fake_kernel *kernel = &module->kernels[module->count++];
    *kernel = (struct fake_kernel){0};
    snprintf(kernel->symbol, sizeof kernel->symbol, "%s", symbol);
    return kernel;
}

/* The image may lie at any address, so that structures are copied out of it. */
static Elf64_Shdr section_at(const unsigned char *image, const Elf64_Ehdr *head, int index)
{
    Elf64_Shdr section;
    memcpy(&section, image + head->e_shoff + (size_t)index * sizeof section, sizeof section);
    return section;
}

/* Kernels are what has a section .nv.info of its own. */
static bool read_cubin(const unsigned char *image, struct fake_module *module)
{
    static const char prefix[] = ".nv.info.";
    Elf64_Ehdr head;
    memcpy(&head, image, sizeof head);
    if (head.e_machine != EM_NVIDIA_GPU || head.e_shentsize != sizeof(Elf64_Shdr))
        return false;
    const char *names = (const char *)image + section_at(image, &head, head.e_shstrndx).sh_offset;
    for (int i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr section = section_at(image, &head, i);
        const char *name = names + section.sh_name;
        if (strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        struct fake_kernel *kernel = add(module, name + strlen(prefix));
        if (kernel)
            read_parameters(image + section.sh_offset, section.sh_size, kernel);
    }
    return module->count > 0;
}

/* The arguments of a kernel, as their sizes; those that the run time adds are hidden. */
static void read_arguments(struct gr_msgpack *m, uint64_t count, struct fake_kernel *kernel)
{
    struct gr_msgpack_item item, key;
    for (uint64_t i = 0; i < count && gr_msgpack_next(m, &item); i++) {
        size_t bytes = 0;
        bool hidden = false;
        for (uint64_t pair = 0, pairs = item.count; pair < pairs && gr_msgpack_next(m, &key);
             pair++) {
            struct gr_msgpack value = *m;
            struct gr_msgpack_item v;
            gr_msgpack_skip(m);
            if (gr_msgpack_is(&key, ".size") && gr_msgpack_next(&value, &v))
                bytes = (size_t)v.number;
            else if (gr_msgpack_is(&key, ".value_kind") && gr_msgpack_next(&value, &v))
                hidden = v.length > 7 && memcmp(v.text, "hidden_", 7) == 0;
        }
        if (!hidden && kernel->parameter_count < FAKE_PARAMETERS)
            kernel->parameter_bytes[kernel->parameter_count++] = bytes;
    }
}

static void read_kernel(struct gr_msgpack *m, uint64_t pairs, struct fake_module *module)
{
    struct gr_msgpack_item key, item;
    struct fake_kernel *kernel = add(module, "");
    for (uint64_t i = 0; i < pairs && gr_msgpack_next(m, &key); i++) {
        struct gr_msgpack value = *m;
        gr_msgpack_skip(m);
        if (!kernel || !gr_msgpack_next(&value, &item))
            continue;
        if (gr_msgpack_is(&key, ".name"))
            snprintf(kernel->symbol, sizeof kernel->symbol, "%.*s", (int)item.length,
                     (const char *)item.text);
        else if (gr_msgpack_is(&key, ".args"))
            read_arguments(&value, item.count, kernel);
    }
}

static void read_metadata(struct gr_msgpack m, struct fake_module *module)
{
    struct gr_msgpack_item map, key, list, kernel;
    if (!gr_msgpack_next(&m, &map))
        return;
    for (uint64_t i = 0; i < map.count && gr_msgpack_next(&m, &key); i++) {
        struct gr_msgpack value = m;
        gr_msgpack_skip(&m);
        if (gr_msgpack_is(&key, "amdhsa.kernels") && gr_msgpack_next(&value, &list))
            for (uint64_t k = 0; k < list.count && gr_msgpack_next(&value, &kernel); k++)
                read_kernel(&value, kernel.count, module);
    }
}

static bool read_code_object(const unsigned char *image, struct fake_module *module)
{
    Elf64_Ehdr head;
    memcpy(&head, image, sizeof head);
    for (int i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr section = section_at(image, &head, i);
        Elf64_Nhdr note;
        if (section.sh_type != SHT_NOTE)
            continue;
        memcpy(&note, image + section.sh_offset, sizeof note);
        const unsigned char *at =
            image + section.sh_offset + sizeof note + (note.n_namesz + 3) / 4 * 4;
        if (note.n_type == NOTE_METADATA)
            read_metadata((struct gr_msgpack){at, at + note.n_descsz}, module);
    }
    return module->count > 0;
}

static bool read_fake(const char *text, struct fake_module *module)
{
    for (; *text; text += *text == '\n') {
        char symbol[256];
        size_t length = strcspn(text, " \n");
        snprintf(symbol, sizeof symbol, "%.*s", (int)length, text);
        struct fake_kernel *kernel = find(module, symbol) ? NULL : add(module, symbol);
        for (text += length; *text == ' ';) {
            char *end;
            size_t bytes = strtoul(text, &end, 10);
            if (kernel && kernel->parameter_count < FAKE_PARAMETERS)
                kernel->parameter_bytes[kernel->parameter_count++] = bytes;
            text = end;
        }
    }
    return module->count > 0;
}

bool fake_image_read(const void *image, struct fake_module *module)
{
    *module = (struct fake_module){0};
    if (memcmp(image, ELFMAG, SELFMAG) == 0) {
        Elf64_Ehdr head;
        memcpy(&head, image, sizeof head);
        return head.e_machine == EM_AMD_GPU ? read_code_object(image, module)
                                            : read_cubin(image, module);
    }
    size_t head = strlen(FAKE_IMAGE_HEAD);
    return strncmp(image, FAKE_IMAGE_HEAD, head) == 0 &&
           read_fake((const char *)image + head, module);
}
