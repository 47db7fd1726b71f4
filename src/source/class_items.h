/* class_items.h: the declarations and functions in the body of a class. SPDX-License-Identifier:
 * MIT
 */
#ifndef SOURCE_CLASS_ITEMS_H
#define SOURCE_CLASS_ITEMS_H

#include "source/scan.h"

struct gr_class_item {
    int end;          /* of the item: behind the body of a function, or the `;` of a declaration */
    bool is_function; /* it has parentheses outside of a default value */
    int parameters;   /* of a function: its `(` */
    int body;         /* of a function that is defined there: its `{`; else `end` */
};

/* Reads the item at token i, up to `end`. */
struct gr_class_item gr_class_item_at(const struct gr_scan *scan, int i, int end);

#endif
