/* cpuinfo.h: reads what the system reports about this machine's processor.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_CPUINFO_H
#define BASE_CPUINFO_H

#include <stdint.h>

/* The value of the first line "KEY <blanks> SEPARATOR VALUE" of a file, without quotes; malloc'ed,
 * or null. */
char *gr_file_value(const char *path, const char *key, char separator);
/* The same for a key of /proc/cpuinfo, such as "model name". */
char *gr_cpuinfo_value(const char *key);
/* A hash of everything that distinguishes one processor model and its features from another. */
uint64_t gr_cpuinfo_hash(void);

#endif
