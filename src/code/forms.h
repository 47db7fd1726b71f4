/* forms.h: the table of the forms of NVIDIA's opcodes, which decode.c reads.
 * SPDX-License-Identifier: MIT
 *
 * A form is a line of text, its items parted by spaces. BITS are bits of the 128, the lowest part
 * first: 72, 72w3 (three bits from 72 on), 32w2_84 (and bit 84 above them). A LIST has what the
 * values of the bits mean, from 0 on, parted by |; ! and what is missing is refused; $3 is
 * gr_form_lists[3].
 *
 *   =BITS:HEX        the form has this value there; the first form of the opcode that fits is meant
 *   !                it is no instruction
 *   FADD             the first word: the mnemonic
 *   .SAT  /BITS:LIST a modifier that is always there; one that the bits choose, or none
 *   KIND…,…,…        an operand, of the kinds
 *       RN UN PN QN  a register, a uniform one, a predicate, a uniform one with the number N
 *       IN TN LN     an integer; a target relative to the instruction; a set of bits
 *       FBITS        a floating-point number; f: its format
 *       NBITS:LIST   a word; N:WORD: always this one
 *       C            a constant: b its bank, u the bank's descriptor, a its register, g a uniform
 * one, v its offset A            an address: d its descriptor, a and u its registers, v its offset,
 * y the base's suffix; x: cx[…], gdesc[…]; n: its name and behind a comma
 *       - | ~        it is negated, absolute, inverted: always; with BITS, if these are not 0; with
 *                    BITS:LIST, as a list of 0 and 1 says
 *       .H0  /BITS:LIST  a suffix
 *       r1           reused if the second of the three reuse bits is set; r77: if bit 77 is
 *       ?BITS=HEX ^BITS=HEX  it is there if the bits have this value; it is not there if they do
 *   N, a number:     BITS, ~BITS inverted; then s: signed, *4: scaled, +16: added; =5: always 5; in
 *                    an address ^BITS=HEX behind it, as above
 */
#ifndef CODE_FORMS_H
#define CODE_FORMS_H

#include <stddef.h>
#include <stdint.h>

struct gr_form {
    uint16_t opcode;  /* bits 0..11 */
    uint16_t cc;      /* the architectures, as bits: gr_form_cc */
    uint8_t controls; /* index into gr_form_controls */
    uint8_t guard; /* 'P', 'U': a uniform predicate, '-': its bits say nothing, '!': it has none */
    const char *text;
};

/* The control bits that a form may have. */
struct gr_form_control {
    /* Stall counts and reuse bits that go together: bit i of the 256: bits 105..109 are i % 32 and
     * bits 122..124 are i / 32. */
    uint64_t stall_and_reuse[4];
    uint8_t write_barriers, read_barriers; /* bit i: bits 110..112, and 113..115, may be i */
};

extern const uint8_t gr_form_cc[];      /* compute capabilities; 0 from the end on */
extern const struct gr_form gr_forms[]; /* ascending by opcode */
extern const size_t gr_form_count;
extern const char *const gr_form_lists[];
extern const char *const gr_form_words[]; /* every word of the forms, ascending */
extern const size_t gr_form_word_count;
extern const struct gr_form_control gr_form_controls[];

#endif
