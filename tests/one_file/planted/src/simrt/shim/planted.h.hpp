// planted.h: a header for the simulator that is added by the test of "one file". SPDX-License-Identifier: MIT
#pragma once
#define PLANTED_ONE 1.0f
