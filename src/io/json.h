/* json.h: writes a run as JSON and reads it back; docs/json.md has the schema. In a build
 * without cJSON the writer works, and the readers return UNSUPPORTED with the name of the
 * package to install. SPDX-License-Identifier: MIT */
#ifndef IO_JSON_H
#define IO_JSON_H

#include "base/str.h"
#include "io/json_out.h"
#include "records/row.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>

/* The version of the schema that is written, and the only one that is accepted. It is increased
 * when a field is removed or changes its meaning, but not when a field is added. */
#define GR_JSON_SCHEMA "gradus-run"
#define GR_JSON_SCHEMA_VERSION 1

/* Was this built with cJSON, so that the functions below can read? */
bool gr_json_is_readable(void);

/* Appends the run to `out`, followed by a line end. Errors: NO_MEMORY. */
enum gradus_status gr_json_write_run(const struct gr_run *run, struct gr_str *out,
                                     struct gradus_error *error);

/* A run's environment and one of its rows, as members of another document: "environment", and an
 * object of that name, which is null in an array. */
void gr_json_put_environment(struct gr_json *w, const struct gr_environment *environment);
void gr_json_put_row(struct gr_json *w, const char *name, const struct gr_row *row);

/* Reads a file that gr_json_write_run wrote. The content is not trusted. On success the caller
 * owns the run (gr_run_free); on failure it is empty. Errors: INVALID "old.json: rows[3].m:
 * found …, wanted …"; NOT_FOUND; IO. */
enum gradus_status gr_json_read_run(const char *path, struct gr_run *run,
                                    struct gradus_error *error);
/* The same for bytes in memory. `name` is for messages. */
enum gradus_status gr_json_parse_run(const char *name, const char *text, size_t length,
                                     struct gr_run *run, struct gradus_error *error);

#endif
