/* machine_program.h: a kernel of a cubin, made ready to be executed for one launch: each
 * instruction is a step, and the constants that it reads are known. SPDX-License-Identifier: MIT */
#ifndef MACHINE_MACHINE_PROGRAM_H
#define MACHINE_MACHINE_PROGRAM_H

#include "code/decode.h"
#include "code/elf.h"
#include "machine/step.h"

#include <gradus/gradus.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_PROGRAM_PARAMETERS = 64, GR_CONSTANT_BANKS = 5, GR_STEP_BYTES = 16 };

/* Addresses that a kernel's generic pointers have: the windows of shared and local memory, which no
 * pointer of the host has, and the functions of the driver that device code calls. */
#define GR_SHARED_WINDOW (UINT64_C(0x01000000) << 32)
#define GR_LOCAL_WINDOW (UINT64_C(0x02000000) << 32)
#define GR_DRIVER_FUNCTIONS (UINT64_C(0x03000000) << 32)

enum gr_driver_function {
    GR_DRIVER_VPRINTF,
    GR_DRIVER_ASSERTFAIL,
    GR_DRIVER_MALLOC,
    GR_DRIVER_FREE,
    GR_DRIVER_FUNCTION_COUNT
};

struct gr_program_text;

struct gr_program_launch {
    unsigned grid[3], block[3], cluster[3]; /* cluster: of blocks; 0: none */
    int64_t dynamic_smem_bytes;
    const void *const *parameters; /* a pointer to the value of each */
    struct gr_program_text *text;  /* of the same kernel of the same image; may be null */
};

/* A variable of the module, in global memory. */
struct gr_program_variable {
    const char *name;
    uint64_t address;
    int64_t bytes;
};

/* A variable in shared memory. */
struct gr_program_shared {
    char symbol[256];
    int64_t lo, hi; /* offsets in the block's shared memory */
    bool dynamic;   /* what the launch adds; `hi` is not known */
};

enum { GR_PROGRAM_SHARED = 32 };

/* What of a kernel no launch changes. The first that is given it fills it, and those after it need
 * not read the image again. It begins with {0}; the caller frees it. */
struct gr_program_text {
    struct gr_decoded *decoded; /* null: nothing is known yet */
    int count;
    struct gr_program_shared shared[GR_PROGRAM_SHARED];
    int shared_count;
};
void gr_program_text_free(struct gr_program_text *text);

struct gr_lane_functions; /* lane_functions.h */

struct gr_program {
    int cc;
    const struct gr_lane_functions *lanes; /* of this CPU */
    const char *symbol;
    struct gr_decoded *decoded; /* of each step */
    struct gr_step *steps;
    int count;
    int registers;
    int section; /* ELF section of the instructions */
    int refused; /* the step that has no meaning here, after a failure; -1: none */
    int parameter_count;
    struct {
        int offset, bytes;
    } parameters[GR_PROGRAM_PARAMETERS];
    int parameter_base;   /* in bank 0 */
    unsigned cluster[3];  /* the blocks of a cluster along each axis; 0: the launch has none */
    int64_t shared_bytes; /* static and reserved; dynamic memory follows */
    int64_t local_bytes;  /* of a thread */
    bool orders_matter;   /* it adds floating-point numbers atomically, so that the order of blocks
                             shows */
    bool is_asynchronous; /* it has copies or products that it must wait for; */
    bool has_async_proxy; /* and some that read shared memory through the async proxy */
    unsigned char *bank[GR_CONSTANT_BANKS];
    int64_t bank_bytes[GR_CONSTANT_BANKS];
    struct gr_pool *pool;
    struct gr_elf elf;
    unsigned char *globals; /* the module's variables */
    bool owns_globals;
    int64_t global_bytes;
    struct gr_heap *heap; /* behind the variables, if the kernel calls malloc; else null */
    struct gr_program_variable *variables;
    int variable_count;
    struct gr_program_shared shared[GR_PROGRAM_SHARED]; /* by offset, the dynamic one last */
    int shared_count; /* 0: the cubin does not say where its variables are */
};

/* Loads a kernel of a cubin and prepares it for a launch. The image must outlive the program.
 * `globals`: where the module's variables are put; null: memory that the program allocates; it has
 * room for gr_program_globals bytes. INVALID: the image is damaged, or has no such kernel.
 * UNSUPPORTED: an instruction has no meaning here; the error names it, with its address. The caller
 * frees the program, also after a failure. */
enum gradus_status gr_program_load(const void *image, size_t length, const char *symbol,
                                   const struct gr_program_launch *launch, unsigned char *globals,
                                   struct gr_program *program, struct gradus_error *error);
void gr_program_free(struct gr_program *program);

/* The bytes that the variables of the module need, and the heap of its calls of malloc. */
int64_t gr_program_globals(const void *image, size_t length);

/* Reads a word of a constant bank. False: it is outside. */
bool gr_program_constant(const struct gr_program *program, int bank, int64_t offset, int bytes,
                         uint64_t *value);

#endif
