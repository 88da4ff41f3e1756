#include "reports/baseline/baseline.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/template.h"
#include "base/text.h"
#include "diagnose/diagnosis.h"
#include "diagnose/job_record.h"
#include "reports/store/store_table.h"

#include <stdlib.h>

/* ---- lines and names ---- */

/* The place and the job of a key ("ATTEMPT|FOLDER|JOB"), without what is
 * another in the next run: a number is. */
static int hide_digits(struct buf *out, struct span key)
{
	size_t attempt = span_find(key, "|");
	struct span s = span_sub(key, attempt < key.n ? attempt : 0, key.n);
	int rc = 0;

	for (size_t i = 0; i < s.n && !rc; i++) {
		bool digit = s.p[i] >= '0' && s.p[i] <= '9';

		if (!digit && s.p[i] != '|')
			rc = buf_addc(out, s.p[i]);
		else if (digit && (!out->len || out->p[out->len - 1] != '#'))
			rc = buf_addc(out, '#');
	}
	return rc;
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* The end of a path tells more than its beginning. */
static struct span ending(struct span s, size_t most)
{
	size_t from = s.n > most ? s.n - most : 0;

	while (from < s.n && ((unsigned char)s.p[from] & 0xc0) == 0x80)
		from++;
	return span_sub(s, from, s.n);
}

int baseline_whose(
    const struct diagnosis *d, struct buf *text, struct baseline_whose *out)
{
	const struct job_record *r = d->record;
	struct buf all = BUF_INIT(BUF_MAX);
	int rc;

	if (r && r->name)
		rc = buf_adds(&all, r->name);
	else
		rc = hide_digits(&all, span_of(d->key ? d->key : d->job));
	buf_clear(text);
	rc = rc ||
	    text_utf8(
		text, ending((struct span){ all.p, all.len }, BASELINE_NAME)) ||
	    buf_adds(text, "");
	buf_release(&all);
	*out = (struct baseline_whose){ .cluster = or_empty(d->cluster),
		.owner = or_empty(r ? r->user : NULL),
		.name = text->p };
	return rc ? -1 : 0;
}

int baseline_template(struct buf *out, struct span line, uint64_t *hash)
{
	size_t start = out->len, end;
	struct buf raw = BUF_INIT(BUF_MAX);
	bool words;
	int rc = template_mask_quoting(&raw, line, &words);

	*hash = 0;
	if (!rc && words) {
		rc = text_utf8(out, (struct span){ raw.p, raw.len });
		end = start + BASELINE_TEXT;
		if (!rc && out->len > end) {
			while (((unsigned char)out->p[end] & 0xc0) == 0x80)
				end--;
			out->len = end;
			out->p[end] = '\0';
		}
		if (!rc)
			*hash =
			    hash_of(out->p + start, out->len - start).low | 1;
	}
	buf_release(&raw);
	return rc ? -1 : 0;
}

/* ---- rows ---- */

enum column {
	CLUSTER,
	OWNER,
	NAME,
	JOB,
	ATTEMPT,
	ACCOUNT,
	AT,
	LINES,
	TEMPLATES,
	COLUMNS
};

static const struct store_table table = {
	"good_run",
	5,
	COLUMNS,
	{
	    [CLUSTER] = { "cluster", false },
	    [OWNER] = { "owner", false },
	    [NAME] = { "name", false },
	    [JOB] = { "job", false },
	    [ATTEMPT] = { "attempt", true },
	    [ACCOUNT] = { "account", false },
	    [AT] = { "at", true },
	    [LINES] = { "lines", true },
	    [TEMPLATES] = { "templates", false },
	},
};

static void row_of(const struct baseline_run *r, struct store_cell *row)
{
	row[CLUSTER].text = r->whose.cluster;
	row[OWNER].text = r->whose.owner;
	row[NAME].text = r->whose.name;
	row[JOB].text = r->job;
	row[ATTEMPT].number = r->attempt;
	row[ACCOUNT].text = r->account;
	row[AT].number = r->at;
	row[LINES].number = (int64_t)r->lines;
	row[TEMPLATES].text = or_empty(r->templates);
}

int baseline_put(struct store *s, const struct baseline_run *r, struct err *e)
{
	struct store_cell row[COLUMNS] = { { NULL, 0 } };

	row_of(r, row);
	return store_table_put(s, &table, row, e);
}

int baseline_remove(
    struct store *s, const struct baseline_run *r, struct err *e)
{
	struct store_cell row[COLUMNS] = { { NULL, 0 } };

	row_of(r, row);
	return store_table_remove(s, &table, row, e);
}

static int by_number(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* The hashes of its templates. -1: out of memory. */
static int take_templates(
    struct baseline *b, struct baseline_run *r, struct span text)
{
	struct span rest = text, line;
	size_t most = (size_t)span_newlines(text) + 1;

	r->hashes = arena_memory(b->arena, most * sizeof *r->hashes);
	if (!r->hashes)
		return -1;
	while (r->lines < most && span_line(&rest, &line))
		r->hashes[r->lines++] = hash_of(line.p, line.n).low | 1;
	if (r->lines)
		qsort(r->hashes, r->lines, sizeof *r->hashes, by_number);
	if (b->texts)
		r->templates = arena_string(b->arena, text);
	return b->texts && !r->templates ? -1 : 0;
}

static int on_row(void *ctx, const struct store_cell *c, struct err *e)
{
	struct baseline *b = ctx;
	struct baseline_run *r;
	const char *text[ACCOUNT + 1] = { NULL };

	if (array_grow(&b->v, b->n, &b->cap, sizeof *b->v))
		return err_nomem(e);
	for (size_t i = 0; i <= ACCOUNT; i++) {
		if (!c[i].text || table.columns[i].number)
			continue;
		text[i] = arena_string(b->arena, span_of(c[i].text));
		if (!text[i])
			return err_nomem(e);
	}
	r = &b->v[b->n];
	*r = (struct baseline_run){
		.whose = { or_empty(text[CLUSTER]), or_empty(text[OWNER]),
		    or_empty(text[NAME]) },
		.job = or_empty(text[JOB]),
		.account = text[ACCOUNT],
		.attempt = c[ATTEMPT].number,
		.at = c[AT].number,
	};
	if (take_templates(b, r, span_of(or_empty(c[TEMPLATES].text))))
		return err_nomem(e);
	b->n++;
	return 0;
}

/* ---- what several owners print ---- */

/* A hash table; owners of a hash are counted in the order of the runs. */
struct baseline_common {
	uint64_t hash;  /* 0: free */
	uint32_t owner; /* the last that was counted; they are numbered */
	uint32_t owners;
};

static struct baseline_common *slot(const struct baseline *b, uint64_t hash)
{
	size_t i = (size_t)(hash >> 1) & (b->n_common - 1);

	while (b->common[i].hash && b->common[i].hash != hash)
		i = (i + 1) & (b->n_common - 1);
	return &b->common[i];
}

static int by_owner(
    const struct baseline_whose *a, const struct baseline_whose *b)
{
	int c = strcmp(a->cluster, b->cluster);

	return c ? c : strcmp(a->owner, b->owner);
}

static int find_common(struct baseline *b)
{
	uint32_t owner = 0;
	size_t all = 0;

	for (size_t i = 0; i < b->n; i++)
		all += b->v[i].lines;
	if (!all)
		return 0;
	for (b->n_common = 16; b->n_common < 2 * all;)
		b->n_common *= 2;
	b->common = calloc(b->n_common, sizeof *b->common);
	if (!b->common)
		return -1;
	for (size_t i = 0; i < b->n; i++) {
		owner += !i || by_owner(&b->v[i].whose, &b->v[i - 1].whose);
		for (size_t k = 0; k < b->v[i].lines; k++) {
			struct baseline_common *c = slot(b, b->v[i].hashes[k]);

			c->hash = b->v[i].hashes[k];
			c->owners += c->owner != owner;
			c->owner = owner;
		}
	}
	return 0;
}

int baseline_read(struct baseline *b, struct store *s, struct err *e)
{
	b->arena = arena_new();
	if (!b->arena)
		return err_nomem(e);
	if (store_table_each(s, &table, on_row, b, e))
		return -1;
	return find_common(b) ? err_nomem(e) : 0;
}

void baseline_release(struct baseline *b)
{
	free(b->v);
	free(b->common);
	arena_free(b->arena);
	*b = (struct baseline){ .v = NULL };
}

/* ---- questions ---- */

/* The first run of theirs; b->n: there is none. */
static size_t first_of(const struct baseline *b, const struct baseline_whose *w)
{
	size_t low = 0, high = b->n;

	while (low < high) {
		size_t at = (low + high) / 2;

		if (by_owner(&b->v[at].whose, w) < 0)
			low = at + 1;
		else
			high = at;
	}
	return low;
}

static bool prints(const struct baseline_run *r, uint64_t hash)
{
	return r->lines &&
	    bsearch(&hash, r->hashes, r->lines, sizeof hash, by_number);
}

bool baseline_knows(
    const struct baseline *b, const struct baseline_whose *w, uint64_t hash)
{
	const struct baseline_common *c = b->n_common ? slot(b, hash) : NULL;
	const char *name = "";
	unsigned names = 0;

	if (!c || !c->hash)
		return false;
	if (c->owners >= BASELINE_SEVERAL)
		return true;
	for (size_t i = first_of(b, w);
	     i < b->n && by_owner(&b->v[i].whose, w) == 0; i++) {
		const struct baseline_run *r = &b->v[i];

		if (!prints(r, hash))
			continue;
		names += r->whose.name != name;
		name = r->whose.name;
		if (names >= BASELINE_SEVERAL || strcmp(name, w->name) == 0)
			return true;
	}
	return false;
}

size_t baseline_runs(
    const struct baseline *b, const struct baseline_whose *w, int64_t *newest)
{
	size_t n = 0;

	*newest = INT64_MIN;
	for (size_t i = first_of(b, w);
	     i < b->n && by_owner(&b->v[i].whose, w) == 0; i++) {
		if (strcmp(b->v[i].whose.name, w->name) != 0)
			continue;
		if (b->v[i].at > *newest)
			*newest = b->v[i].at;
		n++;
	}
	return n;
}

/* ---- bounds ---- */

struct place {
	const struct baseline_run *run;
	size_t of_name, of_owner; /* how many newer ones there are */
};

static int newer(const struct baseline_run *a, const struct baseline_run *b)
{
	int c;

	if (a->at != b->at)
		return a->at > b->at ? -1 : 1;
	c = strcmp(a->job, b->job);
	return c ? c : (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

static int by_name_age(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	int c = by_owner(&a->run->whose, &b->run->whose);

	c = c ? c : strcmp(a->run->whose.name, b->run->whose.name);
	return c ? c : newer(a->run, b->run);
}

static int by_owner_age(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	bool out_a = a->of_name >= BASELINE_RUNS;
	bool out_b = b->of_name >= BASELINE_RUNS;
	int c = by_owner(&a->run->whose, &b->run->whose);

	if (c || out_a != out_b)
		return c ? c : out_a ? 1 : -1;
	return newer(a->run, b->run);
}

/* Who has many gives way first. */
static int by_place(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->of_owner != b->of_owner)
		return a->of_owner < b->of_owner ? -1 : 1;
	return newer(a->run, b->run);
}

static bool over(const struct place *p, size_t place)
{
	return p->of_owner >= BASELINE_OWNER_RUNS || place >= BASELINE_ALL_RUNS;
}

/* Those that stay first. */
static void arrange(struct place *v, size_t n)
{
	qsort(v, n, sizeof *v, by_name_age);
	for (size_t i = 1; i < n; i++)
		if (!by_owner(&v[i].run->whose, &v[i - 1].run->whose) &&
		    !strcmp(v[i].run->whose.name, v[i - 1].run->whose.name))
			v[i].of_name = v[i - 1].of_name + 1;
	qsort(v, n, sizeof *v, by_owner_age);
	for (size_t i = 0; i < n; i++)
		if (v[i].of_name >= BASELINE_RUNS)
			v[i].of_owner = SIZE_MAX;
		else if (i && !by_owner(&v[i].run->whose, &v[i - 1].run->whose))
			v[i].of_owner = v[i - 1].of_owner + 1;
	qsort(v, n, sizeof *v, by_place);
}

int baseline_bound(struct store *s, struct err *e)
{
	struct baseline b = { .v = NULL };
	struct place *v = NULL;
	size_t lines = 0;
	int rc = baseline_read(&b, s, e);

	if (!rc && b.n) {
		v = calloc(b.n, sizeof *v);
		rc = v ? 0 : err_nomem(e);
	}
	for (size_t i = 0; v && i < b.n; i++)
		v[i].run = &b.v[i];
	if (v)
		arrange(v, b.n);
	for (size_t i = 0; v && i < b.n && !rc; i++) {
		lines += v[i].run->lines;
		if (over(&v[i], i) || lines > BASELINE_ALL_LINES)
			rc = baseline_remove(s, v[i].run, e);
	}
	free(v);
	baseline_release(&b);
	return rc;
}
