// cuda_pipeline_primitives.h: another name. SPDX-License-Identifier: MIT
#include <cuda_pipeline.h>
