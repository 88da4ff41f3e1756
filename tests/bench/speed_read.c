/*
 * The ceiling of the benchmark of speed: what it costs to read files and do
 * nothing with the bytes, in blocks of 256 KiB as the program's own. Folders
 * are walked.
 *
 * usage: speed_read PATH...; prints the number of bytes
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define BLOCK (256u << 10)

static char block[BLOCK];
static uint64_t total;

static int read_file(
    const char *path, const struct stat *st, int kind, struct FTW *at)
{
	int fd;
	ssize_t n;

	(void)st;
	(void)at;
	if (kind == FTW_D)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(path);
		return 1;
	}
	while ((n = read(fd, block, sizeof block)) > 0)
		total += (uint64_t)n;
	close(fd);
	if (n < 0)
		perror(path);
	return n < 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (nftw(argv[i], read_file, 16, FTW_PHYS))
			return 1;
	printf("%ju\n", (uintmax_t)total);
	return argc < 2;
}
