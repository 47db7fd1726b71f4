/* planted_omp.c: an OpenMP that needs a library of its own (planted_needed.c).
 * SPDX-License-Identifier: MIT */
int needed_number(void);
void omp_set_num_threads(int threads);
int omp_get_max_threads(void);

static int most;

void omp_set_num_threads(int threads)
{
    most = needed_number() == 5 ? threads : -1;
}

int omp_get_max_threads(void)
{
    return most;
}
