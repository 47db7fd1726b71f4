/* device.h: the figures of a GPU, read from a device file (devices/<name>.txt).
 * SPDX-License-Identifier: MIT
 *
 * A device file has one figure per line, "KEY VALUE | SOURCE"; blank lines and lines that begin
 * with # are ignored. Every key must occur exactly once, except those that are described as
 * optional, and every figure must have a source. The keys sector_bytes and smem_phases are for
 * AMD's GPUs only (cc 0). */
#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include "core/dtype.h"
#include "records/access_rules.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

struct gr_device {
    char name[64]; /* "NVIDIA H200" */
    char arch[16]; /* the architecture for NVRTC: "sm_90a" */
    int64_t cc;    /* compute capability, major * 10 + minor: 90; 0: not an NVIDIA GPU */
    int64_t sms;
    int64_t clock_mhz;            /* the boost clock */
    int64_t warp;                 /* threads in a warp */
    int64_t threads_per_sm;       /* resident at most */
    int64_t threads_per_block;    /* at most */
    int64_t blocks_per_sm;        /* resident at most */
    int64_t registers_per_sm;     /* of 32 bits */
    int64_t registers_per_block;  /* at most */
    int64_t registers_per_thread; /* at most */
    int64_t register_unit;        /* registers are allocated to a warp in multiples of this */
    int64_t schedulers_per_sm;    /* each with an equal share of the registers and the warps */
    int64_t smem_per_sm_bytes;    /* shared memory */
    int64_t smem_per_block_bytes; /* at most, with the opt-in beyond 48 KB */
    int64_t smem_reserved_bytes;  /* reserved by the system in each block */
    int64_t smem_unit_bytes;      /* shared memory is allocated in multiples of this */
    int64_t smem_banks;           /* of 4 bytes */
    int64_t fp32_lanes_per_sm;    /* each executes one FMA per clock */
    int64_t fp64_lanes_per_sm;
    /* The multiply-adds that the tensor cores of an SM make in a clock, of dense operands in f16 or
     * bf16, tf32, 8 bits, and f64. These keys are optional: 0 if the rate is not known, or if the
     * tensor cores do not have the type. */
    int64_t tensor_f16_per_sm, tensor_tf32_per_sm, tensor_8bit_per_sm, tensor_f64_per_sm;
    int64_t l2_bytes;
    int64_t memory_mb;   /* 10^6 bytes */
    int64_t memory_gbps; /* 10^9 bytes per second */
    /* AMD's scalar registers, if they limit the wavefronts (before gfx10). These keys are optional,
     * and 0 if they are missing. */
    int64_t sgprs_per_scheduler; /* per SIMD; 0: they are not a limit */
    int64_t sgpr_unit;           /* they are allocated to a wavefront in multiples of this */
    int64_t sgprs_reserved;      /* reserved by the system in each wavefront */
    /* AMD's GPUs: the size of the cache lines in which the first-level cache moves data: 64 or 128
     * bytes. */
    int64_t sector_bytes;
    /* AMD's GPUs: the lanes that the banks of the LDS serve at the same time, as words
     * KIND:BANKS:PHASES. KIND is the number of bits of one lane's access (32, 64, 96, 128), after
     * "load" or "store" if the two differ. BANKS is the number of banks that serve it. PHASES has a
     * digit for each four of 32 lanes, the phase in which these are served. "load128:32:01231032":
     * lanes 0 to 3 and 20 to 23 are served first. */
    char smem_phases[192];
    struct gr_access_rules rules; /* from these two; all 0 for NVIDIA's GPUs */
};

/* Reads a device file's text; `path` is for messages. INVALID, with the text "path:line: …", what
 * was found and what is wanted: a line is wrong, a key is missing or occurs twice, or a fact has no
 * source. */
enum gradus_status gr_device_read(const char *path, const char *text, struct gr_device *device,
                                  struct gradus_error *error);

/* Whether it is an AMD GPU. The members are then those of a compute unit (SM), wavefronts (warps)
 * and LDS (shared memory). */
bool gr_device_is_amd(const struct gr_device *device);

/* The peak rates at the boost clock in 10^9 operations per second. An FMA is two operations. */
double gr_device_gflops_f32(const struct gr_device *device);
double gr_device_gflops_f64(const struct gr_device *device);
/* That of the tensor cores for these types of A, B and C; `tf32`: floats are rounded to it. 0: the
 * tensor cores do not multiply them, or the device's file does not have their rate. */
double gr_device_gflops_tensor(const struct gr_device *device, struct gr_types types, bool tf32);

#endif
