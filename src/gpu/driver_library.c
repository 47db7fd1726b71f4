/* driver_library.c: opens a driver's library and fills the table. SPDX-License-Identifier: MIT */
#include "gpu/driver_library.h"

#include "core/error.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

enum gradus_status gr_gpu_library_open(const char *title, const char *requested,
                                       const char *const *names, const char *remedy, void **library,
                                       struct gradus_error *error)
{
    const char *path = getenv(requested);
    if (path && *path) {
        *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        return *library ? GRADUS_OK
                        : gr_fail(error, GRADUS_UNSUPPORTED,
                                  "skip: no %s driver: %s: %s; fix it with: unset %s", title,
                                  requested, dlerror(), requested);
    }
    for (const char *const *name = names; *name; name++)
        if ((*library = dlopen(*name, RTLD_NOW | RTLD_GLOBAL)))
            return GRADUS_OK;
    return gr_fail(error, GRADUS_UNSUPPORTED, "skip: no %s driver (%s) here; get it with: %s",
                   title, names[0], remedy);
}

/* The members that every vendor must fill. */
#define NEEDED(name, parameters) offsetof(struct gr_gpu_driver, name),
#define OPTIONAL(name, parameters)
static const size_t needed[] = {GR_GPU_FUNCTIONS(NEEDED, OPTIONAL)};
#undef NEEDED
#undef OPTIONAL

static void **member_of(struct gr_gpu_driver *table, size_t offset)
{
    return (void **)(void *)((char *)table + offset);
}

static const char *symbol_of(const struct gr_gpu_symbol *symbols, size_t count, size_t member)
{
    for (size_t i = 0; i < count; i++)
        if (symbols[i].member == member)
            return symbols[i].symbol;
    return "function of the table"; /* the vendor's file has forgotten it */
}

const char *gr_gpu_library_bind(void *library, const struct gr_gpu_symbol *symbols, size_t count,
                                struct gr_gpu_driver *table)
{
    struct link_map *map = NULL;
    for (size_t i = 0; i < count; i++)
        *member_of(table, symbols[i].member) = dlsym(library, symbols[i].symbol);
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
        snprintf(table->path, sizeof table->path, "%s", map->l_name);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!*member_of(table, needed[i]))
            return symbol_of(symbols, count, needed[i]);
    return NULL;
}
