#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why nothing can be made any more. */
static _Atomic(const char *) reason;

int err_set(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	return -1;
}

/* The first reason stays: false when there was one. */
static bool blame(const char *text)
{
	const char *none = NULL;

	return atomic_compare_exchange_strong(&reason, &none, text);
}

int err_nomem(struct err *e)
{
	(void)blame("out of memory");
	return err_set(e, "%s", reason);
}

int err_errno(struct err *e, const char *path)
{
	if (errno == ENOMEM)
		return err_nomem(e);
	return err_set(e, "%s: %s", path, strerror(errno));
}

int err_missing(struct err *e, const char *text)
{
	char *kept = strdup(text);

	if (!kept)
		return err_nomem(e);
	if (!blame(kept))
		free(kept);
	return err_set(e, "%s", text);
}

bool err_out_of_memory(void)
{
	return reason != NULL;
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
