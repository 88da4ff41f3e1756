// Keeps what compression has taken from a gradient for the next step. It is
// compiled with warnings on purpose.
#include <cstdio>
#include <vector>

struct error_state {
	std::vector<float> error;
	int fatal_overflow;
};

extern "C" int accumulate_error(float *grad, int n, error_state *state)
{
	int unused_error_count;
	for (unsigned i = 0; i < n; i++)
		grad[i] += state->error[i];
	if (n > 0)
		std::printf("%s error terms\n", n);
	for (int i = 0; i < n; i++)
		;
	state->fatal_overflow++;
}
