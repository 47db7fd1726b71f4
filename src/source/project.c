/* project.c: finds the source files of the project that a kernel's file belongs to.
 * SPDX-License-Identifier: MIT */
#include "source/project.h"

#include "base/file.h"
#include "base/str.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LEVELS_UP = 5, MOST_LEVELS_DOWN = 8, MOST_FILES = 2000, MOST_ENTRIES = 20000 };

struct walk {
    struct gr_project *project;
    int entries;
};

static bool has_any(const char *folder, const char *const *names)
{
    bool has = false;
    for (; *names && !has; names++) {
        char *path = gr_printf("%s/%s", folder, *names);
        has = path && access(path, F_OK) == 0;
        free(path);
    }
    return has;
}

/* Is it a folder that usually contains many projects, such as a home folder? */
static bool is_common(const char *folder)
{
    const char *home = getenv("HOME");
    return strcmp(folder, "/") == 0 || strcmp(folder, "/tmp") == 0 ||
           (home && strcmp(folder, home) == 0);
}

/* `real` is the file's path with links resolved. */
static char *find_root(const char *real)
{
    static const char *const tops[] = {".git", ".hg", NULL};
    static const char *const marks[] = {"README.md", "README",   "readme.md",      "LICENSE",
                                        "Makefile",  "makefile", "CMakeLists.txt", ".gitignore",
                                        "setup.py",  "src",      "include",        NULL};
    char *folder = gr_strdup(real), *root = NULL;
    for (int level = 0; folder && level <= MOST_LEVELS_UP; level++) {
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder)
            break;
        *slash = 0;
        if (is_common(folder))
            break;
        bool top = has_any(folder, tops);
        if (level == 0 || top || has_any(folder, marks)) {
            free(root);
            root = gr_printf("%s/", folder);
        }
        if (top)
            break;
    }
    free(folder);
    return root;
}

static bool is_source(const char *name)
{
    static const char *const kinds[] = {".cu",  ".cuh", ".h",   ".hpp", ".hh", ".hxx", ".inl",
                                        ".inc", ".cpp", ".cxx", ".cc",  ".c",  ".hip", NULL};
    for (int i = 0; kinds[i]; i++)
        if (gr_ends_with(name, kinds[i]))
            return true;
    return false;
}

static bool is_skipped(const char *name)
{
    static const char *const names[] = {"third_party", "thirdparty", "3rdparty",
                                        "external",    "extern",     "node_modules",
                                        "venv",        "cutlass",    NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return *name == '.' || gr_starts_with(name, "build") || gr_starts_with(name, "cmake-build");
}

static void add(struct gr_project *p, char *path)
{
    char **grown = path ? realloc(p->paths, ((size_t)p->count + 1) * sizeof *grown) : NULL;
    if (grown) {
        p->paths = grown;
        grown[p->count++] = path;
    } else {
        free(path);
    }
}

/* Files of other kinds are told by their names alone, since most of a project's are not sources. */
static void visit(struct walk *w, const char *folder, int depth)
{
    DIR *dir = depth < MOST_LEVELS_DOWN ? opendir(folder) : NULL;
    struct dirent *entry;
    while (dir && (entry = readdir(dir)) && w->project->count < MOST_FILES &&
           w->entries++ < MOST_ENTRIES) {
        const char *name = entry->d_name;
        const bool source = is_source(name);
        if (!source && (is_skipped(name) || entry->d_type == DT_REG))
            continue;
        char *path = gr_printf("%s%s", folder, name);
        struct stat about;
        if (!path || lstat(path, &about) != 0) {
            free(path);
        } else if (S_ISDIR(about.st_mode) && !is_skipped(name)) {
            char *below = gr_printf("%s/", path);
            if (below)
                visit(w, below, depth + 1);
            free(below);
            free(path);
        } else if (S_ISREG(about.st_mode) && source && about.st_size < 1 << 20) {
            add(w->project, path);
        } else {
            free(path);
        }
    }
    if (dir)
        closedir(dir);
}

/* The number of folders between the two files. */
static int distance(const char *from, const char *to)
{
    size_t common = 0;
    int steps = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/')
            common = i + 1;
    for (const char *p = from + common; (p = strchr(p, '/')); p++)
        steps++;
    for (const char *p = to + common; (p = strchr(p, '/')); p++)
        steps++;
    return steps;
}

/* Closest first, and in alphabetical order at equal distance, so that the result does not depend
 * on the file system. */
static int by_distance(const void *a, const void *b, void *from)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int difference = distance(from, x) - distance(from, y);
    return difference ? difference : strcmp(x, y);
}

struct gr_project gr_project_of(const char *path)
{
    return (struct gr_project){.file = realpath(path, NULL)};
}

int gr_project_list(struct gr_project *project)
{
    char *root = project->file && !project->listed ? find_root(project->file) : NULL;
    struct walk w = {.project = project};
    if (root)
        visit(&w, root, 0);
    if (root && project->count)
        qsort_r(project->paths, (size_t)project->count, sizeof *project->paths, by_distance,
                project->file);
    project->listed = true;
    free(root);
    return project->count;
}

void gr_project_free(struct gr_project *project)
{
    for (int i = 0; i < project->count; i++)
        free(project->paths[i]);
    free(project->paths);
    free(project->file);
    *project = (struct gr_project){0};
}

static bool is_file(const char *path)
{
    struct stat about;
    return path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

char *gr_project_beside(const char *from, const char *name)
{
    char *beside = *name == '/' ? gr_strdup(name)
                                : gr_printf("%.*s%s", (int)(gr_path_base(from) - from), from, name);
    if (is_file(beside))
        return beside;
    free(beside);
    return NULL;
}

char *gr_project_header(struct gr_project *project, const char *from, const char *name)
{
    char *beside = gr_project_beside(from, name);
    if (beside)
        return beside;
    while (gr_starts_with(name, "../") || gr_starts_with(name, "./"))
        name = strchr(name, '/') + 1;
    char *ending = gr_printf("/%s", name), *real = realpath(from, NULL), *found = NULL;
    int least = 0;
    for (int i = 0; ending && real && i < gr_project_list(project); i++) {
        int away = distance(real, project->paths[i]);
        if (gr_ends_with(project->paths[i], ending) && (!found || away < least)) {
            free(found);
            found = gr_strdup(project->paths[i]);
            least = away;
        }
    }
    free(ending);
    free(real);
    return found;
}
