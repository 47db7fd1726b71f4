/* interface.c: the communicators of gradus/dist.h over MPI: what is refused, that a communicator's
 * handle for Fortran is as good, that halves of the processes can each have a product of their own,
 * and that one which was freed can be made again. SPDX-License-Identifier: MIT */
#include <gradus/dist.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failed;

static void expect(int right, const char *what, const struct gradus_error *error)
{
    if (!right) {
        printf("%s: %s\n", what, error->text);
        failed = 1;
    }
}

/* A row times a column, of which each rank has a copy, times the number of ranks; -1: it failed. */
static double product(struct gradus_comm *comm, struct gradus_error *error)
{
    double a[6], b[6], c = -1;
    struct gradus_gemm_dist g;
    for (int i = 0; i < 6; i++)
        a[i] = i, b[i] = 1;
    gradus_gemm_dist_init(&g, GRADUS_F64);
    g.m = 1, g.n = 1, g.k = 6;
    g.alpha = (double)gradus_comm_size(comm);
    g.a.local = a, g.a.ld = 6;
    g.b.local = b, g.b.ld = 1;
    g.c.local = &c, g.c.ld = 1;
    return gradus_gemm_dist_run(&g, comm, error) ? -1 : c;
}

int main(int argc, char **argv)
{
    struct gradus_error error = {0};
    struct gradus_comm *comm;
    const MPI_Comm none = MPI_COMM_NULL;
    MPI_Comm world = MPI_COMM_WORLD, half, between;
    int rank, size, half_size;
    expect(gradus_comm_create_mpi(&world, &comm, &error) == GRADUS_INVALID &&
               strstr(error.text, "wanted MPI_Init before") && !comm,
           "before MPI_Init", &error);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    expect(gradus_comm_create_mpi(&none, &comm, &error) == GRADUS_INVALID &&
               strstr(error.text, "a null communicator"),
           "a null communicator", &error);
    for (int i = 0; i < 3; i++) {
        const enum gradus_status status =
            i == 1 ? gradus_comm_create_fortran((int)MPI_Comm_c2f(world), &comm, &error)
                   : gradus_comm_create_mpi(&world, &comm, &error);
        expect(status == GRADUS_OK && gradus_comm_rank(comm) == rank &&
                   gradus_comm_size(comm) == size,
               "all ranks", &error);
        expect(product(comm, &error) == 15 * size, "a product of all", &error);
        gradus_comm_free(comm);
    }
    MPI_Comm_split(world, rank % 2, -rank, &half);
    MPI_Comm_size(half, &half_size);
    expect(gradus_comm_create_mpi(&half, &comm, &error) == GRADUS_OK, "a half", &error);
    expect(product(comm, &error) == 15 * half_size, "a product of a half", &error);
    gradus_comm_free(comm);
    if (size > 1) {
        MPI_Intercomm_create(half, 0, world, size - 1 - (size - 1 - rank + 1) % 2, 1, &between);
        expect(gradus_comm_create_mpi(&between, &comm, &error) == GRADUS_INVALID &&
                   strstr(error.text, "between two groups"),
               "between two groups", &error);
        MPI_Comm_free(&between);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    expect(gradus_comm_create_mpi(&world, &comm, &error) == GRADUS_INVALID &&
               strstr(error.text, "before MPI_Finalize"),
           "after MPI_Finalize", &error);
    return failed;
}
