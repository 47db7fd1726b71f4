/* matrix_fragments.c: fragments of matrices in the registers of a warp.
 * SPDX-License-Identifier: MIT */
#include "machine/matrix_fragments.h"

#include <string.h>

/* In each register, lane 4 g + t has elements of row g or g + 8. If a register has `run` elements,
 * they start at k = t * run; the next registers have those of the next 4 * run. Elements of 64 bits
 * take two registers. */
void gr_fragment_factors(const gr_lanes *from, int rows, int k, int bits, uint32_t *out)
{
    int words = bits == 64 ? 2 : 1, run = bits >= 32 ? 1 : 32 / bits, halves = rows / 8;
    int pieces = k / (4 * run) * halves;
    uint32_t mask = bits >= 32 ? ~0u : (1u << bits) - 1;
    for (int piece = 0; piece < pieces; piece++) {
        const gr_lanes *word = from + piece * words;
        int first = piece / halves * 4 * run;
        for (int lane = 0; lane < GR_WARP_LANES; lane++) {
            int row = lane / 4 + 8 * (piece % halves);
            uint32_t *to = out + (row * k + first + lane % 4 * run) * words;
            if (words == 2) {
                to[0] = word[0][lane];
                to[1] = word[1][lane];
                continue;
            }
            uint32_t value = word[0][lane];
            for (int i = 0; i < run; i++) {
                to[i] = value & mask;
                value = bits < 32 ? value >> bits : 0;
            }
        }
    }
}

/* The position of element e of an accumulator in a lane: row g or g + 8, column 2 t or 2 t + 1. */
static int place(int lane, int e)
{
    return (lane / 4 + 8 * (e / 2)) * 8 + 2 * (lane % 4) + e % 2;
}

void gr_fragment_read(const gr_lanes *from, int rows, int bits, uint32_t *words)
{
    for (int e = 0; e < rows / 4; e++) {
        for (int lane = 0; lane < GR_WARP_LANES; lane++) {
            int at = place(lane, e);
            if (bits == 16) {
                words[at] = from[e / 2][lane] >> (16 * (e % 2)) & 0xffff;
            } else if (bits == 32) {
                words[at] = from[e][lane];
            } else {
                words[2 * at] = from[2 * e][lane];
                words[2 * at + 1] = from[2 * e + 1][lane];
            }
        }
    }
}

void gr_fragment_write(gr_lanes *to, int rows, int bits, const uint32_t *words, uint32_t active)
{
    for (int e = 0; e < rows / 4; e++) {
        for (int lane = 0; lane < GR_WARP_LANES; lane++) {
            int at = place(lane, e);
            if (!(active >> lane & 1)) {
                continue;
            }
            if (bits == 16) {
                if (e % 2 == 0) {
                    to[e / 2][lane] = words[at] | words[at + 1] << 16;
                }
            } else if (bits == 32) {
                to[e][lane] = words[at];
            } else {
                to[2 * e][lane] = words[2 * at];
                to[2 * e + 1][lane] = words[2 * at + 1];
            }
        }
    }
}

struct gr_matrix_pieces gr_matrix_pieces_of(bool transposed, int reg, int lane)
{
    int g = lane / 4, t = lane % 4, first = 8 * reg;
    if (!transposed) {
        return (struct gr_matrix_pieces){
            .count = 1, .bytes = 4, .row = {(uint8_t)(first + g)}, .offset = {(uint8_t)(4 * t)}};
    }
    return (struct gr_matrix_pieces){
        .count = 2,
        .bytes = 2,
        .row = {(uint8_t)(first + 2 * t), (uint8_t)(first + 2 * t + 1)},
        .offset = {(uint8_t)(2 * g), (uint8_t)(2 * g)},
    };
}

uint32_t gr_matrix_rows(int matrices)
{
    return matrices >= 4 ? ~0u : (1u << (8 * matrices)) - 1;
}

void gr_matrix_transpose(const gr_lanes from, gr_lanes to)
{
    gr_lanes result;
    for (int lane = 0; lane < GR_WARP_LANES; lane++) {
        int g = lane / 4, t = lane % 4; /* element (g, 2 t) comes from row 2 t, column g */
        uint32_t low = from[2 * t * 4 + g / 2] >> (16 * (g % 2)) & 0xffff;
        uint32_t high = from[(2 * t + 1) * 4 + g / 2] >> (16 * (g % 2)) & 0xffff;
        result[lane] = low | high << 16;
    }
    memcpy(to, result, sizeof result);
}
