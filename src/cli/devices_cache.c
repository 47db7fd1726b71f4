/* devices_cache.c: reports and clears the cache of compiled kernels. SPDX-License-Identifier: MIT
 */
#include "cli/devices_cache.h"

#include "base/cache.h"
#include "base/str.h"
#include "cli/style.h"
#include "io/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES_NAME = 32 };

/* Writes a size such as "0 bytes", "812 bytes" or "1.4 MB", in powers of 1024, as in
 * GRADUS_CACHE_LIMIT. */
static void name_bytes(int64_t bytes, char name[BYTES_NAME])
{
    static const char *const units[] = {"KB", "MB", "GB", "TB"};
    double value = (double)bytes / 1024;
    int unit = 0;
    if (bytes < 1024) {
        snprintf(name, BYTES_NAME, "%d bytes", (int)bytes);
        return;
    }
    for (; value >= 1024 && unit < 3; unit++)
        value /= 1024;
    snprintf(name, BYTES_NAME, "%.4g %s", value, units[unit]);
}

static void name_limit(int64_t bytes, char text[96])
{
    char name[BYTES_NAME];
    bool understood;
    const char *requested = getenv("GRADUS_CACHE_LIMIT");
    gr_cache_limit_bytes(&understood);
    name_bytes(bytes, name);
    if (bytes == 0)
        snprintf(text, 96, "nothing is kept (GRADUS_CACHE_LIMIT=0)");
    else
        snprintf(text, 96, "%s (%s)", name,
                 requested && *requested && understood ? "GRADUS_CACHE_LIMIT"
                                                       : "GRADUS_CACHE_LIMIT sets another");
}

static void render_table(const struct gr_cache_about *about, bool cleared, struct gr_str *out)
{
    struct gr_style style = gr_cli_style(STDOUT_FILENO);
    char bytes[BYTES_NAME], limit[96];
    name_bytes(about->bytes, bytes);
    name_limit(about->limit_bytes, limit);
    gr_str_printf(out, "%s%s%s\n", style.colour ? "\033[1m" : "", "Cache of compiled kernels",
                  style.colour ? "\033[0m" : "");
    gr_str_printf(out, "  %-16s%s\n", "folder",
                  about->folder ? about->folder
                                : "none can be written: kernels are compiled every time");
    if (cleared)
        gr_str_printf(out, "  %-16s%" PRId64 " entr%s, %s\n", "removed", about->entries,
                      about->entries == 1 ? "y" : "ies", bytes);
    else
        gr_str_printf(out, "  %-16s%" PRId64 "\n  %-16s%s\n", "entries", about->entries, "size",
                      bytes);
    gr_str_printf(out, "  %-16s%s\n", "limit", limit);
}

static void render_json(const struct gr_cache_about *about, bool cleared, struct gr_str *out)
{
    struct gr_json writer = {.out = out}, *w = &writer;
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_text(w, "schema", "gradus-cache");
    gr_json_put_whole(w, "schema_version", 1);
    gr_json_put_text(w, "folder", about->folder);
    gr_json_put_bool(w, "cleared", cleared);
    gr_json_put_whole(w, "entries", about->entries);
    gr_json_put_whole(w, "bytes", about->bytes);
    gr_json_put_whole(w, "limit_bytes", about->limit_bytes);
    gr_json_close(w);
    gr_str_add(out, "\n");
}

enum gr_exit gr_devices_cache(const struct gr_args *args)
{
    const char *format = gr_args_get(args, "format");
    const bool clear = gr_args_get(args, "clear") != NULL;
    struct gr_cache_about about;
    struct gradus_error error = {0};
    struct gr_str out = {0};
    bool understood;
    enum gr_exit exit_status = GR_EXIT_RIGHT;
    gr_cache_limit_bytes(&understood);
    if (!understood)
        gr_cli_note(
            "GRADUS_CACHE_LIMIT: found '%.60s', wanted bytes, or a number with K, M or G: 1G "
            "is used",
            getenv("GRADUS_CACHE_LIMIT"));
    if (!clear)
        gr_cache_look(&about);
    else if (gr_cache_clear(&about, &error) != GRADUS_OK)
        exit_status = gr_cli_fail(&error);
    if (format && strcmp(format, "json") == 0)
        render_json(&about, clear, &out);
    else
        render_table(&about, clear, &out);
    fputs(gr_str_text(&out), stdout);
    gr_str_free(&out);
    gr_cache_about_free(&about);
    gradus_error_clear(&error);
    return exit_status;
}
