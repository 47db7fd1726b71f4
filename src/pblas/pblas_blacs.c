/* pblas_blacs.c: the calls of BLACS and of PBLAS's error handler. SPDX-License-Identifier: MIT */
#include "pblas/pblas_blacs.h"

#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* BLACS's, by Fortran's calling sequence. */
extern void blacs_gridinfo_(const int *context, int *rows, int *cols, int *row, int *col)
    __attribute__((weak));
extern void blacs_get_(const int *context, const int *what, int *value) __attribute__((weak));
extern void blacs_abort_(const int *context, const int *error) __attribute__((weak));
/* Of ScaLAPACK's PBLAS. */
extern void PB_Cwarn(int context, int line, const char *routine, const char *format, ...)
    __attribute__((weak));
extern void PB_Cabort(int context, const char *routine, int info) __attribute__((weak));

/* What blacs_get is asked for: the system's context of the grid, which is, for Fortran, the handle
 * of its communicator. */
enum { SYSTEM_CONTEXT_OF_GRID = 10 };

enum gradus_status gr_pblas_grid_of(int context, struct gr_pblas_grid *grid,
                                    struct gradus_error *error)
{
    *grid =
        (struct gr_pblas_grid){.context = context, .rows = -1, .cols = -1, .row = -1, .col = -1};
    if (!blacs_gridinfo_ || !blacs_get_)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "found no BLACS in the program's global scope (blacs_gridinfo_), wanted it "
                       "linked with ScaLAPACK");
    blacs_gridinfo_(&context, &grid->rows, &grid->cols, &grid->row, &grid->col);
    return GRADUS_OK;
}

void gr_pblas_find_comm(struct gr_pblas_grid *grid)
{
    const int what = SYSTEM_CONTEXT_OF_GRID;
    blacs_get_(&grid->context, &what, &grid->mpi_comm);
}

/* A launcher ends the processes as soon as one aborts, and MPICH's then loses what it has not yet
 * read of their standard error: the line that has just been written would be missing at times. */
static void let_line_arrive(void)
{
    nanosleep(&(const struct timespec){.tv_nsec = 20000000}, NULL);
}

void gr_pblas_refuse(const struct gr_pblas_grid *grid, const char *routine, int info,
                     const char *text)
{
    if (!PB_Cwarn || !PB_Cabort)
        gr_pblas_die(grid, routine, text);
    PB_Cwarn(grid->context, -1, routine, "%s", text);
    let_line_arrive();
    PB_Cabort(grid->context, routine, info);
}

void gr_pblas_die(const struct gr_pblas_grid *grid, const char *routine, const char *text)
{
    const int code = 2;
    fprintf(stderr, "gradus: %s: %s\n", routine, text);
    fflush(stderr);
    let_line_arrive();
    if (blacs_abort_ && grid->rows > 0)
        blacs_abort_(&grid->context, &code);
    abort();
}
