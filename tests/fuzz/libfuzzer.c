/*
 * The door to libFuzzer. The target is told by the name of the program:
 * fuzz_<target>, links to one file, so that libFuzzer finds it again when it
 * starts itself anew.
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = strstr((*argv)[0], "fuzz_");

	(void)argc;
	for (const char *p = name; p; p = strstr(p + 1, "fuzz_"))
		name = p;
	target = fuzz_find(span_of(name ? name + strlen("fuzz_") : ""));
	if (!target) {
		fprintf(stderr, "%s: no such fuzz target\n", (*argv)[0]);
		exit(2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_run(target, (struct span){ (const char *)data, size });
	return 0;
}
