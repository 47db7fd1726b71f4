/* cache.c: an entry is a file in the folder of its kind, named by its key. Its first line has
 * the format, the key, the length and a checksum of the rest; the rest is the content. Its
 * modification time is the time of its last use. SPDX-License-Identifier: MIT */
#include "base/cache.h"

#include "core/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char format_name[] = "gradus-kept-1";
enum { KEY_DIGITS = 32, HEAD_BYTES = 128 };

/* ---- Keys. ---- */

void gr_cache_key_add(struct gr_cache_key *key, const void *bytes, size_t length)
{
    key->low = gr_hash(bytes, length, key->low); /* the bytes begin with the length */
    key->high = gr_hash(bytes, length, ~key->high);
}

void gr_cache_key_add_text(struct gr_cache_key *key, const char *text)
{
    gr_cache_key_add(key, text ? text : "", text ? strlen(text) + 1 : 0);
}

void gr_cache_key_add_file(struct gr_cache_key *key, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return;
    const int64_t facts[] = {about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
    gr_cache_key_add(key, facts, sizeof facts);
}

/* ---- The limit. ---- */

int64_t gr_cache_limit_bytes(bool *understood)
{
    const int64_t usual = (int64_t)1 << 30;
    const char *text = getenv("GRADUS_CACHE_LIMIT");
    bool ignored, *good = understood ? understood : &ignored;
    *good = true;
    if (!text || !*text)
        return usual;
    char *end;
    errno = 0;
    const long long count = strtoll(text, &end, 10);
    const char letter = (char)toupper((unsigned char)*end);
    const int shift = letter == 'K' ? 10 : letter == 'M' ? 20 : letter == 'G' ? 30 : 0;
    int64_t bytes;
    *good = isdigit((unsigned char)*text) && errno == 0 && end[shift > 0] == 0 &&
            !__builtin_mul_overflow(count, (int64_t)1 << shift, &bytes);
    return *good ? bytes : usual;
}

/* ---- One entry. ---- */

/* malloc'ed; null if there is no cache folder. */
static char *entry_path(const char *folder, const struct gr_cache_key *key)
{
    char *directory = NULL;
    struct gradus_error ignored = {0};
    enum gradus_status status =
        gr_cache_limit_bytes(NULL) > 0 ? gr_cache_dir(folder, &directory, &ignored) : GRADUS_IO;
    gradus_error_clear(&ignored);
    if (status != GRADUS_OK)
        return NULL;
    char *path = gr_printf("%s/%016" PRIx64 "%016" PRIx64, directory, key->high, key->low);
    free(directory);
    return path;
}

/* The folder is included, so that an entry that was moved to another folder is invalid. */
static int write_head(char head[HEAD_BYTES], const char *folder, const struct gr_cache_key *key,
                      const char *bytes, size_t length)
{
    return snprintf(head, HEAD_BYTES, "%s %.16s %016" PRIx64 "%016" PRIx64 " %zu %016" PRIx64 "\n",
                    format_name, folder, key->high, key->low, length, gr_hash(bytes, length, 3));
}

/* Reads the bytes after the first line, if the file is exactly what was written. */
static bool take(const char *folder, const struct gr_cache_key *key, char *text, size_t size,
                 size_t *length)
{
    char head[HEAD_BYTES];
    const char *end = memchr(text, '\n', size);
    if (!end)
        return false;
    const char *rest = end + 1;
    *length = size - (size_t)(rest - text);
    const size_t head_length = (size_t)write_head(head, folder, key, rest, *length);
    if (head_length != (size_t)(rest - text) || memcmp(head, text, head_length) != 0)
        return false;
    memmove(text, rest, *length + 1);
    return true;
}

bool gr_cache_get(const char *folder, const struct gr_cache_key *key, char **bytes, size_t *length)
{
    struct gradus_error ignored = {0};
    char *path = entry_path(folder, key);
    size_t size = 0;
    *bytes = NULL;
    bool there = path && gr_file_read(path, bytes, &size, &ignored) == GRADUS_OK;
    bool whole = there && take(folder, key, *bytes, size, length);
    gradus_error_clear(&ignored);
    if (whole)
        utimensat(AT_FDCWD, path, NULL, 0);
    if (there && !whole) {
        unlink(path);
        free(*bytes);
        *bytes = NULL;
    }
    free(path);
    return whole;
}

/* ---- All entries. ---- */

struct entry {
    char *path;
    int64_t bytes;
    struct timespec used;
};

struct entries {
    struct entry *items;
    int64_t count, bytes;
};

static void free_entries(struct entries *all)
{
    for (int64_t i = 0; i < all->count; i++)
        free(all->items[i].path);
    free(all->items);
    *all = (struct entries){0};
}

static void add_entry(struct entries *all, char *path)
{
    struct stat about;
    struct entry *items = lstat(path, &about) == 0 && S_ISREG(about.st_mode)
                              ? realloc(all->items, ((size_t)all->count + 1) * sizeof *items)
                              : NULL;
    if (!items) {
        free(path);
        return;
    }
    all->items = items;
    items[all->count++] = (struct entry){path, (int64_t)about.st_size, about.st_mtim};
    all->bytes += (int64_t)about.st_size;
}

/* The names of entries begin with a key, also those of unfinished entries that a killed process
 * left behind. Headers and measurements, which are in the cache too, have other names. */
static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") >= KEY_DIGITS;
}

static void add_folder(struct entries *all, const char *folder)
{
    DIR *names = opendir(folder);
    for (struct dirent *e; names && (e = readdir(names));) {
        char *path = is_entry(e->d_name) ? gr_printf("%s/%s", folder, e->d_name) : NULL;
        if (path)
            add_entry(all, path);
    }
    if (names)
        closedir(names);
}

/* Finds entries in all folders of the cache. */
static void find_entries(const char *root, struct entries *all)
{
    DIR *names = opendir(root);
    *all = (struct entries){0};
    for (struct dirent *e; names && (e = readdir(names));) {
        char *path = e->d_name[0] != '.' ? gr_printf("%s/%s", root, e->d_name) : NULL;
        if (path)
            add_folder(all, path);
        free(path);
    }
    if (names)
        closedir(names);
}

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used,
                          *y = &((const struct entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec);
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Only one process at a time evicts, since two would each remove enough entries. A process that
 * reads an evicted entry keeps the file that it has opened. */
static void evict(const char *root, int64_t limit_bytes)
{
    struct entries all;
    const int lock = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0) {
        find_entries(root, &all);
        if (all.bytes > limit_bytes)
            qsort(all.items, (size_t)all.count, sizeof *all.items, by_use);
        for (int64_t i = 0; i < all.count && all.bytes > limit_bytes; i++)
            if (unlink(all.items[i].path) == 0 || errno == ENOENT)
                all.bytes -= all.items[i].bytes;
        free_entries(&all);
    }
    if (lock >= 0)
        close(lock);
}

void gr_cache_put(const char *folder, const struct gr_cache_key *key, const char *bytes,
                  size_t length)
{
    const int64_t limit_bytes = gr_cache_limit_bytes(NULL);
    char head[HEAD_BYTES], *path = entry_path(folder, key);
    struct gr_str entry = {0};
    struct gradus_error ignored = {0};
    const int head_length = write_head(head, folder, key, bytes, length);
    gr_str_add_bytes(&entry, head, (size_t)head_length);
    gr_str_add_bytes(&entry, bytes, length);
    if (path && !entry.failed && (int64_t)entry.length <= limit_bytes &&
        gr_file_write(path, entry.text, entry.length, &ignored) == GRADUS_OK) {
        *strrchr(path, '/') = 0;
        *strrchr(path, '/') = 0;
        evict(path, limit_bytes);
    }
    gradus_error_clear(&ignored);
    gr_str_free(&entry);
    free(path);
}

/* ---- Reports. ---- */

static void describe(struct gr_cache_about *about, struct entries *all)
{
    struct gradus_error ignored = {0};
    *about = (struct gr_cache_about){.limit_bytes = gr_cache_limit_bytes(NULL)};
    *all = (struct entries){0};
    if (gr_cache_dir("", &about->folder, &ignored) == GRADUS_OK) {
        about->folder[strlen(about->folder) - 1] = 0;
        find_entries(about->folder, all);
    }
    gradus_error_clear(&ignored);
    about->entries = all->count;
    about->bytes = all->bytes;
}

void gr_cache_look(struct gr_cache_about *about)
{
    struct entries all;
    describe(about, &all);
    free_entries(&all);
}

enum gradus_status gr_cache_clear(struct gr_cache_about *removed, struct gradus_error *error)
{
    struct entries all;
    enum gradus_status status = GRADUS_OK;
    describe(removed, &all);
    for (int64_t i = 0; i < all.count; i++)
        if (unlink(all.items[i].path) != 0 && errno != ENOENT) {
            status = gr_fail(error, GRADUS_IO, "%s: cannot be removed: %s", all.items[i].path,
                             strerror(errno));
            removed->entries--;
            removed->bytes -= all.items[i].bytes;
        }
    free_entries(&all);
    return status;
}

void gr_cache_about_free(struct gr_cache_about *about)
{
    free(about->folder);
    *about = (struct gr_cache_about){0};
}
