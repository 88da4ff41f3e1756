/* Talk: what goes to standard error, and what the terminal can do. */
#define _DEFAULT_SOURCE /* struct winsize */
#include "base/buf.h"
#include "base/err.h"
#include "cli/cli.h"
#include "rules/redact.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct redactor *secrets;

void screen_redact(const struct redactor *r)
{
	secrets = r;
}

/* false: there was no memory to make it fit to be seen. */
static bool say(const char *text)
{
	struct buf clean = BUF_INIT(BUF_MAX);
	char *hidden = redact_string(secrets, text);
	bool fit = hidden && text_visible(&clean, span_of(hidden)) == 0;

	if (fit)
		fprintf(stderr, "jobtriage: %s\n", clean.p ? clean.p : "");
	else /* what may hold a secret is not said */
		fputs("jobtriage: out of memory\n", stderr);
	free(hidden);
	buf_release(&clean);
	return fit;
}

void screen_complain(const char *fmt, ...)
{
	/* room for the longest path of the standard limit and a reason */
	char text[18 << 10];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	(void)say(text);
}

enum exit_status screen_failed(const struct err *e, enum exit_status status)
{
	return !say(e->text) || e->lack ? STATUS_INTERNAL : status;
}

bool screen_json(const struct settings *s)
{
	return strcmp(s->format, "json") == 0;
}

int screen_text_or_json(const struct settings *s, struct err *e)
{
	return screen_json(s) || strcmp(s->format, "text") == 0
	    ? 0
	    : err_set(e, "--format %s: expected text or json", s->format);
}

bool screen_colour(const struct settings *s, FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (s->colour != ON_AUTO)
		return s->colour == ON_ALWAYS;
	if ((no && *no) || (term && span_is(span_of(term), "dumb")))
		return false;
	return isatty(fileno(f)) == 1;
}

unsigned screen_width(FILE *f)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	int64_t n;

	if (isatty(fileno(f)) != 1)
		return 0;
	if (ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	n = columns ? span_number(span_of(columns)) : -1;
	return n > 0 && n < 10000 ? (unsigned)n : 80;
}

bool screen_moves(FILE *f)
{
	const char *term = getenv("TERM");

	return isatty(fileno(f)) == 1 && term && *term &&
	    strcmp(term, "dumb") != 0;
}

/* A container often has no locale at all, and a terminal that shows UTF-8. */
bool screen_ascii(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *v = getenv(names[i]);
		const char *set = v ? strchr(v, '.') : NULL;

		if (v && *v)
			return !set ||
			    (strncmp(set, ".UTF", 4) != 0 &&
				strncmp(set, ".utf", 4) != 0);
	}
	return false;
}
