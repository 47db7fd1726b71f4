/* sass_table.c: the table of opcodes of NVIDIA's machine code, derived by comparing cubins with
 * their disassembly. SPDX-License-Identifier: MIT */
#include "code/sass.h"

#include "code/instruction.h"

/* A row for every architecture, and one for some of them. */
#define ALL(opcode, op, width)                                                                     \
    {                                                                                              \
        opcode, GR_SASS_FIRST_CC, UINT8_MAX, GR_OP_##op, GR_SASS_##width                           \
    }
#define SOME(opcode, first, last, op, width)                                                       \
    {                                                                                              \
        opcode, first, last, GR_OP_##op, GR_SASS_##width                                           \
    }

static const struct gr_sass_row rows[] = {
    ALL(0x001, OTHER, NO_WIDTH),                    /* PMTRIG */
    ALL(0x002, MOVE, NO_WIDTH),                     /* MOV */
    ALL(0x003, MOVE, NO_WIDTH),                     /* P2R */
    ALL(0x004, MOVE, NO_WIDTH),                     /* R2P */
    ALL(0x005, MOVE, NO_WIDTH),                     /* CS2R */
    ALL(0x006, MOVE, NO_WIDTH),                     /* VOTE */
    ALL(0x007, MOVE, NO_WIDTH),                     /* SEL */
    ALL(0x008, MOVE, NO_WIDTH),                     /* FSEL */
    ALL(0x009, FLOAT, NO_WIDTH),                    /* FMNMX */
    ALL(0x00a, FLOAT, NO_WIDTH),                    /* FSET */
    ALL(0x00b, FLOAT, NO_WIDTH),                    /* FSETP */
    ALL(0x00c, INTEGER, NO_WIDTH),                  /* ISETP */
    ALL(0x00f, INTEGER, NO_WIDTH),                  /* VIMNMX3 */
    ALL(0x010, INTEGER, NO_WIDTH),                  /* IADD3 */
    ALL(0x011, INTEGER, NO_WIDTH),                  /* LEA */
    ALL(0x012, INTEGER, NO_WIDTH),                  /* LOP3 */
    ALL(0x013, INTEGER, NO_WIDTH),                  /* IABS */
    ALL(0x014, INTEGER, NO_WIDTH),                  /* VABSDIFF */
    ALL(0x015, INTEGER, NO_WIDTH),                  /* VABSDIFF4 */
    ALL(0x016, MOVE, NO_WIDTH),                     /* PRMT */
    ALL(0x017, INTEGER, NO_WIDTH),                  /* IMNMX */
    ALL(0x019, INTEGER, NO_WIDTH),                  /* SHF */
    ALL(0x01a, INTEGER, NO_WIDTH),                  /* SGXT */
    ALL(0x01b, INTEGER, NO_WIDTH),                  /* BMSK */
    ALL(0x01c, INTEGER, NO_WIDTH),                  /* PLOP3 */
    ALL(0x020, FLOAT, NO_WIDTH),                    /* FMUL */
    ALL(0x021, FLOAT, NO_WIDTH),                    /* FADD */
    ALL(0x022, FLOAT, NO_WIDTH),                    /* FSWZADD */
    ALL(0x023, FFMA, NO_WIDTH),                     /* FFMA */
    ALL(0x024, INTEGER, NO_WIDTH),                  /* IMAD */
    ALL(0x025, INTEGER, NO_WIDTH),                  /* IMAD.WIDE */
    ALL(0x026, INTEGER, NO_WIDTH),                  /* IDP */
    ALL(0x027, INTEGER, NO_WIDTH),                  /* IMAD.HI */
    ALL(0x028, FLOAT, NO_WIDTH),                    /* DMUL */
    ALL(0x029, FLOAT, NO_WIDTH),                    /* DADD */
    ALL(0x02a, FLOAT, NO_WIDTH),                    /* DSETP */
    ALL(0x02b, DFMA, NO_WIDTH),                     /* DFMA */
    ALL(0x02d, BARRIER, NO_WIDTH),                  /* PREEXIT */
    ALL(0x02e, BARRIER, NO_WIDTH),                  /* ACQBULK */
    ALL(0x02f, MOVE, NO_WIDTH),                     /* ELECT */
    ALL(0x030, FLOAT, NO_WIDTH),                    /* HADD2 */
    ALL(0x031, HFMA2, NO_WIDTH),                    /* HFMA2 */
    ALL(0x032, FLOAT, NO_WIDTH),                    /* HMUL2 */
    ALL(0x033, FLOAT, NO_WIDTH),                    /* HSET2 */
    ALL(0x034, FLOAT, NO_WIDTH),                    /* HSETP2 */
    SOME(0x035, 70, 99, HFMA2, NO_WIDTH),           /* HFMA2.MMA */
    SOME(0x035, 100, UINT8_MAX, INTEGER, NO_WIDTH), /* IADD */
    ALL(0x036, INTEGER, NO_WIDTH),                  /* VIADD */
    ALL(0x037, MMA, NO_WIDTH),                      /* IMMA */
    ALL(0x038, INTEGER, NO_WIDTH),                  /* I2I */
    ALL(0x039, INTEGER, NO_WIDTH),                  /* I2IP */
    ALL(0x03a, MOVE, NO_WIDTH),                     /* MOVM */
    ALL(0x03b, LDS, MATRICES),                      /* LDSM */
    ALL(0x03c, MMA, NO_WIDTH),                      /* HMMA */
    ALL(0x03d, MMA, NO_WIDTH),                      /* BMMA */
    ALL(0x03e, FLOAT, NO_WIDTH),                    /* F2FP */
    ALL(0x03f, MMA, NO_WIDTH),                      /* DMMA */
    ALL(0x040, FLOAT, NO_WIDTH),                    /* HMNMX2 */
    ALL(0x043, FLOAT, NO_WIDTH),                    /* F2IP */
    ALL(0x044, STS, MATRICES),                      /* STSM */
    ALL(0x045, FLOAT, NO_WIDTH),                    /* I2FP */
    ALL(0x046, INTEGER, NO_WIDTH),                  /* VIADDMNMX */
    ALL(0x048, INTEGER, NO_WIDTH),                  /* VIMNMX */
    ALL(0x049, FFMA, NO_WIDTH),                     /* FFMA2 */
    SOME(0x04a, 100, 119, FLOAT, NO_WIDTH),         /* FMUL2 */
    SOME(0x04a, 120, UINT8_MAX, INTEGER, NO_WIDTH), /* UVIMNMX */
    ALL(0x04b, FLOAT, NO_WIDTH),                    /* FADD2 */
    ALL(0x04c, OTHER, NO_WIDTH),                    /* UVIRTCOUNT */
    ALL(0x051, MOVE, NO_WIDTH),                     /* UFSEL */
    ALL(0x053, FLOAT, NO_WIDTH),                    /* UFSETP */
    ALL(0x054, FLOAT, NO_WIDTH),                    /* UFADD */
    ALL(0x055, FFMA, NO_WIDTH),                     /* UFFMA */
    ALL(0x056, FLOAT, NO_WIDTH),                    /* UFMUL */
    ALL(0x05a, FLOAT, NO_WIDTH),                    /* UI2F */
    ALL(0x07a, MMA, NO_WIDTH),                      /* QMMA */
    ALL(0x07f, MMA, NO_WIDTH),                      /* OMMA */
    ALL(0x082, MOVE, NO_WIDTH),                     /* UMOV */
    ALL(0x083, MOVE, NO_WIDTH),                     /* UP2UR */
    ALL(0x085, INTEGER, NO_WIDTH),                  /* UIMNMX */
    ALL(0x086, MOVE, NO_WIDTH),                     /* VOTEU */
    ALL(0x087, MOVE, NO_WIDTH),                     /* USEL */
    ALL(0x08c, INTEGER, NO_WIDTH),                  /* UISETP */
    ALL(0x090, INTEGER, NO_WIDTH),                  /* UIADD3 */
    ALL(0x091, INTEGER, NO_WIDTH),                  /* ULEA */
    ALL(0x092, INTEGER, NO_WIDTH),                  /* ULOP3 */
    ALL(0x096, MOVE, NO_WIDTH),                     /* UPRMT */
    ALL(0x097, INTEGER, NO_WIDTH),                  /* UIADD3.64 */
    ALL(0x099, INTEGER, NO_WIDTH),                  /* USHF */
    ALL(0x09c, INTEGER, NO_WIDTH),                  /* UPLOP3 */
    ALL(0x0a4, INTEGER, NO_WIDTH),                  /* UIMAD */
    ALL(0x0a5, INTEGER, NO_WIDTH),                  /* UIMAD.WIDE */
    ALL(0x0a6, INTEGER, NO_WIDTH),                  /* UIMAD.HI */
    ALL(0x0b9, CONSTANT, WIDTH),                    /* ULDC */
    ALL(0x0bd, INTEGER, NO_WIDTH),                  /* UFLO */
    ALL(0x0bf, INTEGER, NO_WIDTH),                  /* UPOPC */
    ALL(0x0ca, MOVE, NO_WIDTH),                     /* R2UR */
    ALL(0x0cc, INTEGER, NO_WIDTH),                  /* CREDUX */
    ALL(0x100, INTEGER, NO_WIDTH),                  /* FLO */
    ALL(0x101, INTEGER, NO_WIDTH),                  /* BREV */
    ALL(0x102, FLOAT, NO_WIDTH),                    /* FCHK */
    ALL(0x104, FLOAT, NO_WIDTH),                    /* F2F */
    ALL(0x105, FLOAT, NO_WIDTH),                    /* F2I */
    ALL(0x106, FLOAT, NO_WIDTH),                    /* I2F */
    ALL(0x107, FLOAT, NO_WIDTH),                    /* FRND */
    ALL(0x108, FLOAT, NO_WIDTH),                    /* MUFU */
    ALL(0x109, INTEGER, NO_WIDTH),                  /* POPC */
    ALL(0x110, FLOAT, NO_WIDTH),                    /* F2F.F64 */
    ALL(0x111, FLOAT, NO_WIDTH),                    /* F2I.F64 */
    ALL(0x112, FLOAT, NO_WIDTH),                    /* I2F.F64 */
    ALL(0x113, FLOAT, NO_WIDTH),                    /* FRND.F64 */
    ALL(0x118, OTHER, NO_WIDTH),                    /* NOP */
    ALL(0x119, MOVE, NO_WIDTH),                     /* S2R */
    ALL(0x11a, BARRIER, NO_WIDTH),                  /* DEPBAR */
    ALL(0x11b, BARRIER, NO_WIDTH),                  /* ENDCOLLECTIVE */
    ALL(0x11c, BARRIER, NO_WIDTH),                  /* B2R */
    ALL(0x11d, BARRIER, NO_WIDTH),                  /* BAR */
    ALL(0x141, BRANCH, NO_WIDTH),                   /* BSYNC */
    ALL(0x142, BRANCH, NO_WIDTH),                   /* BREAK */
    ALL(0x143, BRANCH, NO_WIDTH),                   /* CALL.ABS */
    ALL(0x144, BRANCH, NO_WIDTH),                   /* CALL.REL */
    ALL(0x145, BRANCH, NO_WIDTH),                   /* BSSY */
    ALL(0x146, OTHER, NO_WIDTH),                    /* YIELD */
    ALL(0x147, BRANCH, NO_WIDTH),                   /* BRA */
    ALL(0x148, BARRIER, NO_WIDTH),                  /* WARPSYNC */
    ALL(0x149, BRANCH, NO_WIDTH),                   /* BRX */
    ALL(0x14d, BRANCH, NO_WIDTH),                   /* EXIT */
    ALL(0x14e, MOVE, NO_WIDTH),                     /* LEPC */
    ALL(0x150, BRANCH, NO_WIDTH),                   /* RET */
    ALL(0x155, MOVE, NO_WIDTH),                     /* BMOV */
    ALL(0x156, MOVE, NO_WIDTH),                     /* BMOV of a constant */
    ALL(0x158, BRANCH, NO_WIDTH),                   /* BRXU */
    ALL(0x15c, OTHER, NO_WIDTH),                    /* BPT */
    ALL(0x15d, OTHER, NO_WIDTH),                    /* NANOSLEEP */
    ALL(0x160, OTHER, NO_WIDTH),                    /* TEX */
    ALL(0x163, OTHER, NO_WIDTH),                    /* TLD4 */
    ALL(0x166, OTHER, NO_WIDTH),                    /* TLD */
    ALL(0x17e, LDG, WIDEST),                        /* LDG.256 */
    ALL(0x17f, STG, WIDEST),                        /* STG.256 */
    ALL(0x180, LDG, WIDTH),                         /* LD: the address says which memory */
    ALL(0x181, LDG, WIDTH),                         /* LDG */
    ALL(0x182, CONSTANT, WIDTH),                    /* LDC */
    ALL(0x183, LDL, WIDTH),                         /* LDL */
    ALL(0x184, LDS, WIDTH),                         /* LDS */
    ALL(0x185, STG, WIDTH),                         /* ST: as LD */
    ALL(0x186, STG, WIDTH),                         /* STG */
    ALL(0x187, STL, WIDTH),                         /* STL */
    ALL(0x188, STS, WIDTH),                         /* STS */
    ALL(0x189, MOVE, NO_WIDTH),                     /* SHFL */
    ALL(0x18a, ATOMIC, NO_WIDTH),                   /* ATOM */
    ALL(0x18b, ATOMIC, NO_WIDTH),                   /* ATOM.CAS */
    ALL(0x18c, ATOMIC, NO_WIDTH),                   /* ATOMS */
    ALL(0x18d, ATOMIC, NO_WIDTH),                   /* ATOMS.CAS */
    ALL(0x18e, ATOMIC, NO_WIDTH),                   /* RED, REDG */
    ALL(0x18f, OTHER, NO_WIDTH),                    /* CCTL */
    ALL(0x192, BARRIER, NO_WIDTH),                  /* MEMBAR */
    ALL(0x199, OTHER, NO_WIDTH),                    /* SULD */
    ALL(0x19d, OTHER, NO_WIDTH),                    /* SUST */
    ALL(0x1a1, MOVE, NO_WIDTH),                     /* MATCH */
    ALL(0x1a2, ATOMIC, NO_WIDTH),                   /* ATOM.ADD of floats */
    ALL(0x1a3, ATOMIC, NO_WIDTH),                   /* ATOMG.ADD of floats */
    ALL(0x1a5, ATOMIC, NO_WIDTH),                   /* LDGMC.ADD */
    ALL(0x1a6, ATOMIC, NO_WIDTH),                   /* REDG.ADD of floats */
    ALL(0x1a7, BARRIER, NO_WIDTH),                  /* SYNCS.ARRIVE */
    ALL(0x1a8, ATOMIC, NO_WIDTH),                   /* ATOMG */
    ALL(0x1a9, ATOMIC, NO_WIDTH),                   /* ATOMG.CAS */
    ALL(0x1aa, OTHER, NO_WIDTH),                    /* QSPC */
    ALL(0x1ab, BARRIER, NO_WIDTH),                  /* ERRBAR, CGAERRBAR */
    ALL(0x1ac, CONSTANT, WIDTH),                    /* LDCU */
    ALL(0x1ae, LDGSTS, COPY_WIDTH),                 /* LDGSTS */
    ALL(0x1af, BARRIER, NO_WIDTH),                  /* LDGDEPBAR */
    ALL(0x1b1, BARRIER, NO_WIDTH),                  /* SYNCS.CCTL */
    ALL(0x1b2, BARRIER, NO_WIDTH),                  /* SYNCS.EXCH */
    ALL(0x1b4, BULK, NO_WIDTH),                     /* UTMALDG */
    ALL(0x1b5, BULK, NO_WIDTH),                     /* UTMASTG */
    ALL(0x1b6, BULK, NO_WIDTH),                     /* UTMAREDG */
    ALL(0x1b7, BULK, NO_WIDTH),                     /* UTMACMDFLUSH */
    ALL(0x1b8, BULK, NO_WIDTH),                     /* UTMAPF */
    ALL(0x1b9, BULK, NO_WIDTH),                     /* UTMACCTL */
    ALL(0x1ba, BULK, NO_WIDTH),                     /* UBLKCP */
    ALL(0x1bb, BULK, NO_WIDTH),                     /* UBLKRED */
    ALL(0x1bc, BULK, NO_WIDTH),                     /* UBLKPF */
    ALL(0x1bd, OTHER, NO_WIDTH),                    /* STAS */
    ALL(0x1be, ATOMIC, NO_WIDTH),                   /* REDAS */
    ALL(0x1c2, MOVE, NO_WIDTH),                     /* R2UR */
    ALL(0x1c3, MOVE, NO_WIDTH),                     /* S2UR */
    ALL(0x1c4, INTEGER, NO_WIDTH),                  /* REDUX */
    ALL(0x1c5, BARRIER, NO_WIDTH),                  /* WARPGROUP */
    ALL(0x1c6, BARRIER, NO_WIDTH),                  /* FENCE */
    ALL(0x1c7, BARRIER, NO_WIDTH),                  /* UCGABAR_ARV, UCGABAR_WAIT */
    ALL(0x1e3, OTHER, NO_WIDTH),                    /* UTCATOMSWS */
    ALL(0x1e6, OTHER, NO_WIDTH),                    /* UTCSHIFT */
    ALL(0x1e7, BULK, NO_WIDTH),                     /* UTCCP */
    ALL(0x1e9, BARRIER, NO_WIDTH),                  /* UTCBAR */
    ALL(0x1ea, MMA, NO_WIDTH),                      /* UTCHMMA, UTCIMMA, UTCQMMA, UTCOMMA */
    ALL(0x1ed, OTHER, NO_WIDTH),                    /* STTM */
    ALL(0x1ee, OTHER, NO_WIDTH),                    /* LDTM */
    ALL(0x1f0, MMA, NO_WIDTH),                      /* HGMMA */
    ALL(0x1f1, MMA, NO_WIDTH),                      /* IGMMA */
    ALL(0x1f2, MMA, NO_WIDTH),                      /* BGMMA */
    ALL(0x1f3, MMA, NO_WIDTH),                      /* QGMMA */
};

const struct gr_sass_row *gr_sass_table(size_t *count)
{
    *count = sizeof rows / sizeof *rows;
    return rows;
}

/* The first row of an opcode that is not below `opcode`. */
static size_t lower_bound(int opcode)
{
    size_t low = 0, high = sizeof rows / sizeof *rows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct gr_sass_row *gr_sass_find(int cc, int opcode)
{
    for (size_t i = lower_bound(opcode); i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].opcode != opcode)
            break;
        if (cc >= rows[i].first_cc && cc <= rows[i].last_cc)
            return &rows[i];
    }
    return NULL;
}
