/* gpu_choice.c: chooses a device file by the options. SPDX-License-Identifier: MIT */
#include "cli/gpu_choice.h"

#include "backend/backend.h"
#include "backend/device_ref.h"
#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = GR_GPU_NAMES };

/* The device files that are embedded in the program. */
struct shelf {
    struct gr_device devices[MOST_DEVICES];
    char names[MOST_DEVICES][32]; /* for example "h200" */
    int count;
};

static enum gradus_status fill_shelf(struct shelf *shelf, struct gradus_error *error)
{
    static const char folder[] = "devices/";
    enum gradus_status status = GRADUS_OK;
    const struct gr_embedded *file;
    shelf->count = 0;
    for (int i = 0; (file = gr_embedded_at(i)) && status == GRADUS_OK; i++) {
        if (!gr_starts_with(file->path, folder) || shelf->count == MOST_DEVICES)
            continue;
        const char *name = file->path + strlen(folder);
        snprintf(shelf->names[shelf->count], sizeof shelf->names[0], "%.*s",
                 (int)strcspn(name, "."), name);
        status = gr_device_read(file->path, file->text, &shelf->devices[shelf->count++], error);
    }
    return status;
}

static void take(const struct shelf *shelf, int i, struct gr_gpu_choice *choice)
{
    choice->device = shelf->devices[i];
    snprintf(choice->why, sizeof choice->why, "--gpu %s", shelf->names[i]);
}

static enum gradus_status take_named(const struct shelf *shelf, const char *name,
                                     struct gr_gpu_choice *choice, struct gradus_error *error)
{
    const char *names[MOST_DEVICES];
    struct gr_str list = {0};
    for (int i = 0; i < shelf->count; i++) {
        names[i] = shelf->names[i];
        gr_str_printf(&list, "%s%s", i ? ", " : "", names[i]);
        if (strcmp(name, names[i]) == 0) {
            take(shelf, i, choice);
            gr_str_free(&list);
            return GRADUS_OK;
        }
    }
    const char *near = gr_nearest(name, names, (size_t)shelf->count);
    gr_fail(error, GRADUS_NOT_FOUND,
            "--gpu %s: no such device file%s%s%s; there are %s, and --device-file FILE", name,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", gr_str_text(&list));
    gr_str_free(&list);
    return GRADUS_NOT_FOUND;
}

/* Returns 90 for "sm_90a"; 0: not the name of an architecture. */
static int cc_of(const char *arch)
{
    char *end;
    if (!gr_starts_with(arch, "sm_") || !isdigit((unsigned char)arch[3]))
        return 0;
    long cc = strtol(arch + 3, &end, 10);
    return (*end && (end[1] || !strchr("af", *end))) || cc > 999 ? 0 : (int)cc;
}

/* AMD's architectures are not ordered: code for gfx1030 runs only on gfx1030. */
static bool is_amd(const char *arch)
{
    return gr_starts_with(arch, "gfx") && isxdigit((unsigned char)arch[3]);
}

static bool is_of(const struct gr_device *device, const char *arch)
{
    return is_amd(arch) ? strcmp(device->arch, arch) == 0 : device->cc == cc_of(arch);
}

/* Among several devices of one architecture, the one with the fewest SMs is preferred, and among
 * equal ones the one with the most memory: smaller devices are more common. */
static bool is_preferred(const struct gr_device *a, const struct gr_device *b)
{
    return a->sms != b->sms ? a->sms < b->sms : a->memory_mb > b->memory_mb;
}

static enum gradus_status take_by_arch(const struct shelf *shelf, const char *arch,
                                       struct gr_gpu_choice *choice, struct gradus_error *error)
{
    int best = -1;
    for (int i = 0; i < shelf->count; i++)
        if (is_of(&shelf->devices[i], arch) &&
            (best < 0 || is_preferred(&shelf->devices[i], &shelf->devices[best])))
            best = i;
    if (best < 0)
        return gr_fail(error, GRADUS_NOT_FOUND,
                       "--arch %s: no device file of this architecture; describe the GPU with "
                       "--device-file FILE (see `gradus help explain`), or choose one by --gpu",
                       arch);
    take(shelf, best, choice);
    size_t length = strlen(choice->why);
    const char *between = "; also of this architecture: --gpu ";
    for (int i = 0; i < shelf->count; i++) {
        if (i == best || !is_of(&shelf->devices[i], arch))
            continue;
        snprintf(choice->why + length, sizeof choice->why - length, "%s%s", between,
                 shelf->names[i]);
        length = strlen(choice->why);
        between = ", ";
    }
    return GRADUS_OK;
}

static enum gradus_status take_file(const char *path, struct gr_gpu_choice *choice,
                                    struct gradus_error *error)
{
    char *text = NULL;
    enum gradus_status status = gr_file_read(path, &text, NULL, error);
    if (status == GRADUS_OK)
        status = gr_device_read(path, text, &choice->device, error);
    snprintf(choice->why, sizeof choice->why, "--device-file %.100s", path);
    free(text);
    return status;
}

/* Takes the GPU of this machine, by its name. */
static enum gradus_status take_present(const struct shelf *shelf,
                                       const struct gr_device_ref *device,
                                       struct gr_gpu_choice *choice, struct gradus_error *error)
{
    struct gr_device_about about;
    void *found = NULL;
    enum gradus_status status = device->backend->find(device, &found, &about, error);
    device->backend->forget(found);
    if (status != GRADUS_OK)
        return status;
    for (int i = 0; i < shelf->count; i++) {
        if (!gr_starts_with(about.name, shelf->devices[i].name))
            continue;
        take(shelf, i, choice);
        return GRADUS_OK;
    }
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: no device file of the %s; describe it with --device-file FILE (see "
                   "`gradus help explain`)",
                   about.name);
}

static bool names_gpu(const char *device, struct gr_device_ref *ref)
{
    return gr_device_ref_parse(device, ref, NULL) == GRADUS_OK && !gr_device_is_host(ref);
}

/* Can the device run this code? Code for sm_80 runs on sm_86, but code for sm_86 does not run on
 * sm_80, and neither runs on sm_90. */
static bool runs(const struct gr_device *device, const char *code)
{
    const int cc = cc_of(code);
    return !gr_device_is_amd(device) && device->cc / 10 == cc / 10 && device->cc >= cc;
}

enum gradus_status gr_gpu_admits_code(struct gr_gpu_choice *choice, const char *code,
                                      struct gradus_error *error)
{
    if (!runs(&choice->device, code))
        return gr_fail(
            error, GRADUS_INVALID,
            "machine code for %s does not run on the %s, which is %s; choose another GPU "
            "by --gpu, or compile for that one",
            code, choice->device.name, choice->device.arch);
    snprintf(choice->arch, sizeof choice->arch, "%.15s", code);
    return GRADUS_OK;
}

/* Takes the default device if it can run the code; otherwise one of the same architecture, or one
 * that can run it. */
static enum gradus_status take_for_code(const struct shelf *shelf, const char *code,
                                        struct gr_gpu_choice *choice, struct gradus_error *error)
{
    enum gradus_status status = take_named(shelf, "h200", choice, error);
    if (status != GRADUS_OK || is_of(&choice->device, code))
        return status;
    status = take_by_arch(shelf, code, choice, error);
    for (int i = 0; i < shelf->count && status != GRADUS_OK; i++)
        if (runs(&shelf->devices[i], code)) {
            gradus_error_clear(error);
            take(shelf, i, choice);
            status = GRADUS_OK;
        }
    return status == GRADUS_OK ? status
                               : gr_fail(error, GRADUS_NOT_FOUND,
                                         "machine code for %s: no device file of a GPU that runs "
                                         "it; describe one with --device-file FILE (see `gradus "
                                         "help explain`)",
                                         code);
}

enum gradus_status gr_gpu_choose(const struct gr_args *args, const char *code,
                                 struct gr_gpu_choice *choice, struct gradus_error *error)
{
    const char *file = gr_args_get(args, "device-file"), *gpu = gr_args_get(args, "gpu");
    const char *arch = gr_args_get(args, "arch"), *device = gr_args_get(args, "device");
    struct shelf shelf;
    struct gr_device_ref ref;
    if (device && !names_gpu(device, &ref))
        return gr_fail(error, GRADUS_INVALID,
                       "--device: found '%.80s', wanted sim, cuda or cuda:N; explain is about GPUs",
                       device);
    if (device && gr_device_is_simulated(&ref)) { /* "sim:t4" or "sim" */
        const bool says_which = strchr(device, ':') != NULL;
        if (says_which && (file || gpu || arch))
            return gr_fail(error, GRADUS_INVALID,
                           "--device %s says which GPU; --gpu, --arch and --device-file do too",
                           device);
        gpu = says_which ? strchr(device, ':') + 1 : gpu;
        device = NULL;
    }
    if (file && gpu)
        return gr_fail(error, GRADUS_INVALID, "--device-file and --gpu exclude each other");
    if (arch && !cc_of(arch) && !is_amd(arch))
        return gr_fail(error, GRADUS_INVALID,
                       "--arch '%s': wanted an architecture such as sm_86, sm_90a or gfx90a", arch);
    enum gradus_status status = fill_shelf(&shelf, error);
    if (status != GRADUS_OK)
        return status;
    if (file)
        status = take_file(file, choice, error);
    else if (gpu)
        status = take_named(&shelf, gpu, choice, error);
    else if (device)
        status = take_present(&shelf, &ref, choice, error);
    else if (code)
        status = take_for_code(&shelf, code, choice, error);
    else
        status = arch ? take_by_arch(&shelf, arch, choice, error)
                      : take_named(&shelf, "h200", choice, error);
    if (status != GRADUS_OK)
        return status;
    if (code)
        return gr_gpu_admits_code(choice, code, error);
    if (arch && (is_amd(arch) ? !is_of(&choice->device, arch) : cc_of(arch) > choice->device.cc))
        return gr_fail(error, GRADUS_INVALID, "--arch %s: the %s is %s and cannot run its code",
                       arch, choice->device.name, choice->device.arch);
    snprintf(choice->arch, sizeof choice->arch, "%.15s", arch ? arch : choice->device.arch);
    return GRADUS_OK;
}

int gr_gpu_names(struct gr_gpu_name names[GR_GPU_NAMES])
{
    struct shelf shelf;
    struct gradus_error ignored = {0};
    fill_shelf(&shelf, &ignored);
    gradus_error_clear(&ignored);
    for (int i = 0; i < shelf.count; i++) {
        snprintf(names[i].name, sizeof names[i].name, "%s", shelf.names[i]);
        snprintf(names[i].arch, sizeof names[i].arch, "%s", shelf.devices[i].arch);
    }
    return shelf.count;
}
