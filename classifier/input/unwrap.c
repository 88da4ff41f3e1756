/*
 * A record is read into one flat struct. A docker or CRI
 * record may hold another record; then the inner one's fields win. The struct
 * is written out with the prefixes that the envelope table peels again.
 */
#include "input/unwrap.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/when.h"
#include "input/blocks.h"
#include "input/clean.h"
#include "input/jsonkeys.h"
#include "input/jsonline.h"
#include "input/logfmt.h"
#include "input/peel.h"
#include "input/unwrap_private.h"

#include <stdlib.h>
#include <string.h>

/* Records that all are errors say that of a stream: their level is no word of
 * who writes to it. */
#define ERRORS_FEW 8
#define BEHIND_MOST 512 /* bytes of the prefixes before a record */
#define WRITER_TRIES 64 /* records of which one names its writer, if any do */

static const char *const stream_names[] = { "", "stdout", "stderr" };

struct unwrap *unwrap_new(
    const struct jsonkeys *keys, size_t line, size_t overlap)
{
	struct unwrap *u = calloc(1, sizeof *u);

	if (!u)
		return NULL;
	u->keys = keys;
	if (unwrap_flat_init(&u->flat[0], keys) ||
	    unwrap_flat_init(&u->flat[1], keys)) {
		unwrap_free(u);
		return NULL;
	}
	u->line = line;
	u->overlap = overlap;
	u->prefix.max = BUF_MAX;
	u->pairs.max = BUF_MAX;
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
	unwrap_flat_release(&u->flat[0]);
	unwrap_flat_release(&u->flat[1]);
	buf_release(&u->prefix);
	buf_release(&u->pairs);
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
	u->writer = u->records = 0;
	u->writers = u->logged = u->calm = false;
	u->errors = 0;
}

bool unwrap_writers(const struct unwrap *u)
{
	return u->writers;
}

bool unwrap_logged(const struct unwrap *u)
{
	return u->logged;
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

bool unwrap_opens(struct span start)
{
	return start.n > 1 && start.p[0] == '{' &&
	    (start.p[1] == '\n' || start.p[1] == '\r');
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
	if (!cri)
		return UNWRAP_NO;
	if (peel_digit(start.p[0]))
		return look_cri(u, start);
	switch (logfmt_look(u->keys, start)) {
	case LOGFMT_YES:
		return UNWRAP_LINE;
	case LOGFMT_MORE:
		return UNWRAP_MORE;
	default:
		return UNWRAP_NO;
	}
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

/* Who writes, where that is not always the same: as docker compose names it, by
 * the end of its name, which tells it from others. */
static int add_writer(struct unwrap *u, struct buf *out, struct span name)
{
	uint64_t h = 0xcbf29ce484222325u;
	size_t digits = 0;

	for (size_t i = 0; i < name.n; i++)
		h = (h ^ (unsigned char)name.p[i]) * 0x100000001b3u;
	if (!u->writer)
		u->writer = h;
	if (u->writer == h)
		return 0;
	u->writers = true;
	name = span_sub(name, name.n > 60 ? name.n - 60 : 0, name.n);
	while (digits < name.n && peel_digit(name.p[name.n - 1 - digits]))
		digits++;
	return buf_addc(out, '_') || add_word(out, name, "") ||
	    buf_adds(out,
		digits && digits < name.n &&
			strchr("-_", name.p[name.n - 1 - digits])
		    ? "  | "
		    : "-0  | ");
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

static int add_rank(struct buf *out, int64_t rank)
{
	char text[24];
	size_t i = sizeof text;

	do
		text[--i] = (char)('0' + rank % 10);
	while (rank /= 10);
	return buf_adds(out, "[rank") |
	    buf_add(out, text + i, sizeof text - i) | buf_adds(out, "]: ");
}

static int add_prefix(struct buf *out, const struct record *r, bool level)
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
		rc |= add_rank(out, r->rank);
	if (r->level && (r->level < LEVEL_ERROR || level)) {
		rc |= buf_adds(out, level_names[r->level]) | buf_addc(out, ':');
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
		size_t end = at + blocks_line_end(span_sub(text, at, text.n));

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
	if (add_prefix(&p->prefix, r, true))
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
		memmove(p->text.p, p->text.p + p->text.len - u->overlap,
		    u->overlap);
		p->text.len = u->overlap;
	}
	return buf_add(&p->text, text.p, text.n);
}

/* A traceback that is a list, of lines or of exceptions. */
static int add_stack_list(struct unwrap *u, struct buf *out, struct span prefix,
    const struct json *list)
{
	struct buf text = BUF_INIT(BUF_MAX);
	int rc = 0;

	if (unwrap_is_stacks(list)) {
		rc = unwrap_add_stacks(&text, list) ||
			add_lines(u, out, prefix, "",
			    (struct span){ text.p, text.len })
		    ? -1
		    : 0;
		buf_release(&text);
		return rc;
	}
	for (size_t i = 0; rc == 0 && i < json_count(list); i++) {
		struct span s = json_text(json_at(list, i));

		if (s.n)
			rc = add_lines(u, out, prefix, "", s);
	}
	return rc;
}

int unwrap_add_record(struct unwrap *u, struct buf *out, const struct record *r)
{
	struct buf *prefix = &u->prefix;
	struct span p;
	int rc = 0;

	u->calm |= r->level && r->level < LEVEL_ERROR;
	u->errors += r->level >= LEVEL_ERROR;
	u->logged |= r->error.n || r->stack.n || r->stack_list ||
	    span_find(span_trim(r->message), "\n") != SIZE_MAX;
	buf_clear(prefix);
	if (r->writer.n)
		rc = add_writer(u, prefix, r->writer);
	rc = rc ? rc : buf_add(prefix, u->outer.p, u->outer.n);
	rc =
	    rc ? rc : add_prefix(prefix, r, u->calm || u->errors <= ERRORS_FEW);
	p = (struct span){ prefix->p, prefix->len };
	if (rc == 0)
		rc = add_lines(u, out, p, "", r->message);
	/* What the record says of its level holds for its cause, too. */
	if (rc == 0 && r->error.n)
		rc = add_lines(u, out, p, r->level ? "" : "error: ", r->error);
	if (rc == 0 && r->stack.n)
		rc = add_lines(u, out, p, "", r->stack);
	return rc || !r->stack_list ? rc
				    : add_stack_list(u, out, p, r->stack_list);
}

/* Whether s without blanks around it, which it loses, looks like a record. */
static bool may_be_object(const struct jsonkeys *keys, struct span *s)
{
	*s = span_trim(*s);
	return span_ends(*s, "}") &&
	    (unwrap_opens(*s) || jsonline_may_be_record(keys, *s));
}

/* Parse a line that looks like a record; again with its UTF-8 repaired when
 * that is what was wrong. NULL: it is none, or e has a lack. */
static struct json *parse_object(struct span s, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct json *o;

	e->lack = false;
	o = json_parse(s, JSON_PARSE, e);
	if (!o && !e->lack && text_utf8(&b, s))
		err_nomem(e);
	else if (!o && !e->lack && b.len != s.n)
		o = json_parse((struct span){ b.p, b.len }, JSON_PARSE, e);
	buf_release(&b);
	return o;
}

/* Read a line that may be a record; *o is empty when it is none. -1: out of
 * memory. */
static int open_object(const struct unwrap *u, struct flat *flat, struct span s,
    struct members *o, struct err *e)
{
	int rc;

	*o = (struct members){ 0 };
	s = span_trim(s);
	if (!span_ends(s, "}"))
		return 0;
	rc = unwrap_flat_read(flat, u->keys, s, e);
	if (rc > 0)
		o->flat = flat;
	if (rc || !may_be_object(u->keys, &s))
		return rc < 0 ? -1 : 0;
	o->tree = o->owned = parse_object(s, e);
	return !o->tree && e->lack ? -1 : 0;
}

/* Who writes is looked for where one of the first records tells it. */
static bool read_record(
    struct unwrap *u, const struct members *o, struct record *r)
{
	if (!o->flat && !o->tree)
		return false;
	if (!unwrap_read_record(u->keys, o, r) &&
	    !(unwrap_join_bytes(u->keys, o->owned) &&
		unwrap_read_record(u->keys, o, r)))
		return false;
	if (u->writer || u->records++ < WRITER_TRIES)
		unwrap_read_writer(u->keys, o, r);
	return true;
}

/* Write out text that a collector wrapped, itself perhaps a record. */
static int add_text(struct unwrap *u, struct buf *out, struct record r,
    struct span text, struct err *e)
{
	struct record outer = r;
	struct members inner = { 0 };
	struct span s = text;
	int rc;

	if (may_be_object(u->keys, &s) &&
	    open_object(u, &u->flat[1], s, &inner, e))
		return -1;
	r.message = text;
	if (!read_record(u, &inner, &r)) {
		r = outer;
		r.message = text;
	}
	/* in words that may follow any prefix */
	if (u->outer.n) {
		r.stream = TO_NOWHERE;
		r.host.n = 0;
	}
	rc = unwrap_add_record(u, out, &r);
	json_free(inner.owned);
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
static bool is_bare_message(
    const struct jsonkeys *keys, const struct members *o)
{
	return unwrap_text(o, JSONKEYS_TEXT).p &&
	    unwrap_only(keys, o,
		1u << JSONKEYS_TEXT | 1u << JSONKEYS_ERROR_CODE |
		    1u << JSONKEYS_EXTRA_INFO | 1u << JSONKEYS_TIMESTAMP);
}

/* A line of logfmt: 1, ... as of unwrap_line. Of those that are no more than
 * what a program is told to be, since what warns is known by its own form. */
static int pairs_line(
    struct unwrap *u, struct span line, struct buf *out, struct err *e)
{
	struct record r = { .rank = -1 };
	struct members o = { 0 };
	int rc = logfmt_object(line, &u->pairs);

	if (rc <= 0)
		return rc ? err_nomem(e) : 0;
	if (open_object(u, &u->flat[0],
		(struct span){ u->pairs.p, u->pairs.len }, &o, e))
		return -1;
	rc = read_record(u, &o, &r) && r.level < LEVEL_WARNING;
	if (rc && add_text(u, out, r, r.message, e))
		rc = -1;
	json_free(o.owned);
	return rc;
}

int unwrap_line(
    struct unwrap *u, struct span line, struct buf *out, struct err *e)
{
	struct record r = { .rank = -1 };
	struct members o;
	struct err why;
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
	if (logfmt_look(u->keys, line) == LOGFMT_YES) {
		rc = pairs_line(u, line, out, &why);
		return rc < 0 ? err_pass(e, &why) : rc;
	}
	if (open_object(u, &u->flat[0], line, &o, &why))
		return err_pass(e, &why);
	if (read_record(u, &o, &r)) {
		u->bare_message = is_bare_message(u->keys, &o);
		if (unwrap_text(&o, JSONKEYS_LOG).p && r.stream != TO_NOWHERE)
			rc = collected(u, out, &r, r.message, &why);
		else
			rc = add_text(u, out, r, r.message, &why);
		rc = rc ? err_pass(e, &why) : 1;
	}
	json_free(o.owned);
	return rc;
}

int unwrap_when(struct unwrap *u, struct span line, int64_t *time,
    struct span *node, int64_t *rank, struct err *e)
{
	struct record r = { .rank = -1 };
	struct members o = { 0 };
	struct err why;
	int rc = 1;

	if (logfmt_look(u->keys, line) == LOGFMT_YES) {
		rc = logfmt_object(line, &u->pairs);
		if (rc < 0)
			return err_nomem(e);
		line = (struct span){ u->pairs.p, u->pairs.len };
	} else if (!span_starts(line, "{")) {
		return 0;
	}
	if (rc && open_object(u, &u->flat[0], line, &o, &why))
		return err_pass(e, &why);
	rc = (o.flat || o.tree) && unwrap_read_record(u->keys, &o, &r) &&
	    r.has_time;
	*time = r.time;
	*node = o.flat ? r.host : (struct span){ NULL, 0 };
	*rank = r.rank;
	json_free(o.owned);
	return rc;
}

enum unwrap_look unwrap_look_behind(struct span start)
{
	size_t at = span_find(span_sub(start, 0, BEHIND_MOST), "{\"");

	if (at == 0 || (at == SIZE_MAX && start.n >= BEHIND_MOST))
		return UNWRAP_NO;
	return at == SIZE_MAX ? UNWRAP_MORE : UNWRAP_LINE;
}

int unwrap_behind(struct unwrap *u, const struct prefixes *prefixes,
    struct span line, struct buf *out, struct err *e)
{
	struct record r = { .rank = -1 };
	struct envelope env;
	struct members o;
	struct err why;
	size_t at;
	int rc = 0;

	if (unwrap_look_behind(line) != UNWRAP_LINE)
		return 0;
	envelope_peel(prefixes, line, &env);
	at = (size_t)(env.text.p - line.p);
	if (!at || !span_starts(env.text, "{\""))
		return 0;
	if (open_object(u, &u->flat[0], env.text, &o, &why))
		return err_pass(e, &why);
	if (read_record(u, &o, &r)) {
		/* without what is one only before a record */
		envelope_peel(prefixes, span_sub(line, 0, at), &env);
		u->outer = span_sub(line, 0, at - env.text.n);
		rc = add_text(u, out, r, r.message, &why) ? err_pass(e, &why)
							  : 1;
		u->outer.n = 0;
	}
	json_free(o.owned);
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
	struct span line = span_sub(log, 0, span_find(log, "\n"));
	struct json *first =
	    may_be_object(keys, &line) ? parse_object(line, &why) : NULL;

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
	const struct members whole = { .tree = root };
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
	} else if (is_bare_message(u->keys, &whole)) {
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
