/* pack_list.c: reads the list of the library's GPU kernels. SPDX-License-Identifier: MIT */
#include "pack/pack_kernels.h"

#include "core/error.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads an entry such as "library/finish": the embedded file kernels/library/finish.cu, which is
 * not a rung. */
static enum gradus_status read_other(const char *name, struct gr_pack_list *list,
                                     const struct gr_kernel **kernel, struct gradus_error *error)
{
    char path[128];
    for (int i = 0; i < list->other_count; i++)
        if (strcmp(list->others[i]->name, strchr(name, '/') + 1) == 0) {
            *kernel = list->others[i];
            return GRADUS_OK;
        }
    snprintf(path, sizeof path, "kernels/%s.cu", name);
    const struct gr_embedded *file = gr_embedded_find(path);
    if (!file)
        return gr_fail(error, GRADUS_NOT_FOUND, "%s: no such file is embedded", path);
    if (list->other_count == (int)(sizeof list->others / sizeof *list->others))
        return gr_fail(error, GRADUS_INVALID, "%s: more than %d files", path, list->other_count);
    struct gr_kernel **slot = &list->others[list->other_count];
    const enum gradus_status status = gr_kernel_parse(path, file->text, NULL, slot, error);
    if (status != GRADUS_OK)
        return status;
    (*slot)->built_in = true;
    list->other_count++;
    *kernel = *slot;
    return GRADUS_OK;
}

/* Reads a line, such as "12_best f32 BM=64 later". */
static enum gradus_status read_line(const char *path, int number, char *line,
                                    struct gr_pack_list *list, struct gradus_error *error)
{
    char *rest = NULL, *name = strtok_r(line, " \t", &rest), *types = strtok_r(NULL, " \t", &rest);
    struct gr_pack_entry *entry = &list->entries[list->count];
    if (!name)
        return GRADUS_OK;
    if (list->count == (int)(sizeof list->entries / sizeof *list->entries))
        return gr_fail(error, GRADUS_INVALID, "%s:%d: more than %d kernels", path, number,
                       list->count);
    if (!types || !gr_types_parse(types, &entry->types))
        return gr_fail(error, GRADUS_INVALID, "%s:%d: found '%s', wanted types such as f32", path,
                       number, types ? types : "");
    enum gradus_status status = strchr(name, '/')
                                    ? read_other(name, list, &entry->kernel, error)
                                    : gr_catalog_find(&list->catalog, name, &entry->kernel, error);
    for (char *word; status == GRADUS_OK && (word = strtok_r(NULL, " \t", &rest));) {
        if (strcmp(word, "later") == 0) {
            entry->later = true;
            continue;
        }
        if (entry->assignment_count == GR_MAX_PARAMS)
            return gr_fail(error, GRADUS_INVALID, "%s:%d: too many parameters", path, number);
        entry->assignments[entry->assignment_count++] = gr_strdup(word);
    }
    list->count += status == GRADUS_OK;
    return status;
}

enum gradus_status gr_pack_list_read(const char *path, struct gr_pack_list *list,
                                     struct gradus_error *error)
{
    char *text = NULL, *rest = NULL;
    size_t length;
    int number = 0;
    *list = (struct gr_pack_list){0};
    enum gradus_status status = gr_catalog_load(NULL, GR_LANGUAGE_CUDA, &list->catalog, error);
    if (status == GRADUS_OK)
        status = gr_file_read(path, &text, &length, error);
    for (char *line = text; status == GRADUS_OK && line && *line; line = rest) {
        rest = line + strcspn(line, "\n");
        if (*rest)
            *rest++ = 0;
        line[strcspn(line, "#")] = 0;
        status = read_line(path, ++number, line, list, error);
    }
    free(text);
    return status;
}

void gr_pack_list_free(struct gr_pack_list *list)
{
    for (int i = 0; i < list->count; i++)
        for (int j = 0; j < list->entries[i].assignment_count; j++)
            free(list->entries[i].assignments[j]);
    for (int i = 0; i < list->other_count; i++)
        gr_kernel_free(list->others[i]);
    gr_catalog_free(&list->catalog);
}

enum gradus_status gr_pack_variant(const struct gr_pack_entry *entry, int trans,
                                   struct gr_variant *variant, struct gradus_error *error)
{
    enum gradus_status status =
        gr_variant_make(entry->kernel, entry->types, trans & 2, trans & 1, variant, error);
    for (int i = 0; i < entry->assignment_count && status == GRADUS_OK; i++)
        status = gr_variant_set(variant, entry->assignments[i], error);
    return status == GRADUS_OK ? gr_variant_admits(variant, NULL, NULL, error) : status;
}
