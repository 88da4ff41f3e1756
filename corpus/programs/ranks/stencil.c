/*
 * Heat in a rod, a part of it on each rank that mpirun has started: stencil
 * CASE. The parts of this version do not talk to each other; stencil.py binds
 * them together. Meant to be wrong: halo (an assertion), start (a file) and,
 * from Python, cells (a division).
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double relax(double *rod, int cells, int parts);

double relax(double *rod, int cells, int parts)
{
	int share = cells / parts;
	double sum = 0;

	assert(share > 0);
	for (int i = 1; i < share - 1; i++) {
		rod[i] = 0.25 * (rod[i - 1] + 2 * rod[i] + rod[i + 1]);
		sum += rod[i];
	}
	return sum;
}

static int start(int rank)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/mnt/data/restart/part.%d", rank);
	f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "stencil: rank %d: cannot open %s: %s\n", rank,
		    path, strerror(errno));
		return 3;
	}
	fclose(f);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *number = getenv("OMPI_COMM_WORLD_RANK");
	int rank = number ? atoi(number) : 0;
	const struct timespec pause = { 0, 50000000 };
	static double rod[3000];

	rod[0] = 100 + rank;
	for (int step = 1; step <= 40; step++) {
		int cells = 3000;

		if (step == 8 && rank == 1 && !strcmp(what, "halo"))
			cells = 2;
		if (step == 8 && rank == 2 && !strcmp(what, "start") &&
		    start(rank))
			return 3;
		printf("rank %d step %d heat %.4f\n", rank, step,
		    relax(rod, cells, 3));
		fflush(stdout);
		nanosleep(&pause, NULL);
	}
	return 0;
}
