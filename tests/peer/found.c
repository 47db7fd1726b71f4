/* found.c: `peer_found NAME [THREADS]…` opens a peer with each number of threads and tells its
 * version, with how many threads it computes, and where it was found; or why it cannot be opened.
 * SPDX-License-Identifier: MIT */
#include "peer/peer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* What a planted library counts, if it is in the program's namespace. */
static void tell(void *library, const char *what)
{
    const int *number = library ? dlsym(library, what) : NULL;
    if (number)
        printf(" %s %d", what, *number);
}

static void open_one(const struct gr_peer_kind *kind, int threads)
{
    struct gradus_error error = {0};
    struct gr_peer *peer;
    if (gr_peer_open(kind, threads, &peer, &error) == GRADUS_OK) {
        void *library = dlopen(gr_peer_path(peer), RTLD_NOW | RTLD_NOLOAD);
        printf("%s %s", gr_peer_about(peer)->version, library ? "in the program:" : "apart:");
        tell(library, "planted_concurrency");
        tell(library, "planted_entered");
        tell(library, "planted_arenas");
        printf(" %s\n", gr_peer_path(peer));
        gr_peer_close(peer);
        if (library)
            dlclose(library);
    } else {
        printf("%s\n", error.text);
    }
    gradus_error_clear(&error);
}

int main(int argc, char **argv)
{
    const struct gr_peer_kind *kind = argc > 1 ? gr_peer_find(argv[1]) : NULL;
    if (!kind)
        return 2;
    open_one(kind, argc > 2 ? atoi(argv[2]) : 1);
    for (int i = 3; i < argc; i++)
        open_one(kind, atoi(argv[i]));
    return 0;
}
