/* Asks the CUDA run time for its devices, as every GPU program does first. */
#include <cuda_runtime_api.h>
#include <stdio.h>

int main(void)
{
	int count = 0, version = 0;
	cudaError_t error = cudaRuntimeGetVersion(&version);

	printf("[infer] CUDA run time %d.%d\n", version / 1000,
	    version % 1000 / 10);
	fflush(stdout);
	if (error == cudaSuccess)
		error = cudaGetDeviceCount(&count);
	if (error != cudaSuccess) {
		fprintf(stderr, "[infer] device.c:17: CUDA error %d: %s\n",
		    (int)error, cudaGetErrorString(error));
		return 1;
	}
	printf("[infer] %d devices\n", count);
	return 0;
}
