/*
 * A record is read into one flat struct: message, time, stream, level, name,
 * host, rank, stack. Which keys mean what is the taxonomy's. A docker or CRI
 * record may hold another record; then the inner one's fields win. The struct
 * is written out with the prefixes that the envelope table peels again.
 */
#include "input/unwrap.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/when.h"
#include "input/clean.h"
#include "input/jsonkeys.h"
#include "input/jsonline.h"
#include "input/unwrap_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lines of one stream that wait for their end. */
struct part {
	struct buf text;
	struct buf prefix;
};

enum { TO_NOWHERE, TO_STDOUT, TO_STDERR };
static const char *const stream_names[] = { "", "stdout", "stderr" };

struct unwrap {
	const struct jsonkeys *keys;
	size_t line, overlap;
	struct part part[3]; /* by stream; the first is not used */
	struct clean dropped;
	bool bare_message;
};

struct unwrap *unwrap_new(
    const struct jsonkeys *keys, size_t line, size_t overlap)
{
	struct unwrap *u = calloc(1, sizeof *u);

	if (!u)
		return NULL;
	u->keys = keys;
	u->line = line;
	u->overlap = overlap;
	for (int i = 0; i < 3; i++) {
		u->part[i].text.max = BUF_MAX;
		u->part[i].prefix.max = BUF_MAX;
	}
	return u;
}

void unwrap_free(struct unwrap *u)
{
	if (!u)
		return;
	for (int i = 0; i < 3; i++) {
		buf_release(&u->part[i].text);
		buf_release(&u->part[i].prefix);
	}
	free(u);
}

void unwrap_begin(struct unwrap *u)
{
	for (int i = 0; i < 3; i++) {
		buf_clear(&u->part[i].text);
		buf_clear(&u->part[i].prefix);
	}
	u->dropped = (struct clean){ 0 };
	u->bare_message = false;
}

bool unwrap_bare_message(const struct unwrap *u)
{
	return u->bare_message;
}

const struct clean *unwrap_dropped(const struct unwrap *u)
{
	return &u->dropped;
}

/* ---- CRI lines: "TIME STREAM F text", P for a partial one ---- */

#define CRI_HEAD 48 /* the longest time, stream and tag, near enough */

struct cri {
	struct when when;
	int stream;
	bool partial;
	size_t head; /* bytes before the text */
};

static bool parse_cri(struct span s, struct cri *out)
{
	size_t n;

	if (s.n < 20 || s.p[4] != '-' || s.p[10] != 'T')
		return false;
	n = when_scan(s, &out->when);
	if (!n || !out->when.zone)
		return false;
	if (span_starts(span_sub(s, n, s.n), " stdout "))
		out->stream = TO_STDOUT;
	else if (span_starts(span_sub(s, n, s.n), " stderr "))
		out->stream = TO_STDERR;
	else
		return false;
	n += 8;
	if (n >= s.n || (s.p[n] != 'F' && s.p[n] != 'P'))
		return false;
	out->partial = s.p[n++] == 'P';
	/* More tags may follow, as in "P:tag". */
	while (n < s.n && s.p[n] != ' ' && n < 2 * CRI_HEAD)
		n++;
	if (n < s.n && s.p[n] != ' ')
		return false;
	out->head = n < s.n ? n + 1 : n;
	return true;
}

static enum unwrap_look look_cri(const struct unwrap *u, struct span start)
{
	static const char shape[] = "0000-00-00T00:00:00";
	struct span text;
	struct cri c;

	for (size_t i = 0; i < start.n && shape[i]; i++)
		if (shape[i] == '0' ? start.p[i] < '0' || start.p[i] > '9'
				    : start.p[i] != shape[i])
			return UNWRAP_NO;
	if (start.n < CRI_HEAD)
		return UNWRAP_MORE;
	if (!parse_cri(start, &c))
		return UNWRAP_NO;
	text = span_sub(start, c.head, start.n);
	if (c.partial || u->part[c.stream].text.len)
		return UNWRAP_LINE;
	if (text.n == 0 || (text.n == 1 && text.p[0] == '{'))
		return UNWRAP_MORE;
	return span_starts(text, "{\"") ? UNWRAP_LINE : UNWRAP_CRI;
}

enum unwrap_look unwrap_look(
    const struct unwrap *u, struct span start, bool cri)
{
	if (start.n == 0)
		return UNWRAP_MORE;
	if (start.p[0] == '{') {
		if (start.n == 1)
			return UNWRAP_MORE;
		return start.p[1] == '"' ? UNWRAP_LINE : UNWRAP_NO;
	}
	return cri ? look_cri(u, start) : UNWRAP_NO;
}

/* ---- reading a record ---- */

/* A member by its key; "a.b" is also the member b of the member a. */
static const struct json *member(
    const struct json *o, const struct jsonkeys_key *key)
{
	const struct json *v = json_get(o, key->name);
	const char *name = key->name, *dot = key->dot;
	char outer[32];

	for (; !v && dot; dot = strchr(name, '.')) {
		if ((size_t)(dot - name) >= sizeof outer)
			return NULL;
		memcpy(outer, name, (size_t)(dot - name));
		outer[dot - name] = '\0';
		o = json_get(o, outer);
		if (!o)
			return NULL;
		name = dot + 1;
		v = json_get(o, name);
	}
	return v;
}

/* The first of the keys that holds a string with something in it. */
static struct span first_text(
    const struct json *o, const struct jsonkeys_list *keys)
{
	struct span s = { NULL, 0 };

	for (size_t i = 0; i < keys->n && !s.n; i++)
		s = json_text(member(o, &keys->v[i]));
	return s.n ? s : (struct span){ NULL, 0 };
}

/* Seconds, milli-, micro- or nanoseconds since 1970, told by their size. */
static bool epoch(double v, int64_t *micros)
{
	if (!(v >= 1e8 && v < 1e20))
		return false;
	if (v < 1e11)
		v *= 1e6;
	else if (v < 1e14)
		v *= 1e3;
	else if (v >= 1e17)
		v /= 1e3;
	*micros = (int64_t)v;
	return true;
}

bool unwrap_read_time(const struct json *v, int64_t *micros)
{
	struct span s = json_text(v);
	struct when w;
	double number;
	int64_t whole;

	if (json_number(v, &number))
		return epoch(number, micros);
	if (!s.n)
		return false;
	whole = span_number(s);
	if (whole >= 0)
		return epoch((double)whole, micros);
	if (when_scan(s, &w) == 0 || !w.year)
		return false;
	*micros = w.micros;
	return true;
}

/* pino and bunyan: 10 trace to 60 fatal. */
static enum level level_number(int64_t n)
{
	if (n < 10 || n > 60)
		return LEVEL_UNKNOWN;
	return n < 30 ? LEVEL_DEBUG
	    : n < 40  ? LEVEL_INFO
	    : n < 50  ? LEVEL_WARNING
	    : n < 60  ? LEVEL_ERROR
		      : LEVEL_FATAL;
}

static void read_time(
    const struct jsonkeys *keys, const struct json *o, struct record *r)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_TIME];

	for (size_t i = 0; i < list->n; i++)
		if (unwrap_read_time(member(o, &list->v[i]), &r->time)) {
			r->has_time = true;
			return;
		}
}

static void read_level(
    const struct jsonkeys *keys, const struct json *o, struct record *r)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_LEVEL];
	enum level level = LEVEL_UNKNOWN;
	int64_t n;

	for (size_t i = 0; i < list->n && !level; i++) {
		const struct json *v = member(o, &list->v[i]);

		level = json_int(v, &n) ? level_number(n)
					: jsonkeys_level(keys, json_text(v));
	}
	if (level)
		r->level = level;
}

static void read_rank(
    const struct jsonkeys *keys, const struct json *o, struct record *r)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_RANK];
	int64_t n;

	for (size_t i = 0; i < list->n; i++) {
		const struct json *v = member(o, &list->v[i]);

		if (!json_int(v, &n))
			n = span_number(json_text(v));
		if (n >= 0 && n < 10000000) {
			r->rank = n;
			return;
		}
	}
}

/* Whether text holds part, told by part's first bytes. */
static bool has(struct span text, struct span part)
{
	part = span_sub(part, 0, 80);
	for (size_t i = 0; part.n && i + part.n <= text.n; i++) {
		const char *p =
		    memchr(text.p + i, part.p[0], text.n - part.n - i + 1);

		if (!p)
			return false;
		i = (size_t)(p - text.p);
		if (memcmp(p, part.p, part.n) == 0)
			return true;
	}
	return false;
}

static bool says_no_stack(const struct jsonkeys *keys, struct span stack)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_NO_STACK];

	for (size_t i = 0; i < list->n; i++)
		if (span_is(stack, list->v[i].name))
			return true;
	return false;
}

/* The stack and the error, unless the message already says them. */
static void read_stack(
    const struct jsonkeys *keys, const struct json *o, struct record *r)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_STACK];

	r->stack = first_text(o, list);
	if (says_no_stack(keys, r->stack))
		r->stack.n = 0;
	if (r->stack.n == 0)
		for (size_t i = 0; i < list->n && !r->stack_list; i++)
			if (json_text(json_at(member(o, &list->v[i]), 0)).p)
				r->stack_list = member(o, &list->v[i]);
	if (has(r->message, span_trim(r->stack)))
		r->stack.n = 0;
	r->error = first_text(o, &keys->keys[JSONKEYS_ERROR]);
	if (has(r->message, r->error) || has(r->stack, r->error))
		r->error.n = 0;
}

/* Whether every key of o is one that docker's json-file driver writes. */
static bool is_docker(const struct json *o)
{
	const struct json *v;
	void *at = NULL;
	struct span key;

	if (!json_get_text(o, "log").p || !json_get_text(o, "time").n)
		return false;
	while (json_each(o, &at, &key, &v))
		if (!span_is(key, "log") && !span_is(key, "stream") &&
		    !span_is(key, "time") && !span_is(key, "attrs"))
			return false;
	return true;
}

static int stream_of(const struct json *o)
{
	struct span s = json_get_text(o, "stream");

	return span_is(s, "stdout") ? TO_STDOUT
	    : span_is(s, "stderr")  ? TO_STDERR
				    : TO_NOWHERE;
}

bool unwrap_read_record(
    const struct unwrap *u, const struct json *o, struct record *r)
{
	const struct jsonkeys *keys = u->keys;
	const struct jsonkeys_list *messages = &keys->keys[JSONKEYS_MESSAGE];
	struct span s = { NULL, 0 };
	int stream = stream_of(o);

	for (size_t i = 0; i < messages->n && !s.p; i++)
		s = json_text(member(o, &messages->v[i]));
	if (!s.p)
		return false;
	r->message = s;
	if (stream != TO_NOWHERE)
		r->stream = stream;
	read_time(keys, o, r);
	if (stream != TO_NOWHERE && is_docker(o)) {
		/* The common case, and it has nothing else. */
		r->partial = !span_ends(s, "\n");
		return true;
	}
	read_level(keys, o, r);
	read_rank(keys, o, r);
	read_stack(keys, o, r);
	s = first_text(o, &keys->keys[JSONKEYS_LOGGER]);
	if (s.n)
		r->name = s;
	s = first_text(o, &keys->keys[JSONKEYS_HOST]);
	if (s.n)
		r->host = s;
	r->kernel = span_is(json_get_text(o, "SYSLOG_IDENTIFIER"), "kernel");
	return true;
}

/* ---- writing it out ---- */

/* A name as one word of an envelope. */
static int add_word(struct buf *out, struct span s, const char *otherwise)
{
	if (s.n == 0)
		return buf_adds(out, otherwise);
	for (size_t i = 0; i < s.n && i < 80; i++) {
		char c = s.p[i];
		bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';

		if (buf_addc(out, ok ? c : '_'))
			return -1;
	}
	return 0;
}

static int add_token(struct buf *out, const char *s)
{
	return buf_adds(out, s) | buf_addc(out, ' ');
}

static const char *const level_names[] = {
	[LEVEL_DEBUG] = "DEBUG",
	[LEVEL_INFO] = "INFO",
	[LEVEL_WARNING] = "WARNING",
	[LEVEL_ERROR] = "ERROR",
	[LEVEL_FATAL] = "CRITICAL",
};

static int add_prefix(struct buf *out, const struct record *r)
{
	char time[32];
	int rc = 0;

	if (r->has_time) {
		when_format(r->time, time);
		if (r->stream != TO_NOWHERE)
			rc |= add_token(out, time) |
			    add_token(out, stream_names[r->stream]) |
			    add_token(out, "F");
		else if (r->host.n == 0)
			rc |= add_token(out, time);
		if (r->host.n) {
			rc |= add_token(out, time);
			rc |= add_word(out, r->host, "");
			rc |= buf_addc(out, ' ');
			rc |= add_word(out, r->name, "json");
			rc |= buf_adds(out, r->kernel ? ": " : "[0]: ");
		}
	}
	if (r->rank >= 0)
		rc |= buf_addf(out, "[rank%" PRId64 "]: ", r->rank);
	if (r->level) {
		rc |= buf_addf(out, "%s:", level_names[r->level]);
		rc |= add_word(out, r->name, "root");
		rc |= buf_addc(out, ':');
	}
	return rc;
}

/* Each line of text, cleaned and with the prefix before it. lead: put before
 * the first line's text. */
static int add_lines(struct unwrap *u, struct buf *out, struct span prefix,
    const char *lead, struct span text)
{
	size_t at = 0;

	while (text.n &&
	    (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
		text.n--;
	for (;;) {
		size_t end = at;

		while (
		    end < text.n && text.p[end] != '\n' && text.p[end] != '\r')
			end++;
		u->dropped.state = CLEAN_TEXT;
		if ((out->len && buf_addc(out, '\r')) ||
		    buf_add(out, prefix.p, prefix.n) || buf_adds(out, lead) ||
		    clean_add(&u->dropped, out, span_sub(text, at, end)))
			return -1;
		if (end == text.n)
			return 0;
		at = end + 1;
		if (text.p[end] == '\r' && at < text.n && text.p[at] == '\n')
			at++;
		lead = "";
	}
}

/* Add text to the held line of a stream; what exceeds the limit goes out. */
static int hold(
    struct unwrap *u, const struct record *r, struct span text, struct buf *out)
{
	struct part *p = &u->part[r->stream];
	size_t most;

	buf_clear(&p->prefix);
	if (add_prefix(&p->prefix, r))
		return -1;
	/* A prefix is short: see add_word. */
	most = u->line - p->prefix.len;
	while (p->text.len + text.n > most) {
		size_t n = p->text.len < most ? most - p->text.len : 0;

		if (buf_add(&p->text, text.p, n) ||
		    add_lines(u, out,
			(struct span){ p->prefix.p, p->prefix.len }, "",
			(struct span){ p->text.p, p->text.len }))
			return -1;
		text = span_sub(text, n, text.n);
		memmove(
		    p->text.p, p->text.p + u->line - u->overlap, u->overlap);
		p->text.len = u->overlap;
	}
	return buf_add(&p->text, text.p, text.n);
}

int unwrap_add_record(struct unwrap *u, struct buf *out, const struct record *r)
{
	struct buf prefix = BUF_INIT(BUF_MAX);
	struct span p;
	int rc = add_prefix(&prefix, r);

	p = (struct span){ prefix.p, prefix.len };
	if (rc == 0)
		rc = add_lines(u, out, p, "", r->message);
	/* What the record says of its level holds for its cause, too. */
	if (rc == 0 && r->error.n)
		rc = add_lines(u, out, p, r->level ? "" : "error: ", r->error);
	if (rc == 0 && r->stack.n)
		rc = add_lines(u, out, p, "", r->stack);
	for (size_t i = 0; rc == 0 && i < json_count(r->stack_list); i++) {
		struct span s = json_text(json_at(r->stack_list, i));

		if (s.n)
			rc = add_lines(u, out, p, "", s);
	}
	buf_release(&prefix);
	return rc;
}

/* Parse a line that looks like a record; again with its UTF-8 repaired when
 * that is what was wrong. NULL: it is none, or e has a lack. */
static struct json *parse_object(
    const struct jsonkeys *keys, struct span s, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct json *o;

	e->lack = false;
	s = span_trim(s);
	if (!span_ends(s, "}") || !jsonline_may_be_record(keys, s))
		return NULL;
	o = json_parse(s, JSON_PARSE, e);
	if (!o && !e->lack && text_utf8(&b, s))
		err_nomem(e);
	else if (!o && !e->lack && b.len != s.n)
		o = json_parse((struct span){ b.p, b.len }, JSON_PARSE, e);
	buf_release(&b);
	return o;
}

/* Write out text that a collector wrapped, itself perhaps a record. */
static int add_text(struct unwrap *u, struct buf *out, struct record r,
    struct span text, struct err *e)
{
	struct json *inner = parse_object(u->keys, text, e);
	struct record outer = r;
	int rc;

	if (!inner && e->lack)
		return -1;
	r.message = text;
	if (inner && !unwrap_read_record(u, inner, &r)) {
		r = outer;
		r.message = text;
	}
	rc = unwrap_add_record(u, out, &r);
	json_free(inner);
	return rc ? err_nomem(e) : 0;
}

/* The text of one collector's line, which may end what is held. */
static int collected(struct unwrap *u, struct buf *out, const struct record *r,
    struct span text, struct err *e)
{
	struct part *p = &u->part[r->stream];
	int rc;

	if (r->partial)
		return hold(u, r, text, out) ? err_nomem(e) : 0;
	if (!p->text.len)
		return add_text(u, out, *r, text, e);
	if (hold(u, r, text, out))
		return err_nomem(e);
	rc = add_text(u, out, *r, (struct span){ p->text.p, p->text.len }, e);
	buf_clear(&p->text);
	return rc;
}

/* Only the keys of an error file, the message a string. */
static bool is_bare_message(const struct json *o)
{
	const struct json *v;
	void *at = NULL;
	struct span key;

	if (!json_get_text(o, "message").p)
		return false;
	while (json_each(o, &at, &key, &v))
		if (!span_is(key, "message") && !span_is(key, "errorCode") &&
		    !span_is(key, "extraInfo") && !span_is(key, "timestamp"))
			return false;
	return true;
}

int unwrap_line(
    struct unwrap *u, struct span line, struct buf *out, struct err *e)
{
	struct record r = { .rank = -1 };
	struct err why;
	struct json *o;
	struct cri c;
	int rc = 0;

	u->bare_message = false;
	if (parse_cri(line, &c)) {
		r.time = c.when.micros;
		r.has_time = true;
		r.stream = c.stream;
		r.partial = c.partial;
		if (!c.partial && !u->part[c.stream].text.len &&
		    !span_starts(span_sub(line, c.head, line.n), "{\""))
			return 2;
		return collected(
			   u, out, &r, span_sub(line, c.head, line.n), &why)
		    ? err_pass(e, &why)
		    : 1;
	}
	o = parse_object(u->keys, line, &why);
	if (!o)
		return why.lack ? err_pass(e, &why) : 0;
	if (unwrap_read_record(u, o, &r)) {
		u->bare_message = is_bare_message(o);
		if (json_get_text(o, "log").p && r.stream != TO_NOWHERE)
			rc = collected(u, out, &r, r.message, &why);
		else if ((rc = unwrap_add_record(u, out, &r)) != 0)
			err_nomem(&why);
		rc = rc ? err_pass(e, &why) : 1;
	}
	json_free(o);
	return rc;
}

int unwrap_rest(struct unwrap *u, struct buf *out)
{
	for (int i = TO_STDOUT; i <= TO_STDERR; i++) {
		struct part *p = &u->part[i];

		if (p->text.len &&
		    add_lines(u, out,
			(struct span){ p->prefix.p, p->prefix.len }, "",
			(struct span){ p->text.p, p->text.len }))
			return -1;
		buf_clear(&p->text);
	}
	return 0;
}

/* ---- torchelastic error files ---- */

/* Blanks included, an error file says what it is in its first bytes. */
#define LOOK_MAX 4096

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

enum unwrap_look unwrap_look_error_file(struct span start)
{
	static const char *const tokens[] = { "{", "\"message\"", ":" };
	bool lines = false, all = start.n >= LOOK_MAX;
	size_t i = 0;

	start = span_sub(start, 0, LOOK_MAX);
	for (size_t t = 0; t < 3; t++) {
		size_t n = strlen(tokens[t]), left;

		for (; i < start.n && is_space(start.p[i]); i++)
			lines |= t == 1 && start.p[i] == '\n';
		left = start.n - i;
		if (memcmp(start.p + i, tokens[t], left < n ? left : n) != 0)
			return UNWRAP_NO;
		if (left < n)
			return all ? UNWRAP_NO : UNWRAP_MORE;
		i += n;
	}
	while (i < start.n && is_space(start.p[i]))
		i++;
	if (i == start.n)
		return all ? UNWRAP_NO : UNWRAP_MORE;
	/* On one line, a text message is an ordinary JSON record. */
	if (start.p[i] == '{' || (start.p[i] == '"' && lines))
		return UNWRAP_LINE;
	return UNWRAP_NO;
}

/* Whether all lines begin as those of one JSON value; and the first is none of
 * its own, as in a log of records. */
static bool is_one_value(const struct jsonkeys *keys, struct span log)
{
	struct err why; /* what lacks was there for all of it */
	struct json *first =
	    parse_object(keys, span_sub(log, 0, span_find(log, "\n")), &why);

	json_free(first);
	for (size_t i = 0; !first && i < log.n; i++)
		if ((!i || log.p[i - 1] == '\n') &&
		    !strchr(" \t\r\n{}[]\"", log.p[i]))
			return false;
	return !first;
}

int unwrap_error_file(
    struct unwrap *u, struct span log, struct buf *out, struct err *e)
{
	struct err why;
	struct json *root = json_parse(log, JSON_PARSE, &why);
	const struct json *m = json_get(root, "message");
	struct record r = { .rank = -1 };
	int rc = 0;

	if (json_is(m, JSON_IS_OBJECT)) {
		const struct json *extra = json_get(m, "extraInfo");

		r.message = json_get_text(extra, "py_callstack");
		if (!r.message.n)
			r.message = json_get_text(m, "message");
		if (unwrap_read_time(json_get(extra, "timestamp"), &r.time)) {
			r.has_time = true;
			r.stream = TO_STDERR;
		}
	} else if (is_bare_message(root)) {
		r.message = json_text(m);
	}
	if (!root && why.lack)
		rc = err_pass(e, &why);
	else if (r.message.n)
		rc = unwrap_add_record(u, out, &r) ? err_nomem(e) : 1;
	else if (!root && is_one_value(u->keys, log))
		rc = 2;
	json_free(root);
	return rc;
}
