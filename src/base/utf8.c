/* utf8.c: reads and cleans text of unknown origin. SPDX-License-Identifier: MIT */
#include "base/utf8.h"

/* The Unicode Standard, table 3-7: well-formed byte sequences. Only the range of the second byte
 * depends on the first. */
int gr_utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    if (p[0] == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    int length = p[0] >= 0xC2 && p[0] <= 0xDF   ? 2
                 : p[0] >= 0xE0 && p[0] <= 0xEF ? 3
                 : p[0] >= 0xF0 && p[0] <= 0xF4 ? 4
                                                : 0;
    unsigned char low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    for (int i = 1; i < length; i++) {
        if (p[i] < low || p[i] > high)
            return 0;
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

/* C0, DEL and C1, which some terminals interpret in its UTF-8 form too. */
static bool is_control(const char *text, int length)
{
    unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
    return length == 1 ? first < 0x20 || first == 0x7F
                       : length == 2 && first == 0xC2 && second < 0xA0;
}

void gr_str_add_line(struct gr_str *s, const char *text)
{
    while (*text) {
        int length = gr_utf8_length(text);
        if (length == 0)
            gr_str_add(s, "\xEF\xBF\xBD");
        else if (!is_control(text, length))
            gr_str_add_bytes(s, text, (size_t)length);
        else
            gr_str_add(s, *text == '\n' || *text == '\t' || *text == '\r' ? " " : "?");
        text += length ? length : 1;
    }
}

int gr_utf8_width(const char *text)
{
    int width = 0;
    while (*text) {
        int length = gr_utf8_length(text);
        text += length ? length : 1;
        width++;
    }
    return width;
}
