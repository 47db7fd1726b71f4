/* amd_isa.c: AMD's instructions by their mnemonics. The names are those of LLVM's "Syntax of AMDGPU
 * Instructions"; gfx11 renamed many (global_load_dwordx4 is global_load_b128 there).
 * SPDX-License-Identifier: MIT */
#include "code/amd_isa.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64 };

/* The first row whose text the mnemonic begins with decides. */
struct row {
    const char *head;
    int op;
    bool vector;
};

static const struct row rows[] = {
    /* Memory. */
    {"global_load_lds", GR_OP_LDGSTS, false},
    {"global_load", GR_OP_LDG, false},
    {"global_store", GR_OP_STG, false},
    {"flat_load", GR_OP_LDG, false},
    {"flat_store", GR_OP_STG, false},
    {"buffer_load", GR_OP_LDG, false},
    {"buffer_store", GR_OP_STG, false},
    {"scratch_load", GR_OP_LDL, false},
    {"scratch_store", GR_OP_STL, false},
    {"global_atomic", GR_OP_ATOMIC, false},
    {"flat_atomic", GR_OP_ATOMIC, false},
    {"buffer_atomic", GR_OP_ATOMIC, false},
    {"global_", GR_OP_OTHER, false}, /* global_inv, global_wb: of caches */
    {"buffer_", GR_OP_OTHER, false},
    {"image_", GR_OP_OTHER, false},
    {"ds_bpermute", GR_OP_MOVE, false}, /* between lanes, through the hardware of LDS */
    {"ds_permute", GR_OP_MOVE, false},
    {"ds_swizzle", GR_OP_MOVE, false},
    {"ds_read", GR_OP_LDS, false},
    {"ds_load", GR_OP_LDS, false},
    {"ds_write", GR_OP_STS, false},
    {"ds_store", GR_OP_STS, false},
    {"ds_nop", GR_OP_OTHER, false},
    {"ds_", GR_OP_ATOMIC, false},
    /* The scalar unit. */
    {"s_load", GR_OP_CONSTANT, false},
    {"s_buffer_load", GR_OP_CONSTANT, false},
    {"s_waitcnt", GR_OP_BARRIER, false},
    {"s_wait", GR_OP_BARRIER, false},
    {"s_barrier", GR_OP_BARRIER, false},
    {"s_branch", GR_OP_BRANCH, false},
    {"s_cbranch", GR_OP_BRANCH, false},
    {"s_call", GR_OP_BRANCH, false},
    {"s_setpc", GR_OP_BRANCH, false},
    {"s_swappc", GR_OP_BRANCH, false},
    {"s_endpgm", GR_OP_BRANCH, false},
    {"s_mov", GR_OP_MOVE, false},
    {"s_cmov", GR_OP_MOVE, false},
    {"s_cselect", GR_OP_MOVE, false},
    {"s_getreg", GR_OP_MOVE, false},
    {"s_setreg", GR_OP_MOVE, false},
    {"s_getpc", GR_OP_MOVE, false},
    {"s_nop", GR_OP_OTHER, false},
    {"s_code_end", GR_OP_OTHER, false},
    {"s_delay_alu", GR_OP_OTHER, false},
    {"s_clause", GR_OP_OTHER, false},
    {"s_sleep", GR_OP_OTHER, false},
    {"s_set", GR_OP_OTHER, false},
    {"s_send", GR_OP_OTHER, false},
    {"s_trap", GR_OP_OTHER, false},
    {"s_inst_prefetch", GR_OP_OTHER, false},
    {"s_icache", GR_OP_OTHER, false},
    {"s_dcache", GR_OP_OTHER, false},
    {"s_version", GR_OP_OTHER, false},
    {"s_", GR_OP_INTEGER, false},
    /* The vector ALU. */
    {"v_mfma", GR_OP_MMA, true},
    {"v_smfmac", GR_OP_MMA, true},
    {"v_wmma", GR_OP_MMA, true},
    {"v_swmmac", GR_OP_MMA, true},
    {"v_pk_fma_f32", GR_OP_FFMA, true},
    {"v_fma_mix", GR_OP_FFMA, true},
    {"v_fma_f32", GR_OP_FFMA, true},
    {"v_fmac_f32", GR_OP_FFMA, true},
    {"v_fmac_legacy_f32", GR_OP_FFMA, true},
    {"v_fmaak_f32", GR_OP_FFMA, true},
    {"v_fmamk_f32", GR_OP_FFMA, true},
    {"v_mad_f32", GR_OP_FFMA, true},
    {"v_mac_f32", GR_OP_FFMA, true},
    {"v_madak_f32", GR_OP_FFMA, true},
    {"v_madmk_f32", GR_OP_FFMA, true},
    {"v_fma_f64", GR_OP_DFMA, true},
    {"v_fmac_f64", GR_OP_DFMA, true},
    {"v_pk_fma_f16", GR_OP_HFMA2, true},
    {"v_pk_fmac_f16", GR_OP_HFMA2, true},
    {"v_pk_fma_bf16", GR_OP_HFMA2, true},
    {"v_fma_f16", GR_OP_HFMA2, true},
    {"v_fmac_f16", GR_OP_HFMA2, true},
    {"v_fmaak_f16", GR_OP_HFMA2, true},
    {"v_fmamk_f16", GR_OP_HFMA2, true},
    {"v_mad_f16", GR_OP_HFMA2, true},
    {"v_dot2_i32", GR_OP_INTEGER, true},
    {"v_dot2_u32", GR_OP_INTEGER, true},
    {"v_dot2", GR_OP_HFMA2, true},
    {"v_dot", GR_OP_INTEGER, true},
    {"v_mov", GR_OP_MOVE, true},
    {"v_accvgpr", GR_OP_MOVE, true},
    {"v_cndmask", GR_OP_MOVE, true},
    {"v_perm", GR_OP_MOVE, true},
    {"v_swap", GR_OP_MOVE, true},
    {"v_read", GR_OP_MOVE, true},
    {"v_write", GR_OP_MOVE, true},
    {"v_pk_mov", GR_OP_MOVE, true},
    {"v_nop", GR_OP_OTHER, true},
    {"v_", GR_OP_INTEGER, true},
};

/* The mnemonic, without the operands. */
static void name_of(const char *text, char name[NAME_BYTES])
{
    text += strspn(text, " \t");
    snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(text, " \t\r\n,"), text);
}

static bool has(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

/* Does it compute with floating-point numbers? The types are in the name. */
static bool is_float(const char *name)
{
    return has(name, "_f16") || has(name, "_f32") || has(name, "_f64") || has(name, "_bf16");
}

/* Is it one operation of the kind that multiply-adds are made of? */
static bool is_sum(const char *name)
{
    static const char *const heads[] = {"mul_f32", "add_f32", "sub_f32",
                                        "mul_f64", "add_f64", "subrev_f32"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (gr_starts_with(name, heads[i]))
            return true;
    return false;
}

/* The bytes that a lane or, of scalar loads, the wavefront moves; 0: the name does not say. */
static int bytes_of(const char *name)
{
    static const struct {
        const char *part;
        int bytes;
    } sizes[] = {
        {"_dwordx16", 64}, {"_dwordx8", 32}, {"_dwordx4", 16}, {"_dwordx3", 12}, {"_dwordx2", 8},
        {"_dword", 4},     {"_b512", 64},    {"_b256", 32},    {"_b128", 16},    {"_b96", 12},
        {"_b64", 8},       {"_b32", 4},      {"_ushort", 2},   {"_sshort", 2},   {"_short", 2},
        {"_ubyte", 1},     {"_sbyte", 1},    {"_byte", 1},     {"_u16", 2},      {"_i16", 2},
        {"_b16", 2},       {"_u8", 1},       {"_i8", 1},       {"_b8", 1},       {"_x2", 8},
        {"_u64", 8},       {"_i64", 8},      {"_f64", 8},      {"_u32", 4},      {"_i32", 4},
        {"_f32", 4},       {"_f16", 4},      {"_bf16", 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (has(name, sizes[i].part))
            return sizes[i].bytes;
    return 4; /* an atomic of 32 bits has no size in its name before gfx11 */
}

/* ds_read2_b32 has two places; side by side they are one access of twice the width. */
static int both_places(const char *text, const char *name, int bytes)
{
    const bool two = gr_starts_with(name, "ds_read2_") || gr_starts_with(name, "ds_write2_") ||
                     gr_starts_with(name, "ds_load_2addr_b") ||
                     gr_starts_with(name, "ds_store_2addr_b");
    const char *first = strstr(text, "offset0:"), *second = strstr(text, "offset1:");
    const int from = first ? atoi(first + strlen("offset0:")) : 0;
    const int to = second ? atoi(second + strlen("offset1:")) : 0;
    return two && to - from == 1 ? 2 * bytes : bytes;
}

/* Index into 8, 16, 32, 64, 128 bits; wider ones, and those of 96 bits, are with 128. */
static int width_of(int bytes)
{
    return bytes > 8 ? 4 : bytes > 4 ? 3 : bytes > 2 ? 2 : bytes > 1 ? 1 : 0;
}

static void read_access(const char *text, const char *name, struct gr_instruction *i)
{
    const bool shared = gr_starts_with(name, "ds_"), flat = gr_starts_with(name, "flat_");
    const int bytes = both_places(text, name, bytes_of(name));
    struct gr_instruction_access *a = &i->access;
    const bool any = i->op == GR_OP_LDG || i->op == GR_OP_STG || i->op == GR_OP_LDS ||
                     i->op == GR_OP_STS || i->op == GR_OP_ATOMIC || i->op == GR_OP_LDGSTS;
    if (any || i->op == GR_OP_LDL || i->op == GR_OP_STL || i->op == GR_OP_CONSTANT)
        i->width = i->op == GR_OP_ATOMIC ? -1 : width_of(bytes);
    if (!any)
        return;
    a->any = true;
    a->bytes = bytes;
    a->space = shared ? GR_SPACE_SHARED : flat ? GR_SPACE_OTHER : GR_SPACE_GLOBAL;
    a->access = i->op == GR_OP_ATOMIC                      ? GR_ACCESS_ATOMIC
                : i->op == GR_OP_LDGSTS                    ? GR_ACCESS_COPY
                : i->op == GR_OP_LDG || i->op == GR_OP_LDS ? GR_ACCESS_LOAD
                                                           : GR_ACCESS_STORE;
}

/* Two instructions in one (gfx11): "v_dual_fmac_f32 … :: v_dual_mul_f32 …". */
static void read_pair(const char *text, struct gr_instruction *i)
{
    i->op = GR_OP_MOVE;
    for (const char *p = text; (p = strstr(p, "v_dual_")); p++) {
        char name[NAME_BYTES];
        name_of(p, name);
        const bool fma = gr_starts_with(name, "v_dual_fma"); /* fmac, fmaak, fmamk */
        i->flops += fma ? 2 : is_sum(name + strlen("v_dual_"));
        if (fma)
            i->op = GR_OP_FFMA;
        else if (i->op == GR_OP_MOVE && is_float(name))
            i->op = GR_OP_FLOAT;
        else if (i->op == GR_OP_MOVE && !has(name, "_mov") && !has(name, "_cndmask"))
            i->op = GR_OP_INTEGER;
    }
}

static void read_vector(const char *text, const char *name, struct gr_instruction *i)
{
    const int each = gr_starts_with(name, "v_pk_") ? 2 : 1;
    const char *what = name + strlen(each == 2 ? "v_pk_" : "v_");
    if (gr_starts_with(name, "v_dual_")) {
        read_pair(text, i);
    } else if (i->op == GR_OP_INTEGER && is_float(name)) {
        i->op = GR_OP_FLOAT;
        i->flops = each * is_sum(what);
    } else if (i->op == GR_OP_FFMA || i->op == GR_OP_DFMA) {
        i->flops = 2 * each;
    }
}

/* Before gfx11 private memory is reached by buffer instructions, and compilers make no others of
 * C++ without builtins for them. */
static void read_buffer(const char *text, bool scratch, struct gr_instruction *i)
{
    if (scratch && i->op == GR_OP_LDG)
        i->op = GR_OP_LDL;
    else if (scratch && i->op == GR_OP_STG)
        i->op = GR_OP_STL;
    else if (i->op == GR_OP_LDG && strstr(text, " lds"))
        i->op = GR_OP_LDGSTS;
}

void gr_amd_isa_read(const char *text, bool scratch, struct gr_instruction *i)
{
    char name[NAME_BYTES];
    name_of(text, name);
    i->op = GR_OP_OTHER;
    i->width = -1;
    for (size_t r = 0; r < sizeof rows / sizeof *rows && !i->known; r++)
        if (gr_starts_with(name, rows[r].head)) {
            i->op = rows[r].op;
            i->vector = rows[r].vector;
            i->known = true;
        }
    i->idle = strcmp(name, "s_nop") == 0 || strcmp(name, "s_code_end") == 0;
    if (i->vector)
        read_vector(text, name, i);
    if (gr_starts_with(name, "buffer_"))
        read_buffer(text, scratch, i);
    read_access(text, name, i);
}

bool gr_amd_isa_jumps(const char *text)
{
    text += strspn(text, " \t");
    return gr_starts_with(text, "s_branch ") || gr_starts_with(text, "s_cbranch_");
}
