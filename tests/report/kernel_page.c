/* kernel_page.c: writes the page of a synthetic kernel: `kernel_page DIR naive` (bad patterns of
 * every kind), `kernel_page DIR tiled` (tiles of warps, 16-byte accesses), `kernel_page DIR
 * wave64`, `kernel_page DIR code` (its machine code was executed), `kernel_page DIR bare` (nothing
 * was simulated), `kernel_page DIR pair` (the first two side by side). SPDX-License-Identifier: MIT
 */
#include "report/explain_pair.h"
#include "report/synthetic_trace.h"

#include "core/error.h"

static const char hostile[] = "</code><script>alert(1)</script>";

struct scene {
    struct gr_explain_page page;
    struct gr_page_launch launch;
    struct gr_trace trace;
    struct gr_problem problem;
    struct gr_explanation explanation;
};

static void site(struct scene *s, int array, int line, int bytes, int64_t start, int64_t stride,
                 int cost, int ideal)
{
    synthetic_cost(synthetic_site(&s->trace, array, line, bytes, start, stride), cost, ideal);
}

static void add_words(struct scene *s)
{
    struct gr_section *section = gr_explanation_add(&s->explanation, "Resources", "");
    gr_section_printf(section, "A thread has 32 registers, nothing is spilled. %s", hostile);
    gr_section_printf(section, "  registers  shared memory  blocks an SM");
    gr_section_printf(section, "         32              0             2");
    gr_section_number(section, "regs", 32, "");
    gr_section_number(section, "smem", 0, "bytes");
    gr_findings_add(&s->explanation.findings, GR_FIND_RACE, 7,
                    "thread 3 writes As[3] that thread 4 reads, with no barrier between");
    gr_findings_add(&s->explanation.findings, GR_FIND_COALESCING, 3,
                    "the 32 threads of a warp read 32 rows of A: %s", hostile);
    struct gr_finding *last = &s->explanation.findings.items[1];
    last->now = 32;
    last->fixed = 4;
    last->unit = "sectors a request";
    last->saves_s = 0.012;
}

static void make_naive(struct scene *s)
{
    s->trace = synthetic_trace(32);
    site(s, 0, 3, 4, 0, 16384, 32, 4);  /* a row each, 16 KB apart */
    site(s, 1, 4, 4, 0, 4, 4, 4);       /* side by side */
    site(s, 1, 5, 4, 4096, 0, 1, 1);    /* all the same */
    site(s, 0, 6, 4, 4, 4, 5, 4);       /* off by one element */
    site(s, 1, 7, 16, 512, 16, 16, 16); /* float4 */
    site(s, 0, 8, 16, 8, 8192, 64, 16); /* float4 across sectors, far apart */
    site(s, 0, 9, 4, 0, 128, 32, 4);    /* every line of 4 KB */
    site(s, 3, 11, 4, 0, 128, 32, 1);   /* 32 rows of one bank */
    site(s, 3, 12, 4, 0, 4, 1, 1);      /* a bank each */
    site(s, 3, 13, 16, 0, 16, 4, 4);    /* quarters of a warp */
    site(s, 3, 14, 8, 0, 16, 4, 2);     /* halves, every second word pair */
    site(s, 3, 15, 4, 64, 0, 1, 1);     /* broadcast */
    struct gr_trace_site *last = synthetic_site(&s->trace, 2, 10, 4, 1 << 20, 4);
    last->access = GR_ACCESS_STORE; /* two rows, and lanes that take no part */
    for (int lane = 0; lane < 32; lane++)
        last->pattern[lane] =
            lane >= 28 ? -1 : (1 << 20) + (lane < 16 ? 0 : 4096) + 4 * (lane % 16);
    synthetic_cost(last, 4, 4);
    s->page.name = "01_naive";
    s->page.title = hostile;
    s->page.tiles = (struct gr_tiles){.bm = 32, .bn = 32};
    add_words(s);
}

static void make_tiled(struct scene *s)
{
    s->trace = synthetic_trace(32);
    site(s, 0, 3, 16, 0, 16, 16, 16);
    site(s, 3, 4, 16, 0, 32, 8, 4); /* every second quarter: two-way */
    s->page.name = "10_warp_tile_with_a_rather_long_name_to_wrap_or_not";
    s->page.title = "Warp tiling";
    s->page.tiles = (struct gr_tiles){128, 128, 8, 64, 64, 16, 8, false};
    s->problem = gr_problem_dense(1000, 3000, 500, false, false, gr_types_of(GR_F32));
    for (int i = 0; i < s->trace.array_count; i++) /* lanes ask for no byte twice */
        s->trace.arrays[i].block_distinct_bytes =
            s->trace.arrays[i].load_bytes + s->trace.arrays[i].store_bytes;
    s->page.reach.kernels[0] = (struct gr_reach_kernel){
        .name = s->page.name, .block = 30, .l1 = 21, .shared = 1.7, .measured_gflops = 41234};
}

static void make_wave64(struct scene *s)
{
    s->trace = synthetic_trace(64);
    site(s, 0, 3, 4, 0, 4096, 64, 8);
    site(s, 1, 4, 16, 0, 16, 32, 32);
    site(s, 3, 5, 4, 0, 8, 4, 2);
    s->page.name = "wave64";
}

/* A loop from 0010 to 0050, of two lines and of a header's; what no warp executes, and what has no
 * line. 2576 executions in all. */
static void make_code(struct scene *s)
{
    s->trace = synthetic_trace(32);
    site(s, 0, 4, 4, 0, 128, 32, 4);
    synthetic_instruction(&s->trace, 3, "", 8, "MOV R1, c[0x0][0x28]");
    struct gr_trace_instruction *load =
        synthetic_instruction(&s->trace, 4, "", 512, "LDG.E R4, desc[UR4][R2.64]");
    load->requests = 512;
    load->sectors = 16384;
    load->sectors_ideal = 2048;
    load = synthetic_instruction(&s->trace, 5, "", 512, "LDL R6, [R1]");
    load->executed.local_requests = 512;
    load->executed.local_sectors = 2048;
    struct gr_trace_instruction *store =
        synthetic_instruction(&s->trace, 4, "", 512, "STS [R16], R4");
    store->requests = 512;
    store->wavefronts = 768;
    store->wavefronts_ideal = 512;
    synthetic_instruction(&s->trace, 48, "include/mma<i>.h", 512, "FFMA R8, R4, R6, R8");
    synthetic_instruction(&s->trace, 5, "", 512, "@P0 BRA 0x10");
    for (int i = 0; i < 5; i++)
        synthetic_instruction(&s->trace, 9, "", 0, "IADD3 R1, R1, 0x1, RZ");
    synthetic_instruction(&s->trace, 0, "", 8, "EXIT");
    synthetic_instruction(&s->trace, 0, "", 0, "NOP");
    s->page.name = "code";
    s->trace.executes_alike = true;
}

static void make_bare(struct scene *s)
{
    s->page.name = "mine";
    s->page.untraced = "there is no C++ compiler here (apt-get install g++)";
    s->launch.trace = NULL;
    s->page.reach.kernels[0] = (struct gr_reach_kernel){.name = "mine"};
    add_words(s);
}

static const struct {
    const char *name;
    void (*make)(struct scene *scene);
} scenes[] = {{"naive", make_naive},
              {"tiled", make_tiled},
              {"wave64", make_wave64},
              {"code", make_code},
              {"bare", make_bare}};

static void prepare(struct scene *s)
{
    s->problem = gr_problem_dense(1024, 1024, 1024, false, false, gr_types_of(GR_F32));
    s->page = (struct gr_explain_page){
        .circumstances = "Problem: 1024, f32, nn.\nDevice: NVIDIA H200 (default).",
        .source = "// a kernel\n__global__ void k(float *A)\n{\n    a = A[0];\n    b = B[1] < 2 && "
                  "true;\n\n    c();\n    x\n    y\n    z\n    last\n}\n\n\n\n\n\nfar away\n",
        .command = "gradus explain 1 --size 1024 --report DIR",
        .problem = &s->problem,
        .explanation = &s->explanation,
        .launches = &s->launch,
        .launch_count = 1,
        .warp = 32,
        .reach = {.device = "NVIDIA H200",
                  .gflops = 66908,
                  .dram_gbps = 4800,
                  .l2_gbps = 16727,
                  .l1_gbps = 33454,
                  .shared_gbps = 33454,
                  .ideal = 170.7,
                  .kernels = {{.name = "k", .block = 5.333, .l1 = 0.25, .shared = 0.4}},
                  .kernel_count = 1}};
    s->launch = (struct gr_page_launch){
        .kernel = "k", .grid = {32, 32, 1}, .block = {32, 32, 1}, .trace = &s->trace};
}

/* The pages that it links to are written beside it. */
static enum gradus_status write_pair(const char *directory, struct gradus_error *error)
{
    static const struct gr_pair_row rows[] = {{"registers of a thread", {"32", "128"}, "4"},
                                              {"bytes asked of global memory, with a long label",
                                               {"71303168000000", "71303168"},
                                               "1e-06"},
                                              {"  sectors a request", {"32", "4"}, "0.125"},
                                              {"occupancy", {"", "0.25"}, ""}};
    struct scene both[2] = {{.page = {0}}, {.page = {0}}};
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < 2; i++) {
        prepare(&both[i]);
        scenes[i].make(&both[i]);
        char *folder = gr_printf("%s/%s", directory, gr_pair_folders[i]);
        status = status ? status : gr_explain_page_write(&both[i].page, folder, error);
        both[i].page.id = i ? "second-" : "first-";
        free(folder);
    }
    const struct gr_explain_pair pair = {.pages = {&both[0].page, &both[1].page},
                                         .circumstances = "Problem: 1024, f32, nn.",
                                         .rows = rows,
                                         .row_count = sizeof rows / sizeof *rows,
                                         .command = "gradus explain 1 --against 10 --report DIR"};
    status = status ? status : gr_explain_pair_write(&pair, directory, error);
    for (int i = 0; i < 2; i++) {
        gr_explanation_free(&both[i].explanation);
        gr_trace_free(&both[i].trace);
    }
    return status;
}

int main(int argc, char **argv)
{
    struct scene scene = {0};
    struct gradus_error error = {0};
    if (argc == 3 && strcmp(argv[2], "pair") == 0) {
        enum gradus_status status = write_pair(argv[1], &error);
        if (status)
            fprintf(stderr, "kernel_page: %s\n", error.text);
        gradus_error_clear(&error);
        return status ? 1 : 0;
    }
    prepare(&scene);
    for (size_t i = 0; argc >= 3 && i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(argv[2], scenes[i].name) == 0)
            scenes[i].make(&scene);
    if (!scene.page.name) {
        fprintf(stderr,
                "usage: kernel_page DIR naive|tiled|wave64|code|bare [LINE], or DIR pair\n");
        return 2;
    }
    scene.page.site_line = argc > 3 ? atoi(argv[3]) : 0;
    enum gradus_status status = gr_explain_page_write(&scene.page, argv[1], &error);
    if (status)
        fprintf(stderr, "kernel_page: %s\n", error.text);
    gradus_error_clear(&error);
    gr_explanation_free(&scene.explanation);
    gr_trace_free(&scene.trace);
    return status ? 1 : 0;
}
