/* layout.c: prints what ctypes has to agree with: sizes and offsets of gradus.h's structures.
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>

#include <stddef.h>
#include <stdio.h>

#define GEMM(member) printf("Gemm.%s %zu\n", #member, offsetof(struct gradus_gemm, member))
#define ERROR(member) printf("Error.%s %zu\n", #member, offsetof(struct gradus_error, member))

int main(void)
{
    printf("Gemm %zu\nError %zu\n", sizeof(struct gradus_gemm), sizeof(struct gradus_error));
    GEMM(a_type), GEMM(b_type), GEMM(c_type), GEMM(sum_type), GEMM(layout), GEMM(trans_a);
    GEMM(trans_b), GEMM(m), GEMM(n), GEMM(k), GEMM(alpha), GEMM(beta), GEMM(a), GEMM(lda), GEMM(b);
    GEMM(ldb), GEMM(c), GEMM(ldc), GEMM(threads), GEMM(batch), GEMM(stride_a), GEMM(stride_b);
    GEMM(stride_c), GEMM(a_array), GEMM(b_array), GEMM(c_array), GEMM(epilogue), GEMM(packed_a);
    GEMM(packed_b), GEMM(context), GEMM(workspace), GEMM(workspace_bytes);
    ERROR(status), ERROR(text), ERROR(log);
    printf("INVALID %d\nUNSUPPORTED %d\nNO_MEMORY %d\n", GRADUS_INVALID, GRADUS_UNSUPPORTED,
           GRADUS_NO_MEMORY);
    printf("ROW_MAJOR %d\nCOL_MAJOR %d\n", GRADUS_ROW_MAJOR, GRADUS_COL_MAJOR);
    printf("F32 %d\nF64 %d\nBF16 %d\nS8 %d\nU8 %d\nS32 %d\n", GRADUS_F32, GRADUS_F64, GRADUS_BF16,
           GRADUS_S8, GRADUS_U8, GRADUS_S32);
    return 0;
}
