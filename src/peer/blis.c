/* blis.c: loads BLIS and chooses its architecture. SPDX-License-Identifier: MIT */
#include "peer/blis.h"

#include "core/error.h"
#include "base/spawn.h"
#include "cpu/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SET_THREADS = GR_CBLAS_ENTRIES };

typedef void init_fn(void);
typedef int query_fn(void);
typedef const char *arch_name_fn(int id);

const char *const gr_blis_files[] = {"blis-openmp/libblis.so.4",
                                     "blis-pthread/libblis.so.4",
                                     "libblis.so.5",
                                     "libblis.so.4",
                                     "libblis.so.3",
                                     "libblis.so",
                                     0};

const char *const *gr_blis_best(void)
{
    static const char *const avx512[] = {"skx", "haswell", 0}, *const avx2[] = {"haswell", "zen",
                                                                                0};
    static const char *const none[] = {0};
    if (gr_cpu_isa_runs("avx512"))
        return avx512;
    return gr_cpu_isa_runs("avx2") ? avx2 : none;
}

/* The number of an architecture in this build of BLIS, or -1. The table of every build ends with
 * "generic". */
static int arch_id(arch_name_fn *arch_name, const char *wanted)
{
    enum { MOST = 64 };
    for (int id = 0; id < MOST; id++) {
        const char *name = arch_name(id);
        if (!name)
            return -1;
        if (strcmp(name, wanted) == 0)
            return id;
        if (strcmp(name, "generic") == 0)
            return -1;
    }
    return -1;
}

/* BLIS knows the names of architectures for which it was not built, and aborts if one of them is
 * selected. So a child process tries it first. The child calls only those functions of our own C
 * library that are safe after fork. */
static bool survives_as(init_fn *init, query_fn *query, int id)
{
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        gr_spawn_die_with(parent);
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO);
        dup2(null, STDOUT_FILENO);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        init();
        _exit(query() == id ? 0 : 1);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) == -1 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* BLIS reads BLIS_ARCH_TYPE, a number, when it is initialized, not when it is loaded. */
static void choose(struct gr_peer *peer, const char *const *architectures, init_fn *init,
                   query_fn *query, arch_name_fn *arch_name)
{
    for (; architectures && *architectures; architectures++) {
        int id = arch_id(arch_name, *architectures);
        if (id < 0)
            continue;
        gr_peer_setenv_int(peer, "BLIS_ARCH_TYPE", id);
        if (survives_as(init, query, id))
            return;
    }
    gr_peer_setenv(peer, "BLIS_ARCH_TYPE", NULL);
}

/* The architectures that do not need an ISA level above this one. */
static const char *const *held_to(const char *level)
{
    static const char *const avx2[] = {"haswell", "zen", 0}, *const generic[] = {"generic", 0};
    return strcmp(level, "avx2") == 0 ? avx2 : generic;
}

enum gradus_status gr_blis_attach(struct gr_peer *peer, int threads,
                                  const char *const *architectures, struct gr_peer_result *result,
                                  struct gradus_error *error)
{
    enum gradus_status status = gr_cblas_bind(peer, NULL, error);
    if (status == GRADUS_OK)
        status = gr_peer_bind(peer, SET_THREADS, "bli_thread_set_num_threads", error);
    if (status != GRADUS_OK)
        return status;
    typedef const char *text_fn(void);
    init_fn *init = (init_fn *)gr_peer_symbol(peer, "bli_init");
    query_fn *query = (query_fn *)gr_peer_symbol(peer, "bli_arch_query_id");
    arch_name_fn *arch_name = (arch_name_fn *)gr_peer_symbol(peer, "bli_arch_string");
    text_fn *version = (text_fn *)gr_peer_symbol(peer, "bli_info_get_version_str");
    gr_peer_setenv_int(peer, "BLIS_NUM_THREADS", threads);
    gr_peer_setenv_int(peer, "OMP_NUM_THREADS", threads);
    if (init && query && arch_name) {
        const char *isa_limit = gr_peer_isa_limit();
        choose(peer, isa_limit ? held_to(isa_limit) : architectures, init, query, arch_name);
        init();
        snprintf(result->core, sizeof result->core, "%s", arch_name(query()));
    }
    snprintf(result->version, sizeof result->version, "%s", version ? version() : "");
    result->threads = threads;
    return GRADUS_OK;
}

void gr_blis_set_threads(struct gr_peer *peer, int threads)
{
    typedef void set_fn(long threads); /* BLIS's dim_t */
    ((set_fn *)peer->library->entries[SET_THREADS])(threads);
}
