/* peer.c: opens and calls the libraries that Gradus is compared with.
 * SPDX-License-Identifier: MIT */
#include "peer/library.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "check/check.h"
#include "check/element.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const struct gr_peer_kind *const gr_peer_all[];

/* One slot for each kind. Nothing is loaded twice, because namespaces are scarce and a library's
 * threads would survive dlclose. */
static struct gr_library libraries[GR_MAX_PEERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Locked while the other lock is held, because opening a library calls it. */
static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;

/* The argument of this thread's last set_threads call for each library; 0: none. */
static _Thread_local int threads_set[GR_MAX_PEERS];

int gr_peer_count(void)
{
    int count = 0;
    while (gr_peer_all[count] && count < GR_MAX_PEERS)
        count++;
    return count;
}

const struct gr_peer_kind *gr_peer_at(int i)
{
    return i >= 0 && i < gr_peer_count() ? gr_peer_all[i] : NULL;
}

const struct gr_peer_kind *gr_peer_find(const char *name)
{
    for (int i = 0; i < gr_peer_count(); i++)
        if (strcmp(gr_peer_all[i]->name, name) == 0)
            return gr_peer_all[i];
    return NULL;
}

const struct gr_peer_kind *gr_peer_kind_of(const struct gr_peer *peer)
{
    return peer->library->kind;
}

const struct gr_peer_result *gr_peer_about(const struct gr_peer *peer)
{
    return &peer->about;
}

const char *gr_peer_path(const struct gr_peer *peer)
{
    return gr_space_path(peer->library->handle);
}

void gr_peer_setenv(struct gr_peer *peer, const char *name, const char *value)
{
    gr_space_setenv(&peer->library->space, name, value);
}

void gr_peer_setenv_int(struct gr_peer *peer, const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    gr_peer_setenv(peer, name, text);
}

void (*gr_peer_symbol(const struct gr_peer *peer, const char *name))(void)
{
    const char *prefix = peer->library->kind->prefix;
    char whole[128];
    void (*symbol)(void);
    snprintf(whole, sizeof whole, "%s%s", prefix ? prefix : "", name);
    *(void **)&symbol = dlsym(peer->library->handle, whole);
    return symbol;
}

enum gradus_status gr_peer_bind(struct gr_peer *peer, int i, const char *name,
                                struct gradus_error *error)
{
    struct gr_library *library = peer->library;
    library->entries[i] = gr_peer_symbol(peer, name);
    if (!library->entries[i])
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s: %s has no symbol %s%s", library->kind->name,
                       gr_space_path(library->handle),
                       library->kind->prefix ? library->kind->prefix : "", name);
    return GRADUS_OK;
}

/* ThreadSanitizer supports only threads that it has created itself, and a library's threads are
 * created by the C library of another namespace. */
#if defined(__has_feature)
#define FEATURE(name) __has_feature(name)
#else
#define FEATURE(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || FEATURE(thread_sanitizer)
enum { MOST_THREADS = 1 };
#else
enum { MOST_THREADS = INT_MAX };
#endif

static struct gr_library *library_of(const struct gr_peer_kind *kind)
{
    for (int i = 0; i < gr_peer_count(); i++)
        if (gr_peer_all[i] == kind) {
            libraries[i].kind = kind;
            return &libraries[i];
        }
    return NULL;
}

static void note_tbb(void *context, const char *name)
{
    *(bool *)context |= gr_starts_with(name, "libtbb.so");
}

/* Loads one file. What depends on TBB goes into the program's namespace (see `in_program`), because
 * TBB loads its allocator with RTLD_GLOBAL. */
static enum gradus_status load_file(struct gr_library *library, const char *path,
                                    const char *const *needs, struct gradus_error *error)
{
    const struct gr_space own = library->space;
    bool by_tbb = false;
    gr_elf_needed(path, note_tbb, &by_tbb);
    if (by_tbb)
        gr_space_of_program(&library->space);
    enum gradus_status status =
        gr_space_load(&library->space, path, needs, &library->handle, error);
    if (status != GRADUS_OK)
        library->space = own;
    return status;
}

/* Tries every file name of the kind in every folder. NOT_FOUND: no file was found; otherwise
 * *error is about the first file that was found but could not be loaded. */
static enum gradus_status load_from(struct gr_library *library, char **folders, char **needs,
                                    struct gradus_error *error)
{
    enum gradus_status status = GRADUS_NOT_FOUND;
    for (const char *const *file = library->kind->files; *file; file++)
        for (char **folder = folders; folder && *folder; folder++) {
            char *path = gr_printf("%s/%s", *folder, *file);
            bool there = path && gr_file_exists(path);
            if (there)
                status = load_file(library, path, (const char *const *)needs,
                                   status == GRADUS_NOT_FOUND ? error : NULL);
            free(path);
            if (there && status == GRADUS_OK)
                return status;
        }
    return status;
}

/* Searches one place. An earlier folder takes precedence over a later one, also if the later one
 * has a newer version. */
static enum gradus_status load_from_place(struct gr_library *library, unsigned place, char **needs,
                                          struct gradus_error *error)
{
    char **folders = gr_peer_folders(place);
    if (!folders)
        return gr_fail_memory(error, "the folders of peers", 0);
    enum gradus_status status = GRADUS_NOT_FOUND;
    for (char **folder = folders; *folder && status != GRADUS_OK; folder++) {
        char *one[] = {*folder, NULL};
        enum gradus_status there =
            load_from(library, one, needs, status == GRADUS_NOT_FOUND ? error : NULL);
        status = there == GRADUS_NOT_FOUND ? status : there;
    }
    gr_peer_folders_free(folders);
    return status;
}

/* Loads it from the loader's path. The files in LD_LIBRARY_PATH are loaded by their paths, because
 * their dependencies must be known. */
static bool load_by_name(struct gr_library *library, char **needs)
{
    char **folders = gr_peer_folders(GR_PEERS_LOADER);
    bool loaded = load_from(library, folders, needs, NULL) == GRADUS_OK;
    gr_peer_folders_free(folders);
    for (const char *const *file = library->kind->files; *file && !loaded; file++)
        loaded = gr_space_load(&library->space, *file, NULL, &library->handle, NULL) == GRADUS_OK;
    return loaded;
}

/* Searches the other places: the unpacked libraries, the loader's path, and the kind's own
 * folders. */
static enum gradus_status load_unchosen(struct gr_library *library, char **needs,
                                        struct gradus_error *error)
{
    enum gradus_status status = load_from_place(library, GR_PEERS_UNPACKED, needs, error);
    if (status == GRADUS_OK || load_by_name(library, needs))
        return GRADUS_OK;
    if (library->kind->folders) {
        char **more = library->kind->folders();
        enum gradus_status there = load_from(library, more, more, error);
        gr_peer_folders_free(more);
        status = there == GRADUS_NOT_FOUND ? status : there;
    }
    if (status == GRADUS_NOT_FOUND)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "%s is not here; get it with: %s",
                         library->kind->name, library->kind->remedy);
    return status;
}

/* If the user has chosen a place, by naming or activating it, a library there that cannot be loaded
 * is an error, and none of another place is measured instead. A library in an environment has its
 * dependencies next to it, and other libraries there are not used for a library of another
 * place. */
static enum gradus_status load_somewhere(struct gr_library *library, struct gradus_error *error)
{
    char **needs = gr_peer_folders(GR_PEERS_NAMED | GR_PEERS_UNPACKED);
    enum gradus_status status = load_from_place(library, GR_PEERS_NAMED, needs, error);
    if (status == GRADUS_NOT_FOUND)
        status = load_from_place(library, GR_PEERS_ACTIVE, needs, error);
    if (status == GRADUS_NOT_FOUND)
        status = load_unchosen(library, needs, error);
    gr_peer_folders_free(needs);
    return status;
}

static enum gradus_status load(struct gr_peer *peer, struct gradus_error *error)
{
    struct gr_library *library = peer->library;
    enum gradus_status status = GRADUS_OK;
    if (library->kind->in_program)
        gr_space_of_program(&library->space);
    else if (!library->has_space)
        status = gr_space_open(&library->space, error);
    library->has_space = status == GRADUS_OK;
    if (status == GRADUS_OK && library->kind->prepare)
        status = library->kind->prepare(peer, peer->threads, error);
    if (status != GRADUS_OK)
        return status;
    status = load_somewhere(library, error);
    library->loaded = status == GRADUS_OK;
    return status;
}

/* The product that `multiplies` checks, which is exact in every type. For 8-bit numbers, libraries
 * support only some products. */
static struct gr_problem small_product(struct gr_types types)
{
    return gr_dtype_eps(types.a) > 0 && gr_dtype_bytes(types.a) == 1
               ? gr_problem_dense(16, 16, 16, false, true, types)
               : gr_problem_dense(2, 2, 3, false, false, types);
}

/* Checks a small GEMM with a known result, so that a broken library is not used for comparison. */
static enum gradus_status multiplies(struct gr_peer *peer, struct gr_types types,
                                     struct gradus_error *error)
{
    enum { MOST = 16 * 16, WIDEST = 8 };
    _Alignas(WIDEST) unsigned char a[MOST * WIDEST], b[MOST * WIDEST], c[MOST * WIDEST];
    const struct gr_problem problem = small_product(types);
    const int64_t m = problem.m, n = problem.n, k = problem.k;
    for (int64_t i = 0; i < m * k; i++)
        gr_element_put(types.a, a, i, (double)(i % 6 + 1));
    for (int64_t i = 0; i < k * n; i++)
        gr_element_put(types.b, b, i, problem.trans_b ? (double)(i % 2) : (double)(i + 7));
    for (int64_t i = 0; i < m * n; i++)
        gr_element_put(types.c, c, i, (double)NAN);
    const struct gr_peer_kind *kind = peer->library->kind;
    enum gradus_status status = kind->run_on_host
                                    ? kind->run_on_host(peer, &problem, a, b, c, error)
                                    : gr_peer_run(peer, &problem, a, b, c, error);
    for (int64_t i = 0; status == GRADUS_OK && i < m * n; i++) {
        double got = gr_element(types.c, c, i), want = 0;
        for (int64_t l = 0; l < k; l++)
            want += gr_element(types.a, a, i / n * k + l) *
                    gr_element(types.b, b, problem.trans_b ? i % n * k + l : l * n + i % n);
        if (!(got == want))
            status =
                gr_fail(error, GRADUS_UNSUPPORTED,
                        "%s: %s multiplies wrongly: element %d of a %dx%dx%d product of %s is %g, "
                        "not %g",
                        kind->name, gr_peer_path(peer), (int)i, (int)m, (int)n, (int)k,
                        gr_types_word(types), got, want);
    }
    return status;
}

/* A library may have entry points for types that this CPU or its own build does not support;
 * these types are removed. */
static void forget_idle_types(struct gr_peer *peer)
{
    static const char *const words[] = {"f64",  "bf16",      "f16",      "s8",
                                        "u8",   "bf16-bf16", "f16-f16",  "e4m3",
                                        "e5m2", "e4m3-bf16", "e5m2-bf16"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct gr_types types;
        struct gradus_error ignored = {0};
        gr_types_parse(words[i], &types);
        if ((peer->about.types & gr_types_bit(types)) &&
            multiplies(peer, types, &ignored) != GRADUS_OK)
            peer->about.types &= ~gr_types_bit(types);
        gradus_error_clear(&ignored);
    }
}

static enum gradus_status open_locked(struct gr_peer *peer, struct gradus_error *error)
{
    struct gr_library *library = peer->library;
    enum gradus_status status = library->loaded ? GRADUS_OK : load(peer, error);
    if (status == GRADUS_OK)
        status = library->kind->attach(peer, peer->threads, &peer->about, error);
    if (status != GRADUS_OK)
        return status;
    /* The first run sets the number of threads, whatever `attach` did. */
    atomic_store(&library->threads, 0);
    status = multiplies(peer, gr_types_of(GR_F32), error);
    if (status == GRADUS_OK)
        forget_idle_types(peer);
    return status;
}

enum gradus_status gr_peer_open(const struct gr_peer_kind *kind, int threads, struct gr_peer **out,
                                struct gradus_error *error)
{
    *out = NULL;
    struct gr_library *library = library_of(kind);
    if (!library || threads < 1)
        return gr_fail(error, GRADUS_INVALID,
                       "a peer needs a known kind and 1 or more threads, not %d", threads);
    if (threads > MOST_THREADS)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%s: a build with ThreadSanitizer can run it on one thread only, not on %d",
                       kind->name, threads);
    struct gr_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return gr_fail_memory(error, kind->name, sizeof *peer);
    peer->library = library;
    peer->threads = threads;
    peer->about.threads = threads;
    peer->about.types = kind->types;
    snprintf(peer->about.name, sizeof peer->about.name, "%s", kind->name);
    pthread_mutex_lock(&lock);
    enum gradus_status status = open_locked(peer, error);
    pthread_mutex_unlock(&lock);
    if (status == GRADUS_OK)
        *out = peer;
    else
        gr_peer_close(peer);
    return status;
}

void gr_peer_close(struct gr_peer *peer)
{
    free(peer);
}

static enum gradus_status check_problem(const struct gr_peer_kind *kind, unsigned types,
                                        const struct gr_problem *problem,
                                        struct gradus_error *error)
{
    char text[64];
    if (!(types & gr_types_bit(problem->types))) {
        gr_types_name(problem->types, text, sizeof text);
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s has no product of %s", kind->name, text);
    }
    const char *refused = gr_peer_kind_refuses(kind, problem);
    if (refused)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s: %s", kind->name, refused);
    const int64_t sizes[] = {problem->m,   problem->n,   problem->k,
                             problem->lda, problem->ldb, problem->ldc};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] > INT_MAX)
            return gr_fail(error, GRADUS_UNSUPPORTED, "%s takes sizes up to %d", kind->name,
                           INT_MAX);
    return GRADUS_OK;
}

/* Some libraries keep the number of threads for the process, others for each calling thread. */
static void set_threads(struct gr_peer *peer)
{
    struct gr_library *library = peer->library;
    pthread_mutex_lock(&calls_lock);
    gr_space_enter_thread(&library->space);
    if (library->kind->set_threads)
        library->kind->set_threads(peer, peer->threads);
    atomic_store(&library->threads, peer->threads);
    threads_set[library - libraries] = peer->threads;
    pthread_mutex_unlock(&calls_lock);
}

enum gradus_status gr_peer_run(struct gr_peer *peer, const struct gr_problem *problem,
                               const void *a, const void *b, void *c, struct gradus_error *error)
{
    struct gr_library *library = peer->library;
    enum gradus_status status = check_problem(library->kind, peer->about.types, problem, error);
    if (status != GRADUS_OK)
        return status;
    if (atomic_load_explicit(&library->threads, memory_order_relaxed) != peer->threads ||
        threads_set[library - libraries] != peer->threads)
        set_threads(peer);
    library->kind->run(peer, problem, a, b, c);
    return GRADUS_OK;
}
