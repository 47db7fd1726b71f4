/* cache.h: a cache of compiled kernels in a folder of the user, since compiling takes long. Several
 * processes may use it at the same time. Damaged entries are ignored, and the least recently used
 * ones are removed when the cache exceeds its limit. SPDX-License-Identifier: MIT */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The key of an entry, a hash. Start with {0} and add everything that the cached bytes depend
 * on. */
struct gr_cache_key {
    uint64_t low, high;
};

/* Adds the bytes and their length, so that "a", "b" and "ab" give different keys. */
void gr_cache_key_add(struct gr_cache_key *key, const void *bytes, size_t length);
void gr_cache_key_add_text(struct gr_cache_key *key, const char *text); /* null differs from "" */

/* Adds what distinguishes versions of a file without reading it: its size and the time of its last
 * change. Adds nothing for a file that does not exist. */
void gr_cache_key_add_file(struct gr_cache_key *key, const char *path);

/* Reads the bytes stored under the key in `folder` ("sim") of the cache; they are malloc'ed and
 * followed by a NUL. False if there is no such entry or its checksum does not match. A read marks
 * the entry as used now. */
bool gr_cache_get(const char *folder, const struct gr_cache_key *key, char **bytes, size_t *length);
/* Stores a copy, completely or not at all, and removes the least recently used entries until all
 * fit the limit. If there is no cache folder or no disk space, nothing is stored and nothing is
 * reported. */
void gr_cache_put(const char *folder, const struct gr_cache_key *key, const char *bytes,
                  size_t length);

/* The limit from GRADUS_CACHE_LIMIT: a number of bytes, optionally with the suffix K, M or G
 * (powers of 1024). 0 disables the cache; the default is 1G. *understood (may be null) is set to
 * false if the variable has any other text; 1G is used then. */
int64_t gr_cache_limit_bytes(bool *understood);

struct gr_cache_about {
    char *folder; /* malloc'ed; null: no folder can be created */
    int64_t entries, bytes, limit_bytes;
};

void gr_cache_look(struct gr_cache_about *about);
void gr_cache_about_free(struct gr_cache_about *about);
/* Removes all entries and describes the removed ones in *removed. IO: some could not be removed. */
enum gradus_status gr_cache_clear(struct gr_cache_about *removed, struct gradus_error *error);

/* The cache folder with `below` appended, created if it is missing; malloc'ed. It is
 * $XDG_CACHE_HOME/gradus or ~/.cache/gradus, or, if that cannot be written, gradus-<uid> in
 * $TMPDIR, /tmp or /var/tmp. */
enum gradus_status gr_cache_dir(const char *below, char **path, struct gradus_error *error);
/* The last alternative of gr_cache_dir, for when writing to the first one fails later, for example
 * because its disk is full. */
enum gradus_status gr_cache_dir_fallback(const char *below, char **path,
                                         struct gradus_error *error);

#endif
