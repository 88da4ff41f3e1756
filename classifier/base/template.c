/*
 * A table of recognisers is tried where a token begins; the first that knows
 * it says how far it goes. What none knows is kept, but for the digits in it.
 * Each byte is looked at a bounded number of times, whatever the line is.
 */
#include "base/template.h"

#include "base/buf.h"

#define QUOTED_MAX 300
#define QUOTED_BLANKS 3 /* with more it is a sentence */
#define HEX_LEAST 8
#define ID_TURNS 4 /* from letters to digits or back */
#define RUN_MOST 3 /* of one sign */
#define WORD_LEAST 3
#define TEMPORARY                                                  \
	11 /* bytes of the names that mkstemp and the like make up \
	    */

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (unsigned char)c >= 0x80;
}

static bool hex(char c)
{
	return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool word(char c)
{
	return digit(c) || letter(c) || c == '_';
}

static bool one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static char at(struct span s, size_t i)
{
	return i < s.n ? s.p[i] : '\0';
}

/* A block element of a progress bar, U+2580 to U+259F, which is no letter. */
static size_t bar(struct span s)
{
	return s.n > 2 && memcmp(s.p, "\xe2\x96", 2) == 0 ? 3 : 0;
}

/* How many of s from i on are such. */
static size_t run_of(struct span s, size_t i, bool (*is)(char c))
{
	size_t n = 0;

	while (i + n < s.n && is(s.p[i + n]) && !bar(span_sub(s, i + n, s.n)))
		n++;
	return n;
}

/* ---- recognisers: bytes that they take, 0: it is something else ---- */

/* Between two equal quotes; in a word it is an apostrophe. */
static size_t quoted(struct span s)
{
	size_t blanks = 0, n = 1;

	if (!one_of(at(s, 0), "'\"`"))
		return 0;
	for (; n < s.n && n < QUOTED_MAX && s.p[n] != s.p[0]; n++)
		blanks += s.p[n] == ' ';
	return n > 1 && at(s, n) == s.p[0] && blanks <= QUOTED_BLANKS &&
		!word(at(s, n + 1))
	    ? n + 1
	    : 0;
}

static bool of_uri(char c)
{
	return (unsigned char)c > ' ' && !one_of(c, "'\"`<>()[]{},;");
}

/* Without the stop that ends the sentence. */
static size_t without_stop(struct span s, size_t n)
{
	while (n && one_of(s.p[n - 1], ".:!?"))
		n--;
	return n;
}

static size_t url(struct span s)
{
	size_t n = run_of(s, 0, letter);

	if (n < 2 || s.n < n + 4 || memcmp(s.p + n, "://", 3) != 0)
		return 0;
	return without_stop(s, run_of(s, 0, of_uri));
}

static bool of_path(char c)
{
	return word(c) || one_of(c, "-./+@~%#*");
}

/* Absolute, below a folder that is named, or two names deep: "and/or", "it/s"
 * and "1/90" are none. */
static size_t path(struct span s)
{
	size_t n = without_stop(s, run_of(s, 0, of_path)), slashes = 0;
	bool letters = false, file = false;

	for (size_t i = 0; i < n; i++) {
		letters |= letter(s.p[i]);
		if (s.p[i] == '/') {
			slashes++;
			file = false;
		}
		file |= s.p[i] == '.' && i && letter(at(s, i + 1)) &&
		    word(s.p[i - 1]) && slashes;
	}
	if (!letters || !slashes || n < 3)
		return 0;
	if (s.p[0] == '/')
		return letter(s.p[1]) || one_of(s.p[1], "._") || slashes > 1
		    ? n
		    : 0;
	if (one_of(s.p[0], ".~"))
		return n;
	return word(s.p[0]) && (file || slashes > 2) ? n : 0;
}

static size_t uuid(struct span s)
{
	static const unsigned char groups[] = { 8, 4, 4, 4, 12 };
	size_t n = 0;

	for (size_t i = 0; i < sizeof groups; i++) {
		if (i && at(s, n++) != '-')
			return 0;
		if (run_of(s, n, hex) != groups[i])
			return 0;
		n += groups[i];
	}
	return word(at(s, n)) ? 0 : n;
}

/* Digits, a number of them in [least, most], or 0. */
static size_t digits(struct span s, size_t i, size_t least, size_t most)
{
	size_t n = run_of(s, i, digit);

	return n >= least && n <= most ? n : 0;
}

/* "12:30:01", with a fraction and a zone if they are there. */
static size_t clock_time(struct span s, size_t from)
{
	size_t n = from + digits(s, from, 1, 3);

	for (int i = 0; i < 2; i++) {
		if (n == from || at(s, n) != ':' || !digits(s, n + 1, 2, 2))
			return 0;
		n += 3;
	}
	if (one_of(at(s, n), ".,") && digit(at(s, n + 1)))
		n += 1 + run_of(s, n + 1, digit);
	if (at(s, n) == 'Z')
		return n + 1;
	if (one_of(at(s, n), "+-") && digits(s, n + 1, 4, 4))
		return n + 5;
	if (one_of(at(s, n), "+-") && digits(s, n + 1, 2, 2) &&
	    at(s, n + 3) == ':' && digits(s, n + 4, 2, 2))
		return n + 6;
	return n;
}

/* "2024-05-01", "2024/05/01", "01/05/2024" */
static size_t date(struct span s)
{
	size_t a = digits(s, 0, 1, 4), b, c;
	char between = at(s, a);

	if (!a || !one_of(between, "-/"))
		return 0;
	b = digits(s, a + 1, 1, 2);
	if (!b || at(s, a + 1 + b) != between)
		return 0;
	c = digits(s, a + b + 2, 1, 4);
	return c && (a == 4 || c == 4) ? a + b + c + 2 : 0;
}

/* "May  1", and "Wed May 1" */
static size_t named_date(struct span s)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec"
				    "MonTueWedThuFriSatSun";
	size_t n = 0, day;

	for (int i = 0; i < 2; i++) {
		bool month = false, known = false;

		for (size_t k = 0; s.n > n + 3 && names[k]; k += 3)
			if (memcmp(s.p + n, names + k, 3) == 0) {
				known = true;
				month = k < 36;
			}
		n += 3;
		if (!known || at(s, n) != ' ')
			return 0;
		while (at(s, n) == ' ')
			n++;
		if (month)
			break;
		if (i)
			return 0;
	}
	day = digits(s, n, 1, 2);
	return day && !word(at(s, n + day)) ? n + day : 0;
}

static size_t time_of_day(struct span s)
{
	size_t n = date(s), more;

	if (!n)
		n = named_date(s);
	if (!n)
		n = clock_time(s, 0);
	else if (one_of(at(s, n), " T") && (more = clock_time(s, n + 1)))
		n = more;
	if (n && at(s, n) == ' ' && digits(s, n + 1, 4, 4) && letter(s.p[0]))
		n += 5; /* the year of a named date */
	return n && !word(at(s, n)) ? n : 0;
}

static bool of_ipv6(char c)
{
	return hex(c) || c == ':';
}

static size_t address(struct span s)
{
	size_t n = 0, colons = 0, numbers = 0;

	for (int i = 0; i < 4; i++) {
		size_t k = digits(s, n, 1, 3);

		if (!k || (i < 3 && at(s, n + k) != '.')) {
			n = 0;
			break;
		}
		n += k + (i < 3);
	}
	if (n)
		return word(at(s, n)) ||
			(at(s, n) == '.' && digit(at(s, n + 1)))
		    ? 0
		    : n;
	n = run_of(s, 0, of_ipv6);
	while (n && s.p[n - 1] == ':')
		n--;
	for (size_t i = 0; i < n; i++) {
		colons += s.p[i] == ':';
		numbers += digit(s.p[i]);
	}
	return colons > 2 && numbers && !word(at(s, n)) ? n : 0;
}

static bool of_host(char c)
{
	return word(c) || c == '-' || c == '.';
}

/* A name with dots under a domain that no file and no module ends with. */
static size_t host(struct span s)
{
	static const char *const domains[] = { ".com", ".org", ".net", ".edu",
		".gov", ".local", ".localdomain", ".internal", ".lan", NULL };
	size_t n = without_stop(s, run_of(s, 0, of_host));

	if (!word(at(s, 0)))
		return 0;
	for (size_t i = 0; domains[i]; i++)
		if (n > strlen(domains[i]) &&
		    span_ends(span_sub(s, 0, n), domains[i]))
			return n;
	return 0;
}

/* "0x7f00", or a word that is a hash's. */
static size_t hexadecimal(struct span s)
{
	size_t n = run_of(s, 0, hex), letters = 0;

	if (at(s, 0) == '0' && one_of(at(s, 1), "xX")) {
		n = run_of(s, 2, hex);
		return n && !word(at(s, n + 2)) ? n + 2 : 0;
	}
	for (size_t i = 0; i < n; i++)
		letters += letter(s.p[i]);
	return n >= HEX_LEAST && letters && letters < n && !word(at(s, n)) ? n
									   : 0;
}

static bool alphanumeric(char c)
{
	return digit(c) || letter(c);
}

/* "tmpk2x_9a1b", "x7k2qf81": no person's word; "4x3x224" is a shape. */
static size_t made_up(struct span s)
{
	size_t n = run_of(s, 0, word), turns = 0, part;
	bool other = false;

	if (n == TEMPORARY && span_starts(s, "tmp"))
		return n;
	part = run_of(s, 0, alphanumeric);
	for (size_t i = 1; i < part; i++) {
		turns += digit(s.p[i]) != digit(s.p[i - 1]);
		other |= letter(s.p[i]) && s.p[i] != 'x';
	}
	return turns >= ID_TURNS && other && part == n ? n : 0;
}

/* Digits with what belongs to them: "1,234", "0.25", "1e-5". */
static size_t number(struct span s)
{
	size_t n = run_of(s, 0, digit), k;

	if (!n)
		return 0;
	while (one_of(at(s, n), ".,") && digit(at(s, n + 1)) &&
	    (s.p[n] == '.' || digits(s, n + 1, 3, 3)))
		n += 1 + run_of(s, n + 1, digit);
	if (one_of(at(s, n), "eE")) {
		k = n + 1 + (size_t)one_of(at(s, n + 1), "+-");
		if (digit(at(s, k)) && !word(at(s, k + run_of(s, k, digit))))
			n = k + run_of(s, k, digit);
	}
	return n;
}

/* In their order: what is the more particular first. */
static const struct recogniser {
	size_t (*take)(struct span s);
	const char *placeholder;
	/* of what it may consist, where it may be long: what failed at the
	 * start of such a run is not tried within it */
	bool (*of)(char c);
} recognisers[] = {
	{ url, "<url>", NULL },
	{ uuid, "<uuid>", NULL },
	{ time_of_day, "<time>", NULL },
	{ address, "<host>", of_ipv6 },
	{ hexadecimal, "<hex>", NULL },
	{ path, "<path>", of_path },
	{ host, "<host>", of_host },
	{ made_up, "<id>", NULL },
	{ number, "<num>", NULL },
};
#define RECOGNISERS (sizeof recognisers / sizeof *recognisers)

/* ---- the template ---- */

struct mask {
	struct buf *out;
	struct span line;
	size_t until[RECOGNISERS]; /* where it is tried again */
	size_t start;              /* of the template in out */
	size_t list;               /* end of the last number in it, or 0 */
	unsigned repeat;           /* of the sign that ends it */
	bool words;
	bool quotes; /* what stands in them is kept */
};

/* Numbers with nothing else between are one, however many they are. */
static int put_number(struct mask *m)
{
	static const char *const between[] = { ", ", ",", " ", "; ", "x",
		NULL };
	struct span since = span_of("");

	if (m->list)
		since =
		    (struct span){ m->out->p + m->list, m->out->len - m->list };
	for (size_t i = 0; between[i]; i++)
		if (span_is(since, between[i])) {
			m->out->len = m->list;
			m->out->p[m->list] = '\0';
			return 0;
		}
	if (buf_adds(m->out, "<num>"))
		return -1;
	m->list = m->out->len;
	return 0;
}

/* A word, of which only the digits differ. */
static int put_word(struct mask *m, struct span w)
{
	size_t letters = 0;

	for (size_t i = 0; i < w.n;) {
		size_t n = run_of(w, i, digit);

		if (n ? put_number(m) : buf_addc(m->out, w.p[i]))
			return -1;
		letters = letter(w.p[i]) ? letters + 1 : 0;
		m->words |= letters == WORD_LEAST;
		i += n ? n : 1;
	}
	return 0;
}

/* A bar grows, and blanks line columns up. */
static int put_sign(struct mask *m, char c)
{
	char last = m->out->len > m->start ? m->out->p[m->out->len - 1] : '\0';

	c = c == '\t' ? ' ' : c;
	m->repeat = c == last ? m->repeat + 1 : 1;
	return m->repeat > (c == ' ' ? 1 : RUN_MOST) ? 0 : buf_addc(m->out, c);
}

static int put_quoted(struct mask *m, char quote)
{
	return buf_addf(m->out, "%c<text>%c", quote, quote);
}

/* The sign of a number, where nothing is subtracted. */
static bool signs(const struct mask *m, size_t i)
{
	return one_of(m->line.p[i], "-+") && digit(at(m->line, i + 1)) &&
	    (!i || one_of(m->line.p[i - 1], " \t=([{,:"));
}

static int recognise(struct mask *m, size_t i, size_t *taken)
{
	struct span s = span_sub(m->line, i, m->line.n);

	for (size_t k = 0; k < RECOGNISERS; k++) {
		const struct recogniser *r = &recognisers[k];

		if (i < m->until[k])
			continue;
		*taken = r->take(s);
		if (*taken)
			return r->take == number
			    ? put_number(m)
			    : buf_adds(m->out, r->placeholder);
		if (r->of && s.p[0] != '-')
			m->until[k] = i + run_of(s, 0, r->of);
	}
	return 0;
}

static int put_token(struct mask *m, size_t i, size_t *taken)
{
	struct span s = span_sub(m->line, i, m->line.n);
	bool within = i && word(m->line.p[i - 1]);
	int rc;

	*taken = bar(s);
	if (*taken)
		return 0;
	*taken = within || m->quotes ? 0 : quoted(s);
	if (*taken)
		return put_quoted(m, s.p[0]);
	*taken = 1;
	if (signs(m, i))
		return 0;
	*taken = 0;
	rc = recognise(m, i, taken);
	if (rc || *taken)
		return rc;
	*taken = run_of(s, 0, word);
	if (*taken)
		return put_word(m, span_sub(s, 0, *taken));
	*taken = 1;
	return put_sign(m, s.p[0]);
}

static int put_line(struct buf *out, struct span line, bool quotes, bool *words)
{
	struct mask m = { .out = out, .start = out->len, .quotes = quotes };
	size_t n;
	int rc = 0;

	m.line = span_trim(span_sub(line, 0, TEMPLATE_LINE));
	for (size_t i = 0; i < m.line.n && !rc; i += n)
		rc = put_token(&m, i, &n);
	*words = m.words;
	return rc;
}

int template_mask(struct buf *out, struct span line, bool *words)
{
	return put_line(out, line, false, words);
}

int template_mask_quoting(struct buf *out, struct span line, bool *words)
{
	return put_line(out, line, true, words);
}
