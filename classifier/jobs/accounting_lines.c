/*
 * JSON lines, or one JSON array of objects, under a column map: the keys of
 * the first object choose the map.
 */
#include "jobs/accounting_load.h"

#include "base/buf.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

struct lines {
	struct accounting_walk walk;
	const struct accounting_map *map;
};

static bool fits(const struct taxonomy *tax, struct span head)
{
	size_t i = 0;

	(void)tax;
	head = span_trim(head);
	if (head.n && head.p[0] == '[')
		for (i = 1; i < head.n && strchr(" \t\r\n", head.p[i]); i++)
			;
	return i < head.n && head.p[i] == '{';
}

/* Keys in any case, as columns of CSV. */
static const struct json *find(const struct json *object, const char *name)
{
	const struct json *v = accounting_json_find(object, span_of(name));
	struct span key;
	void *at = NULL;

	if (v)
		return v;
	while (json_each(object, &at, &key, &v))
		if (accounting_same(key, name))
			return v;
	return NULL;
}

static bool has(void *ctx, const char *name)
{
	return find(ctx, name) != NULL;
}

/* A list of names as one text. */
static int join(const struct json *list, char separator, struct buf *out)
{
	char number[32];

	for (size_t i = 0; i < json_count(list); i++) {
		struct span s = accounting_json_words(json_at(list, i), number);

		if ((i && buf_addc(out, separator)) || buf_add(out, s.p, s.n))
			return -1;
	}
	return 0;
}

static int set(struct load *l, struct draft *d, enum accounting_column c,
    const struct json *v)
{
	struct buf list = BUF_INIT(BUF_MAX);
	char number[32];
	struct span s;
	int rc = -1;

	if (json_is(v, JSON_IS_ARRAY)) {
		if (join(v, d->map->node_separator[0], &list))
			goto out;
		s = (struct span){ list.p, list.len };
	} else {
		s = accounting_json_words(v, number);
	}
	rc = accounting_draft_set(l, d, c, s);
out:
	buf_release(&list);
	return rc;
}

static int record(struct load *l, const struct json *v, uint64_t line)
{
	struct lines *s = l->state;
	/* only read by has */
	struct accounting_names names = { (void *)(uintptr_t)v, has };
	struct draft d;

	if (!json_is(v, JSON_IS_OBJECT)) {
		accounting_note(l, TROUBLE_ROW, line, "row lost: no object");
		return 0;
	}
	if (!s->map)
		s->map = accounting_load_choose(l, &names);
	if (!s->map)
		return -1;
	accounting_draft_init(&d, l, s->map, line);
	for (size_t c = 0; c < COLUMN_COUNT; c++) {
		const char *name = accounting_map_name(
		    s->map, (enum accounting_column)c, &names);

		if (name &&
		    set(l, &d, (enum accounting_column)c, find(v, name)))
			return err_nomem(l->e);
	}
	if (!d.r.id && !d.r.state && d.r.started == ENVELOPE_NO_TIME) {
		accounting_note(l, TROUBLE_ROW, line,
		    "row lost: neither id, nor state, nor start");
		return 0;
	}
	return accounting_draft_add(l, &d) ? err_nomem(l->e) : 0;
}

static int read_lines(struct load *l, struct span text, bool last, size_t *used)
{
	static const struct accounting_elements what = { NULL, record };
	struct lines *s = l->state;

	if (!s) {
		l->state = s = calloc(1, sizeof *s);
		if (!s)
			return err_nomem(l->e);
	}
	return accounting_json_walk(l, &s->walk, &what, text, last, used);
}

const struct accounting_reader accounting_json_lines = {
	"JSON lines with such names",
	fits,
	read_lines,
	free,
};
