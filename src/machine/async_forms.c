/* async_forms.c: modifiers and operands of asynchronous instructions. SPDX-License-Identifier: MIT
 */
#include "machine/async_forms.h"

#include <string.h>

static uint16_t uniform_slot(unsigned number)
{
    return (uint16_t)(number == GR_REGISTER_ZERO ? GR_SLOT_ZERO : GR_SLOT_UNIFORM + number);
}

/* Takes operand i, which is [UR] without an offset. */
static bool take_uniform_address(struct gr_translation *t, int i, uint16_t *slot)
{
    const struct gr_operand *o = &t->decoded->operand[i];
    if (!gr_operand_is(t, i, GR_OPERAND_ADDRESS) || o->has_descriptor || !o->has_uniform ||
        (o->has_base && o->base != GR_REGISTER_ZERO) || o->value != 0) {
        return gr_refuse(t, "operand %d is no [UR]", i);
    }
    *slot = uniform_slot(o->uniform);
    return true;
}

/* Takes operand i, which is [R+UR+offset]; each of the three may be missing. */
static bool take_address(struct gr_translation *t, int i, uint16_t *base, uint16_t *uniform,
                         int64_t *offset)
{
    const struct gr_operand *o = &t->decoded->operand[i];
    if (!gr_operand_is(t, i, GR_OPERAND_ADDRESS) || o->has_descriptor || o->extended ||
        o->base_suffix != NULL) {
        return gr_refuse(t, "operand %d is no address in shared memory", i);
    }
    *base = o->has_base ? o->base : GR_SLOT_ZERO;
    *uniform = o->has_uniform ? uniform_slot(o->uniform) : (uint16_t)GR_SLOT_ZERO;
    *offset = o->value;
    return true;
}

enum gr_join_operation gr_join_take(struct gr_translation *t)
{
    static const char *const names[] = {"ADD", "MIN", "MAX", "INC", "DEC",
                                        "AND", "OR",  "XOR", NULL};
    return (enum gr_join_operation)(GR_JOIN_ADD + gr_take_one(t, names, -1));
}

/* Takes the type of the elements of UBLKRED. Without a modifier it is U32. */
static enum gr_element take_element(struct gr_translation *t)
{
    static const char *const types[] = {"S32", "U64", "S64", "F16", "BF16", "F32", "F64", NULL};
    static const enum gr_element elements[] = {GR_ELEMENT_S32, GR_ELEMENT_U64,  GR_ELEMENT_S64,
                                               GR_ELEMENT_F16, GR_ELEMENT_BF16, GR_ELEMENT_F32,
                                               GR_ELEMENT_F64};
    const int type = gr_take_one(t, types, -1);
    enum gr_element element = type < 0 ? GR_ELEMENT_U32 : elements[type];
    gr_take(t, "RN");
    if (element == GR_ELEMENT_F32 && gr_take(t, "FTZ"))
        element = GR_ELEMENT_F32_FTZ;
    return element;
}

/* Takes the operands of a copy that follow the two addresses. */
static bool take_rest(struct gr_translation *t, struct gr_copy *copy, int i)
{
    int count = t->decoded->operand_count;
    if (copy->has_size || copy->multicast) {
        if (i >= count || !gr_operand_is(t, i, GR_OPERAND_UNIFORM)) {
            return gr_refuse(t, "operand %d is no uniform register", i);
        }
        uint16_t slot = (uint16_t)gr_source_make(t, i++, 1).slot;
        *(copy->has_size ? &copy->size : &copy->blocks) = slot;
    }
    if (i < count && gr_operand_is(t, i, GR_OPERAND_ADDRESS) &&
        t->decoded->operand[i].has_descriptor) {
        i++; /* a cache hint, which has no effect here */
    }
    return i == count ? !t->refused : gr_refuse(t, "operand %d has no meaning here", i);
}

static bool take_tensor(struct gr_translation *t, struct gr_copy *copy)
{
    static const char *const ranks[] = {"1D", "2D", "3D", "4D", "5D", NULL};
    copy->rank = 1 + gr_take_one(t, ranks, -1);
    if (copy->rank == 0) {
        return gr_refuse(t, "its rank has no meaning here");
    }
    if (copy->kind == GR_COPY_TENSOR_LOAD) {
        copy->multicast = gr_take(t, "MULTICAST");
    } else if (copy->kind == GR_COPY_TENSOR_REDUCE) {
        copy->operation = gr_join_take(t);
        if (copy->operation == GR_JOIN_NONE) {
            return gr_refuse(t, "its operation has no meaning here");
        }
    } else if (copy->kind == GR_COPY_TENSOR_PREFETCH && !gr_take(t, "L2")) {
        return gr_refuse(t, "only a prefetch to L2 has a meaning");
    }
    return take_uniform_address(t, 0, &copy->first) && take_uniform_address(t, 1, &copy->second) &&
           take_rest(t, copy, 2);
}

/* Takes UBLKCP and UBLKRED. The first letter names the destination, the second the source. */
static bool take_bulk(struct gr_translation *t, struct gr_copy *copy, bool reduces)
{
    const char *const *m = t->decoded->modifier;
    if (m[0] == NULL || m[1] == NULL || strlen(m[0]) != 1 || strlen(m[1]) != 1) {
        return gr_refuse(t, "its direction has no meaning here");
    }
    char direction[3] = {*m[0], *m[1], '\0'};
    t->taken |= 3;
    copy->has_size = true;
    if (reduces) {
        copy->kind = strcmp(direction, "SS") == 0 ? GR_COPY_SHARED : GR_COPY_REDUCE;
        copy->element = take_element(t);
        copy->operation = gr_join_take(t);
        const struct gr_join join = {copy->element, copy->operation};
        if ((copy->kind == GR_COPY_REDUCE && strcmp(direction, "GS") != 0) ||
            !gr_join_exists(join)) {
            return gr_refuse(t, "its direction, type or operation has no meaning here");
        }
    } else if (strcmp(direction, "SG") == 0) {
        copy->kind = GR_COPY_LOAD;
        copy->multicast = gr_take(t, "MULTICAST");
    } else if (strcmp(direction, "GS") == 0) {
        copy->kind = GR_COPY_STORE;
    } else if (strcmp(direction, "SS") == 0) {
        copy->kind = GR_COPY_SHARED;
    } else {
        return gr_refuse(t, "its direction has no meaning here");
    }
    bool to_global = copy->kind == GR_COPY_STORE || copy->kind == GR_COPY_REDUCE;
    return take_uniform_address(t, 0, to_global ? &copy->second : &copy->first) &&
           take_uniform_address(t, 1, to_global ? &copy->first : &copy->second) &&
           take_rest(t, copy, 2);
}

/* Takes STAS[.64|.128] [R.64], R and REDAS.op[.S32|.64] [R.64], R. The two registers of the address
 * hold the destination and the mbarrier. */
bool gr_store_take(struct gr_translation *t, struct gr_async_store *store)
{
    static const char *const widths[] = {"64", "128", "S32", NULL};
    const struct gr_operand *o = &t->decoded->operand[0];
    const bool reduces = strcmp(t->decoded->mnemonic, "REDAS") == 0;
    *store = (struct gr_async_store){.operation = reduces ? gr_join_take(t) : GR_JOIN_NONE};
    const int width = gr_take_one(t, widths, -1);
    const struct gr_join join = {width == 0   ? GR_ELEMENT_U64
                                 : width == 2 ? GR_ELEMENT_S32
                                              : GR_ELEMENT_U32,
                                 store->operation};
    store->element = join.element;
    store->bytes = width == 0 ? 8 : width == 1 ? 16 : 4;
    if (reduces ? width == 1 || !gr_join_exists(join) : width == 2)
        return gr_refuse(t, "its type or operation has no meaning here");
    if (t->decoded->operand_count != 2 || !gr_operand_is(t, 0, GR_OPERAND_ADDRESS) ||
        o->has_descriptor || !o->base_suffix || strcmp(o->base_suffix, "64") != 0 ||
        o->base == GR_REGISTER_ZERO)
        return gr_refuse(t, "operand 0 is no [R.64]");
    store->at = o->base;
    if (o->has_uniform && o->uniform != GR_REGISTER_ZERO)
        return gr_refuse(t, "an address with a uniform register has no meaning here");
    store->offset = o->value;
    store->value = gr_source_make(t, 1, store->bytes / 4);
    return !t->refused;
}

bool gr_copy_take(struct gr_translation *t, struct gr_copy *copy)
{
    static const struct {
        const char *mnemonic;
        enum gr_copy_kind kind;
    } tensors[] = {{"UTMALDG", GR_COPY_TENSOR_LOAD},
                   {"UTMASTG", GR_COPY_TENSOR_STORE},
                   {"UTMAREDG", GR_COPY_TENSOR_REDUCE},
                   {"UTMAPF", GR_COPY_TENSOR_PREFETCH}};
    const char *name = t->decoded->mnemonic;
    *copy = (struct gr_copy){.first = GR_SLOT_ZERO, .second = GR_SLOT_ZERO};
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, tensors[i].mnemonic) == 0) {
            copy->kind = tensors[i].kind;
            return take_tensor(t, copy);
        }
    }
    bool reduces = strcmp(name, "UBLKRED") == 0;
    if (!reduces && strcmp(name, "UBLKCP") != 0) {
        return gr_refuse(t, "it is no asynchronous copy");
    }
    return take_bulk(t, copy, reduces);
}

static bool take_arrive(struct gr_translation *t, struct gr_syncs *syncs)
{
    static const char *const counts[] = {"A1T0", "ART0", "A0TR", "A0TX", "A0T1", NULL};
    static const enum gr_mbarrier_operation operations[] = {
        GR_MBARRIER_A1T0, GR_MBARRIER_ART0, GR_MBARRIER_A0TR, GR_MBARRIER_A0TX, GR_MBARRIER_A0T1};
    syncs->kind = GR_SYNCS_ARRIVE;
    int count = gr_take_one(t, counts, -1);
    syncs->operation = count < 0 ? GR_MBARRIER_A1TR : operations[count];
    syncs->drop = gr_take(t, "OPTOUT");
    syncs->reduces = gr_take(t, "RED");
    syncs->keeps_mask = gr_take(t, "TMASK");
    if (!gr_take(t, "TRANS64") || (syncs->keeps_mask && (syncs->reduces || syncs->drop))) {
        return gr_refuse(t, "its modifiers have no meaning here");
    }
    syncs->d = gr_destination(t, 0);
    if (!take_address(t, 1, &syncs->base, &syncs->uniform, &syncs->offset)) {
        return false;
    }
    syncs->value = gr_source_make(t, 2, 1);
    return t->decoded->operand_count == 3 ? !t->refused : gr_refuse(t, "its operands are others");
}

/* ARRIVES.LDGSTSBAR.64.{TRANSCNT|ARVCNT} [a] */
static bool take_copies(struct gr_translation *t, struct gr_syncs *syncs)
{
    syncs->kind = GR_SYNCS_COPIES;
    bool bytes = gr_take(t, "TRANSCNT");
    syncs->operation = bytes ? GR_MBARRIER_A0TX : GR_MBARRIER_A1T0;
    if (!gr_take(t, "LDGSTSBAR") || !gr_take(t, "64") || (!bytes && !gr_take(t, "ARVCNT")) ||
        t->decoded->operand_count != 1) {
        return gr_refuse(t, "its modifiers have no meaning here");
    }
    return take_address(t, 0, &syncs->base, &syncs->uniform, &syncs->offset);
}

bool gr_syncs_take(struct gr_translation *t, struct gr_syncs *syncs)
{
    *syncs = (struct gr_syncs){.d = GR_SLOT_SINK, .predicate = GR_PREDICATE_SINK};
    int count = t->decoded->operand_count, address;
    if (strcmp(t->decoded->mnemonic, "ARRIVES") == 0) {
        return take_copies(t, syncs);
    }
    if (strcmp(t->decoded->mnemonic, "SYNCS") != 0) {
        return gr_refuse(t, "it is no operation of an mbarrier");
    }
    if (gr_take(t, "ARRIVE")) {
        return take_arrive(t, syncs);
    }
    if (gr_take(t, "EXCH")) {
        syncs->kind = GR_SYNCS_EXCHANGE;
        address = 1;
        if (!gr_take(t, "64") || count != 3 || !gr_operand_is(t, 0, GR_OPERAND_UNIFORM) ||
            t->decoded->operand[0].number != GR_REGISTER_ZERO) {
            return gr_refuse(t, "only an exchange without a result has a meaning");
        }
        syncs->value = gr_source_make(t, 2, 2);
    } else if (gr_take(t, "PHASECHK")) {
        syncs->kind = GR_SYNCS_PHASE;
        address = 1;
        syncs->waits = gr_take(t, "TRYWAIT");
        if (!gr_take(t, "TRANS64") || count != 3) {
            return gr_refuse(t, "its modifiers have no meaning here");
        }
        syncs->predicate = gr_predicate_out(t, 0);
        syncs->value = gr_source_make(t, 2, 1);
    } else if (gr_take(t, "CCTL") && gr_take(t, "IV") && count == 1) {
        syncs->kind = GR_SYNCS_INVALIDATE;
        address = 0;
    } else {
        return gr_refuse(t, "its modifiers have no meaning here");
    }
    return take_address(t, address, &syncs->base, &syncs->uniform, &syncs->offset) && !t->refused;
}
