/* The built-in column maps lie in taxonomy/records/. */
#include "jobs/accounting_map.h"

#include "rules/embedded.h"

#include <string.h>

#define FOLDER "taxonomy/records/"

static const char *const files[ACCOUNTING_MAPS] = {
	[MAP_SACCT] = FOLDER "sacct.yaml",
	[MAP_JOBCOMP] = FOLDER "jobcomp.yaml",
	[MAP_OPENB] = FOLDER "openb.yaml",
	[MAP_KALOS] = FOLDER "kalos.yaml",
	[MAP_SEREN] = FOLDER "seren.yaml",
	[MAP_HELIOS] = FOLDER "helios.yaml",
	[MAP_USUAL] = FOLDER "usual.yaml",
};

struct accounting_map *accounting_map_built_in(
    enum accounting_builtin which, struct err *e)
{
	const struct embedded *f = embedded_files;

	while (strcmp(f->path, files[which]) != 0)
		f++;
	return accounting_map_new(
	    (struct span){ (const char *)f->data, f->len }, f->path, e);
}
