// cuda_pipeline_primitives.h: another name of cuda_pipeline.h. SPDX-License-Identifier: MIT
#include <cuda_pipeline.h>
