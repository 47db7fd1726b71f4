/* explanation.c: builds the sections of an explanation. SPDX-License-Identifier: MIT */
#include "records/explanation.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct gr_section *gr_explanation_add(struct gr_explanation *e, const char *title,
                                      const char *prefix)
{
    struct gr_section *grown =
        realloc(e->sections, (size_t)(e->section_count + 1) * sizeof *e->sections);
    if (!grown)
        return NULL;
    e->sections = grown;
    struct gr_section *section = &grown[e->section_count++];
    *section = (struct gr_section){.title = gr_strdup(title), .prefix = gr_strdup(prefix)};
    section->failed = !section->title || !section->prefix;
    return section;
}

static void free_section(struct gr_section *section)
{
    for (int i = 0; i < section->fact_count; i++) {
        free(section->facts[i].key);
        free(section->facts[i].word);
    }
    free(section->facts);
    free(section->title);
    free(section->prefix);
    gr_str_free(&section->text);
}

void gr_explanation_free(struct gr_explanation *e)
{
    for (int i = 0; i < e->section_count; i++)
        free_section(&e->sections[i]);
    for (int i = 0; i < e->expectation_count; i++) {
        free(e->expectations[i].expression);
        free(e->expectations[i].found);
    }
    gr_findings_free(&e->findings);
    free(e->sections);
    free(e->expectations);
    *e = (struct gr_explanation){0};
}

const struct gr_fact *gr_explanation_find(const struct gr_explanation *e, const char *key)
{
    for (int s = 0; s < e->section_count; s++)
        for (int i = 0; i < e->sections[s].fact_count; i++)
            if (strcmp(e->sections[s].facts[i].key, key) == 0)
                return &e->sections[s].facts[i];
    return NULL;
}

bool gr_explanation_failed(const struct gr_explanation *e)
{
    for (int i = 0; i < e->section_count; i++)
        if (e->sections[i].failed || e->sections[i].text.failed)
            return true;
    return false;
}

void gr_section_printf(struct gr_section *section, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    gr_str_vprintf(&section->text, format, values);
    va_end(values);
    gr_str_add(&section->text, "\n");
}

/* Null if memory is out; the section is marked as failed then. */
static struct gr_fact *add_fact(struct gr_section *section, const char *key)
{
    struct gr_fact *grown =
        realloc(section->facts, (size_t)(section->fact_count + 1) * sizeof *grown);
    char *whole = gr_printf("%s%s", section->prefix ? section->prefix : "", key);
    if (grown)
        section->facts = grown;
    if (!grown || !whole) {
        free(whole);
        section->failed = true;
        return NULL;
    }
    struct gr_fact *fact = &grown[section->fact_count++];
    *fact = (struct gr_fact){.key = whole, .unit = ""};
    return fact;
}

void gr_section_number(struct gr_section *section, const char *key, double value, const char *unit)
{
    struct gr_fact *fact = add_fact(section, key);
    if (!fact)
        return;
    fact->value = value;
    fact->unit = unit;
}

void gr_section_word(struct gr_section *section, const char *key, const char *word)
{
    struct gr_fact *fact = add_fact(section, key);
    if (!fact)
        return;
    fact->word = gr_strdup(word);
    section->failed |= !fact->word;
}

const char *gr_expectation_name(enum gr_expectation_verdict verdict)
{
    static const char *const names[] = {"holds", "false", "unknown", "elsewhere"};
    return names[verdict];
}
