/* history_list.c: the records of the history in memory. SPDX-License-Identifier: MIT */
#include "history/history.h"

#include <stdlib.h>

void gr_history_entry_free(struct gr_history_entry *entry)
{
    free(entry->date);
    free(entry->file);
    free(entry->function);
    free(entry->file_hash);
    gr_row_free(&entry->row);
    *entry = (struct gr_history_entry){0};
}

static void free_run(struct gr_history_run *run)
{
    struct gr_run holder = {.environment = run->environment, .title = run->title};
    gr_run_free(&holder);
    free(run->machine);
}

void gr_history_list_free(struct gr_history_list *list)
{
    for (int i = 0; i < list->run_count; i++)
        free_run(&list->runs[i]);
    for (int i = 0; i < list->count; i++)
        gr_history_entry_free(&list->entries[i]);
    free(list->runs);
    free(list->entries);
    *list = (struct gr_history_list){0};
}

const struct gr_history_run *gr_history_run_of(const struct gr_history_list *list,
                                               const struct gr_history_entry *entry)
{
    /* A binary search, because runs are in the order of their ids. */
    int low = 0, high = list->run_count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (list->runs[middle].id < entry->run)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->run_count && list->runs[low].id == entry->run ? &list->runs[low] : NULL;
}
