/* cpuinfo.h: what the system says of this machine's processor. SPDX-License-Identifier: MIT */
#ifndef BASE_CPUINFO_H
#define BASE_CPUINFO_H

#include <stdint.h>

/* The value of the first line "KEY <blanks> SEPARATOR VALUE" of a file, without quotes; malloc'ed,
 * or null. */
char *gr_file_value(const char *path, const char *key, char separator);
/* The same of /proc/cpuinfo: "model name". */
char *gr_cpuinfo_value(const char *key);
/* Of all that tells one model of processor, with its features, from another. */
uint64_t gr_cpuinfo_hash(void);

#endif
