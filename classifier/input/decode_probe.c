/*
 * The whole log as an error file, an export or a dump: the start of it is held
 * until it is known to be none, which nearly always a few bytes tell.
 */
#include "input/decode_private.h"

#include "base/err.h"

#include <stdio.h>

/* It is none: its text so far goes the ordinary way. */
static int release_probe(struct decode *d, struct err *e)
{
	d->probing = d->probed = false;
	for (size_t k = 0; k < d->probe.at.n; k++)
		if (decode_lines(d, held_piece(&d->probe, k), e))
			return -1;
	held_clear(&d->probe);
	return 0;
}

int decode_probe_dump(struct decode *d, struct err *e)
{
	struct span log = { d->probe.text.p, d->probe.text.len };
	struct err why = { 0 };
	int rc;

	buf_clear(&d->out);
	rc = unwrap_dump(log, &d->out, &why);
	if (rc < 0)
		return err_pass(e, &why);
	if (rc == 2) {
		d->stats.torn_file = true;
		snprintf(d->stats.why, sizeof d->stats.why,
		    "a dump of the flight recorder that cannot be read: %.140s",
		    why.text);
	}
	if (!rc)
		return 0;
	d->probing = d->probed = d->binary = false;
	d->stats.dump = true;
	if (decode_replacement(d, 0, e))
		return -1;
	held_clear(&d->probe);
	return 1;
}

/* The lines of a value go the way of any others. */
static int add_text_value(struct decode *d, struct span log, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	int rc = unwrap_text_value(d->unwrap, log, &text, e);
	struct piece t = { { text.p, text.len }, 0, 0 };

	if (rc == 0)
		rc = release_probe(d, e);
	else if (rc > 0) {
		d->probing = d->probed = false;
		d->stats.value = true;
		t.raw = d->probe.at.v[0].raw;
		held_clear(&d->probe);
		rc = decode_lines(d, t, e);
	}
	buf_release(&text);
	return rc;
}

int decode_probe_end(struct decode *d, struct err *e)
{
	struct span log = { d->probe.text.p, d->probe.text.len };
	int rc;

	if (d->dump) {
		rc = decode_probe_dump(d, e);
		if (rc)
			return rc < 0 ? -1 : 0;
		d->probed = false;
	}
	if (d->text ||
	    (!d->probed && unwrap_look_text(log, true) == UNWRAP_LINE))
		return add_text_value(d, log, e);
	if (!d->probed)
		return release_probe(d, e);
	buf_clear(&d->out);
	rc = d->exported ? unwrap_export(d->unwrap, log, &d->out, e)
			 : unwrap_error_file(d->unwrap, log, &d->out, e);
	if (rc < 0)
		return -1;
	if (rc != 1) {
		d->stats.torn_file = rc == 2;
		return release_probe(d, e);
	}
	/* As many lines as the file has: line numbers stay true. Those of an
	 * export are of what it holds: it may come in another order. */
	for (size_t i = 0; d->exported && i < d->out.len; i++)
		if (d->out.p[i] == '\r')
			d->out.p[i] = '\n';
	for (size_t i = 0; !d->exported && i < log.n; i++)
		if (log.p[i] == '\n' && buf_addc(&d->out, '\n'))
			return err_nomem(e);
	d->blocks.error_file = !d->exported;
	d->probing = false;
	return decode_replacement(d, d->probe.at.v[0].raw, e);
}

static enum unwrap_look look_at_probe(struct decode *d)
{
	struct span start = { d->probe.text.p, d->probe.text.len };
	enum unwrap_look file = unwrap_look_error_file(start);
	enum unwrap_look export = unwrap_look_export(start);
	enum unwrap_look dump = unwrap_look_dump(start);
	enum unwrap_look text = unwrap_look_text(start, false);

	d->dump = dump == UNWRAP_LINE;
	d->exported = d->dump || export == UNWRAP_LINE;
	d->probed = d->exported || file == UNWRAP_LINE;
	/* only where it is nothing else */
	d->text = !d->probed && text == UNWRAP_LINE;
	d->probed |= d->text;
	if (export > file)
		file = export;
	if (text > file)
		file = text;
	return dump > file ? dump : file;
}

int decode_probe_add(struct decode *d, struct piece t, struct err *e)
{
	while (d->probing && t.text.n) {
		struct piece part = t;
		size_t most =
		    d->exported || d->text ? UNWRAP_EXPORT : UNWRAP_HOLD;
		size_t seen = d->probe.text.len;
		size_t left = most - d->probe.text.len;

		if (left == 0) {
			d->stats.torn_file = d->exported;
			if (release_probe(d, e))
				return -1;
			break;
		}
		/* In small steps, since most logs are told by a few bytes. */
		if (part.text.n > CLEAN_LOOK && !d->probed)
			part.text.n = CLEAN_LOOK;
		if (part.text.n > left)
			part.text.n = left;
		if (held_add(&d->probe, part, e))
			return -1;
		t.text = span_sub(t.text, part.text.n, t.text.n);
		t.raw += (uint64_t)t.step * part.text.n;
		/* what begins on a line of its own is another value */
		seen -= seen > 0;
		if (d->text &&
		    span_find((struct span){ d->probe.text.p + seen,
				  d->probe.text.len - seen },
			"\n{") != SIZE_MAX) {
			d->text = false;
			if (release_probe(d, e))
				return -1;
		}
		if (d->probed)
			continue;
		if (!d->probing)
			break;
		if (look_at_probe(d) == UNWRAP_NO && release_probe(d, e))
			return -1;
	}
	return decode_lines(d, t, e);
}
