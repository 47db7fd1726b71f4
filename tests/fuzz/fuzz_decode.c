/* fuzz_decode.c: any 16 bytes as an instruction of any architecture: refused, or an instruction
 * whose parts are in their bounds and whose text is no longer than said.
 * SPDX-License-Identifier: MIT */
#include "code/decode.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_operand(const struct gr_operand *op)
{
    if (op->kind == GR_OPERAND_NONE || op->kind > GR_OPERAND_NAMED)
        abort();
    if ((op->kind == GR_OPERAND_PREDICATE || op->kind == GR_OPERAND_UNIFORM_PREDICATE) &&
        op->number > GR_PREDICATE_TRUE)
        abort();
    if (op->kind >= GR_OPERAND_SPECIAL && op->kind != GR_OPERAND_LIST && !op->name)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const int architectures[] = {75, 80, 86, 89, 90, 100, 120, 70, 0};
    if (count < 17)
        return 0;
    uint64_t low, high;
    memcpy(&low, bytes, sizeof low);
    memcpy(&high, bytes + 8, sizeof high);
    int cc = architectures[bytes[16] % (sizeof architectures / sizeof *architectures)];
    struct gr_decoded decoded;
    if (!gr_decode(cc, low, high, 0x100, &decoded))
        return 0;
    if (!decoded.mnemonic || decoded.operand_count < 0 ||
        decoded.operand_count > GR_DECODED_OPERANDS)
        abort();
    for (int i = 0; i < decoded.operand_count; i++)
        check_operand(&decoded.operand[i]);
    char text[512], shorter[16];
    int length = gr_decoded_text(&decoded, text, sizeof text);
    if (length != (int)strlen(text) ||
        gr_decoded_text(&decoded, shorter, sizeof shorter) != length ||
        strncmp(text, shorter, sizeof shorter - 1) != 0)
        abort();
    return 0;
}
