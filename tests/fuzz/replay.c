/*
 * Runs the files in folders as inputs of a target: replay TARGET DIR...
 * Each file's name is written before it runs, so that a crash has a name.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_file(const struct fuzz_target *t, const char *path)
{
	struct buf b = BUF_INIT(BUF_MAX);
	FILE *f = fopen(path, "rb");

	FUZZ_CHECK(f);
	do {
		FUZZ_CHECK(!buf_reserve(&b, 1 << 16));
		b.len += fread(b.p + b.len, 1, 1 << 16, f);
	} while (!feof(f) && !ferror(f));
	FUZZ_CHECK(!ferror(f));
	fclose(f);
	fprintf(stderr, "%s\n", path);
	fuzz_run(t, (struct span){ b.p, b.len });
	buf_release(&b);
}

static unsigned run_folder(const struct fuzz_target *t, const char *folder)
{
	struct dirent **v;
	int n = scandir(folder, &v, NULL, alphasort);
	unsigned files = 0;
	char path[4096];

	for (int i = 0; i < n; i++) {
		if (v[i]->d_name[0] != '.') {
			snprintf(
			    path, sizeof path, "%s/%s", folder, v[i]->d_name);
			run_file(t, path);
			files++;
		}
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	return files;
}

int main(int argc, char **argv)
{
	const struct fuzz_target *t =
	    argc > 1 ? fuzz_find(span_of(argv[1])) : NULL;
	unsigned files = 0;

	if (!t) {
		fprintf(stderr, "usage: replay TARGET DIR...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		files += run_folder(t, argv[i]);
	printf("%u\n", files);
	return 0;
}
