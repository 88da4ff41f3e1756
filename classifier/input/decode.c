/*
 * Bytes go through three steps, each fed with runs of any length: encoding
 * (byte order marks, UTF-16), cleaning (escapes, NUL), lines (records). Every
 * run carries its place in the raw log, so no step copies ordinary text; it
 * lands in the block buffer with one memcpy. Only the start of a log and lines
 * that may be records are held until it is known what they are.
 */
#include "input/decode_private.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/pickle.h"
#include "input/jsonline.h"
#include "input/peel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a log in which a record behind a prefix says that others may be. */
#define BEHIND_LOOK (16u << 10)
#define BEHIND_VAIN 4 /* lines that have something else there */
/* Line starts at which a CRI line makes the log a CRI log, or one of logfmt
 * such a log: a collector wraps all of it, but its first line may have been cut
 * off. */
#define CRI_TRIES 8

struct decode *decode_new(
    const struct limits *limits, const struct jsonkeys *keys, struct err *e)
{
	struct decode *d = calloc(1, sizeof *d);
	size_t line = (size_t)limits->v[LIMIT_LINE];

	if (!d) {
		err_nomem(e);
		return NULL;
	}
	d->unwrap = unwrap_new(keys, line, DECODE_OVERLAP);
	if (!d->unwrap) {
		err_nomem(e);
		free(d);
		return NULL;
	}
	d->blocks.keys = keys;
	d->blocks.line_max = line;
	d->probe.text.max = UNWRAP_EXPORT;
	d->hold.text.max = UNWRAP_HOLD;
	d->out.max = BUF_MAX;
	return d;
}

void decode_free(struct decode *d)
{
	if (!d)
		return;
	blocks_release(&d->blocks);
	unwrap_free(d->unwrap);
	held_release(&d->probe);
	held_release(&d->hold);
	shape_release(&d->shape);
	newest_release(&d->newest);
	margin_release(&d->margin);
	buf_release(&d->out);
	free(d);
}

void decode_prefixes(struct decode *d, const struct prefixes *prefixes)
{
	d->prefixes = prefixes;
}

void decode_begin(struct decode *d, const struct decode_sink *sink)
{
	blocks_begin(&d->blocks, sink);
	unwrap_begin(d->unwrap);
	d->stats = (struct decode_stats){ 0 };
	d->known = false;
	d->utf16 = UTF16_NO;
	d->head_n = 0;
	d->unit = (struct clean_unit){ 0 };
	d->raw = d->unit_raw = d->record_raw = 0;
	d->clean = (struct clean){ 0 };
	d->probing = true;
	d->probed = d->exported = d->dump = d->binary = false;
	d->text = false;
	d->holding = d->sure = d->cri = d->ordinary = d->opened = false;
	d->objects = true;
	d->behind = d->only_behind = false;
	d->vain = 0;
	d->line_start = true;
	d->tries = CRI_TRIES + 1;
	held_clear(&d->probe);
	held_clear(&d->hold);
	shape_begin(&d->shape, d->blocks.keys);
	newest_begin(&d->newest);
	margin_begin(&d->margin, d->prefixes);
}

/* ---- lines ---- */

/* The held line is an ordinary one after all. */
static int release_hold(struct decode *d, struct err *e)
{
	d->holding = d->sure = d->opened = false;
	for (size_t k = 0; k < d->hold.at.n; k++)
		if (blocks_add(&d->blocks, held_piece(&d->hold, k), e))
			return -1;
	held_clear(&d->hold);
	return 0;
}

int decode_replacement(struct decode *d, uint64_t raw, struct err *e)
{
	struct piece t = { { d->out.p, d->out.len }, raw, 0 };

	return blocks_add(&d->blocks, t, e);
}

/* Whether a line that begins there may have a record behind a prefix. */
static bool may_be_behind(const struct decode *d, uint64_t raw)
{
	return d->behind || (raw < BEHIND_LOOK && d->vain < BEHIND_VAIN);
}

/* A whole line: 1, and out has what takes its place; 0: it stays as it is. */
static int read_record(
    struct decode *d, struct span line, uint64_t raw, struct err *e)
{
	int rc;

	buf_clear(&d->out);
	rc = d->only_behind && line.p[0] != '{'
	    ? 0
	    : unwrap_line(d->unwrap, line, &d->out, e);
	if (rc > 0 && line.p[0] != '{')
		d->cri = true;
	if (!rc && line.p[0] != '{' && may_be_behind(d, raw)) {
		rc = unwrap_behind(d->unwrap, d->prefixes, line, &d->out, e);
		d->behind |= rc > 0;
		d->vain += !rc && d->sure;
	}
	if (rc < 0)
		return -1;
	d->ordinary |= rc != 1;
	if (rc != 1)
		return 0;
	d->stats.json_lines++;
	d->record_raw = raw;
	return 1;
}

/* The held line is whole. */
static int finish_hold(struct decode *d, struct err *e)
{
	struct span line = { d->hold.text.p, d->hold.text.len };
	uint64_t raw = d->hold.at.v[0].raw;
	int rc = read_record(d, line, raw, e);

	if (rc < 0)
		return -1;
	if (rc == 0) {
		d->objects &= !d->opened;
		return release_hold(d, e);
	}
	d->holding = d->sure = d->opened = false;
	held_clear(&d->hold);
	return decode_replacement(d, raw, e);
}

/* What the held start of a line says, until that is certain. */
static int look_at_hold(struct decode *d, struct err *e)
{
	struct span start = { d->hold.text.p, d->hold.text.len };
	enum unwrap_look look = d->only_behind
	    ? UNWRAP_NO
	    : unwrap_look(d->unwrap, start, d->cri || d->tries);

	if (look == UNWRAP_CRI || (look == UNWRAP_LINE && peel_digit(*start.p)))
		d->cri = true;
	if (look == UNWRAP_NO && start.p[0] != '{' &&
	    may_be_behind(d, d->hold.at.v[0].raw)) {
		d->only_behind = true;
		look = unwrap_look_behind(start);
	}
	d->sure = look == UNWRAP_LINE;
	if (d->sure || look == UNWRAP_MORE)
		return 0;
	d->ordinary = true;
	return release_hold(d, e);
}

/* Whether the held line is the first of an object on lines of its own, as
 * journalctl and jq write them: such a log begins with one. What it holds is
 * one line then. */
static bool opens(const struct decode *d)
{
	return d->objects && d->hold.text.len == 1 &&
	    d->hold.text.p[0] == '{' && (d->stats.json_lines || !d->ordinary);
}

static bool closes(const struct decode *d)
{
	size_t n = d->hold.text.len;

	return n > 1 && d->hold.text.p[n - 1] == '}' &&
	    blocks_ends(d->hold.text.p[n - 2]);
}

/* Go on with a held object, its ends of lines among it. */
static int feed_object(
    struct decode *d, struct piece t, size_t *used, struct err *e)
{
	size_t n = blocks_line_end(t.text);

	*used = 0;
	if (n == 0 && closes(d))
		return finish_hold(d, e);
	*used = t.text.n = n ? n : 1;
	if (d->hold.text.len + t.text.n > UNWRAP_HOLD) {
		*used = 0;
		d->objects = false;
		return release_hold(d, e);
	}
	return held_add(&d->hold, t, e);
}

/* Go on with a held line. *used: bytes taken from t; the line end is left to
 * the caller. */
static int feed_hold(
    struct decode *d, struct piece t, size_t *used, struct err *e)
{
	size_t end = blocks_line_end(t.text), all = t.text.n;
	size_t free_bytes = UNWRAP_HOLD - d->hold.text.len;

	if (d->opened)
		return feed_object(d, t, used, e);
	t.text.n = end < free_bytes ? end : free_bytes;
	*used = t.text.n;
	if (t.text.n < end && t.text.n == 0)
		return release_hold(d, e); /* too long for a record */
	if (t.text.n && held_add(&d->hold, t, e))
		return -1;
	if (t.text.n && !d->sure && look_at_hold(d, e))
		return -1;
	if (!d->holding || t.text.n < end || end == all)
		return 0;
	d->opened = opens(d);
	return d->opened ? 0 : finish_hold(d, e);
}

/* How much of t is ordinary for certain: up to a line that may be a record. */
static size_t ordinary_length(
    const struct decode *d, struct span t, uint64_t raw)
{
	size_t i = 0;
	const char *p;

	if (d->cri || d->tries || may_be_behind(d, raw))
		return blocks_line(t).n;
	while (i < t.n) {
		p = memchr(t.p + i, '{', t.n - i);
		if (!p)
			break;
		i = (size_t)(p - t.p);
		if (i && blocks_ends(t.p[i - 1]))
			return i;
		i++;
	}
	return t.n;
}

static bool may_be_record(const struct decode *d, char first)
{
	return first == '{' ||
	    ((d->cri || d->tries) &&
		(peel_digit(first) || (first >= 'a' && first <= 'z')));
}

/* What is behind the margin. */
static int add_lines(void *ctx, struct piece t, struct err *e)
{
	struct decode *d = ctx;

	while (t.text.n) {
		struct piece part = t;
		size_t n;

		if (d->line_start && !d->holding) {
			d->line_start = false;
			d->tries -= d->tries > 0;
			d->holding = may_be_record(d, t.text.p[0]);
			d->only_behind = !d->holding &&
			    !blocks_ends(t.text.p[0]) &&
			    may_be_behind(d, t.raw);
			d->holding |= d->only_behind;
		}
		if (d->holding) {
			if (feed_hold(d, t, &n, e))
				return -1;
		} else {
			n = part.text.n = ordinary_length(d, t.text, t.raw);
			if (blocks_add(&d->blocks, part, e))
				return -1;
			d->line_start = blocks_ends(t.text.p[n - 1]);
			d->ordinary |= n > 1 || !d->line_start;
		}
		t.text = span_sub(t.text, n, t.text.n);
		t.raw += (uint64_t)t.step * n;
	}
	return 0;
}

static struct margin_next behind_margin(struct decode *d)
{
	return (struct margin_next){ add_lines, d };
}

int decode_lines(struct decode *d, struct piece t, struct err *e)
{
	const struct margin_next next = behind_margin(d);

	return margin_feed(&d->margin, t, &next, e);
}

/* What is in the order in which the job wrote it. */
static int add_ordered(void *ctx, struct piece t, struct err *e)
{
	return decode_probe_add(ctx, t, e);
}

static struct newest_next behind_newest(struct decode *d)
{
	return (struct newest_next){ add_ordered, d, d->unwrap, d->prefixes };
}

/* What is as the job wrote it. */
static int add_plain(void *ctx, struct piece t, struct err *e)
{
	struct decode *d = ctx;
	const struct newest_next next = behind_newest(d);

	return newest_none(&d->newest) ? decode_probe_add(d, t, e)
				       : newest_feed(&d->newest, t, &next, e);
}

static struct shape_next behind_shape(struct decode *d)
{
	return (struct shape_next){ add_plain, d };
}

/* Clean text of the log, in order. */
static int add_shaped(struct decode *d, struct piece t, struct err *e)
{
	const struct shape_next next = behind_shape(d);

	return shape_none(&d->shape) ? add_plain(d, t, e)
				     : shape_feed(&d->shape, t, &next, e);
}

/* ---- encoding ---- */

/* Whether ordinary bytes can go straight to the blocks: nothing is held, and
 * of the lines only those that begin with '{' may be records. */
static bool straight(const struct decode *d, struct piece t)
{
	return t.step == 1 && !d->probing && !d->holding && !d->cri &&
	    !d->tries && !d->behind && margin_none(&d->margin) &&
	    shape_none(&d->shape) && newest_none(&d->newest);
}

/* As much as can go straight. */
static int add_straight(struct decode *d, struct piece *t, struct err *e)
{
	size_t before = d->blocks.len - d->blocks.text, left, n;

	do {
		left = t->text.n;
		if (blocks_take(&d->blocks, &d->clean, t, e))
			return -1;
	} while (t->text.n && t->text.n < left);
	n = d->blocks.len - d->blocks.text - before;
	if (n)
		d->line_start = blocks_at_start(&d->blocks);
	d->ordinary |= n > 1 || (n && !d->line_start);
	return 0;
}

/* How much of t can go straight: up to a line that may have a record behind a
 * prefix, or is not all there. */
static size_t straight_length(const struct decode *d, struct piece t)
{
	struct span s;

	if (!straight(d, t))
		return 0;
	if (!may_be_behind(d, t.raw))
		return t.text.n;
	s = span_sub(t.text, 0, (size_t)(BEHIND_LOOK - t.raw));
	return jsonline_behind(span_sub(s, 0, span_line_start(s, 0, s.n)));
}

/* A line that may be a record and is all there need not be held. 1: it was one,
 * and is taken from t with its end. 0: it was none; if it holds escapes it is
 * left, since without them it may be one. */
static int add_at_once(struct decode *d, struct piece *t, struct err *e)
{
	struct piece line = *t, end = *t;
	struct clean clean = d->clean;
	struct span rest, run;
	size_t n = blocks_line_end(t->text);
	int rc;

	if (!d->line_start || n == t->text.n || n > UNWRAP_HOLD ||
	    !span_starts(t->text, "{\""))
		return 0;
	rest = line.text = span_sub(t->text, 0, n);
	rc = read_record(d, line.text, line.raw, e);
	if (rc < 0 || (rc == 0 && (!clean_next(&clean, &rest, &run) || rest.n)))
		return rc;
	d->line_start = rc > 0;
	if (rc > 0) {
		line = (struct piece){ { d->out.p, d->out.len }, line.raw, 0 };
		end.text = span_sub(t->text, n, n + 1);
		end.raw += n++;
	}
	if (rc ? blocks_add_line(&d->blocks, line, end, e)
	       : blocks_add(&d->blocks, line, e))
		return -1;
	t->text = span_sub(t->text, n, t->text.n);
	t->raw += n;
	return rc;
}

/* Text in UTF-8 that may hold escapes. What does not go straight goes line by
 * line, so that it can again soon. */
static int add_text(struct decode *d, struct piece t, struct err *e)
{
	while (t.text.n) {
		struct piece run = t;
		struct span rest;
		size_t n = straight_length(d, t);
		int rc;

		if (n) {
			run.text.n = n;
			if (add_straight(d, &run, e))
				return -1;
			while ((rc = add_at_once(d, &run, e)) > 0)
				;
			if (rc)
				return -1;
			n -= run.text.n;
			t.text = span_sub(t.text, n, t.text.n);
			t.raw += n;
			if (n)
				continue;
			run = t;
		}
		rest = blocks_line(t.text);
		while (clean_next(&d->clean, &rest, &run.text)) {
			run.raw =
			    t.raw + t.step * (uint64_t)(run.text.p - t.text.p);
			if (add_shaped(d, run, e))
				return -1;
		}
		n = (size_t)(rest.p - t.text.p);
		t.text = span_sub(t.text, n, t.text.n);
		t.raw += t.step * (uint64_t)n;
	}
	return 0;
}

/* Runs of ASCII go on together, any other character has its own place. */
static int add_utf16(struct decode *d, struct span s, struct err *e)
{
	char run[256], out[6];
	struct piece t = { { run, 0 }, d->raw, 2 };

	for (size_t i = 0; i < s.n; i++, d->raw++) {
		size_t n;

		if (!d->unit.has_half && !d->unit.high)
			d->unit_raw = d->raw;
		n = clean_utf16_byte(&d->unit, (unsigned char)s.p[i], out);
		if (n == 0)
			continue;
		if (t.text.n && (n > 1 || t.text.n == sizeof run)) {
			if (add_text(d, t, e))
				return -1;
			t.text.n = 0;
		}
		if (n > 1) {
			struct piece one = { { out, n }, d->unit_raw, 0 };

			if (add_text(d, one, e))
				return -1;
			continue;
		}
		if (t.text.n == 0)
			t.raw = d->unit_raw;
		run[t.text.n++] = out[0];
	}
	return add_text(d, t, e);
}

static int add_bytes(struct decode *d, struct span s, struct err *e)
{
	struct piece t = { s, d->raw, 1 };

	if (d->utf16 != UTF16_NO)
		return add_utf16(d, s, e);
	d->raw += s.n;
	return add_text(d, t, e);
}

/* It is no dump: what is held of it goes the ordinary way, and s behind it. */
static int release_binary(struct decode *d, struct span s, struct err *e)
{
	struct buf held = d->probe.text;
	int rc;

	d->probe.text = (struct buf)BUF_INIT(UNWRAP_EXPORT);
	d->binary = d->dump = false;
	rc = add_bytes(d, (struct span){ held.p, held.len }, e);
	if (!rc && s.n)
		rc = add_bytes(d, s, e);
	buf_release(&held);
	return rc;
}

/* The bytes of a log that begins as a pickle, which are no text. Those that
 * turn out to be of another go the ordinary way. */
static int add_binary(struct decode *d, struct span s, struct err *e)
{
	struct buf *held = &d->probe.text;
	struct span start;

	if (held->len + s.n > UNWRAP_EXPORT)
		d->stats.torn_file = true;
	else if (buf_add(held, s.p, s.n))
		return err_nomem(e);
	else
		s.n = 0;
	start = (struct span){ held->p, held->len };
	if (!d->dump && !s.n) {
		enum unwrap_look look = unwrap_look_dump(start);

		d->dump = look == UNWRAP_LINE;
		if (look != UNWRAP_NO)
			return 0;
	} else if (!s.n) {
		return 0;
	}
	return release_binary(d, s, e);
}

/* Append text of the log's first bytes to out, clean and in UTF-8. */
static int add_clean(const struct decode *d, struct span s, struct buf *out)
{
	struct clean_unit unit = d->unit;
	struct clean clean = { 0 };
	struct buf text = BUF_INIT(BUF_MAX);
	char c[6];
	int rc = 0;

	for (size_t i = 0; !rc && d->utf16 != UTF16_NO && i < s.n; i++)
		rc = buf_add(&text, c,
		    clean_utf16_byte(&unit, (unsigned char)s.p[i], c));
	if (d->utf16 != UTF16_NO)
		s = (struct span){ text.p, text.len };
	rc = rc ? rc : clean_add(&clean, out, s);
	buf_release(&text);
	return rc;
}

/* Whether the log was changed as a whole, its first bytes tell, or all. */
static int look_at_shape(
    struct decode *d, struct span head, bool all, struct err *e)
{
	const struct newest_next next = behind_newest(d);

	if (all || d->utf16 != UTF16_NO || !clean_is(head)) {
		buf_clear(&d->out);
		if (add_clean(d, head, &d->out) ||
		    (all && buf_addc(&d->out, '\n')))
			return err_nomem(e);
		head = (struct span){ d->out.p ? d->out.p : "", d->out.len };
	}
	if (shape_tell(&d->shape, head, all, e))
		return -1;
	/* rows tell when they are records */
	if (d->shape.is & SHAPE_CSV)
		head.n = 0;
	return !head.n || shape_none(&d->shape)
	    ? newest_tell(&d->newest, head, &next, e)
	    : 0;
}

/* Encoding and shape are decided by the first bytes, of which s has as many as
 * tell, or all that there are. */
static int decide(struct decode *d, struct span s, bool all, struct err *e)
{
	struct span head = span_sub(s, 0, SHAPE_LOOK);
	size_t mark;

	d->known = true;
	d->binary = pickle_begins(head);
	if (d->binary)
		return add_binary(d, s, e);
	d->utf16 = clean_utf16(span_sub(head, 0, CLEAN_LOOK), &mark);
	d->unit.big = d->utf16 == UTF16_BIG;
	d->stats.utf16 = d->utf16 != UTF16_NO;
	d->raw = mark;
	if (look_at_shape(d, span_sub(head, mark, head.n), all, e))
		return -1;
	return add_bytes(d, span_sub(s, mark, s.n), e);
}

static int decide_on_head(struct decode *d, bool all, struct err *e)
{
	return decide(d, (struct span){ d->head, d->head_n }, all, e);
}

static void update_stats(struct decode *d)
{
	const struct clean *inner = unwrap_dropped(d->unwrap);
	struct decode_stats *s = &d->stats;

	s->raw_bytes = d->known ? d->raw : d->head_n;
	s->clean_bytes = d->blocks.clean + d->blocks.len - d->blocks.text;
	s->nul_bytes = d->clean.nul_bytes + inner->nul_bytes;
	s->escapes = d->clean.escapes + inner->escapes;
	s->long_lines = d->blocks.long_lines;
	s->error_file = d->blocks.error_file;
	s->writers = unwrap_writers(d->unwrap);
}

int decode_feed(struct decode *d, const char *p, size_t n, struct err *e)
{
	struct span s = { p, n };
	int rc = 0;

	if (n >= sizeof d->head && !d->known && !d->head_n) {
		rc = decide(d, s, false, e);
		s.n = 0;
	} else if (n && !d->known) {
		size_t take = sizeof d->head - d->head_n;

		if (take > n)
			take = n;
		memcpy(d->head + d->head_n, p, take);
		d->head_n += take;
		s = span_sub(s, take, n);
		if (d->head_n == sizeof d->head)
			rc = decide_on_head(d, false, e);
	}
	if (rc == 0 && s.n)
		rc = d->binary ? add_binary(d, s, e) : add_bytes(d, s, e);
	update_stats(d);
	return rc;
}

int decode_flush(struct decode *d, struct err *e)
{
	int rc = 0;

	/* Fewer bytes than a mark takes cannot tell the encoding. */
	if (!d->known && d->head_n >= 4)
		rc = decide_on_head(d, true, e);
	if (rc == 0)
		rc = blocks_flush(&d->blocks, false);
	update_stats(d);
	return rc;
}

/* What the log's end leaves half done. */
static int finish(struct decode *d, struct err *e)
{
	char out[6];
	struct piece t = { { out, 0 }, d->unit_raw, 0 };
	struct shape_next lines;
	struct newest_next ordered;
	struct margin_next next;
	bool turned;

	if (!d->known && decide_on_head(d, true, e))
		return -1;
	if (d->binary) {
		size_t n = d->probe.text.len;
		int rc = d->dump ? decode_probe_dump(d, e) : 0;

		if (rc < 0 || (!rc && release_binary(d, span_of(NULL), e)))
			return -1;
		if (rc)
			d->raw = n;
	}
	if (d->utf16 != UTF16_NO) {
		t.text.n = clean_utf16_end(&d->unit, out);
		t.raw = d->unit_raw;
		if (t.text.n && add_text(d, t, e))
			return -1;
	}
	lines = behind_shape(d);
	if (shape_end(&d->shape, &lines, e))
		return -1;
	ordered = behind_newest(d);
	if (newest_end(&d->newest, &ordered, &turned, e))
		return -1;
	if (turned)
		snprintf(d->stats.why, sizeof d->stats.why,
		    "its newest lines are the first: it is read from its end, "
		    "and lines are counted from the oldest");
	if (d->probing && decode_probe_end(d, e))
		return -1;
	next = behind_margin(d);
	if (margin_end(&d->margin, &next, e))
		return -1;
	if (d->holding && finish_hold(d, e))
		return -1;
	buf_clear(&d->out);
	if (!blocks_at_start(&d->blocks) && buf_addc(&d->out, '\r'))
		return err_nomem(e);
	if (unwrap_rest(d->unwrap, &d->out))
		return err_nomem(e);
	if (d->out.len > 1 && decode_replacement(d, d->record_raw, e))
		return -1;
	if (d->stats.json_lines == 1 && !d->ordinary)
		d->blocks.error_file |= unwrap_bare_message(d->unwrap);
	d->blocks.logged = unwrap_logged(d->unwrap);
	/* also the end of the log has a place, if no text is left before it */
	if (!d->blocks.at.n && anchors_add(&d->blocks.at, 0, d->raw, 0))
		return err_nomem(e);
	return 0;
}

int decode_end(struct decode *d, struct err *e)
{
	int rc = finish(d, e);

	update_stats(d);
	if (rc == 0)
		rc = blocks_flush(&d->blocks, true);
	update_stats(d);
	return rc;
}

uint64_t decode_offset(const struct decode_block *b, size_t pos)
{
	return anchors_raw(b->places, pos);
}

const struct decode_stats *decode_stats(const struct decode *d)
{
	return &d->stats;
}
