/* json.h: a run as JSON and back. The schema is docs/json.md. A build without cJSON writes all the
 * same; its readers return UNSUPPORTED and say which package to install. SPDX-License-Identifier:
 * MIT
 */
#ifndef IO_JSON_H
#define IO_JSON_H

#include "base/str.h"
#include "records/row.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>

/* The version of the schema that is written, and the only one that is read. It grows when a field
 * is taken away or changes its meaning; a new field does not change it. */
#define GR_JSON_SCHEMA "gradus-run"
#define GR_JSON_SCHEMA_VERSION 1

/* Whether the readers below can read: whether cJSON was there when this was built. */
bool gr_json_is_readable(void);

/* Appends the run to `out`, with a line end after it. Errors: NO_MEMORY. */
enum gradus_status gr_json_write_run(const struct gr_run *run, struct gr_str *out,
                                     struct gradus_error *error);

/* Reads a file that gr_json_write_run wrote (or somebody who wishes us ill). On success the caller
 * owns the run (gr_run_free); on failure it is empty. Errors: INVALID "old.json: rows[3].m: found
 * …, wanted …"; NOT_FOUND; IO. */
enum gradus_status gr_json_read_run(const char *path, struct gr_run *run,
                                    struct gradus_error *error);
/* The same on bytes in memory. `name` is for messages. */
enum gradus_status gr_json_parse_run(const char *name, const char *text, size_t length,
                                     struct gr_run *run, struct gradus_error *error);

#endif
