/*
 * The tokenizer of a data pipeline, in the two versions that meet by mistake,
 * and three ways in which its packer dies: tokens.c is built several times
 * with another PART.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef LIBRARY
int tok_encode(const char *text);
int tok_encode(const char *text)
{
	return (int)strlen(text);
}
#else

static void say(const char *what, long n)
{
	printf("[packer] %s %ld\n", what, n);
	fflush(stdout);
}

#ifdef CLIENT
int tok_encode(const char *text);

int main(void)
{
	say("encoded bytes:", tok_encode("the quick brown fox"));
	return 0;
}
#else

/* A document that is longer than the writer believed any could be. */
static void pack_title(const char *title)
{
	char field[24];

	strcpy(field, title);
	say("title bytes:", (long)strlen(field));
}

/* The index is mapped; somebody else makes the file shorter meanwhile. */
static long sum_index(const char *path)
{
	size_t size = 1 << 16;
	long sum = 0;
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
		exit(2);
	volatile char *map =
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		exit(2);
	map[0] = 7;
	say("index mapped, bytes:", (long)size);
	if (ftruncate(fd, 4096) != 0)
		exit(2);
	for (size_t i = 0; i < size; i += 4096)
		sum += map[i];
	return sum;
}

/* Built for a processor that this one is not. */
static void hash_block(void)
{
	say("using AVX-512 hash kernel, blocks:", 16);
	__builtin_trap();
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	for (int shard = 0; shard < 3; shard++)
		say("packed shard", shard);
	if (strcmp(part, "title") == 0)
		pack_title("A very long title that nobody had expected here");
	else if (strcmp(part, "index") == 0)
		say("index sum", sum_index("train.idx"));
	else
		hash_block();
	return 0;
}
#endif
#endif
