// bits/shared_ptr_base.h: the C++ library's own, in which __noinline__ is the name of an attribute.
// SPDX-License-Identifier: MIT
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
