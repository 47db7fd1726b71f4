/* library_fake.c: the fake driver, and products on its GPU.
 * SPDX-License-Identifier: MIT */
#include "library_fake.h"

#include <dlfcn.h>
#include <stdlib.h>

int failures;
struct fake_functions fake;
char folder[512], log_path[600], nvrtc_log[600];

void open_fake(void)
{
    char path[600];
    void *context = NULL;
    snprintf(path, sizeof path, "%s/libfake_driver.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        printf("%s\n", dlerror());
        exit(1);
    }
    const struct {
        const char *symbol;
        void **member;
    } symbols[] = {{"cuInit", (void **)(void *)&fake.init},
                   {"cuDevicePrimaryCtxRetain", (void **)(void *)&fake.retain},
                   {"cuCtxSetCurrent", (void **)(void *)&fake.set},
                   {"cuCtxGetCurrent", (void **)(void *)&fake.current},
                   {"cuMemAlloc_v2", (void **)(void *)&fake.alloc},
                   {"cuStreamCreate", (void **)(void *)&fake.stream_create},
                   {"cuStreamBeginCapture_v2", (void **)(void *)&fake.capture_begin},
                   {"cuStreamEndCapture", (void **)(void *)&fake.capture_end},
                   {"cuGraphInstantiateWithFlags", (void **)(void *)&fake.instantiate},
                   {"cuGraphLaunch", (void **)(void *)&fake.graph_launch},
                   {"fake_calls", (void **)(void *)&fake.calls},
                   {"fake_stream", (void **)(void *)&fake.stream},
                   {"fake_device", (void **)(void *)&fake.device},
                   {"fake_on_launch", (void **)(void *)&fake.on_launch}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *symbols[i].member = dlsym(library, symbols[i].symbol);
        CHECK(*symbols[i].member, "%s is missing", symbols[i].symbol);
    }
    fake.retain(&context, 0);
    fake.set(context);
}

void *memory(size_t bytes)
{
    unsigned long long pointer = 0;
    CHECK(fake.alloc(&pointer, bytes) == 0, "no memory");
    return (void *)(uintptr_t)pointer;
}

struct gradus_gemm problem(int64_t m, int64_t n, int64_t k, enum gradus_math math)
{
    struct gradus_gemm g;
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = m, g.n = n, g.k = k;
    g.a = memory((size_t)(m * k) * 4 + 4), g.lda = k ? k : 1;
    g.b = memory((size_t)(k * n) * 4 + 4), g.ldb = n;
    g.c = memory((size_t)(m * n) * 4), g.ldc = n;
    g.device = GRADUS_GPU;
    g.math = math;
    return g;
}

enum gradus_status run(const struct gradus_gemm *g, char text[512])
{
    struct gradus_error error = {0};
    const enum gradus_status status = gradus_gemm_run(g, &error);
    snprintf(text, 512, "%s", error.text);
    CHECK((status == GRADUS_OK) == !*text, "status %d with '%s'", (int)status, text);
    CHECK(!strchr(text, '\n'), "more than a line: %s", text);
    gradus_error_clear(&error);
    return status;
}

void run_well(const struct gradus_gemm *g)
{
    char text[512];
    CHECK(run(g, text) == GRADUS_OK, "%s", text);
}

int launches(char lines[][2048], int most)
{
    static long at;
    int count = 0;
    FILE *file = fopen(log_path, "r");
    if (!file)
        return 0;
    fseek(file, at, SEEK_SET);
    while (count < most && fgets(lines[count], 2048, file))
        count++;
    at = ftell(file);
    fclose(file);
    return count;
}

uint64_t argument_word(const char *line, int n, int word)
{
    const char *p = strstr(line, " args ");
    for (p = p ? p + 5 : ""; n > 0 && p && *p; n--)
        p = strchr(p + 1, ' ');
    uint64_t value = 0;
    if (!p || !*p || strcspn(p + 1, " \n") <= (size_t)word * 16)
        return UINT64_MAX;
    p += 1 + word * 16;
    for (int i = 0; i < 8 && p[0] > ' ' && p[1] > ' '; i++, p += 2) {
        unsigned byte = 0;
        sscanf((const char[]){p[0], p[1], 0}, "%x", &byte);
        value |= (uint64_t)byte << (8 * i);
    }
    return value;
}

uint64_t argument(const char *line, int n)
{
    return argument_word(line, n, 0);
}

uint64_t bits(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}
