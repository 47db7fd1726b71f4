/* fuzz_expr.c: any text as an expression. What the syntax check refuses, evaluation refuses.
 * SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "catalog/expr.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool value_of(void *context, const char *name, double *value)
{
    (void)context;
    *value = strcmp(name, "alpha") == 0 ? 1.5 : (double)name[0] * 0x1p48;
    return name[0] != 'u';
}

static bool address_of(void *context, const char *name, uint64_t *address)
{
    (void)context;
    *address = (uint64_t)name[0] * 16;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"M", "alpha"};
    const struct gr_scope scope = {value_of, address_of, NULL, names, 2};
    char *text = gr_strndup((const char *)data, size);
    if (!text)
        return 0;
    const struct gr_text expression = {text, {NULL, 1, 1}};
    struct gradus_error error = {0};
    int64_t integer;
    double real;
    enum gradus_status syntax = gr_expr_check("k.cu", &expression, NULL, NULL, &error);
    if (gr_expr_integer("k.cu", &expression, &scope, &integer, &error) == GRADUS_OK && syntax)
        abort();
    if (gr_expr_real("k.cu", &expression, &scope, &real, &error) == GRADUS_OK && syntax)
        abort();
    if (syntax && !*error.text)
        abort();
    gradus_error_clear(&error);
    free(text);
    return 0;
}
