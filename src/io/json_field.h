/* json_field.h: the fields of somebody's JSON, asked for one by one. SPDX-License-Identifier: MIT
 */
#ifndef IO_JSON_FIELD_H
#define IO_JSON_FIELD_H

#include "records/row.h"

#include <cjson/cJSON.h>
#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GR_JSON_LARGEST_COUNT 0x1p53 /* up to here a double counts every integer */
#define GR_JSON_LARGEST_INT 2147483647.0

/* Where we are, and the first thing that did not fit. After that the functions below do nothing and
 * return zeros, so that a reader asks for all its fields and looks at `status` once. */
struct gr_json_reader {
    const char *file;
    char where[96]; /* "rows[3].peer.", "environment.", or "" */
    enum gradus_status status;
    struct gradus_error *error;
};

/* Says "file: where.field: found …, wanted …", if nothing was said before. */
void gr_json_refuse(struct gr_json_reader *r, const char *field, const cJSON *item,
                    const char *wanted);

/* Appends "field." to where we are; the return value is for leave. */
size_t gr_json_enter(struct gr_json_reader *r, const char *field);
void gr_json_leave(struct gr_json_reader *r, size_t length);

/* Null when there is none. */
const cJSON *gr_json_member(const cJSON *object, const char *field);
/* Null, or not there. */
bool gr_json_is_absent(const cJSON *object, const char *field);

/* A text, owned by the caller; null where the file has null or nothing, which is refused when
 * `required`. */
char *gr_json_read_text(struct gr_json_reader *r, const cJSON *object, const char *field,
                        bool required);
/* A text into a fixed buffer; "" where it is absent. A longer one is refused. */
void gr_json_read_name(struct gr_json_reader *r, const cJSON *object, const char *field, char *name,
                       size_t size);
double gr_json_read_number(struct gr_json_reader *r, const cJSON *object, const char *field,
                           double least, double most);
int64_t gr_json_read_count(struct gr_json_reader *r, const cJSON *object, const char *field,
                           double least, double most);
/* A number that is not negative; 0 where it is absent. */
double gr_json_read_known(struct gr_json_reader *r, const cJSON *object, const char *field);
/* A number, or "nan", "inf", "-inf". */
double gr_json_read_element(struct gr_json_reader *r, const cJSON *object, const char *field);
/* False where it is not there. */
bool gr_json_read_bool(struct gr_json_reader *r, const cJSON *object, const char *field);
/* Null where it is absent, which is refused when `required`. */
const cJSON *gr_json_read_object(struct gr_json_reader *r, const cJSON *object, const char *field,
                                 bool required);
const cJSON *gr_json_read_array(struct gr_json_reader *r, const cJSON *object, const char *field);

#endif
