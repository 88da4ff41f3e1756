/* The file is the job's, who reads it may be root: no link is followed. */
#include "jobs/reason_file.h"

#include "diagnose/signals/declared.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_start(int fd)
{
	char *text = calloc(1, REASON_FILE_MOST + 1);
	ssize_t n = text ? read(fd, text, REASON_FILE_MOST) : 0;

	if (n > 0)
		return text;
	free(text);
	return NULL;
}

char *reason_file_read(int64_t since)
{
	const char *path = getenv(REASON_FILE);
	char *text = NULL;
	struct stat st;
	int fd;

	if (!path || !*path)
		return NULL;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (int64_t)st.st_mtime >= since)
		text = read_start(fd);
	close(fd);
	return text;
}

int reason_file_tell(struct diagnosis *d, const struct taxonomy *tax,
    const char *text, struct err *e)
{
	return text && d->n_logs
	    ? declared_read(d->logs[0], tax, span_of(text), e)
	    : 0;
}
