/* exec_passed.c: the names of the reasons why calls were passed on. SPDX-License-Identifier: MIT */
#include "cli/exec_report.h"

#include "core/passed_on.h"

const char *gr_passed_on_name(unsigned reason)
{
    static const char *const names[] = {
#define NAME(suffix, name, text) name,
        GR_PASSED_ON_LIST(NAME)
#undef NAME
    };
    return reason < GR_PASSED_ON_REASONS ? names[reason] : "";
}

const char *gr_passed_on_text(unsigned reason)
{
    static const char *const texts[] = {
#define TEXT(suffix, name, text) text,
        GR_PASSED_ON_LIST(TEXT)
#undef TEXT
    };
    return reason < GR_PASSED_ON_REASONS ? texts[reason] : "";
}
