/*
 * Everything that comes from a log passes html_text, which escapes what ends
 * text or an attribute and makes control characters and bidi overrides seen.
 */
#include "base/when.h"
#include "reports/period/html.h"

#include <string.h>

void html_raw(struct html *h, const char *markup)
{
	fputs(markup, h->f);
}

static void escape(struct html *h, struct span s)
{
	struct buf *b = &h->visible;

	buf_clear(b);
	if (text_visible(b, s)) {
		h->failed = true;
		return;
	}
	for (size_t i = 0; i < b->len; i++) {
		switch (b->p[i]) {
		case '&':
			fputs("&amp;", h->f);
			break;
		case '<':
			fputs("&lt;", h->f);
			break;
		case '>':
			fputs("&gt;", h->f);
			break;
		case '"':
			fputs("&quot;", h->f);
			break;
		case '\'':
			fputs("&#39;", h->f);
			break;
		default:
			putc(b->p[i], h->f);
		}
	}
}

void html_text(struct html *h, const char *s)
{
	struct span rest = span_of(s), line;
	bool first = true;

	while (span_line(&rest, &line)) {
		if (!first)
			putc('\n', h->f);
		escape(h, line);
		first = false;
	}
}

void html_wrap(
    struct html *h, const char *before, const char *s, const char *after)
{
	html_raw(h, before);
	html_text(h, s);
	html_raw(h, after);
}

void html_count(struct html *h, uint64_t n)
{
	char digits[24];
	int len =
	    snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			putc(',', h->f);
		putc(digits[i], h->f);
	}
}

void html_counted(struct html *h, uint64_t n, const char *one)
{
	html_count(h, n);
	fprintf(h->f, "&nbsp;%s%s", one, n == 1 ? "" : "s");
}

void html_hours(struct html *h, int64_t gpu_seconds, const struct sums *s)
{
	int64_t tenths = gpu_seconds / 360 + (gpu_seconds % 360 >= 180);

	if (gpu_seconds < 0 ||
	    (s && s->attempts && s->unmeasured >= s->attempts)) {
		html_raw(h, "<span class=\"muted\">unknown</span>");
		return;
	}
	if (s && s->estimated && gpu_seconds)
		putc('~', h->f);
	html_count(h, (uint64_t)(tenths / 10));
	fprintf(h->f, ".%d", (int)(tenths % 10));
}

void html_share(struct html *h, double part, double whole)
{
	if (whole > 0)
		fprintf(h->f, "%.1f&nbsp;%%", 100 * part / whole);
	else
		html_raw(h, "–");
}

/* ---- times ---- */

void html_time(struct html *h, int64_t micros)
{
	char text[32];

	if (micros == ENVELOPE_NO_TIME) {
		html_raw(h, "–");
		return;
	}
	when_format(report_local(h->r, micros), text);
	fprintf(h->f, "<time>%.10s&nbsp;%.5s</time>", text, text + 11);
}

/* ---- links and bars ---- */

void html_fragment(struct html *h, const char *s)
{
	static const char plain[] = "-._~0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (; *s; s++) {
		if (strchr(plain, *s))
			putc(*s, h->f);
		else
			fprintf(h->f, "%%%02X", (unsigned)(unsigned char)*s);
	}
}

void html_jobs_link(
    struct html *h, const char *field, const char *value, const char *label)
{
	fprintf(h->f, "<a href=\"#jobs?%s=", field);
	html_fragment(h, value);
	html_wrap(h, "\">", label, "</a>");
}

/* A member of an archive is no file, and a path that goes up may lead anywhere.
 */
static bool is_file(const char *path)
{
	if (strchr(path, '!'))
		return false;
	for (const char *s = path; s; s = strchr(s, '/')) {
		s += *s == '/';
		if (strncmp(s, "..", 2) == 0 && (!s[2] || s[2] == '/'))
			return false;
	}
	return true;
}

static const struct log_link *link_of(
    const struct report_style *style, const char *path)
{
	for (size_t i = 0; i < style->n_links && is_file(path); i++) {
		const struct log_link *l = &style->links[i];

		if (strncmp(path, l->strip, strlen(l->strip)) == 0 &&
		    (*l->strip || *path != '/'))
			return l;
	}
	return NULL;
}

void html_log(struct html *h, const char *path, int64_t line)
{
	const struct log_link *l = link_of(h->style, path);

	html_raw(h, "<span class=\"path\">");
	if (l) {
		html_wrap(h, "<a href=\"", l->add, "");
		for (const char *s = path + strlen(l->strip); *s; s++) {
			char c[2] = { *s, '\0' };

			if (*s == '/')
				putc('/', h->f);
			else
				html_fragment(h, c);
		}
		html_raw(h, "\">");
	}
	html_text(h, path);
	if (line > 0)
		fprintf(h->f, ":%lld", (long long)line);
	html_raw(h, l ? "</a></span>" : "</span>");
}

/* An SVG's attributes, unlike a style attribute, need no leave of the page's
 * security policy. */
void html_part(
    struct html *h, const char *kind, double part, double whole, double most)
{
	double width = 0;

	if (most > 0)
		width = part < most ? 100 * part / most : 100;
	fprintf(h->f,
	    "<svg class=\"bar %s\" viewBox=\"0 0 100 1\" aria-hidden=\"true\" "
	    "preserveAspectRatio=\"none\"><rect width=\"%.2f\" height=\"1\"/>"
	    "</svg>",
	    kind, width);
	html_raw(h, "<span class=\"share\">");
	html_share(h, part, whole);
	html_raw(h, "</span>");
}
