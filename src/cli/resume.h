/* resume.h: resumes a run that was ended early. SPDX-License-Identifier: MIT */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "cli/measuring.h"

/* Reads the JSON of the earlier run (or of the report in a folder) into `kept`, which the caller
 * frees. */
enum gradus_status gr_resume_read(const char *path, struct gr_run *kept,
                                  struct gradus_error *error);

/* Returns INVALID, with the difference in one line, if the rows of the earlier run are not
 * comparable with those of this run, which is described by `environment`, `plan` and the device's
 * name. */
enum gradus_status gr_resume_check(const struct gr_measuring *m, const char *path,
                                   const struct gr_run *kept,
                                   const struct gr_environment *environment,
                                   const struct gr_run *plan, const char *device_name,
                                   struct gradus_error *error);

#endif
