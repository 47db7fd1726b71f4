/* assignments.c: determines the possible arguments for a kernel's parameters.
 * SPDX-License-Identifier: MIT */
#include "launches/assignments.h"

#include "core/error.h"
#include "base/str.h"
#include "launches/hostexpr.h"
#include "launches/strides.h"
#include "source/place.h"
#include "catalog/parameters.h"
#include "catalog/signature.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_OPTIONS = 6, MOST_ASSIGNMENTS = 6000, KEPT_ASSIGNMENTS = 320 };

enum kind { OPERAND, ADDRESS, INTEGER, SCALE, FLAG, OTHER };

/* The possible roles of one parameter, each with a weight. */
struct slot {
    enum kind kind;
    const char *roles[MOST_OPTIONS];
    int weights[MOST_OPTIONS];
    int count;
};

/* ---- The type of a parameter ---- */

/* Is it a type parameter of the kernel's template? */
static bool is_template_type(const struct gr_scan *scan, const struct gr_function *f,
                             const char *type)
{
    for (int i = f->head; i + 1 < f->name; i++)
        if (gr_token_is(scan, i, "typename") || gr_token_is(scan, i, "class")) {
            char *name = gr_token_text(scan, i + 1);
            const char *at = name ? strstr(type, name) : NULL;
            free(name);
            if (at)
                return true;
        }
    return false;
}

static enum kind kind_of(const struct gr_scan *scan, const struct gr_function *f,
                         const struct gr_parameter *p)
{
    enum gr_dtype type;
    bool generic = is_template_type(scan, f, p->type);
    if (!p->pointer &&
        (strstr(p->type, "bool") || (strstr(p->type, "char") && gr_hint_flag(p->name))))
        return FLAG;
    if (p->pointer)
        return strstr(p->type, "void") == NULL &&
                       (generic || strchr(p->type, 'T') || gr_parameter_dtype(scan, p, &type))
                   ? OPERAND
                   : ADDRESS;
    switch (gr_parameter_class(scan, p)) {
    case GR_TYPE_INTEGER:
        return INTEGER;
    case GR_TYPE_REAL:
        return SCALE;
    default:
        return generic ? SCALE : OTHER;
    }
}

enum gradus_status gr_assigner_make(const struct gr_kernel *kernel, const struct gr_scan *scan,
                                    const struct gr_function *function,
                                    const struct gr_signature *signature, bool layout_given,
                                    bool trans_given, struct gr_assigner *a,
                                    struct gradus_error *error)
{
    *a = (struct gr_assigner){.kernel = kernel,
                              .scan = scan,
                              .function = function,
                              .signature = signature,
                              .layout_given = layout_given,
                              .trans_given = trans_given};
    int operands = 0;
    if (signature->count > GR_MOST_HINTED)
        return gr_fail(error, GRADUS_INVALID, "%s: %s takes %d parameters", kernel->path,
                       signature->name, signature->count);
    for (int i = 0; i < signature->count; i++) {
        const struct gr_parameter *p = &signature->parameters[i];
        enum kind kind = kind_of(scan, function, p);
        operands += kind == OPERAND;
        if (kind == OTHER)
            return gr_fail_at(error, kernel->path, gr_place_in_file(p->line, p->column),
                              "parameter %d of %s, '%s' (%s): " GR_STRUCTURE_REFUSED, i + 1,
                              signature->name, *p->name ? p->name : "unnamed", p->type);
    }
    if (operands < 3)
        return gr_fail(error, GRADUS_INVALID,
                       "%s:%d: %s takes %d pointers to numbers, wanted three: A, B and C",
                       kernel->path, signature->line, signature->name, operands);
    gr_hints_read(scan, function, signature, &a->hints);
    return GRADUS_OK;
}

void gr_assigner_free(struct gr_assigner *a)
{
    *a = (struct gr_assigner){0};
}

/* ---- The possible roles of a parameter ---- */

static void offer(struct slot *s, const char *role, int weight)
{
    if (s->count < MOST_OPTIONS) {
        s->roles[s->count] = role;
        s->weights[s->count++] = weight;
    }
}

/* The last word of the launch's argument for parameter p; malloc'ed, or null. */
static char *passed_name(const struct gr_site *site, int p, struct gr_range *range)
{
    if (!site)
        return NULL;
    const struct gr_scan *scan = &site->file->scan;
    int i = site->launch.arguments.begin;
    for (; p > 0 && i < site->launch.arguments.end; p--)
        i = gr_item_end(scan, i, site->launch.arguments.end) + 1;
    if (i >= site->launch.arguments.end)
        return NULL;
    *range = (struct gr_range){i, gr_item_end(scan, i, site->launch.arguments.end)};
    for (int t = range->end - 1; t >= i; t--)
        if (scan->tokens[t].kind == GR_TOKEN_WORD)
            return gr_token_text(scan, t);
    return NULL;
}

/* Does the kernel ask whether the pointer is null, as of a bias that may be missing? */
static bool may_be_null(const struct gr_assigner *a, const char *name)
{
    const struct gr_scan *scan = a->scan;
    for (int i = a->function->body_begin; i < a->function->body_end; i++) {
        if (!gr_token_is(scan, i, name))
            continue;
        const bool compared = gr_token_is(scan, i + 2, "=") &&
                              (gr_token_is(scan, i + 1, "!") || gr_token_is(scan, i + 1, "=")) &&
                              (gr_token_is(scan, i + 3, "NULL") || gr_token_is(scan, i + 3, "0") ||
                               gr_token_is(scan, i + 3, "nullptr"));
        const bool alone = gr_token_is(scan, i - 1, "(") && gr_token_is(scan, i + 1, ")") &&
                           gr_token_is(scan, i - 2, "if");
        if (compared || alone || gr_token_is(scan, i + 1, "?"))
            return true;
    }
    return false;
}

/* Is it the only array that the kernel stores to, and not constant? */
static bool is_only_stored(const struct gr_assigner *a, int p)
{
    int stored = 0;
    for (int i = 0; i < a->signature->count && i < GR_MOST_HINTED; i++)
        stored += a->hints.stores[i];
    return stored == 1 && a->hints.stores[p];
}

static const char *keep_text(struct gr_assignments *list, char *text)
{
    char **grown = realloc(list->texts, ((size_t)list->text_count + 1) * sizeof *grown);
    if (!grown || !text) {
        free(text);
        return "0";
    }
    list->texts = grown;
    return grown[list->text_count++] = text;
}

/* Does the function's body never name the parameter? */
static bool is_unused(const struct gr_assigner *a, const struct gr_parameter *parameter)
{
    for (int i = a->function->body_begin; i < a->function->body_end; i++)
        if (gr_token_is(a->scan, i, parameter->name))
            return false;
    return true;
}

/* Beside A, B and C a kernel may read an array that is added to the product, as a bias: zeros there
 * leave the product as it is. So they do in one that the kernel does not use. */
static void offer_zeros(const struct gr_assigner *a, int p, struct gr_assignments *list,
                        struct slot *s)
{
    const struct gr_parameter *parameter = &a->signature->parameters[p];
    const bool is_known = strcasestr(parameter->name, "bias") || is_unused(a, parameter);
    if (*parameter->name && !a->hints.stores[p] && (parameter->pointee_const || is_known))
        offer(s, keep_text(list, gr_printf(GR_ZEROS "%s", parameter->name)), is_known ? 9 : 1);
}

static void offer_operands(const struct gr_assigner *a, int p, const char *passed, int ordinal,
                           int operands, struct slot *s)
{
    static const char *const roles[] = {"A", "B", "C"};
    const struct gr_parameter *parameter = &a->signature->parameters[p];
    char named = gr_hint_operand(parameter->name), launched = passed ? gr_hint_operand(passed) : 0;
    for (int r = 0; r < 3; r++) {
        char role = *roles[r];
        int weight = (named ? (named == role ? 6 : -6) : 0) +
                     (launched ? (launched == role ? 3 : -3) : 0) + (ordinal == r);
        if (role == 'C' && parameter->pointee_const && operands == 3)
            continue;
        weight += a->hints.stores[p] ? (role == 'C' ? 4 : -4) : 0;
        if (is_only_stored(a, p)) /* whatever its name says: y = x * w */
            weight += role == 'C' ? 8 : -8;
        weight -= role == 'C' && parameter->pointee_const ? 4 : 0;
        offer(s, roles[r], weight);
    }
    if (operands > 3 && may_be_null(a, parameter->name))
        offer(s, "NULL", named ? 0 : 7);
}

/* The number that the launch passes for the parameter; null if it passes none. */
static const char *passed_number(const struct gr_site *site, struct gr_range range,
                                 struct gr_assignments *list)
{
    const struct gr_launch_site none = {.kernel = 0};
    struct gr_host host = {.file = &site->file->scan, .site = &none};
    int64_t value;
    if (gr_token_is(host.file, range.begin, "true") || gr_token_is(host.file, range.begin, "false"))
        return gr_token_is(host.file, range.begin, "true") ? "1" : "0";
    if (!gr_host_number(&host, range, site->launch.kernel, &value))
        return NULL;
    return keep_text(list, gr_printf("%" PRId64, value));
}

/* Is it the distance between the products of a batch, as `strideA` for which the launch passes
 * M * K? That of one product is not used. */
static bool is_batch_stride(const char *name, const struct gr_site *site, struct gr_range range)
{
    bool product = false;
    for (int i = range.begin; site && i < range.end; i++)
        product |= gr_token_is(&site->file->scan, i, "*");
    return product && strncasecmp(name, "stride", strlen("stride")) == 0;
}

static void offer_sizes(const struct gr_assigner *a, int p, const char *passed, struct slot *s)
{
    static const char *const sizes[] = {"M", "N", "K"};
    bool sure = false, launched_sure = false;
    const char *named = gr_hint_size(a->signature->parameters[p].name, &sure);
    const char *launched = passed ? gr_hint_size(passed, &launched_sure) : NULL;
    if (named && named[1] == 'd')
        offer(s, named, 6);
    for (int i = 0; i < 3; i++) {
        int weight = 0;
        if (named && named[1] != 'd')
            weight += *named == *sizes[i] ? (sure ? 6 : 4) : (sure ? -3 : -2);
        else if (named)
            weight -= 4;
        if (launched && launched[1] != 'd')
            weight += *launched == *sizes[i] ? 2 : -1;
        offer(s, sizes[i], weight);
    }
}

/* A value that the parameter's name says, of the one product that is launched as a whole: there is
 * one in the batch, and it begins at its first row. */
static void offer_named(const char *name, struct slot *s)
{
    if (gr_hint_batch(name) || gr_hint_parts(name))
        offer(s, "1", 8);
    else if (gr_hint_offset(name) || gr_hint_batch_stride(name))
        offer(s, "0", 8);
}

/* A pitch is a leading dimension in bytes, or in elements where the launch divides it. */
static void offer_pitches(char operand, struct slot *s)
{
    static const char *const bytes[] = {"lda*T_BYTES", "ldb*T_BYTES", "ldc*C_BYTES"},
                             *const elements[] = {"lda", "ldb", "ldc"};
    for (int i = 0; i < 3; i++)
        if (operand == "ABC"[i] || operand == '?')
            offer(s, bytes[i], 9);
    for (int i = 0; i < 3 && operand != '?'; i++)
        if (operand == "ABC"[i])
            offer(s, elements[i], 8);
}

/* 'A', 'B' or 'C' if host code gets the variable as the pitch of that operand,
 * `cudaMallocPitch(&d_a, &name, …)`; '?' if the operand's name says nothing; 0: it is none. */
static char allocated_pitch(const struct gr_site *site, const char *name)
{
    const struct gr_scan *scan = &site->file->scan;
    for (int i = 0; i + 1 < scan->token_count; i++) {
        if (!gr_token_is(scan, i, "cudaMallocPitch") && !gr_token_is(scan, i, "hipMallocPitch"))
            continue;
        const int past = gr_token_close(scan, i + 1, scan->token_count) - 1;
        const int comma = gr_item_end(scan, i + 2, past);
        const int end = comma < past ? gr_item_end(scan, comma + 1, past) : past;
        if (comma >= past || !gr_token_is(scan, end - 1, name))
            continue;
        char *operand = gr_token_text(scan, comma - 1);
        const char is = operand ? gr_hint_operand(operand) : 0;
        free(operand);
        return is ? is : '?';
    }
    return 0;
}

/* The operand whose pitch parameter p is, by its own name or by what the launch passes. */
static char pitch_of(const char *name, const struct gr_site *site, const char *passed)
{
    const char named = gr_hint_pitch(name);
    char launched = site && passed ? allocated_pitch(site, passed) : 0;
    if (!launched && passed)
        launched = gr_hint_pitch(passed);
    return named && named != '?' ? named : launched ? launched : named;
}

/* Both ways of a choice, the plain one first. A letter says it as BLAS does. */
static void offer_flag(const struct gr_parameter *parameter, struct slot *s)
{
    offer(s, "0", 8);
    offer(s, "1", 6);
    if (strstr(parameter->type, "char"))
        offer(s, "78", 7); /* 'N' */
}

/* Is it the side of a tile or of a block, and not a size of the matrices? */
static bool is_of_block(const char *name)
{
    static const char *const words[] = {"block", "tile", "threads", NULL};
    static const char *const sides[] = {"bm", "bn", "bk", "bs", "bdim", NULL};
    bool is = false;
    for (int i = 0; sides[i]; i++)
        is |= strcasecmp(name, sides[i]) == 0;
    for (int i = 0; words[i]; i++)
        is |= strcasestr(name, words[i]) != NULL;
    return is;
}

static void offer_sides(struct slot *s)
{
    static const char *const sides[] = {"32", "16", "8", "64"};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        offer(s, sides[i], 4 - (int)i);
}

/* Of the two strides of a dense array, rows are a leading dimension apart and columns 1. That of k,
 * which is a row of B, may come second. */
static bool offer_stride(const struct gr_assigner *a, int p, const struct slot *slots,
                         struct slot *s)
{
    static const char *const leading[] = {"lda", "ldb", "ldc"};
    int array = 0, best = 0;
    bool second = false;
    if (!gr_is_stride(a, p, &array, &second) || array >= p || slots[array].kind != OPERAND)
        return false;
    for (int o = 1; o < slots[array].count; o++)
        if (slots[array].weights[o] > slots[array].weights[best])
            best = o;
    const char *role = slots[array].roles[best];
    if (strlen(role) != 1 || !strchr("ABC", *role))
        return false;
    offer(s, second ? "1" : leading[*role - 'A'], 8);
    if (*role == 'B')
        offer(s, second ? leading[1] : "1", 8);
    return true;
}

static const char *passed_real(const struct gr_site *site, struct gr_range range)
{
    const struct gr_scan *scan = &site->file->scan;
    if (range.end != range.begin + 1 || scan->tokens[range.begin].kind != GR_TOKEN_NUMBER)
        return NULL;
    double value = strtod(scan->text + scan->tokens[range.begin].begin, NULL);
    return value == 0 ? "0" : value == 1 ? "1" : NULL;
}

static void offer_scales(const struct gr_assigner *a, int p, const char *passed, const char *number,
                         struct slot *s)
{
    const char *named = gr_hint_scale(a->signature->parameters[p].name);
    const char *launched = passed ? gr_hint_scale(passed) : NULL;
    if (named || launched) {
        offer(s, named ? named : launched, 4);
        return;
    }
    offer(s, "alpha", 2);
    offer(s, "beta", 1);
    offer(s, number ? number : "1", number ? 3 : 0);
}

/* Removes roles that are far less likely than the slot's best one. */
static void prune_slot(struct slot *s, int far)
{
    int best = -1000, kept = 0;
    for (int o = 0; o < s->count; o++)
        best = s->weights[o] > best ? s->weights[o] : best;
    for (int o = 0; o < s->count; o++)
        if (s->weights[o] > best - far) {
            s->roles[kept] = s->roles[o];
            s->weights[kept++] = s->weights[o];
        }
    s->count = kept;
}

/* Can A, B and C each be an array of its own? `found`: those that the slots before p are. */
static bool has_all_operands(const struct slot *slots, int p, int count, unsigned found)
{
    if (p == count)
        return found == 7;
    bool has = has_all_operands(slots, p + 1, count, found);
    for (int o = 0; slots[p].kind == OPERAND && o < slots[p].count && !has; o++)
        for (int r = 0; r < 3 && !has; r++)
            if (slots[p].roles[o][0] == "ABC"[r] && !slots[p].roles[o][1] && !(found >> r & 1))
                has = has_all_operands(slots, p + 1, count, found | 1u << r);
    return has;
}

/* Limits the combinations: always for operands, unless two arrays have names of the same one, as
 * `a` and `x` in y = a * x, and for integers if there are more than three choices. */
static void prune(struct slot *slots, int count)
{
    const int far_operand = 8, far_integer = 3;
    struct slot pruned[GR_MOST_HINTED];
    int integers = 0;
    memcpy(pruned, slots, sizeof *slots * (size_t)count);
    for (int p = 0; p < count; p++) {
        integers += slots[p].kind == INTEGER;
        if (slots[p].kind == OPERAND)
            prune_slot(&pruned[p], far_operand);
    }
    if (has_all_operands(pruned, 0, count, 0))
        memcpy(slots, pruned, sizeof *slots * (size_t)count);
    for (int p = 0; p < count; p++)
        if (slots[p].kind == INTEGER && integers > 3)
            prune_slot(&slots[p], far_integer);
}

static void make_slots(const struct gr_assigner *a, const struct gr_site *site, struct slot *slots,
                       struct gr_assignments *list)
{
    int ordinal = 0, operands = 0;
    const struct gr_signature *s = a->signature;
    for (int p = 0; p < s->count; p++)
        operands += kind_of(a->scan, a->function, &s->parameters[p]) == OPERAND;
    for (int p = 0; p < s->count; p++) {
        struct gr_range range = {0, 0};
        char *passed = passed_name(site, p, &range);
        bool sure, sized = gr_hint_size(s->parameters[p].name, &sure) != NULL;
        struct slot *slot = &slots[p];
        *slot = (struct slot){.kind = kind_of(a->scan, a->function, &s->parameters[p])};
        const char *number = NULL;
        if (site && range.end > range.begin && slot->kind != OPERAND && slot->kind != ADDRESS)
            number = slot->kind == SCALE ? passed_real(site, range)
                     : !sized            ? passed_number(site, range, list)
                                         : NULL;
        switch (slot->kind) {
        case OPERAND:
            offer_operands(a, p, passed, ordinal++, operands, slot);
            if (operands > 3)
                offer_zeros(a, p, list, slot);
            break;
        case INTEGER:
            if (!is_batch_stride(s->parameters[p].name, site, range) &&
                offer_stride(a, p, slots, slot))
                break;
            if (is_batch_stride(s->parameters[p].name, site, range))
                offer(slot, "0", 12);
            else
                offer_named(s->parameters[p].name, slot);
            if (pitch_of(s->parameters[p].name, site, passed))
                offer_pitches(pitch_of(s->parameters[p].name, site, passed), slot);
            if (gr_hint_flag(s->parameters[p].name)) {
                offer_flag(&s->parameters[p], slot);
                break;
            }
            if (number && !(passed && gr_hint_size(passed, &sure)))
                offer(slot, number, 3);
            if (!number && is_of_block(s->parameters[p].name))
                offer_sides(slot);
            else
                offer_sizes(a, p, passed, slot);
            break;
        case SCALE:
            offer_scales(a, p, passed, number, slot);
            break;
        case ADDRESS:
            offer(slot, "NULL", 0);
            break;
        default:
            if (number)
                offer(slot, number, 1);
            else
                offer_flag(&s->parameters[p], slot);
        }
        free(passed);
    }
    prune(slots, s->count);
}

/* ---- Combinations ---- */

/* The leading dimension of a dense operand, row-major or column-major. */
static const char *leading(char operand, bool columns, int trans)
{
    bool transposed = operand == 'A' ? trans >= 2 : operand == 'B' ? trans % 2 : false;
    const char *rows = operand == 'B' ? "K" : "M", *cols = operand == 'A' ? "K" : "N";
    return columns == transposed ? cols : rows;
}

/* How well the kernel's index expressions agree with the assignment. */
static int indices_say(const struct gr_assigner *a, const struct gr_assignment *x)
{
    int score = 0;
    for (int p = 0; p < a->signature->count; p++) {
        char operand = *x->roles[p];
        if (!strchr("ABC", operand) || x->roles[p][1])
            continue;
        const char *wanted = leading(operand, x->columns, x->trans);
        int found = 0, fits = 0;
        for (int q = 0; q < a->signature->count; q++) {
            bool multiplied = a->hints.times[p][q] > 0;
            const char *role = x->roles[q];
            bool own = role[0] == 'l' && role[1] == 'd' && role[2] == operand + 'a' - 'A';
            found += multiplied;
            fits += multiplied && (own || strcmp(role, wanted) == 0);
        }
        score += found == 0 ? 0 : found == 1 ? (fits ? 3 : -3) : fits ? 1 : -2;
    }
    return score;
}

static int count_role(const struct gr_assigner *a, const struct gr_assignment *x, const char *role)
{
    int count = 0;
    for (int p = 0; p < a->signature->count; p++)
        count += strcmp(x->roles[p], role) == 0;
    return count;
}

static void add(struct gr_assignments *list, const struct gr_assignment *x)
{
    struct gr_assignment *grown =
        list->count < MOST_ASSIGNMENTS
            ? realloc(list->items, ((size_t)list->count + 1) * sizeof *grown)
            : NULL;
    if (!grown)
        return;
    list->items = grown;
    grown[list->count++] = *x;
}

/* Adds the storage orders and transposes for one choice of roles. `B_T`, `Bt` and the like are
 * names of a transposed operand. */
static void add_forms(const struct gr_assigner *a, struct gr_assignment x,
                      struct gr_assignments *list)
{
    static const int worth[2][4] = {{0, -4, -5, -6}, {-3, -8, -8, -8}};
    /* A C kernel may add to C in a function that it calls. */
    bool adds = a->kernel->language == GR_LANGUAGE_C, transposed = false;
    for (int p = 0; p < a->signature->count; p++) {
        const char *name = a->signature->parameters[p].name;
        adds |= strcmp(x.roles[p], "C") == 0 && (a->hints.adds[p] || a->hints.reads[p]);
        transposed |= strcmp(x.roles[p], "B") == 0 &&
                      (gr_ends_with(name, "t") || gr_ends_with(name, "T")) && strlen(name) > 1;
    }
    for (int columns = 0; columns < (a->layout_given ? 1 : 2); columns++) {
        for (int trans = 0; trans < (a->trans_given ? 1 : 4); trans++) {
            struct gr_assignment y = x;
            y.columns = columns;
            y.trans = trans;
            y.score +=
                worth[columns][trans] + indices_say(a, &y) + (transposed && trans == 1 ? 5 : 0);
            y.may_zero = adds && count_role(a, &x, "beta") == 0;
            add(list, &y);
        }
    }
}

/* Does the choice have all operands of a GEMM? */
static bool is_complete(const struct gr_assigner *a, const struct gr_assignment *x)
{
    return count_role(a, x, "A") == 1 && count_role(a, x, "B") == 1 && count_role(a, x, "C") >= 1 &&
           count_role(a, x, "alpha") < 2 && count_role(a, x, "beta") < 2;
}

/* A kernel without them, apart from literals such as an offset of 0, is given no size: those of its
 * file may be of any shape. */
static bool has_integers(const struct slot *slots, const struct gr_assignment *x, int count)
{
    bool has = false;
    for (int p = 0; p < count; p++)
        has |= slots[p].kind == INTEGER && !isdigit((unsigned char)*x->roles[p]);
    return has;
}

static void choose(const struct gr_assigner *a, const struct slot *slots, int p,
                   struct gr_assignment *x, struct gr_assignments *list)
{
    if (p < a->signature->count) {
        for (int o = 0; o < slots[p].count && list->count < MOST_ASSIGNMENTS; o++) {
            x->roles[p] = slots[p].roles[o];
            x->score += slots[p].weights[o];
            choose(a, slots, p + 1, x, list);
            x->score -= slots[p].weights[o];
        }
        return;
    }
    if (!is_complete(a, x))
        return;
    struct gr_assignment y = *x;
    int kinds = 0;
    for (int i = 0; i < 3; i++) {
        int times = count_role(a, x, i == 0 ? "M" : i == 1 ? "N" : "K");
        kinds += times > 0;
        y.score -= times > 1 ? 3 * (times - 1) : 0;
    }
    y.is_square = kinds < 3;
    y.is_whole =
        kinds > 0 || a->kernel->held_count > 0 || !has_integers(slots, x, a->signature->count);
    add_forms(a, y, list);
}

static int by_score(const void *a, const void *b)
{
    const struct gr_assignment *x = a, *y = b;
    return y->score - x->score;
}

/* Do both pass the same arguments if all sizes are equal? */
static bool same_in_square(const struct gr_assigner *a, const struct gr_assignment *x,
                           const struct gr_assignment *y)
{
    static const char sizes[] = "MNKl";
    if (x->columns != y->columns || x->trans != y->trans)
        return false;
    for (int p = 0; p < a->signature->count; p++) {
        bool sized = strchr(sizes, *x->roles[p]) && strchr(sizes, *y->roles[p]);
        if (!sized && strcmp(x->roles[p], y->roles[p]) != 0)
            return false;
    }
    return true;
}

void gr_assignments_make(const struct gr_assigner *a, const struct gr_site *site,
                         struct gr_assignments *list)
{
    struct slot slots[GR_MOST_HINTED];
    struct gr_assignment x = {.score = 0};
    make_slots(a, site, slots, list);
    choose(a, slots, 0, &x, list);
    if (list->count)
        qsort(list->items, (size_t)list->count, sizeof *list->items, by_score);
    if (list->count > KEPT_ASSIGNMENTS)
        list->count = KEPT_ASSIGNMENTS;
    for (int i = 0; i < list->count; i++) {
        bool first = true;
        for (int j = 0; j < i && first; j++)
            first =
                !(list->items[j].is_square && same_in_square(a, &list->items[j], &list->items[i]));
        list->items[i].is_first = first;
    }
}

void gr_assignments_free(struct gr_assignments *list)
{
    for (int i = 0; i < list->text_count; i++)
        free(list->texts[i]);
    free(list->texts);
    free(list->items);
    *list = (struct gr_assignments){0};
}
