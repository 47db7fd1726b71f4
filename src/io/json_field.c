/* json_field.c: reads the fields of an untrusted JSON document one by one.
 * SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "base/utf8.h"

#ifdef GRADUS_HAVE_CJSON

#include "io/json_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends what was found, truncated and cleaned for a message. */
static void describe(const cJSON *item, struct gr_str *found)
{
    enum { LONGEST = 40 };
    if (cJSON_IsString(item)) {
        const char *end = item->valuestring;
        for (int i = 0; i < LONGEST && *end; i++)
            end += gr_utf8_length(end) ? gr_utf8_length(end) : 1;
        char *start = gr_strndup(item->valuestring, (size_t)(end - item->valuestring));
        gr_str_add(found, "\"");
        gr_str_add_line(found, start ? start : "");
        gr_str_add(found, *end ? "...\"" : "\"");
        free(start);
    } else if (cJSON_IsNumber(item)) {
        gr_str_printf(found, "%.17g", item->valuedouble);
    } else {
        gr_str_add(found, !item                 ? "nothing"
                          : cJSON_IsNull(item)  ? "null"
                          : cJSON_IsTrue(item)  ? "true"
                          : cJSON_IsFalse(item) ? "false"
                          : cJSON_IsArray(item) ? "an array"
                                                : "an object");
    }
}

void gr_json_refuse(struct gr_json_reader *r, const char *field, const cJSON *item,
                    const char *wanted)
{
    struct gr_str found = {0};
    if (r->status)
        return;
    describe(item, &found);
    r->status = gr_fail(r->error, GRADUS_INVALID, "%s: %s%s: found %s, wanted %s", r->file,
                        r->where, field, gr_str_text(&found), wanted);
    gr_str_free(&found);
}

size_t gr_json_enter(struct gr_json_reader *r, const char *field)
{
    size_t length = strlen(r->where);
    snprintf(r->where + length, sizeof r->where - length, "%s.", field);
    return length;
}

void gr_json_leave(struct gr_json_reader *r, size_t length)
{
    r->where[length] = 0;
}

const cJSON *gr_json_member(const cJSON *object, const char *field)
{
    return cJSON_GetObjectItemCaseSensitive(object, field);
}

char *gr_json_read_text(struct gr_json_reader *r, const cJSON *object, const char *field,
                        bool required)
{
    const cJSON *item = gr_json_member(object, field);
    if (r->status || (!required && (!item || cJSON_IsNull(item))))
        return NULL;
    if (!cJSON_IsString(item)) {
        gr_json_refuse(r, field, item, required ? "a string" : "a string or null");
        return NULL;
    }
    char *text = gr_strdup(item->valuestring);
    if (!text)
        r->status = gr_fail_memory(r->error, r->file, strlen(item->valuestring));
    return text;
}

void gr_json_read_name(struct gr_json_reader *r, const cJSON *object, const char *field, char *name,
                       size_t size)
{
    char *text = gr_json_read_text(r, object, field, false), wanted[48];
    if (text && strlen(text) >= size) {
        snprintf(wanted, sizeof wanted, "at most %zu bytes", size - 1);
        gr_json_refuse(r, field, gr_json_member(object, field), wanted);
    } else {
        snprintf(name, size, "%s", text ? text : "");
    }
    free(text);
}

double gr_json_read_number(struct gr_json_reader *r, const cJSON *object, const char *field,
                           double least, double most)
{
    const cJSON *item = gr_json_member(object, field);
    char wanted[80];
    if (r->status)
        return 0;
    if (cJSON_IsNumber(item) && item->valuedouble >= least && item->valuedouble <= most)
        return item->valuedouble;
    snprintf(wanted, sizeof wanted, "a number from %.6g to %.6g", least, most);
    gr_json_refuse(r, field, item, wanted);
    return 0;
}

int64_t gr_json_read_count(struct gr_json_reader *r, const cJSON *object, const char *field,
                           double least, double most)
{
    double x = gr_json_read_number(r, object, field, least, most);
    if (x != floor(x)) {
        gr_json_refuse(r, field, gr_json_member(object, field), "a whole number");
        return 0;
    }
    return (int64_t)x;
}

bool gr_json_is_absent(const cJSON *object, const char *field)
{
    const cJSON *item = gr_json_member(object, field);
    return !item || cJSON_IsNull(item);
}

double gr_json_read_known(struct gr_json_reader *r, const cJSON *object, const char *field)
{
    return gr_json_is_absent(object, field) ? 0 : gr_json_read_number(r, object, field, 0, 1e300);
}

double gr_json_read_element(struct gr_json_reader *r, const cJSON *object, const char *field)
{
    const cJSON *item = gr_json_member(object, field);
    if (!cJSON_IsString(item))
        return gr_json_read_number(r, object, field, -1e308, 1e308);
    if (strcmp(item->valuestring, "nan") == 0)
        return NAN;
    if (strcmp(item->valuestring, "inf") == 0)
        return INFINITY;
    if (strcmp(item->valuestring, "-inf") == 0)
        return -INFINITY;
    gr_json_refuse(r, field, item, "a number, \"nan\", \"inf\" or \"-inf\"");
    return 0;
}

const cJSON *gr_json_read_object(struct gr_json_reader *r, const cJSON *object, const char *field,
                                 bool required)
{
    const cJSON *item = gr_json_member(object, field);
    if (r->status || (!required && (!item || cJSON_IsNull(item))))
        return NULL;
    if (cJSON_IsObject(item))
        return item;
    gr_json_refuse(r, field, item, required ? "an object" : "an object or null");
    return NULL;
}

const cJSON *gr_json_read_array(struct gr_json_reader *r, const cJSON *object, const char *field)
{
    const cJSON *item = gr_json_member(object, field);
    if (cJSON_IsArray(item))
        return item;
    gr_json_refuse(r, field, item, "an array");
    return NULL;
}

bool gr_json_read_bool(struct gr_json_reader *r, const cJSON *object, const char *field)
{
    const cJSON *item = gr_json_member(object, field);
    if (item && !cJSON_IsBool(item))
        gr_json_refuse(r, field, item, "true or false");
    return cJSON_IsTrue(item);
}

#endif
