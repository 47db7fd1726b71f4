/* shared_out.mpi.c: a product of matrices that are shared out over the processes of an MPI, some
 * rows each. Compile it with mpicc and -lgradus; `mpirun -n 4 shared_out` prints, as any other
 * number of processes does:
 *
 *  > the sum of C is 505000
 *
 * SPDX-License-Identifier: MIT */
#include <gradus/dist.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 100 };

/* The first row of a rank's block; the first SIZE % ranks blocks have a row more. */
static int first_row(int rank, int ranks)
{
    const int more = SIZE % ranks;
    return rank * (SIZE / ranks) + (rank < more ? rank : more);
}

/* This rank's rows of a matrix. */
static struct gradus_dist_matrix rows_of(double *local, int ranks)
{
    struct gradus_dist_matrix matrix = {.distribution = GRADUS_BLOCKED};
    matrix.grid_rows = ranks, matrix.grid_cols = 1;
    matrix.local = local, matrix.ld = SIZE;
    return matrix;
}

static int multiply(double *a, double *b, double *c, int ranks)
{
    const MPI_Comm all = MPI_COMM_WORLD;
    struct gradus_comm *comm;
    struct gradus_error error = {0};
    enum gradus_status status = gradus_comm_create_mpi(&all, &comm, &error);
    if (!status) {
        struct gradus_gemm_dist gemm;
        gradus_gemm_dist_init(&gemm, GRADUS_F64);
        gemm.m = SIZE, gemm.n = SIZE, gemm.k = SIZE;
        gemm.a = rows_of(a, ranks);
        gemm.b = rows_of(b, ranks);
        gemm.c = rows_of(c, ranks);
        status = gradus_gemm_dist_run(&gemm, comm, &error);
        gradus_comm_free(comm);
    }
    if (status)
        fprintf(stderr, "error: %s\n", error.text);
    return status;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int begin = first_row(rank, ranks), rows = first_row(rank + 1, ranks) - begin;
    double *const a = malloc(sizeof(double) * SIZE * SIZE), *const b = malloc(sizeof(double) *
                                                                              SIZE * SIZE);
    double *const c = malloc(sizeof(double) * SIZE * SIZE), sum = 0, total = 0;
    if (!a || !b || !c)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < rows; i++) /* ones below the diagonal of A, and everywhere in B */
        for (int j = 0; j < SIZE; j++) {
            a[i * SIZE + j] = j <= begin + i;
            b[i * SIZE + j] = 1;
        }
    const int failed = multiply(a, b, c, ranks);
    for (int i = 0; i < rows * SIZE && !failed; i++)
        sum += c[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && !failed)
        printf("the sum of C is %g\n", total);
    free(a);
    free(b);
    free(c);
    MPI_Finalize();
    return failed != 0;
}
