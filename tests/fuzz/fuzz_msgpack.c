/* fuzz_msgpack.c: any bytes as MessagePack: what is read lies within them, and skipping a value
 * takes as much as reading it. SPDX-License-Identifier: MIT */
#include "code/msgpack.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct gr_msgpack m = {bytes, bytes + count}, skipped = m;
    const bool whole = gr_msgpack_skip(&skipped);
    uint64_t left = 1;
    while (left > 0) {
        struct gr_msgpack_item item;
        const unsigned char *before = m.at;
        if (!gr_msgpack_next(&m, &item) || item.count > (uint64_t)(m.end - m.at))
            break;
        if (m.at <= before || m.at > m.end ||
            (item.text && (item.text < bytes || item.length > (size_t)(m.end - item.text))))
            abort();
        left += (item.kind == GR_MSGPACK_MAP ? 2 * item.count : item.count) - 1;
    }
    if (whole != (left == 0) || (whole && m.at != skipped.at))
        abort();
    return 0;
}
