#include "reports/judge/judgement.h"

#include "base/array.h"
#include "base/err.h"
#include "base/json.h"
#include "base/when.h"
#include "reports/output/object.h"
#include "reports/store/store_table.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA "jobtriage.judgement/1"

/* The columns of the table, the members of a line, and of the struct. */
enum column {
	JOB,
	ATTEMPT,
	CLUSTER,
	PLACE,
	AT,
	OWNER,
	ACCOUNT,
	CATEGORY,
	VERDICT,
	NOTE,
	BY,
	RULE,
	ANSWER,
	ANSWER_VERDICT,
	COLUMNS
};

static const struct store_table table = {
	"judgement",
	5,
	COLUMNS,
	{
	    [JOB] = { "job", false },
	    [ATTEMPT] = { "attempt", true },
	    [CLUSTER] = { "cluster", false },
	    [PLACE] = { "place", false },
	    [AT] = { "at", true },
	    [OWNER] = { "owner", false },
	    [ACCOUNT] = { "account", false },
	    [CATEGORY] = { "category", false },
	    [VERDICT] = { "verdict", false },
	    [NOTE] = { "note", false },
	    [BY] = { "said_by", false },
	    [RULE] = { "rule", false },
	    [ANSWER] = { "answer", false },
	    [ANSWER_VERDICT] = { "answer_verdict", false },
	},
};

#define TEXT(key, member)                               \
	{                                               \
		key, offsetof(struct judgement, member) \
	}

/* Where the texts are; those of a line are called so. */
static const struct {
	const char *key;
	size_t at;
} texts[COLUMNS] = {
	[JOB] = TEXT("job", job),
	[CLUSTER] = TEXT("cluster", owner.cluster),
	[PLACE] = TEXT("place", owner.place),
	[OWNER] = TEXT("user", owner.user),
	[ACCOUNT] = TEXT("group", account),
	[CATEGORY] = TEXT("category", category),
	[VERDICT] = TEXT("verdict", verdict),
	[NOTE] = TEXT("note", note),
	[BY] = TEXT("by", by),
	[RULE] = TEXT("rule", rule),
	[ANSWER] = TEXT("answer", answer),
	[ANSWER_VERDICT] = TEXT("answer_verdict", answer_verdict),
};

static const char *text_of(const struct judgement *j, size_t i)
{
	return *(
	    const char *const *)(const void *)((const char *)j + texts[i].at);
}

/* Of the key's parts none may be null. */
static void row_of(
    const struct judgement *j, struct store_cell row[STORE_TABLE_MOST])
{
	for (size_t i = 0; i < COLUMNS; i++) {
		row[i] = (struct store_cell){ NULL, 0 };
		if (texts[i].key)
			row[i].text = text_of(j, i);
		if (i < table.n_key && !table.columns[i].number && !row[i].text)
			row[i].text = "";
	}
	row[ATTEMPT].number = j->attempt;
	row[AT].number = j->at;
}

int judgement_put(struct store *s, const struct judgement *j, struct err *e)
{
	struct store_cell row[STORE_TABLE_MOST];

	row_of(j, row);
	return store_table_put(s, &table, row, e);
}

int judgement_remove(struct store *s, const struct judgement *j, struct err *e)
{
	struct store_cell row[STORE_TABLE_MOST];

	row_of(j, row);
	return store_table_remove(s, &table, row, e);
}

/* ---- all of them ---- */

/* One more, whose texts are yet to come. NULL: out of memory. */
static struct judgement *add(struct judgements *all)
{
	if (!all->arena && !(all->arena = arena_new()))
		return NULL;
	if (array_grow(&all->v, all->n, &all->cap, sizeof *all->v))
		return NULL;
	all->sorted = false;
	all->v[all->n] = (struct judgement){ .job = "" };
	return &all->v[all->n++];
}

/* The empty text says nothing. */
static int set_text(
    struct judgements *all, struct judgement *j, size_t i, struct span s)
{
	const char *kept = s.n ? arena_string(all->arena, s) : NULL;

	memcpy((char *)j + texts[i].at, &kept, sizeof kept);
	return s.n && !kept ? -1 : 0;
}

static int on_row(void *ctx, const struct store_cell *row, struct err *e)
{
	struct judgements *all = ctx;
	struct judgement *j = add(all);

	if (!j)
		return err_nomem(e);
	for (size_t i = 0; i < COLUMNS; i++)
		if (texts[i].key && set_text(all, j, i, span_of(row[i].text)))
			return err_nomem(e);
	j->attempt = row[ATTEMPT].number;
	j->at = row[AT].number;
	return 0;
}

int judgements_read(struct judgements *all, struct store *s, struct err *e)
{
	return store_table_each(s, &table, on_row, all, e);
}

void judgements_release(struct judgements *all)
{
	free(all->v);
	arena_free(all->arena);
	*all = (struct judgements){ 0 };
}

static int by_attempt(const void *x, const void *y)
{
	const struct judgement *a = x, *b = y;
	int c = strcmp(a->job, b->job);

	if (c || a->attempt != b->attempt)
		return c ? c : a->attempt < b->attempt ? -1 : 1;
	return 0;
}

static int by_time(const void *x, const void *y)
{
	const struct judgement *a = x, *b = y;
	int c = by_attempt(x, y);

	return c ? c : (a->at > b->at) - (a->at < b->at);
}

/* Nothing more comes after the first question, mostly. */
static void sort(struct judgements *all)
{
	if (!all->sorted && all->n)
		qsort(all->v, all->n, sizeof *all->v, by_time);
	all->sorted = true;
}

bool judgements_find(struct judgements *all, const char *job, int64_t attempt,
    const struct entry_owner *owner, struct judged *out)
{
	const struct judgement key = { .job = job, .attempt = attempt };
	const struct judgement *j, *end;

	*out = (struct judged){ 0 };
	if (!all || !all->n)
		return false;
	sort(all);
	j = bsearch(&key, all->v, all->n, sizeof *all->v, by_attempt);
	end = all->v + all->n;
	while (j && j > all->v && !by_attempt(j - 1, &key))
		j--;
	for (; j && j < end && !by_attempt(j, &key); j++) {
		if (!entry_same(&j->owner, owner))
			continue;
		out->category = j->category ? j->category : out->category;
		out->verdict = j->verdict ? j->verdict : out->verdict;
		out->note = j->note ? j->note : out->note;
		out->by = j->by;
		out->at = j->at;
		out->words++;
	}
	return out->words > 0;
}

/* ---- lines ---- */

int judgement_line(const struct judgement *j, struct buf *out)
{
	struct object o = object_new();

	object_string(&o, "schema", SCHEMA);
	object_string(&o, "job", j->job);
	object_count(&o, "attempt", j->attempt);
	for (size_t i = JOB + 1; i < COLUMNS; i++)
		if (texts[i].key)
			object_string(&o, texts[i].key, text_of(j, i));
	object_time(&o, "at", j->at);
	return object_write(&o, out);
}

bool judgement_is_line(struct span line)
{
	return span_starts(line, "{\"schema\":\"" SCHEMA "\"");
}

static int read_line(
    struct judgements *all, const struct json *o, struct err *e)
{
	struct judgement *j = add(all);

	if (!j)
		return err_nomem(e);
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct json *v =
		    texts[i].key ? json_get(o, texts[i].key) : NULL;

		if (!v || json_is(v, JSON_IS_NULL))
			continue;
		if (!json_is(v, JSON_IS_TEXT)) {
			err_set(e, "'%s' must be a text or null", texts[i].key);
			return 1;
		}
		if (set_text(all, j, i, json_text(v)))
			return err_nomem(e);
	}
	if (!j->job || !*j->job ||
	    !json_int(json_get(o, "attempt"), &j->attempt) || j->attempt < 1 ||
	    !when_parse(json_get_text(o, "at"), &j->at)) {
		err_set(e, "a judgement has a job, an attempt and a time");
		return 1;
	}
	return 0;
}

int judgements_add_line(struct judgements *all, struct span line, struct err *e)
{
	struct json *o = json_parse(line, JSON_PARSE, e);
	size_t n = all->n;
	int rc;

	if (!o)
		return e->lack ? -1 : 1;
	if (!span_is(json_get_text(o, "schema"), SCHEMA)) {
		err_set(e, "schema: expected " SCHEMA);
		rc = 1;
	} else {
		rc = read_line(all, o, e);
	}
	json_free(o);
	if (rc)
		all->n = n;
	return rc;
}
