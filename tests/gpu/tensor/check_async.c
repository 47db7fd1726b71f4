/* check_async.c: is what probe_async.cu saw on a GPU (async.bin) what src/machine says of tensor
 * maps, mbarriers and loads of matrices? And is what probe_tiles.cu saw (maps.bin) what wgmma.c
 * says of descriptors? check_async async.bin others.bin maps.bin [how many of the differing cases
 * to print] SPDX-License-Identifier: MIT */
#include "async_cases.h"
#include "maps.h"
#include "machine/matrix_fragments.h"
#include "machine/machine_mbarrier.h"
#include "machine/tensor_map.h"
#include "machine/machine_wgmma.h"

#include <stdlib.h>

static int to_print;

static void read_all(void *to, size_t size, FILE *in)
{
    if (fread(to, 1, size, in) != size) {
        fprintf(stderr, "check_async: a file is cut off\n");
        exit(2);
    }
}

struct box {
    const struct gr_tensor_map *map;
    uint8_t *tensor, *shared;
    int store; /* 2: adds words */
};

static void copy_piece(void *context, const struct gr_tensor_piece *piece)
{
    struct box *box = context;
    uint8_t *shared = box->shared + piece->shared;
    if (!box->store) {
        if (piece->inside) {
            memcpy(shared, box->tensor + (piece->global - box->map->address), piece->bytes);
        }
        gr_tensor_map_load(box->map, piece->inside, shared, piece->bytes);
    } else if (piece->inside && box->store == 2) {
        uint8_t *to = box->tensor + (piece->global - box->map->address);
        for (uint32_t i = 0; i < piece->bytes; i += 4) {
            uint32_t x, y;
            memcpy(&x, to + i, 4);
            memcpy(&y, shared + i, 4);
            x += y;
            memcpy(to + i, &x, 4);
        }
    } else if (piece->inside) {
        memcpy(box->tensor + (piece->global - box->map->address), shared, piece->bytes);
    }
}

static void describe(int i, const struct tma_case *c)
{
    printf(
        "  case %d: %s type %d rank %d swizzle %d nan %d refused %d unfinished %d bytes %d offset "
        "%d:",
        i,
        c->store == 2 ? "reduction"
        : c->store    ? "store"
                      : "load",
        c->type, c->rank, c->swizzle, c->nan_fill, c->refused, c->unfinished, c->bytes, c->offset);
    for (int d = 0; d < c->rank; d++) {
        printf(" [size %u stride %llu box %u step %u at %d]", c->size[d],
               (unsigned long long)c->stride[d], c->box[d], c->step[d], c->at[d]);
    }
    printf("\n");
}

static struct gr_tensor_map map_of(const struct tma_case *c, uint64_t start)
{
    static const uint32_t spans[] = {0, 32, 64, 128};
    struct gr_tensor_map map = {.address = start,
                                .type = (enum gr_tensor_map_type)c->type,
                                .rank = c->rank,
                                .span = spans[c->swizzle],
                                .fill_nan = c->nan_fill != 0};
    for (int d = 0; d < c->rank; d++) {
        map.size[d] = c->size[d];
        map.stride[d] = c->stride[d];
        map.box[d] = c->box[d];
        map.step[d] = c->step[d];
    }
    return map;
}

/* What the map and the copy are here: fine, refused by the driver's function, or by the GPU. */
enum verdict { FINE, BY_DRIVER, BY_GPU };
static const char *const verdicts[] = {"fine", "refused by the driver", "refused by the GPU"};

static enum verdict verdict_here(const struct tma_case *c, const struct gr_tensor_map *map)
{
    uint8_t bytes[GR_TENSOR_MAP_BYTES];
    const char *why;
    struct gr_tensor_map read;
    if (!gr_tensor_map_write(map, bytes, &why)) {
        return BY_DRIVER;
    }
    if (!gr_tensor_map_read(bytes, &read) || memcmp(&read, map, sizeof *map) != 0) {
        fprintf(stderr, "check_async: a map is read as another one\n");
        exit(2);
    }
    bool negative = c->store && gr_tensor_map_negative(map, c->at) >= 0;
    return gr_tensor_map_is_aligned(map, c->at) && !negative && c->offset % 128 == 0 ? FINE
                                                                                     : BY_GPU;
}

/* Prints words that differ; whether there are any. */
static bool compare(int i, const struct tma_case *c, const uint8_t *mine, const uint8_t *result)
{
    size_t size = (size_t)tma_result_words(c) * 4;
    if (memcmp(mine, result, size) == 0) {
        return false;
    }
    if (to_print-- > 0) {
        describe(i, c);
        int shown = 0;
        for (size_t b = 0; b < size && shown < 8; b += 4) {
            if (memcmp(mine + b, result + b, 4) != 0) {
                uint32_t x, y, from = tma_word((int)(b / 4), c->content);
                memcpy(&x, result + b, 4);
                memcpy(&y, mine + b, 4);
                printf("    %s byte %zu: GPU %08x here %08x (word %08x)\n",
                       c->store ? "store" : "load", b, x, y, from);
                shown++;
            }
        }
    }
    return true;
}

/* Reads a case; false: the file ends. */
static bool read_case(FILE *in, int i, struct tma_case *c, uint64_t *start, uint8_t *result)
{
    uint8_t driver[128];
    struct tma_case again = tma_make(i);
    if (fread(c, sizeof *c, 1, in) != 1 || fread(driver, sizeof driver, 1, in) != 1 ||
        fread(start, sizeof *start, 1, in) != 1) {
        return false;
    }
    again.refused = c->refused;
    again.unfinished = c->unfinished;
    if (memcmp(c, &again, sizeof again) != 0) {
        fprintf(stderr, "check_async: case %d is not this program's\n", i);
        exit(2);
    }
    size_t words = (size_t)tma_result_words(c);
    return fread(result, 4, words, in) == words;
}

/* 1 if the case differs, 0 if not, -1 at the end of the file. */
static int check_map(FILE *in, int i)
{
    static uint8_t tensor[TMA_TENSOR], shared[TMA_SHARED], result[TMA_TENSOR + TMA_SHARED];
    uint64_t start;
    struct tma_case c;
    if (!read_case(in, i, &c, &start, result)) {
        return -1;
    }
    struct gr_tensor_map map = map_of(&c, start);
    enum verdict here = verdict_here(&c, &map);
    enum verdict there = c.refused == 0 ? FINE : c.refused >= TMA_FAILED ? BY_GPU : BY_DRIVER;
    if (here != there || c.unfinished ||
        (there == FINE && gr_tensor_map_box_bytes(&map) != (uint32_t)c.bytes)) {
        if (to_print-- > 0) {
            describe(i, &c);
            printf("    %s, here %s\n", verdicts[there], verdicts[here]);
        }
        return 1;
    }
    if (there != FINE) {
        return 0;
    }
    memset(shared, 0xee, sizeof shared);
    memset(tensor, 0xee, sizeof tensor);
    for (int w = 0; w < (c.store ? TMA_SHARED : TMA_TENSOR) / 4; w++) {
        uint32_t word = tma_word(w, c.content);
        memcpy((c.store ? shared : tensor) + 4 * w, &word, 4);
    }
    if (c.store) {
        gr_tensor_map_for_store(&map);
    }
    struct box box = {&map, tensor, shared, c.store};
    gr_tensor_map_box(&map, c.at, (uint32_t)c.offset, copy_piece, &box);
    return compare(i, &c, c.store ? tensor : shared, result);
}

/* The steps whose result differs; others[way]: those after which the word does. */
static int check_barrier(FILE *in, int *others)
{
    uint64_t word = 0;
    int wrong = 0;
    for (int i = 0; i < BARRIER_STEPS; i++) {
        uint64_t seen[BARRIER_SEEN], result = 0;
        read_all(seen, sizeof seen, in);
        uint32_t v = barrier_steps[i].value;
        uint64_t before = word;
        bool completed = false;
        static const enum gr_mbarrier_operation operations[] = {
            [BARRIER_ARRIVE] = GR_MBARRIER_ART0,
            [BARRIER_ARRIVE_EXPECT] = GR_MBARRIER_A1TR,
            [BARRIER_EXPECT] = GR_MBARRIER_A0TR,
            [BARRIER_COMPLETE] = GR_MBARRIER_A0TX,
            [BARRIER_DROP] = GR_MBARRIER_ART0,
            [BARRIER_DROP_EXPECT] = GR_MBARRIER_A1TR,
            [BARRIER_NO_COMPLETE] = GR_MBARRIER_ART0,
            [BARRIER_TEST_PARITY] = 0,
            [BARRIER_TRY_PARITY] = 0,
            [BARRIER_REMOTE_ARRIVE] = GR_MBARRIER_ART0};
        int what = barrier_steps[i].what;
        bool drop = what == BARRIER_DROP || what == BARRIER_DROP_EXPECT;
        if (what == BARRIER_INIT) {
            word = gr_mbarrier_of(v);
        } else if (what == BARRIER_TEST_PARITY || what == BARRIER_TRY_PARITY) {
            result = gr_mbarrier_is_complete(word, v << 31);
        } else {
            if (gr_mbarrier_do(&word, operations[what], drop, v, &completed) != GR_MBARRIER_FINE) {
                printf("  step %d is a fault here\n", i);
            }
            result =
                what == BARRIER_EXPECT || what == BARRIER_COMPLETE || what == BARRIER_REMOTE_ARRIVE
                    ? 0
                    : before;
        }
        for (int way = BARRIER_OWN; way < BARRIER_SEEN; way++) {
            uint64_t wanted = way == BARRIER_BULK_NEXT ? BARRIER_NEXT : word;
            others[way] += seen[way] != wanted;
        }
        /* An arrival's lower register is not written. */
        bool state = result >> 32 != 0;
        bool equal =
            state ? seen[BARRIER_RESULT] >> 32 == result >> 32 : seen[BARRIER_RESULT] == result;
        wrong += !equal;
        if (to_print > 0) {
            printf(
                "  step %d (%d, %u): %s %016llx, here %016llx; the word is %016llx %016llx %016llx "
                "%016llx %016llx %016llx, here %016llx\n",
                i, what, v, equal ? "gave" : "DIFFERS: gave", (unsigned long long)seen[0],
                (unsigned long long)result, (unsigned long long)seen[1],
                (unsigned long long)seen[2], (unsigned long long)seen[3],
                (unsigned long long)seen[4], (unsigned long long)seen[6],
                (unsigned long long)seen[7], (unsigned long long)word);
        }
    }
    return wrong;
}

/* Loads and stores of matrices, and MOVM. */
static int check_matrices(FILE *in, int repeat)
{
    static uint32_t result[8 * 128 + 6 * 1024];
    int wrong = 0;
    read_all(result, sizeof result, in);
    gr_lanes source[4], moved;
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t i = 0; i < 4; i++) {
            source[i][lane] = 0x10001 * (4 * (lane * 4 + i)) + 0x10000;
        }
    }
    for (int form = 0; form < 6; form++) {
        static uint16_t memory[2048];
        int count = 1 << form % 3;
        memset(memory, 0xff, sizeof memory);
        for (int lane = 0; lane < 32; lane++) {
            for (int reg = 0; reg < 4; reg++) {
                uint32_t loaded = 0;
                struct gr_matrix_pieces p = gr_matrix_pieces_of(form >= 3, reg, lane);
                for (int piece = 0; piece < p.count && reg < count; piece++) {
                    uint32_t at = matrix_row(repeat, p.row[piece]) + p.offset[piece];
                    for (uint32_t h = 0; h < p.bytes / 2u; h++) {
                        uint32_t shift = 16 * ((uint32_t)piece + h);
                        loaded |= (at / 2 + h) << shift;
                        memory[at / 2 + h] = (uint16_t)(source[reg][lane] >> shift);
                    }
                }
                wrong += result[form * 128 + lane * 4 + reg] != loaded;
            }
        }
        /* Two rows at one address: which is stored last is not said; then the case is left out. */
        bool twice = false;
        for (int a = 0; a < 8 * count; a++) {
            for (int b = 0; b < a; b++) {
                twice = twice || matrix_row(repeat, a) == matrix_row(repeat, b);
            }
        }
        wrong += !twice && memcmp(memory, result + 8 * 128 + form * 1024, sizeof memory) != 0;
    }
    for (int i = 0; i < 2; i++) {
        gr_matrix_transpose(source[3 * i], moved);
        for (int lane = 0; lane < 32; lane++) {
            wrong += result[(6 + i) * 128 + lane * 4] != moved[lane];
        }
    }
    return wrong;
}

/* The index of the element that wgmma reads for row and k, by the descriptor. */
static int element_of(const struct map_kernel *kernel, const struct gr_wgmma_matrix *matrix,
                      int row, int k)
{
    uint32_t address;
    if (matrix->transposed) {
        address = gr_wgmma_address(matrix, k, row / 8) + (uint32_t)(row % 8 * 2);
    } else {
        int byte = k * kernel->bytes;
        address = gr_wgmma_address(matrix, row, byte / 16) + (uint32_t)(byte % 16);
    }
    return (int)(address / (uint32_t)kernel->bytes);
}

static int check_descriptors(FILE *in)
{
    static struct map_case cases[MAP_CASES];
    static uint16_t map[256 * 32];
    int count = map_list(cases), wrong = 0;
    for (int i = 0; i < count; i++) {
        struct map_case c;
        const struct map_kernel *kernel = &map_kernels[cases[i].kernel];
        int ks = 32 / kernel->bytes, rows = kernel->operand == 'a' ? 64 : kernel->n, differ = 0;
        read_all(&c, sizeof c, in);
        read_all(map, (size_t)(rows * ks) * sizeof *map, in);
        struct gr_wgmma_matrix matrix =
            gr_wgmma_matrix_of(map_descriptor(&c), kernel->major == 'm');
        int first = -1;
        for (int e = 0; e < rows * ks; e++) {
            int here = element_of(kernel, &matrix, e / ks, e % ks);
            bool known = here * kernel->bytes < MAP_REGION;
            if (known && here != map[e]) {
                differ++;
                first = first < 0 ? e : first;
            }
        }
        wrong += differ != 0;
        if (differ && to_print-- > 0) {
            printf("  %s swizzle %d leading %d stride %d start %d base %d: %d differ; row %d k %d: "
                   "GPU byte %d, here %d\n",
                   kernel->name, c.swizzle, c.lbo, c.sbo, c.start, c.base, differ, first / ks,
                   first % ks, map[first] * kernel->bytes,
                   element_of(kernel, &matrix, first / ks, first % ks) * kernel->bytes);
        }
    }
    printf("descriptors: %d of %d cases differ\n", wrong, count);
    return wrong;
}

/* Prints the first answers to each question. */
static void print_answers(FILE *in, int count)
{
    static const char *const questions[BARRIER_QUESTIONS] = {
        [BARRIER_MANY] = "many",           [BARRIER_INVALID] = "invalidated",
        [BARRIER_LATER] = "later",         [BARRIER_STORED] = "stored",
        [BARRIER_OVERWRITTEN] = "written", [BARRIER_LOW] = "lower register",
        [BARRIER_OVERFLOW] = "overflow"};
    for (int q = 0; q < BARRIER_QUESTIONS; q++) {
        uint64_t answers[BARRIER_ANSWERS];
        read_all(answers, sizeof answers, in);
        for (int i = 0; i < count; i++) {
            printf("%s%s %016llx%s", i == 0 ? "  " : "", i == 0 ? questions[q] : "",
                   (unsigned long long)answers[i], i == count - 1 ? "\n" : "");
        }
    }
}

int main(int argc, char **argv)
{
    FILE *in = argc > 3 ? fopen(argv[1], "rb") : NULL, *others = in ? fopen(argv[2], "rb") : NULL;
    FILE *maps = others ? fopen(argv[3], "rb") : NULL;
    if (!maps) {
        perror("check_async");
        return 2;
    }
    int most = argc > 4 ? atoi(argv[4]) : 0, all = 0, wrong = 0;
    to_print = most;
    int cases = 0;
    for (int differs; cases < TMA_CASES && (differs = check_map(in, cases)) >= 0; cases++) {
        wrong += differs;
    }
    printf("tensor maps: %d of %d cases differ%s\n", wrong, cases,
           cases < TMA_CASES ? "; the file ends before the others" : "");
    all += wrong;
    to_print = most;
    for (int bulk = 0; bulk < 2; bulk++) {
        static const char *const ways[BARRIER_SEEN] = {
            [BARRIER_OWN] = "a load",
            [BARRIER_FENCED] = "a load after a fence",
            [BARRIER_OTHER] = "another thread",
            [BARRIER_CLUSTER] = "the cluster's address",
            [BARRIER_BULK] = "a bulk copy",
            [BARRIER_BULK_NEXT] = "a bulk copy, the 8 bytes that follow"};
        int differ[BARRIER_SEEN] = {0};
        wrong = check_barrier(others, differ);
        printf("mbarrier: %d of %d steps differ; and of the words as read by", wrong,
               (int)BARRIER_STEPS);
        for (int way = 0; way < (bulk ? BARRIER_SEEN : BARRIER_BULK); way++) {
            if (ways[way]) {
                printf(" %s %d;", ways[way], differ[way]);
            }
        }
        printf("\n");
        all += wrong;
        to_print = 0;
    }
    wrong = 0;
    for (int repeat = 0; repeat < MATRIX_REPEATS; repeat++) {
        wrong += check_matrices(others, repeat);
    }
    printf("LDSM, STSM, MOVM: %d differ\n", wrong);
    print_answers(others, most > 0 ? 20 : 0);
    to_print = most;
    all += wrong + check_descriptors(maps);
    fclose(in);
    fclose(others);
    fclose(maps);
    return all != 0;
}
