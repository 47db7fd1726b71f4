/* json_field.h: reads the fields of an untrusted JSON document one by one.
 * SPDX-License-Identifier: MIT */
#ifndef IO_JSON_FIELD_H
#define IO_JSON_FIELD_H

#include "records/row.h"

#include <cjson/cJSON.h>
#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GR_JSON_LARGEST_COUNT 0x1p53 /* a double represents every integer up to this one */
#define GR_JSON_LARGEST_INT 2147483647.0

/* The current position, and the first error. After an error the functions below do nothing and
 * return zeros, so that a caller reads all fields and checks `status` once. */
struct gr_json_reader {
    const char *file;
    char where[96]; /* "rows[3].peer.", "environment.", or "" */
    enum gradus_status status;
    struct gradus_error *error;
};

/* Reports "file: where.field: found …, wanted …", unless an error was reported before. */
void gr_json_refuse(struct gr_json_reader *r, const char *field, const cJSON *item,
                    const char *wanted);

/* Appends "field." to the position. Pass the return value to gr_json_leave. */
size_t gr_json_enter(struct gr_json_reader *r, const char *field);
void gr_json_leave(struct gr_json_reader *r, size_t length);

/* The member of that name, or null. */
const cJSON *gr_json_member(const cJSON *object, const char *field);
/* Is the member null or missing? */
bool gr_json_is_absent(const cJSON *object, const char *field);

/* A string, owned by the caller. Null if the member is null or missing, which is an error if
 * `required`. */
char *gr_json_read_text(struct gr_json_reader *r, const cJSON *object, const char *field,
                        bool required);
/* A string into a fixed buffer; "" if the member is null or missing. A longer string is an
 * error. */
void gr_json_read_name(struct gr_json_reader *r, const cJSON *object, const char *field, char *name,
                       size_t size);
double gr_json_read_number(struct gr_json_reader *r, const cJSON *object, const char *field,
                           double least, double most);
int64_t gr_json_read_count(struct gr_json_reader *r, const cJSON *object, const char *field,
                           double least, double most);
/* A number that is not negative; 0 if the member is null or missing. */
double gr_json_read_known(struct gr_json_reader *r, const cJSON *object, const char *field);
/* A number, or "nan", "inf", "-inf". */
double gr_json_read_element(struct gr_json_reader *r, const cJSON *object, const char *field);
/* False if the member is missing. */
bool gr_json_read_bool(struct gr_json_reader *r, const cJSON *object, const char *field);
/* Null if the member is null or missing, which is an error if `required`. */
const cJSON *gr_json_read_object(struct gr_json_reader *r, const cJSON *object, const char *field,
                                 bool required);
const cJSON *gr_json_read_array(struct gr_json_reader *r, const cJSON *object, const char *field);

#endif
