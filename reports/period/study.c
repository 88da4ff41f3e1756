/*
 * The rows come from the figures of the paper, in its order, and from the
 * taxonomy, for what a site has added. Then the failures are counted.
 */
#include "reports/period/study.h"

#include "reports/period/report_private.h"

#include <string.h>

/* study.tsv, as the build put it into the program. */
extern const char study_tsv[];
extern const size_t study_tsv_len;

static const char *const part_names[STUDY_PART_COUNT] = { "dimension",
	"category", "family", "stage" };

const char *study_part_name(enum study_part part)
{
	return part_names[part];
}

/* ---- the paper's figures ---- */

struct figure {
	struct span ids;  /* with commas between them */
	struct span name; /* of a class of another study */
	unsigned n_ids;
	int share, gpu_share;
};

static struct span cut(struct span *rest, char at)
{
	const char *p = rest->n ? memchr(rest->p, at, rest->n) : NULL;
	size_t n = p ? (size_t)(p - rest->p) : rest->n;
	struct span field = span_sub(*rest, 0, n);

	*rest = span_sub(*rest, p ? n + 1 : n, rest->n);
	return field;
}

static int number(struct span s)
{
	int64_t n = span_number(s);

	return n < 0 || n > 10000 ? STUDY_UNKNOWN : (int)n;
}

/* The next line of this kind, from *rest on; false when there is none. */
static bool next_line(struct span *rest, const char *kind, struct figure *f)
{
	struct span line;

	while (span_line(rest, &line)) {
		if (!span_is(cut(&line, '\t'), kind))
			continue;
		f->ids = cut(&line, '\t');
		f->share = number(cut(&line, '\t'));
		f->gpu_share = number(cut(&line, '\t'));
		f->name = line;
		f->n_ids = 1;
		for (size_t i = 0; i < f->ids.n; i++)
			f->n_ids += f->ids.p[i] == ',';
		return true;
	}
	return false;
}

/* The next figure of the part. */
static bool next_figure(
    struct span *rest, enum study_part part, struct figure *f)
{
	return next_line(rest, part_names[part], f);
}

static struct span paper(void)
{
	return (struct span){ study_tsv, study_tsv_len };
}

static bool names(struct span ids, const char *id)
{
	while (ids.n)
		if (span_is(cut(&ids, ','), id))
			return true;
	return false;
}

static void find_figures(struct study_row *row, enum study_part part)
{
	struct span rest = paper();
	struct figure f;

	while (next_figure(&rest, part, &f)) {
		if (!names(f.ids, row->id))
			continue;
		if (f.share != STUDY_UNKNOWN) {
			row->share = f.share;
			row->together = f.n_ids;
		}
		if (f.gpu_share != STUDY_UNKNOWN) {
			row->gpu_share = f.gpu_share;
			row->gpu_together = f.n_ids;
		}
	}
}

/* ---- rows ---- */

struct making {
	struct study *s;
	const struct report *r;
	size_t room; /* rows of each part */
};

static struct study_row *find(struct study_row *rows, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].id, id) == 0)
			return &rows[i];
	return NULL;
}

/* The row, made when it is missing. NULL: out of memory. */
static struct study_row *row_of(
    struct making *m, enum study_part part, const char *id)
{
	struct study *s = m->s;
	struct study_row *row = find(s->rows[part], s->n[part], id);
	const struct category *c;

	if (row || s->n[part] == m->room)
		return row;
	row = &s->rows[part][s->n[part]];
	*row = (struct study_row){
		.id = id, .share = STUDY_UNKNOWN, .gpu_share = STUDY_UNKNOWN
	};
	c = part == STUDY_CATEGORY ? taxonomy_category(m->r->tax, id) : NULL;
	if (c) {
		row->name = c->name;
		row->dimension = c->dimension;
	} else {
		row->name = id[0] ? report_words(m->r->arena, id) : "Not known";
	}
	if (!row->name)
		return NULL;
	find_figures(row, part);
	s->n[part]++;
	return row;
}

/* The rows that the paper has, unless they are for the taxonomy to name. */
static int paper_rows(struct making *m, enum study_part part)
{
	struct span rest = paper();
	struct figure f;

	while (next_figure(&rest, part, &f)) {
		const char *id = arena_string(m->r->arena, f.ids);

		if (f.n_ids > 1)
			continue;
		if (!id || !row_of(m, part, id))
			return -1;
	}
	return 0;
}

static bool wanted(const struct category *c, const char *dimension)
{
	return c && c->in_study && strcmp(c->dimension, dimension) == 0;
}

/* In the paper's order; a category that it does not have comes after. */
static int category_rows(struct making *m, const char *dimension)
{
	const struct taxonomy *tax = m->r->tax;
	struct span rest = paper();
	struct figure f;

	while (next_figure(&rest, STUDY_CATEGORY, &f)) {
		while (f.ids.n) {
			const char *id =
			    arena_string(m->r->arena, cut(&f.ids, ','));

			if (!id)
				return -1;
			if (wanted(taxonomy_category(tax, id), dimension) &&
			    !row_of(m, STUDY_CATEGORY, id))
				return -1;
		}
	}
	for (size_t i = 0; i < tax->n_categories; i++) {
		const struct category *c = &tax->categories[i];

		if (wanted(c, dimension) && !row_of(m, STUDY_CATEGORY, c->id))
			return -1;
	}
	return 0;
}

static int make_rows(struct making *m)
{
	const struct taxonomy *tax = m->r->tax;
	struct study *s = m->s;

	if (paper_rows(m, STUDY_DIMENSION) || paper_rows(m, STUDY_FAMILY) ||
	    paper_rows(m, STUDY_STAGE))
		return -1;
	for (size_t i = 0; i < tax->n_categories; i++) {
		const struct category *c = &tax->categories[i];

		if (c->in_study &&
		    (!row_of(m, STUDY_DIMENSION, c->dimension) ||
			!row_of(m, STUDY_FAMILY, c->family)))
			return -1;
	}
	for (size_t i = 0; i < s->n[STUDY_DIMENSION]; i++)
		if (category_rows(m, s->rows[STUDY_DIMENSION][i].id))
			return -1;
	return 0;
}

/* ---- counting ---- */

static void count_row(struct study_row *row, const struct entry *en)
{
	row->failures++;
	if (en->gpu_seconds < 0)
		row->unmeasured++;
	else
		row->gpu_seconds += en->gpu_seconds;
}

static int leave_out(struct making *m, const struct entry *en)
{
	struct study *s = m->s;
	struct study_row *row = find(s->left_out, s->n_left_out, en->category);

	s->outside++;
	if (!row && s->n_left_out < m->room) {
		row = &s->left_out[s->n_left_out++];
		*row = (struct study_row){ .id = en->category,
			.name = en->category_name ? en->category_name
						  : en->category,
			.dimension = en->dimension,
			.share = STUDY_UNKNOWN,
			.gpu_share = STUDY_UNKNOWN };
	}
	if (row)
		count_row(row, en);
	return 0;
}

static int count(struct making *m, const struct entry *en)
{
	const struct category *c = taxonomy_category(m->r->tax, en->category);
	const char *ids[STUDY_PART_COUNT];
	struct study_row all = { 0 };
	struct study *s = m->s;

	if (!c || !c->in_study)
		return leave_out(m, en);
	ids[STUDY_DIMENSION] = c->dimension;
	ids[STUDY_CATEGORY] = c->id;
	ids[STUDY_FAMILY] = en->family ? en->family : c->family;
	ids[STUDY_STAGE] = en->stage ? en->stage : "";
	for (int k = 0; k < STUDY_PART_COUNT; k++) {
		struct study_row *row = row_of(m, (enum study_part)k, ids[k]);

		if (!row)
			return -1;
		count_row(row, en);
	}
	count_row(&all, en);
	s->failures++;
	s->gpu_seconds += all.gpu_seconds;
	s->unmeasured += all.unmeasured;
	return 0;
}

/* ---- another study ---- */

/* Its title, and a row for each of its classes. */
static int other_rows(struct making *m, const char *which)
{
	struct arena *arena = m->r->arena;
	struct study *s = m->s;
	struct span rest = paper();
	struct figure f;

	while (next_line(&rest, "study", &f))
		if (span_is(f.ids, which))
			s->title = arena_string(arena, f.name);
	rest = paper();
	while (next_line(&rest, which, &f)) {
		struct study_row *row =
		    &s->rows[STUDY_CATEGORY][s->n[STUDY_CATEGORY]];

		if (s->n[STUDY_CATEGORY] == m->room)
			break;
		*row = (struct study_row){ .id = arena_string(arena, f.ids),
			.name = arena_string(arena, f.name),
			.share = f.share,
			.gpu_share = f.gpu_share,
			.together = 1,
			.gpu_together = 1 };
		if (!row->id || !row->name)
			return -1;
		s->n[STUDY_CATEGORY]++;
	}
	return s->title ? 0 : -1;
}

static int other_count(struct making *m, const struct entry *en)
{
	struct study *s = m->s;
	struct study_row all = { 0 };
	size_t i = 0;

	if (en->failed != 1) {
		s->not_failed++;
		return 0;
	}
	count_row(&all, en);
	s->failures++;
	s->gpu_seconds += all.gpu_seconds;
	s->unmeasured += all.unmeasured;
	while (i < s->n[STUDY_CATEGORY] &&
	    !names(span_of(s->rows[STUDY_CATEGORY][i].id), en->category))
		i++;
	if (i == s->n[STUDY_CATEGORY])
		return leave_out(m, en);
	count_row(&s->rows[STUDY_CATEGORY][i], en);
	return 0;
}

static int other_init(struct making *m, const char *which)
{
	int rc = other_rows(m, which);

	for (size_t i = 0; i < m->r->n_entries && !rc; i++)
		rc = other_count(m, m->r->entries[i]);
	return rc;
}

int study_init(struct study *s, const struct report *r, const char *which)
{
	/* room for a stage or a family that only the entries know */
	struct making m = { s, r, r->tax->n_categories + 64 };

	*s = (struct study){ .attempts = r->n_entries };
	for (int k = 0; k < STUDY_PART_COUNT; k++) {
		s->rows[k] =
		    arena_memory(r->arena, m.room * sizeof *s->rows[k]);
		if (!s->rows[k])
			return -1;
	}
	s->left_out = arena_memory(r->arena, m.room * sizeof *s->left_out);
	if (!s->left_out)
		return -1;
	if (strcmp(which, "zhang") != 0)
		return other_init(&m, which);
	if (make_rows(&m))
		return -1;
	for (size_t i = 0; i < r->n_entries; i++) {
		const struct entry *en = r->entries[i];

		if (!r->is_last[i])
			s->earlier++;
		else if (en->failed != 1)
			s->not_failed++;
		else if (strcmp(en->category, "unknown") == 0 ||
		    strcmp(en->category, ENTRY_NO_LOG) == 0)
			s->unexplained++;
		else if (count(&m, en))
			return -1;
	}
	return 0;
}
