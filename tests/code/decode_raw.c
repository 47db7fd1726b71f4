/* decode_raw.c: prints what gr_decode says of each 16 bytes of a raw file, a line for each:
 * usage: decode_raw CC FILE. A refusal is a line "?". SPDX-License-Identifier: MIT */
#include "code/decode.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t number(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!file) {
        fputs("usage: decode_raw CC FILE\n", stderr);
        return 2;
    }
    int cc = atoi(argv[1]);
    unsigned char bytes[16];
    for (uint64_t address = 0; fread(bytes, 1, sizeof bytes, file) == sizeof bytes; address += 16) {
        struct gr_decoded decoded;
        char text[512] = "?";
        if (gr_decode(cc, number(bytes), number(bytes + 8), address, &decoded))
            gr_decoded_text(&decoded, text, sizeof text);
        puts(text);
    }
    fclose(file);
    return 0;
}
