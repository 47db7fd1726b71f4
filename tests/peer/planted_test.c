/* planted_test.c: libraries that are not what they seem are refused in one line; the environment
 * and the needs of a good one are met. SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "peer/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(bool good, const char *what, const char *found)
{
    if (!good)
        printf("FAILED: %s: found: %s\n", what, found);
    failures += !good;
}

static void refused(const char *root, const char *folder, const char *wanted)
{
    struct gradus_error error = {0};
    struct gr_peer *peer;
    char *path = gr_printf("%s/%s", root, folder);
    setenv("GRADUS_PEERS", path ? path : "", 1);
    enum gradus_status status = gr_peer_open(gr_peer_find("aocl"), 1, &peer, &error);
    check(status == GRADUS_UNSUPPORTED && !peer, folder, gradus_status_name(status));
    check(strstr(error.text, wanted) && !strchr(error.text, '\n'), folder, error.text);
    gradus_error_clear(&error);
    free(path);
}

static void accepted(const char *root)
{
    struct gradus_error error = {0};
    struct gr_peer *peer;
    char *path = gr_printf("%s/no-such-folder:%s/honest", root, root);
    setenv("GRADUS_PEERS", path ? path : "", 1);
    setenv("BLIS_NUM_THREADS", "9", 1); /* ours, which the library must not see */
    enum gradus_status status = gr_peer_open(gr_peer_find("aocl"), 1, &peer, &error);
    check(status == GRADUS_OK, "the honest library opens", error.text);
    if (status == GRADUS_OK)
        check(strcmp(gr_peer_about(peer)->version, "5.1") == 0,
              "it finds what it needs, and the variable of its own environment",
              gr_peer_about(peer)->version);
    check(strcmp(getenv("BLIS_NUM_THREADS"), "9") == 0, "our environment stays as it is",
          getenv("BLIS_NUM_THREADS"));
    gr_peer_close(peer);
    gradus_error_clear(&error);
    free(path);
}

int main(int argc, char **argv)
{
    const char *root = argc > 1 ? argv[1] : ".";
    refused(root, "empty", "get it with: ");
    refused(root, "garbage", "libblis-mt.so.5");
    if (argc > 2)
        refused(root, argv[2], "multiplies wrongly");
    else
        accepted(root);
    return failures ? 1 : 0;
}
