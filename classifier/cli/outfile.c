/*
 * A report appears whole or not at all: it is written beside its place, put on
 * disk, and renamed. Devices and pipes are written directly.
 */
#include "base/err.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int outfile_open(struct outfile *o, const char *name, struct err *e)
{
	struct stat st;
	mode_t mask;
	int fd;

	*o = (struct outfile){ .f = stdout };
	if (!name || strcmp(name, "-") == 0)
		return 0;
	o->name = span_dup(span_of(name));
	if (!o->name)
		return err_nomem(e);
	if (stat(name, &st) == 0 && !S_ISREG(st.st_mode)) {
		o->f = fopen(name, "w");
		return o->f ? 0 : err_set(e, "%s: %s", name, strerror(errno));
	}
	o->aside = malloc(strlen(name) + 16);
	if (!o->aside)
		return err_nomem(e);
	sprintf(o->aside, "%s.XXXXXX", name);
	fd = mkstemp(o->aside);
	if (fd < 0) {
		err_set(
		    e, "%s: cannot write beside it: %s", name, strerror(errno));
		free(o->aside);
		o->aside = NULL;
		return -1;
	}
	mask = umask(0);
	umask(mask);
	(void)fchmod(fd, 0666 & ~mask);
	o->f = fdopen(fd, "w");
	if (!o->f) {
		close(fd);
		return err_set(e, "%s: %s", name, strerror(errno));
	}
	return 0;
}

static void release(struct outfile *o)
{
	free(o->name);
	free(o->aside);
	*o = (struct outfile){ 0 };
}

void outfile_abandon(struct outfile *o)
{
	if (o->f && o->f != stdout)
		fclose(o->f);
	if (o->aside)
		unlink(o->aside);
	release(o);
}

int outfile_close(struct outfile *o, struct err *e)
{
	const char *name = o->name ? o->name : "standard output";
	int rc = 0;

	errno = 0;
	if (err_out_of_memory())
		rc = err_nomem(e);
	else if (fflush(o->f) || ferror(o->f) ||
	    (o->aside && fsync(fileno(o->f))))
		rc = err_set(e, "%s: %s", name,
		    errno ? strerror(errno) : "could not be written");
	if (!rc && o->f == stdout) {
		/* a full disk may show only now */
		if (fclose(stdout))
			rc = err_set(e, "%s: %s", name, strerror(errno));
	} else if (o->f != stdout) {
		if (fclose(o->f) && !rc)
			rc = err_set(e, "%s: %s", name, strerror(errno));
		o->f = NULL;
	}
	if (!rc && o->aside && rename(o->aside, o->name))
		rc = err_set(e, "%s: %s", name, strerror(errno));
	if (rc && o->aside)
		unlink(o->aside);
	release(o);
	return rc;
}
