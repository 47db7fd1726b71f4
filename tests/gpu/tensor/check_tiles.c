/* check_tiles.c: are the results of a GPU's tensor cores (tiles.bin of probe_tiles.cu) those of
 * src/machine/tensor_sums.c? For each kind of instruction the tiles, and the elements of the stored
 * ones, that are equal to the bit, by distribution if some are not.
 *   check_tiles tiles.bin [KIND [how many of the differing elements to print]]
 * SPDX-License-Identifier: MIT */
#include "tiles.h"
#include "machine/tensor_sums.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static enum gr_tensor_type type_of(enum tile_element element)
{
    static const enum gr_tensor_type types[] = {GR_TENSOR_F16,  GR_TENSOR_BF16, GR_TENSOR_TF32,
                                                GR_TENSOR_E4M3, GR_TENSOR_E5M2, GR_TENSOR_F32};
    return types[element];
}

static uint64_t integer_sum(const struct tile_kind *kind, const uint64_t *a, const uint64_t *b,
                            uint64_t c)
{
    int64_t sum = (int32_t)c;
    for (int k = 0; k < kind->k; k++) {
        int64_t x = kind->a == TILE_S8 ? (int8_t)a[k] : (int64_t)a[k];
        int64_t y = kind->b == TILE_S8 ? (int8_t)b[k] : (int64_t)b[k];
        sum += strstr(kind->name, "xor") ? x ^ y : x * y;
    }
    if (kind->flags & TILE_SATURATE) {
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    }
    return (uint32_t)sum;
}

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return f != f ? 0x7fffffff : bits;
}

/* e4m3 or e5m2 as fp16: exact. */
static uint32_t half_of(enum tile_element element, uint32_t bits)
{
    if (element == TILE_E5M2) {
        return (bits & 0x7f) > 0x7c ? 0x7fff : bits << 8;
    }
    uint32_t sign = (bits & 0x80) << 8, field = bits >> 3 & 15, fraction = bits & 7;
    if (field == 15 && fraction == 7) {
        return 0x7fff;
    }
    if (field == 0) {
        for (field = 1; fraction && fraction < 8; field--) {
            fraction <<= 1;
        }
        return fraction ? sign | (uint32_t)((int)field + 8) << 10 | (fraction & 7) << 7 : sign;
    }
    return sign | (field + 8) << 10 | fraction << 7;
}

/* What ptxas makes of mma.sync with fp8 for sm_90: numbers converted to fp16, two HMMA from zero,
 * of the bytes 0 and 1, and of the bytes 2 and 3 of each register, and an addition in fp32 (or
 * fp16). */
static void emulated(const struct tile_kind *kind, const struct tile *t, int i, uint32_t out[8])
{
    bool half = kind->c == TILE_F16;
    const struct gr_tensor_rule *rule = gr_tensor_rule_of(90, GR_TENSOR_WARP, GR_TENSOR_F16, half);
    struct gr_tensor_row row;
    struct gr_tensor_columns columns = {.special = 0};
    uint32_t bits[16], a[16], b[16 * 8], sums[8] = {0};
    for (int part = 0; part < 2; part++) {
        for (int x = 0; x < 9; x++) {
            for (int k = 0; k < 16; k++) {
                int from = k / 2 * 4 + k % 2 + 2 * part;
                bits[k] = x == 8 ? half_of(kind->a, (uint32_t)t->a[i * 32 + from])
                                 : half_of(kind->b, (uint32_t)t->b[x * 32 + from]);
            }
            memcpy(x == 8 ? a : b + 16 * x, bits, sizeof bits);
        }
        gr_tensor_row_make(&row, GR_TENSOR_F16, a, 16);
        gr_tensor_columns_make(&columns, GR_TENSOR_F16, b, 16);
        gr_tensor_sums(rule, GR_TENSOR_F16, GR_TENSOR_F16, half, 16, &row, &columns, sums, sums);
    }
    for (int j = 0; j < 8; j++) {
        if (half) { /* an addition of fp16: a rule that keeps every bit */
            static const struct gr_tensor_rule exact = {1, 25, 10, true, -14, false};
            uint32_t one[1] = {0x3c00}, c[8] = {(uint32_t)t->c[i * 8 + j]}, sum[8] = {sums[j]};
            gr_tensor_row_make(&row, GR_TENSOR_F16, one, 1);
            gr_tensor_columns_make(&columns, GR_TENSOR_F16, sum, 1);
            gr_tensor_sums(&exact, GR_TENSOR_F16, GR_TENSOR_F16, true, 1, &row, &columns, c, c);
            out[j] = c[0];
        } else {
            out[j] = bits_of(as_float((uint32_t)t->c[i * 8 + j]) + as_float(sums[j]));
        }
    }
}

/* D of a tile, as C is stored. */
static void model(const struct tile_kind *kind, const struct tile *t, uint64_t *d)
{
    bool half = kind->c == TILE_F16;
    enum gr_tensor_unit unit = kind->flags & TILE_WGMMA ? GR_TENSOR_WARP_GROUP : GR_TENSOR_WARP;
    static struct gr_tensor_columns columns;
    struct gr_tensor_row row;
    uint32_t all[8 * 32], bits[256];
    bool is_float = kind->c == TILE_F32 || half;
    for (int e = 0; is_float && e < 8 * kind->k; e++) {
        all[e] = (uint32_t)t->b[e];
        if (kind->flags & TILE_NEGATE_B) {
            all[e] ^= 1u << (tile_format[kind->b].bits - 1);
        }
    }
    if (is_float) {
        gr_tensor_columns_make(&columns, type_of(kind->b), all, kind->k);
    }
    for (int i = 0; i < kind->m; i++) {
        uint32_t c[8], out[8];
        for (int j = 0; j < 8; j++) {
            c[j] = kind->flags & TILE_NO_C ? 0 : (uint32_t)t->c[i * 8 + j];
        }
        if (kind->c == TILE_F64) {
            for (int j = 0; j < 8; j++) {
                d[i * 8 + j] = gr_tensor_sum_f64(kind->k, t->a + i * kind->k, t->b + j * kind->k,
                                                 t->c[i * 8 + j]);
            }
            continue;
        }
        if (!is_float) {
            for (int j = 0; j < 8; j++) {
                d[i * 8 + j] =
                    integer_sum(kind, t->a + i * kind->k, t->b + j * kind->k, t->c[i * 8 + j]);
            }
            continue;
        }
        const struct gr_tensor_rule *rule = gr_tensor_rule_of(90, unit, type_of(kind->a), half);
        if (rule == NULL) {
            emulated(kind, t, i, out);
        } else {
            for (int k = 0; k < kind->k; k++) {
                bits[k] = (uint32_t)t->a[i * kind->k + k];
                if (kind->flags & TILE_NEGATE_A) {
                    bits[k] ^= 1u << (tile_format[kind->a].bits - 1);
                }
            }
            gr_tensor_row_make(&row, type_of(kind->a), bits, kind->k);
            gr_tensor_sums(rule, type_of(kind->a), type_of(kind->b), half, kind->k, &row, &columns,
                           c, out);
        }
        for (int j = 0; j < 8; j++) {
            d[i * 8 + j] = out[j];
        }
    }
}

static void print_difference(const struct tile_kind *kind, const struct tile *t, int index, int e,
                             uint64_t is, uint64_t wanted)
{
    int i = e / 8, j = e % 8;
    printf("  tile %d (%d) row %d column %d: GPU %0*llx model %0*llx c %llx:", index,
           index % TILE_DISTRIBUTIONS, i, j, tile_format[kind->c].bits / 4, (unsigned long long)is,
           tile_format[kind->c].bits / 4, (unsigned long long)wanted, (unsigned long long)t->c[e]);
    for (int k = 0; k < kind->k; k++) {
        printf(" %llx*%llx", (unsigned long long)t->a[i * kind->k + k],
               (unsigned long long)t->b[j * kind->k + k]);
    }
    printf("\n");
}

static bool check_kind(const struct tile_kind *kind, const uint32_t *stored, const uint64_t *hashes,
                       int print)
{
    static struct tile t;
    static uint64_t d[64 * 8];
    int words = tile_words(kind, 'c') * (kind->flags & TILE_WGMMA ? 128 : 32);
    int elements = kind->m * kind->n, bits = tile_format[kind->c].bits;
    int equal_tiles = 0, wrong[TILE_DISTRIBUTIONS] = {0}, wrong_stored = 0;
    for (int index = 0; index < kind->hashed; index++) {
        uint32_t packed[128 * 8];
        tile_make(kind, index, &t);
        model(kind, &t, d);
        tile_pack_c(kind, d, packed);
        bool equal = tile_hash(packed, words) == hashes[index];
        equal_tiles += equal;
        wrong[index % TILE_DISTRIBUTIONS] += !equal;
        if (equal || index >= kind->stored) {
            continue;
        }
        const uint32_t *is = stored + (size_t)index * (size_t)words;
        for (int e = 0; e < elements; e++) { /* where each element is in the registers */
            uint64_t mark[64 * 8] = {0}, value = 0;
            mark[e] = bits == 64 ? ~0ull : (1ull << bits) - 1;
            tile_pack_c(kind, mark, packed);
            for (int w = words - 1; w >= 0; w--) {
                if (packed[w]) {
                    value = value << (bits == 64 ? 32 : 0) |
                            (is[w] & packed[w]) >> (packed[w] == 0xffff0000 ? 16 : 0);
                }
            }
            if (value != d[e]) {
                wrong_stored++;
                if (print-- > 0) {
                    print_difference(kind, &t, index, e, value, d[e]);
                }
            }
        }
    }
    printf("%-20s %5d of %5d tiles equal; of the stored %lld elements %d differ", kind->name,
           equal_tiles, kind->hashed, (long long)kind->stored * elements, wrong_stored);
    for (int how = 0; how < TILE_DISTRIBUTIONS; how++) {
        if (wrong[how]) {
            printf("; %d: %d", how, wrong[how]);
        }
    }
    printf("\n");
    return equal_tiles == kind->hashed;
}

int main(int argc, char **argv)
{
    FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!in) {
        perror("check_tiles");
        return 2;
    }
    bool all = true;
    struct tile_record record;
    while (fread(&record, sizeof record, 1, in) == 1) {
        const struct tile_kind *kind = NULL;
        for (int i = 0; i < TILE_KINDS && record.magic == TILE_MAGIC; i++) {
            kind = strncmp(record.name, tile_kinds[i].name, 32) == 0 ? &tile_kinds[i] : kind;
        }
        if (kind == NULL || record.stored != (uint32_t)kind->stored ||
            record.hashed != (uint32_t)kind->hashed) {
            fprintf(stderr, "check_tiles: a record is of none of these kinds\n");
            return 2;
        }
        uint32_t *stored = malloc(4ul * record.words * record.stored);
        uint64_t *hashes = malloc(8ul * record.hashed);
        if (!stored || !hashes ||
            fread(stored, 4ul * record.words, record.stored, in) != record.stored ||
            fread(hashes, 8, record.hashed, in) != record.hashed) {
            fprintf(stderr, "check_tiles: %s is cut off\n", kind->name);
            return 2;
        }
        if (argc < 3 || strcmp(argv[2], kind->name) == 0) {
            all = check_kind(kind, stored, hashes, argc > 3 ? atoi(argv[3]) : 0) && all;
        }
        free(stored);
        free(hashes);
    }
    fclose(in);
    return !all;
}
