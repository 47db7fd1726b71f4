/* pblas_blacs.h: what is used of the ScaLAPACK that the program has: BLACS by its Fortran names,
 * and how PBLAS reports errors. SPDX-License-Identifier: MIT
 *
 * The names are found by the loader, as in any library that is linked with ScaLAPACK, but this one
 * is not: it belongs to no particular MPI. All are weak, so that a program without them can load
 * it. */
#ifndef PBLAS_PBLAS_BLACS_H
#define PBLAS_PBLAS_BLACS_H

#include <gradus/gradus.h>

/* A process's place in the grid of a BLACS context, and the communicator of the grid. */
struct gr_pblas_grid {
    int context;
    int rows, cols, row, col; /* -1: this process is not in the grid, or there is no such context */
    int mpi_comm;             /* its Fortran handle */
};

/* Errors: UNSUPPORTED where the program has no BLACS. `mpi_comm` is not there yet. */
enum gradus_status gr_pblas_grid_of(int context, struct gr_pblas_grid *grid,
                                    struct gradus_error *error);
/* Fills in `mpi_comm` of a grid that the process is in. */
void gr_pblas_find_comm(struct gr_pblas_grid *grid);

/* As PBLAS does with a bad argument: `text` (at most 90 bytes) and then PB_Cabort, which ends all
 * processes; a program may have a PB_Cabort of its own, that returns. `info` is -i for argument i,
 * or -(100 i + j) for entry j of it. */
void gr_pblas_refuse(const struct gr_pblas_grid *grid, const char *routine, int info,
                     const char *text);
/* Ends the process, and by BLACS all others, after one line. It does not return. */
void gr_pblas_die(const struct gr_pblas_grid *grid, const char *routine, const char *text);

#endif
