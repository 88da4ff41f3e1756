// Particles in boxes; mpirun starts one process for each row of boxes. One of
// them looks for a particle in a box that does not exist.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

int main()
{
	const char *number = std::getenv("OMPI_COMM_WORLD_RANK");
	int rank = number ? std::atoi(number) : 0;
	std::map<std::string, std::vector<double>> boxes;

	for (int i = 0; i < 8; i++)
		boxes["box" + std::to_string(i)] = std::vector<double>(16, i);
	for (int step = 0; step < 40; step++) {
		int box = (step + 4 * rank) % (rank == 1 ? 9 : 8);
		double mean = boxes.at("box" + std::to_string(box)).at(3);

		std::printf("rank %d step %d box %d mean %.3f\n", rank, step,
		    box, mean);
		std::fflush(stdout);
		usleep(50000);
	}
}
