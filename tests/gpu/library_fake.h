/* library_fake.h: what the parts of test_library share: the fake driver (fake_driver.h), products
 * on its GPU, and the cases. SPDX-License-Identifier: MIT */
#ifndef GPU_LIBRARY_FAKE_H
#define GPU_LIBRARY_FAKE_H

#include <gradus/gradus.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern int failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* The driver's functions, and those of the fake one. */
extern struct fake_functions {
    int (*init)(unsigned flags);
    int (*retain)(void **context, int device);
    int (*set)(void *context);
    int (*current)(void **context);
    int (*alloc)(unsigned long long *pointer, size_t bytes);
    int (*stream_create)(void **stream, unsigned flags);
    int (*capture_begin)(void *stream, int mode);
    int (*capture_end)(void *stream, void **graph);
    int (*instantiate)(void **run, void *graph, unsigned long long flags);
    int (*graph_launch)(void *run, void *stream);
    int (*calls)(const char *what);
    void *(*stream)(void);
    int (*device)(void);
    void (*on_launch)(void (*hook)(const char *symbol, void **parameters));
} fake;

/* The folder of the fake libraries, where launches are written down, and compilations. */
extern char folder[512], log_path[600], nvrtc_log[600];

/* A program that uses the driver itself, as any has that has memory of a GPU. */
void open_fake(void);
void *memory(size_t bytes);
/* A dense row-major product of floats. */
struct gradus_gemm problem(int64_t m, int64_t n, int64_t k, enum gradus_math math);
/* Its error's line goes to `text`. */
enum gradus_status run(const struct gradus_gemm *g, char text[512]);
void run_well(const struct gradus_gemm *g);

/* The lines of the launches since the last call. */
int launches(char lines[][2048], int most);
/* The n-th argument of a line, as the bytes of a number; of a longer one the first 8 bytes, or
 * those from 8 * `word` on. */
uint64_t argument(const char *line, int n);
uint64_t argument_word(const char *line, int n, int word);
uint64_t bits(float x);

/* ---- The cases: library_products.c, library_epilogue.c, library_staged.c, library_calls.c,
 * library_code.c ---- */

void case_arguments(void);
void case_types(void);
void case_bytes(void);
void case_batch(void);
void case_far_arrays(void);
void case_epilogue(void);
void case_rounded(void);
void case_fused(void);
void case_host(void);
void case_host_failure(void);
void case_allocations(void);
void case_workspace(void);
void case_early(void);
void case_early_older(void);
void case_spread(void);
void case_zeroed(void);
void case_capture(void);
void case_devices(void);
void case_refusals(void);
void case_ampere(void);
void case_turing(void);
void case_compiled(void);
void case_cached(void);
void case_no_compiler(void);
void case_no_driver(void);
void case_failure(void);
void case_threads(void);

#endif
