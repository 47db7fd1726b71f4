/* history_open.c: opens the database, and moves a damaged one aside. SPDX-License-Identifier: MIT
 */
#include "history/history.h"

#ifdef GRADUS_HAVE_SQLITE

#include "core/error.h"
#include "base/file.h"
#include "history/history_db.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { BUSY_MS = 20000 }; /* how long another process may hold the database */

bool gr_history_is_built(void)
{
    return true;
}

const char *gr_history_sqlite_version(void)
{
    return sqlite3_libversion();
}

enum gradus_status gr_history_fail(const struct gr_history *h, const char *what,
                                   struct gradus_error *error)
{
    const int system = h->db ? sqlite3_system_errno(h->db) : 0;
    const char *why = h->db ? sqlite3_errmsg(h->db) : "out of memory";
    return gr_fail(error, GRADUS_IO, "history: %s: %s: %s%s%s", h->path, what, why,
                   system ? ": " : "", system ? strerror(system) : "");
}

enum gradus_status gr_history_run_sql(struct gr_history *h, const char *sql, const char *what,
                                      struct gradus_error *error)
{
    return sqlite3_exec(h->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? GRADUS_OK
               : gr_history_fail(h, what, error);
}

int gr_history_number(struct gr_history *h, const char *sql, int64_t otherwise, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(h->db, sql, -1, &statement, NULL);
    *number = otherwise;
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* ---- Checking the file. ---- */

static bool is_damage(int code)
{
    return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
}

/* Checks every page, which takes a millisecond for each thousand rows. */
static int check_pages(struct gr_history *h, bool *damaged)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(h->db, "PRAGMA quick_check(1)", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    *damaged = is_damage(code);
    if (code == SQLITE_ROW) {
        const char *said = (const char *)sqlite3_column_text(statement, 0);
        *damaged = said && strcmp(said, "ok") != 0;
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code;
}

static void close_file(struct gr_history *h)
{
    sqlite3_close(h->db);
    h->db = NULL;
}

/* Returns the name "file:PATH?immutable=1", with which SQLite reads a database without creating
 * files next to it. */
static char *immutable_name(const char *path)
{
    struct gr_str name = {0};
    gr_str_add(&name, "file:");
    for (; *path; path++) {
        if (strchr("%?#", *path))
            gr_str_printf(&name, "%%%02X", (unsigned char)*path);
        else
            gr_str_add_bytes(&name, path, 1);
    }
    gr_str_add(&name, "?immutable=1");
    return name.text;
}

/* Opens a database in a folder without write permission, where SQLite cannot create its journal. */
static int open_immutable(struct gr_history *h, bool *damaged)
{
    char *name = immutable_name(h->path);
    close_file(h);
    int code = name ? sqlite3_open_v2(name, &h->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL)
                    : SQLITE_NOMEM;
    free(name);
    return code == SQLITE_OK ? check_pages(h, damaged) : code;
}

/* Opens the file. If it does not exist and is to be written, creates it. */
static enum gradus_status open_file(struct gr_history *h, bool to_write, bool *damaged,
                                    struct gradus_error *error)
{
    const int flags = SQLITE_OPEN_READWRITE | (to_write ? SQLITE_OPEN_CREATE : 0);
    *damaged = false;
    int code = sqlite3_open_v2(h->path, &h->db, flags, NULL);
    if (code == SQLITE_OK && to_write && sqlite3_db_readonly(h->db, "main") == 1)
        return gr_fail(error, GRADUS_IO, "history: %s: it cannot be written: %s", h->path,
                       access(h->path, W_OK) == 0 ? "it is for reading only" : strerror(errno));
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(h->db, BUSY_MS);
        code = check_pages(h, damaged);
    }
    if (code != SQLITE_OK && !*damaged && !to_write)
        code = open_immutable(h, damaged);
    if (*damaged)
        return gr_fail(error, GRADUS_IO, "history: %s is damaged", h->path);
    if (code != SQLITE_OK)
        return gr_history_fail(h, to_write ? "it cannot be written" : "it cannot be read", error);
    return GRADUS_OK;
}

/* ---- A damaged file. ---- */

static char *folder_of(const char *path)
{
    const char *base = gr_path_base(path);
    return base == path       ? gr_strdup(".")
           : base == path + 1 ? gr_strdup("/")
                              : gr_strndup(path, (size_t)(base - path - 1));
}

/* The folder is locked while a damaged file is moved, so that if several processes find the damage,
 * none of them moves the new file. Returns -1 if it cannot be locked. */
static int lock_folder(const char *path)
{
    char *folder = folder_of(path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Returns a name such as FILE.damaged-20261125T175640Z that does not exist yet. */
static char *name_damaged(const char *path)
{
    const time_t now = time(NULL);
    struct tm utc;
    char date[32];
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &utc);
    char *name = gr_printf("%s.damaged-%s", path, date);
    for (int i = 2; name && gr_file_exists(name); i++) {
        free(name);
        name = gr_printf("%s.damaged-%s-%d", path, date, i);
    }
    return name;
}

/* The journal is moved too, because it may have rows that the file does not have yet. */
static enum gradus_status move_aside(struct gr_history *h, struct gradus_error *error)
{
    static const char *const journals[] = {"-wal", "-shm", "-journal"};
    char *name = name_damaged(h->path);
    enum gradus_status status = name ? GRADUS_OK : gr_fail_memory(error, "a path", 0);
    if (status == GRADUS_OK && rename(h->path, name) != 0)
        status =
            gr_fail(error, GRADUS_IO, "history: %s is damaged and cannot be moved aside to %s: %s",
                    h->path, name, strerror(errno));
    for (size_t i = 0; status == GRADUS_OK && i < sizeof journals / sizeof *journals; i++) {
        char *from = gr_printf("%s%s", h->path, journals[i]);
        char *to = gr_printf("%s%s", name, journals[i]);
        if (from && to)
            rename(from, to); /* most databases have no such file */
        free(from);
        free(to);
    }
    if (status == GRADUS_OK)
        h->notice = gr_printf("history: %s was damaged: it is now %s, and a new one is begun",
                              h->path, name);
    free(name);
    return status;
}

/* Another process may have moved it in the meantime. */
static enum gradus_status replace_damaged(struct gr_history *h, struct gradus_error *error)
{
    bool damaged;
    const int folder = lock_folder(h->path);
    if (folder < 0)
        return gr_fail(error, GRADUS_IO,
                       "history: %s is damaged, and its folder cannot be locked to move it: %s",
                       h->path, strerror(errno));
    close_file(h);
    enum gradus_status status = open_file(h, true, &damaged, error);
    if (damaged) {
        close_file(h);
        status = move_aside(h, error);
        if (status == GRADUS_OK)
            status = open_file(h, true, &damaged, error);
    }
    close(folder);
    return status;
}

/* ---- Opening. ---- */

static enum gradus_status make_folder(const char *path, struct gradus_error *error)
{
    struct gradus_error why = {0};
    char *folder = folder_of(path);
    enum gradus_status status = folder ? gr_dir_make(folder, &why) : GRADUS_NO_MEMORY;
    if (status != GRADUS_OK)
        status = gr_fail(error, status, "history: %s", why.text);
    else if (!gr_file_exists(path) && access(folder, W_OK | X_OK) != 0)
        status = gr_fail(error, GRADUS_IO, "history: %s: no file can be made there: %s", folder,
                         strerror(errno));
    gradus_error_clear(&why);
    free(folder);
    return status;
}

enum gradus_status gr_history_open(const char *path, bool to_write, struct gr_history **history,
                                   struct gradus_error *error)
{
    bool damaged = false;
    *history = NULL;
    if (!to_write && !gr_file_exists(path))
        return gr_fail(
            error, GRADUS_NOT_FOUND,
            "history: there is none yet: found no %s, wanted what gradus run, bench and ladder "
            "record",
            path);
    struct gr_history *h = calloc(1, sizeof *h);
    if (!h || !(h->path = gr_strdup(path))) {
        free(h);
        return gr_fail_memory(error, "the history", sizeof *h);
    }
    enum gradus_status status = to_write ? make_folder(path, error) : GRADUS_OK;
    if (status == GRADUS_OK)
        status = open_file(h, to_write, &damaged, error);
    if (damaged)
        status = replace_damaged(h, error);
    if (status == GRADUS_OK)
        status = to_write ? gr_history_prepare(h, error) : gr_history_check(h, error);
    if (status != GRADUS_OK) {
        gr_history_close(h);
        return status;
    }
    *history = h;
    return GRADUS_OK;
}

const char *gr_history_notice(const struct gr_history *history)
{
    return history->notice;
}

void gr_history_close(struct gr_history *h)
{
    if (!h)
        return;
    close_file(h);
    free(h->path);
    free(h->notice);
    free(h);
}

#endif
