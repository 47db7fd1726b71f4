/* replay.c: gives each file of the named folders to a fuzz target once, for builds without
 * libFuzzer. SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 1 when the file was given to the target, 0 when it is no readable file. */
static int replay_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return 0;
    size_t size = 0, capacity = 1 << 20;
    uint8_t *data = malloc(capacity);
    if (data)
        size = fread(data, 1, capacity, stream);
    fclose(stream);
    /* A copy of the exact size lets the address sanitizer see a read past the end. */
    uint8_t *exact = data ? realloc(data, size ? size : 1) : NULL;
    if (!exact)
        return 0;
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

int main(int argc, char **argv)
{
    int replayed = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (entry->d_type == DT_REG)
                replayed += replay_file(path);
        }
        if (folder)
            closedir(folder);
    }
    printf("%d inputs\n", replayed);
    return replayed > 0 ? 0 : 1;
}
