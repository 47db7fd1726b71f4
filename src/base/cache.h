/* cache.h: what took long to make, kept in the user's cache folder: compiled kernels. Safe with
 * several processes at work; what is damaged is not taken; what was used longest ago goes when
 * there is too much. SPDX-License-Identifier: MIT */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an entry is known by: start with {0}, add whatever makes a difference to what is kept. */
struct gr_cache_key {
    uint64_t low, high;
};

/* With its length, so that "a" "b" is not "ab". */
void gr_cache_key_add(struct gr_cache_key *key, const void *bytes, size_t length);
void gr_cache_key_add_text(struct gr_cache_key *key, const char *text); /* null differs from "" */

/* The bytes that were kept under the key, malloc'ed and followed by a NUL, in `folder` ("sim") of
 * the cache. False: there are none, or not exactly those that were put there. An entry that is
 * taken counts as used now. */
bool gr_cache_get(const char *folder, const struct gr_cache_key *key, char **bytes, size_t *length);
/* Keeps a copy, whole or not at all, and lets go of the entries used longest ago until all fit the
 * limit. Where there is no cache, or no room, nothing happens. */
void gr_cache_put(const char *folder, const struct gr_cache_key *key, const char *bytes,
                  size_t length);

/* GRADUS_CACHE_LIMIT: bytes, or with K, M, G (powers of 1024) behind; 0: nothing is kept, nothing
 * taken; otherwise 1G. *understood, which may be null: false for a text that is none of these, in
 * whose place 1G is used. */
int64_t gr_cache_limit_bytes(bool *understood);

struct gr_cache_about {
    char *folder; /* malloc'ed; null: none can be had */
    int64_t entries, bytes, limit_bytes;
};

void gr_cache_look(struct gr_cache_about *about);
void gr_cache_about_free(struct gr_cache_about *about);
/* Removes all entries, and tells which were there. IO: some are still there. */
enum gradus_status gr_cache_clear(struct gr_cache_about *removed, struct gradus_error *error);

/* $XDG_CACHE_HOME/gradus or ~/.cache/gradus, or where that cannot be written gradus-<uid> in
 * $TMPDIR, /tmp or /var/tmp, with `below` appended; made when missing. malloc'ed. */
enum gradus_status gr_cache_dir(const char *below, char **path, struct gradus_error *error);
/* The last of these, for one that fails when it is written to after all, as on a full disk. */
enum gradus_status gr_cache_dir_spare(const char *below, char **path, struct gradus_error *error);

#endif
