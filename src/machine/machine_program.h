/* machine_program.h: a kernel of a cubin, prepared for one launch: each instruction has become a
 * step, and the constants that it reads are known. SPDX-License-Identifier: MIT */
#ifndef MACHINE_MACHINE_PROGRAM_H
#define MACHINE_MACHINE_PROGRAM_H

#include "code/decode.h"
#include "code/elf.h"
#include "machine/step.h"

#include <gradus/gradus.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_PROGRAM_PARAMETERS = 64, GR_CONSTANT_BANKS = 5, GR_STEP_BYTES = 16 };

/* Generic addresses: the windows of shared and local memory, at addresses that no pointer of the
 * host has, and the functions of the driver that device code calls. */
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
    unsigned grid[3], block[3], cluster[3]; /* cluster: its extents in blocks; 0: no clusters */
    int64_t dynamic_smem_bytes;
    const void *const *parameters; /* pointers to the value of each parameter */
    struct gr_program_text *text;  /* the text of the same kernel of the same image; may be null */
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
    int64_t lo, hi; /* offsets in the block's shared memory, from lo to hi */
    bool dynamic;   /* dynamic shared memory, whose size only the launch gives: `hi` is not known */
};

enum { GR_PROGRAM_SHARED = 32 };

/* The parts of a kernel that do not depend on the launch. The first launch fills them in, so that
 * later ones need not read the image again. It is initialised with {0}, and freed by the caller. */
struct gr_program_text {
    struct gr_decoded *decoded; /* null: the text is not filled in yet */
    int count;
    struct gr_program_shared shared[GR_PROGRAM_SHARED];
    int shared_count;
};
void gr_program_text_free(struct gr_program_text *text);

struct gr_lane_functions; /* lane_functions.h */

struct gr_program {
    int cc;
    const struct gr_lane_functions *lanes; /* the functions for this CPU */
    const char *symbol;
    struct gr_decoded *decoded; /* one for each step */
    struct gr_step *steps;
    int count;
    int registers;
    int section; /* the ELF section of the instructions */
    int refused; /* after a failure, the step that is not supported; -1: none */
    int parameter_count;
    struct {
        int offset, bytes;
    } parameters[GR_PROGRAM_PARAMETERS];
    int parameter_base;   /* the offset in bank 0 */
    unsigned cluster[3];  /* the extents of a cluster in blocks; 0: the launch has no clusters */
    int64_t shared_bytes; /* static and reserved shared memory; dynamic memory follows */
    int64_t local_bytes;  /* per thread */
    bool orders_matter;   /* there are atomic floating-point sums, which depend on the order of the
                             blocks */
    bool is_asynchronous; /* there are asynchronous copies or products that must be waited for; */
    bool has_async_proxy; /* some of them read shared memory through the async proxy */
    unsigned char *bank[GR_CONSTANT_BANKS];
    int64_t bank_bytes[GR_CONSTANT_BANKS];
    struct gr_pool *pool;
    struct gr_elf elf;
    unsigned char *globals; /* the module's variables */
    bool owns_globals;
    int64_t global_bytes;
    struct gr_heap *heap; /* the heap after the variables, if the kernel calls malloc; else null */
    struct gr_program_variable *variables;
    int variable_count;
    struct gr_program_shared shared[GR_PROGRAM_SHARED]; /* by offset, the dynamic variable last */
    int shared_count; /* 0: the cubin does not give the addresses of its variables */
};

/* Loads a kernel of a cubin and prepares it for a launch. The image must outlive the program.
 * `globals` is memory for the module's variables, of gr_program_globals bytes; if it is null, the
 * program allocates it. INVALID: the image is damaged, or has no such kernel. UNSUPPORTED: an
 * instruction is not supported; the error gives its name and address. The caller frees the program,
 * also after a failure. */
enum gradus_status gr_program_load(const void *image, size_t length, const char *symbol,
                                   const struct gr_program_launch *launch, unsigned char *globals,
                                   struct gr_program *program, struct gradus_error *error);
void gr_program_free(struct gr_program *program);

/* The number of bytes for the variables of the module and, if it calls malloc, for the heap. */
int64_t gr_program_globals(const void *image, size_t length);

/* Reads a word of a constant bank. Returns false if it is outside of the bank. */
bool gr_program_constant(const struct gr_program *program, int bank, int64_t offset, int bytes,
                         uint64_t *value);

#endif
