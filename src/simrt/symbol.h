/* symbol.h: names of variables in symbols. SPDX-License-Identifier: MIT */
#ifndef SIMRT_SYMBOL_H
#define SIMRT_SYMBOL_H

#include "records/trace.h"

/* The variable's name in a symbol, which may be mangled: As of "_ZZ4gemmPKfS0_PfE2As". */
void gr_symbol_plain(const char *symbol, char name[GR_TRACE_NAME]);

#endif
