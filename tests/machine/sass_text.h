/* sass_text.h: instructions of NVIDIA's machine code read from text, as nvdisasm writes it: for
 * tests, which want instructions without encodings, and for debugging. SPDX-License-Identifier: MIT
 *
 * The strings of what is read are interned; they stay until sass_text_forget. */
#ifndef MACHINE_SASS_TEXT_H
#define MACHINE_SASS_TEXT_H

#include "code/decode.h"

/* The address of a label, for `(.L_x_1). False: there is none. */
typedef bool sass_label_fn(void *context, const char *label, size_t length, uint64_t *address);

/* Reads one instruction, such as "@!P0 IMAD.WIDE.U32 R2, R3.reuse, 0x4, R4 ;"; the semicolon may be
 * missing. A number without 0x is a floating-point number: its bits are those of a double's upper
 * word if the mnemonic begins with D or has the modifier F64, of 16 bits if it begins with H (and
 * is not HADD2.F32), else of a float. `BRX R2 -0x110` has two operands: the register and the
 * immediate. `label` may be null. False: `why` says what is not understood. */
bool sass_text_read(const char *text, uint64_t address, sass_label_fn *label, void *context,
                    struct gr_decoded *out, char why[96]);

/* A function of a listing by `nvdisasm -c` (or without it): all instructions of its section. */
struct sass_function {
    char *name; /* of the section, without .text. */
    struct gr_decoded *code;
    size_t count;
};
struct sass_listing {
    struct sass_function *functions;
    size_t count;
};

/* False: `why` says which line is not understood. To be freed in any case. */
bool sass_listing_read(const char *text, struct sass_listing *listing, char why[256]);
void sass_listing_free(struct sass_listing *listing);

void sass_text_forget(void);

#endif
