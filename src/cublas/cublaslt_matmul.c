/* cublaslt_matmul.c: cublasLtMatmul, whose operands are described by opaque objects that only
 * functions of cuBLASLt can read. SPDX-License-Identifier: MIT */
#include "cublas/cublas_abi.h"
#include "cublas/cublas_call.h"
#include "cublas/cublas_real.h"

GR_CUBLAS_EXPORT int cublasLtMatmul(void *handle, void *operation, const void *alpha, const void *a,
                                    void *layout_a, const void *b, void *layout_b, const void *beta,
                                    const void *c, void *layout_c, void *d, void *layout_d,
                                    const void *algorithm, void *workspace, size_t workspace_bytes,
                                    void *stream);

/* Reads an attribute of a descriptor. An attribute that this version of cuBLASLt does not have
 * keeps its default value. */
typedef int get_fn(void *object, int attribute, void *value, size_t bytes, size_t *written);

static void get(get_fn *getter, void *object, int attribute, void *value, size_t bytes)
{
    char kept[8] = {0};
    size_t written = 0;
    if (getter(object, attribute, kept, bytes, &written) == GR_CUBLAS_SUCCESS && written == bytes)
        __builtin_memcpy(value, kept, bytes);
}

struct layout {
    int32_t type, order, batch, batch_mode;
    uint64_t rows, columns;
    int64_t ld, stride;
};

static struct layout read_layout(get_fn *getter, void *object)
{
    struct layout l = {.type = -1, .order = -1, .batch = 1};
    get(getter, object, GR_LT_TYPE, &l.type, sizeof l.type);
    get(getter, object, GR_LT_ORDER, &l.order, sizeof l.order);
    get(getter, object, GR_LT_BATCH, &l.batch, sizeof l.batch);
    get(getter, object, GR_LT_BATCH_MODE, &l.batch_mode, sizeof l.batch_mode);
    get(getter, object, GR_LT_ROWS, &l.rows, sizeof l.rows);
    get(getter, object, GR_LT_COLS, &l.columns, sizeof l.columns);
    get(getter, object, GR_LT_LD, &l.ld, sizeof l.ld);
    get(getter, object, GR_LT_STRIDE, &l.stride, sizeof l.stride);
    return l;
}

struct operation {
    int32_t compute, scale_type, pointer_mode, trans_a, trans_b, trans_c, sm_count, bias_type;
    uint32_t epilogue;
    void *bias, *others[5]; /* the pointers to the scales of A, B, C and D and to amax of D */
};

static struct operation read_operation(get_fn *getter, void *object)
{
    struct operation o = {
        .compute = -1, .scale_type = -1, .epilogue = GR_LT_EPILOGUE_DEFAULT, .bias_type = -1};
    get(getter, object, GR_LT_COMPUTE, &o.compute, sizeof o.compute);
    get(getter, object, GR_LT_SCALE_TYPE, &o.scale_type, sizeof o.scale_type);
    get(getter, object, GR_LT_POINTER_MODE, &o.pointer_mode, sizeof o.pointer_mode);
    get(getter, object, GR_LT_TRANS_A, &o.trans_a, sizeof o.trans_a);
    get(getter, object, GR_LT_TRANS_B, &o.trans_b, sizeof o.trans_b);
    get(getter, object, GR_LT_TRANS_C, &o.trans_c, sizeof o.trans_c);
    get(getter, object, GR_LT_SM_COUNT, &o.sm_count, sizeof o.sm_count);
    get(getter, object, GR_LT_EPILOGUE, &o.epilogue, sizeof o.epilogue);
    get(getter, object, GR_LT_BIAS, &o.bias, sizeof o.bias);
    get(getter, object, GR_LT_BIAS_TYPE, &o.bias_type, sizeof o.bias_type);
    for (int i = 0; i < 5; i++)
        get(getter, object, GR_LT_A_SCALE + i, &o.others[i], sizeof o.others[i]);
    return o;
}

static bool is_plain(const struct layout *l, int64_t batch)
{
    return l->order == GR_LT_ORDER_COL && l->batch_mode == 0 && l->batch == batch &&
           l->rows <= INT32_MAX && l->columns <= INT32_MAX;
}

/* Does the matrix of a layout have this size, after the transpose? */
static bool has_size(const struct layout *l, int trans, int64_t rows, int64_t columns)
{
    return (int64_t)(trans ? l->columns : l->rows) == rows &&
           (int64_t)(trans ? l->rows : l->columns) == columns;
}

/* Does gradus have the epilogue? In cuBLASLt, a bias has the type of D unless the descriptor says
 * otherwise; in gradus, it has the type of the sums. cuBLASLt's GELU is the approximation with
 * tanh. Gradus has no masks and gradients (AUX, DRELU, BGRAD). */
static bool has_epilogue(const struct operation *o, const struct layout *d)
{
    const int32_t sums = o->scale_type;
    switch (o->epilogue) {
    case GR_LT_EPILOGUE_DEFAULT:
        return true;
    case GR_LT_EPILOGUE_RELU:
    case GR_LT_EPILOGUE_GELU:
        return d->batch <= 1;
    case GR_LT_EPILOGUE_BIAS:
    case GR_LT_EPILOGUE_RELU_BIAS:
    case GR_LT_EPILOGUE_GELU_BIAS:
        return d->batch <= 1 && o->bias && (o->bias_type < 0 ? d->type : o->bias_type) == sums;
    default:
        return false;
    }
}

static enum gr_passed_on judge(const struct operation *o, const struct layout l[4],
                               const struct gr_cublas_call *call, bool same_c)
{
    const bool f64 = o->scale_type == GR_CUDA_R_64F;
    const bool reads_c =
        !call->beta || (f64 ? *(const double *)call->beta != 0 : *(const float *)call->beta != 0);
    const bool scaled =
        o->others[0] || o->others[1] || o->others[2] || o->others[3] || o->others[4];
    for (int i = 0; i < 4; i++)
        if (!is_plain(&l[i], l[3].batch))
            return GR_PASSED_LAYOUT;
    if ((o->scale_type != GR_CUDA_R_32F && !f64) || f64 != (l[0].type == GR_CUDA_R_64F) ||
        l[2].type != l[3].type)
        return GR_PASSED_TYPES;
    if (o->trans_c != GR_CUBLAS_N || scaled || (reads_c && !same_c) || o->sm_count > 0 ||
        !has_size(&l[0], o->trans_a, call->m, call->k) ||
        !has_size(&l[1], o->trans_b, call->k, call->n))
        return GR_PASSED_LAYOUT;
    return has_epilogue(o, &l[3]) ? GR_PASSED_NOT : GR_PASSED_EPILOGUE;
}

/* Fills in what the descriptors contain, and the reason if the call must be passed on because of
 * it. */
static void describe(struct gr_cublas_call *call, void *operation, void *const layouts[4],
                     const void *c)
{
    static struct gr_cublas_function functions[] = {
        {GR_CUBLASLT_LIBRARY, "cublasLtMatrixLayoutGetAttribute", NULL},
        {GR_CUBLASLT_LIBRARY, "cublasLtMatmulDescGetAttribute", NULL}};
    get_fn *of_layout = NULL, *of_operation = NULL;
    struct layout l[4];
    *(void **)&of_layout = gr_cublas_real(&functions[0]);
    *(void **)&of_operation = gr_cublas_real(&functions[1]);
    call->reason = GR_PASSED_LAYOUT;
    if (!of_layout || !of_operation || !operation)
        return;
    for (int i = 0; i < 4; i++) {
        if (!layouts[i])
            return;
        l[i] = read_layout(of_layout, layouts[i]);
    }
    const struct operation o = read_operation(of_operation, operation);
    call->op_a = o.trans_a, call->op_b = o.trans_b;
    call->m = (int64_t)l[3].rows, call->n = (int64_t)l[3].columns;
    call->k = (int64_t)(o.trans_a ? l[0].rows : l[0].columns);
    call->a_type = l[0].type, call->b_type = l[1].type, call->c_type = l[3].type;
    call->compute = o.compute;
    call->lda = l[0].ld, call->ldb = l[1].ld, call->ldc = l[3].ld;
    call->batch = l[3].batch;
    call->stride_a = l[0].stride, call->stride_b = l[1].stride, call->stride_c = l[3].stride;
    if (o.pointer_mode != GR_CUBLAS_POINTERS_HOST) {
        call->reason = GR_PASSED_POINTERS;
        return;
    }
    const bool same_c = c == call->c && l[2].ld == l[3].ld && l[2].stride == l[3].stride;
    call->reason = judge(&o, l, call, same_c);
    if (call->reason == GR_PASSED_NOT && o.epilogue != GR_LT_EPILOGUE_DEFAULT)
        call->epilogue = (struct gradus_epilogue){
            .bias = o.epilogue & GR_LT_EPILOGUE_BIAS ? o.bias : NULL,
            .bias_per_row = 1,
            .activation = o.epilogue & GR_LT_EPILOGUE_RELU   ? GRADUS_RELU
                          : o.epilogue & GR_LT_EPILOGUE_GELU ? GRADUS_GELU_TANH
                                                             : GRADUS_LINEAR};
}

int cublasLtMatmul(void *handle, void *operation, const void *alpha, const void *a, void *layout_a,
                   const void *b, void *layout_b, const void *beta, const void *c, void *layout_c,
                   void *d, void *layout_d, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream)
{
    static struct gr_cublas_function function = {GR_CUBLASLT_LIBRARY, "cublasLtMatmul", NULL};
    void *const layouts[] = {layout_a, layout_b, layout_c ? layout_c : layout_d, layout_d};
    struct gr_cublas_call call = {.routine = "cublasLtMatmul",
                                  .alpha = alpha,
                                  .beta = beta,
                                  .a = a,
                                  .b = b,
                                  .c = d,
                                  .stream = stream,
                                  .workspace = workspace,
                                  .workspace_bytes = workspace_bytes};
    int status = GR_CUBLAS_NOT_SUPPORTED;
    if (!gr_cublas_inside()) {
        describe(&call, operation, layouts, c);
        if (gr_cublas_take(&call, &status))
            return status;
    }
    int (*real)(void *, void *, const void *, const void *, void *, const void *, void *,
                const void *, const void *, void *, void *, void *, const void *, void *, size_t,
                void *) = NULL;
    *(void **)&real = gr_cublas_real(&function);
    gr_cublas_pass(&call);
    if (real)
        status = real(handle, operation, alpha, a, layout_a, b, layout_b, beta, c, layout_c, d,
                      layout_d, algorithm, workspace, workspace_bytes, stream);
    return gr_cublas_passed(&call, status);
}
