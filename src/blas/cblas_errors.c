/* cblas_errors.c: reports a bad argument to cblas_xerbla. SPDX-License-Identifier: MIT */
#include "blas/cblas_errors.h"

/* RowMajorStrg is written on the error path only: correct calls share no memory. */
void gr_cblas_report(const struct gr_cblas_caller *caller, bool exchanged, int info,
                     const char *form, int value)
{
    RowMajorStrg = exchanged;
    if (caller->wide)
        cblas_xerbla64_(info, caller->routine, form, value);
    else
        cblas_xerbla(info, caller->routine, form, value);
    RowMajorStrg = 0;
}

void gr_cblas_report_text(const struct gr_cblas_caller *caller, int info, const char *text)
{
    const char *form = *text ? "%s\n" : "%s";
    if (caller->wide)
        cblas_xerbla64_(info, caller->routine, form, text);
    else
        cblas_xerbla(info, caller->routine, form, text);
}

/* M is 5 and N is 4 there, lda is 11 and ldb is 9. */
int gr_cblas_exchanged_number(int info)
{
    switch (info) {
    case 4:
        return 5;
    case 5:
        return 4;
    case 9:
        return 11;
    case 11:
        return 9;
    default:
        return info;
    }
}
