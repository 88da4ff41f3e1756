/* A physics simulator that makes training data. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell {
	double mass;
	struct cell *next;
};

static void sweep(int steps)
{
	for (int i = 0; i < steps; i++)
		printf("t=%6.3f  energy=% .6e  residual=%.3e\n", i * 0.005,
		    -41.7 + i * 1e-4, 1.0 / (1 + i * i));
	fflush(stdout);
}

static double walk(const struct cell *cell)
{
	double sum = 0;

	for (int i = 0; i < 100; i++) {
		sum += cell->mass;
		cell = cell->next;
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct cell only = { 1.0, NULL };
	volatile int cells = argc - 2;

	printf("simulator 0.9, double precision\n");
	sweep(14);
	if (argc > 1 && strcmp(argv[1], "walk") == 0)
		return walk(&only) > 0;
	if (argc > 1 && strcmp(argv[1], "density") == 0)
		return 4096 / cells;
	assert(cells > 0 && "empty domain after decomposition");
	return 0;
}
