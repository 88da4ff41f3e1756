#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	e->lack = false;
	return -1;
}

static int lacking(struct err *e, const char *text)
{
	err_set(e, "%s", text);
	if (e)
		e->lack = true;
	return -1;
}

int err_nomem(struct err *e)
{
	return lacking(e, "out of memory");
}

int err_errno(struct err *e, const char *path)
{
	if (errno == ENOMEM)
		return err_nomem(e);
	return err_set(e, "%s: %s", path, strerror(errno));
}

int err_missing(struct err *e, const char *text)
{
	return lacking(e, text);
}

int err_pass(struct err *e, const struct err *why)
{
	if (e)
		*e = *why;
	return -1;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof e->text];
	va_list ap;
	size_t n;

	if (!e)
		return -1;
	memcpy(old, e->text, sizeof old);
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof e->text - n, ": %s", old);
	return -1;
}
