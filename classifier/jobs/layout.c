/*
 * Every layout is a signal of the taxonomy, whose pattern says in groups what
 * a path tells. What tells logs of one job apart (rank, node, stream) is left
 * out of the key.
 *
 * A pattern is compiled for the first path that may fit. For most runs that is
 * one of them all, and the compiling of all would take longer than the reading
 * of a small log.
 */
#include "jobs/layout.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/signals/signals.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Scratch memory of matches, which costs more to make than a match: as many
 * as there were threads at once. */
struct matchers {
	pthread_mutex_t lock;
	struct matcher **v;
	size_t n, cap;
};

struct layout {
	const struct taxonomy *tax;
	struct matchers *matchers;
	struct pattern *users; /* or NULL: some of the taxonomy's, namely */
	const char *name;      /* those of this one, NULL: all that are auto */
};

static size_t first_of(const struct taxonomy *tax)
{
	return tax->signal_from[SIGNAL_LAYOUT];
}

static size_t end_of(const struct taxonomy *tax)
{
	return tax->signal_from[SIGNAL_LAYOUT + 1];
}

const char *layout_name(const struct taxonomy *tax, size_t i)
{
	size_t k = first_of(tax) + i;

	return k < end_of(tax) ? taxonomy_signal_at(tax, k)->name : NULL;
}

static bool is_known(const struct taxonomy *tax, const char *name)
{
	const char *one;

	for (size_t i = 0; (one = layout_name(tax, i)); i++)
		if (!strcmp(one, name))
			return true;
	return false;
}

static int choose(struct layout *l, const char *choice, struct err *e)
{
	if (!choice || !strcmp(choice, "auto"))
		return 0;
	if (is_known(l->tax, choice)) {
		l->name = choice;
		return 0;
	}
	l->users = pattern_new(choice, NULL, e);
	if (!l->users)
		return err_prefix(e, "layout '%s'", choice);
	if (pattern_group(l->users, "job") < 0)
		return err_set(e,
		    "layout '%s': neither a known name nor a regex with a "
		    "group (?<job>...)",
		    choice);
	return 0;
}

struct layout *layout_new(
    const struct taxonomy *tax, const char *choice, struct err *e)
{
	struct layout *l = calloc(1, sizeof *l);
	struct matchers *matchers = calloc(1, sizeof *matchers);

	if (!l || !matchers) {
		free(l);
		free(matchers);
		err_nomem(e);
		return NULL;
	}
	pthread_mutex_init(&matchers->lock, NULL);
	l->matchers = matchers;
	l->tax = tax;
	if (choose(l, choice, e)) {
		layout_free(l);
		return NULL;
	}
	return l;
}

void layout_free(struct layout *l)
{
	if (!l)
		return;
	pattern_free(l->users);
	for (size_t i = 0; i < l->matchers->n; i++)
		pattern_matcher_free(l->matchers->v[i]);
	pthread_mutex_destroy(&l->matchers->lock);
	free(l->matchers->v);
	free(l->matchers);
	free(l);
}

/* NULL: out of memory. */
static struct matcher *borrow(struct matchers *p)
{
	struct matcher *m = NULL;

	pthread_mutex_lock(&p->lock);
	if (p->n)
		m = p->v[--p->n];
	pthread_mutex_unlock(&p->lock);
	return m ? m : pattern_matcher_new(1000000);
}

static void give_back(struct matchers *p, struct matcher *m)
{
	struct matcher **v;

	pthread_mutex_lock(&p->lock);
	if (m && p->n == p->cap) {
		v = realloc(p->v, (p->cap + 8) * sizeof *v);
		if (v) {
			p->v = v;
			p->cap += 8;
		}
	}
	if (m && p->n < p->cap) {
		p->v[p->n++] = m;
		m = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	pattern_matcher_free(m);
}

/* The group called name, or called second when that one took part. */
static struct span group(const struct pattern *p, const struct pattern_match *m,
    const char *name, const char *second)
{
	int g = pattern_group(p, name);

	if (g >= 0 && g < m->n && m->group[g].p)
		return m->group[g];
	g = pattern_group(p, second);
	if (g >= 0 && g < m->n && m->group[g].p)
		return m->group[g];
	return (struct span){ NULL, 0 };
}

static int small_number(struct span s)
{
	int64_t v = span_number(s);

	return v >= 0 && v <= 1000000 ? (int)v : -1;
}

static enum stream stream_of(struct span s)
{
	if (s.n == 0)
		return STREAM_UNKNOWN;
	return s.p[0] == 'e' || span_is(s, "stderr") ? STREAM_STDERR
						     : STREAM_STDOUT;
}

bool layout_is_number(struct span job)
{
	bool id = job.n > 0;

	for (size_t i = 0; i < job.n; i++)
		id &= (job.p[i] >= '0' && job.p[i] <= '9') || job.p[i] == '_' ||
		    job.p[i] == '-';
	return id;
}

/* The name shown for a job: what the layout calls it, with its folders where
 * the layout only knows a file or folder name. */
static int job_name(struct buf *b, struct span scope, struct span job)
{
	if (!layout_is_number(job) && scope.n && buf_add(b, scope.p, scope.n))
		return -1;
	if (!job.n) /* the folder itself is not named: "rank0.log" */
		return b->len ? 0 : buf_adds(b, ".");
	return buf_add(b, job.p, job.n);
}

/* from: the number of the first attempt. */
static int fill_id(struct log_id *id, struct span path, const struct pattern *p,
    const struct pattern_match *m, int from)
{
	struct span scope = group(p, m, "scope", "scope2");
	struct span job = group(p, m, "job", "job2");
	struct span name = group(p, m, "name", "name2");
	struct span node = group(p, m, "node", "node2");
	struct span cluster = group(p, m, "cluster", "cluster2");
	struct buf key = BUF_INIT(BUF_MAX), shown = BUF_INIT(BUF_MAX);
	int attempt = small_number(group(p, m, "attempt", "attempt2"));

	id->rank = small_number(group(p, m, "rank", "rank2"));
	id->attempt = attempt < 0 ? 1 : attempt + 1 - from;
	id->attempt_named = attempt >= 0;
	if (id->attempt < 1)
		id->attempt = 1;
	id->stream = stream_of(group(p, m, "stream", "stream2"));
	id->scope = scope.n;
	if (job.n && job.p + job.n < path.p + path.n &&
	    (job.p[job.n] == '/' || job.p[job.n] == '!'))
		id->scope = (size_t)(job.p + job.n + 1 - path.p);
	if (buf_addf(&key, "%d|", id->attempt) ||
	    buf_add(&key, scope.p, scope.n) || buf_add(&key, name.p, name.n) ||
	    buf_add(&key, cluster.p, cluster.n) || buf_addc(&key, '|') ||
	    buf_add(&key, job.p, job.n) || job_name(&shown, scope, job))
		goto out;
	id->key = buf_take(&key);
	id->job = buf_take(&shown);
	id->node = node.n ? span_dup(node) : NULL;
	id->cluster = cluster.n ? span_dup(cluster) : NULL;
out:
	buf_release(&key);
	buf_release(&shown);
	return id->key && id->job && (!node.n || id->node) &&
		(!cluster.n || id->cluster)
	    ? 0
	    : -1;
}

/* The pairs of bytes in a text, a bit for each and for some others; case does
 * not count. */
struct pairs {
	uint64_t bits[8];
};

static unsigned pair_at(const char *p)
{
	return ((unsigned char)(p[0] | 32) * 31u + (unsigned char)(p[1] | 32)) %
	    512;
}

static struct pairs pairs_of(struct span s)
{
	struct pairs all = { { 0 } };

	for (size_t i = 0; i + 1 < s.n; i++)
		all.bits[pair_at(s.p + i) / 64] |= UINT64_C(1)
		    << pair_at(s.p + i) % 64;
	return all;
}

static bool may_fit(
    const struct signal *s, struct span path, const struct pairs *pairs)
{
	for (size_t i = 0; i < s->fixed.n; i++) {
		const char *word = s->fixed.v[i];
		unsigned pair = pair_at(word);

		/* most words need not be looked for */
		if ((!word[1] || pairs->bits[pair / 64] >> pair % 64 & 1) &&
		    signals_word(path, word))
			return true;
	}
	return !s->fixed.n;
}

/* Whether one of those that were chosen tells of path: 1, 0, or -1: out of
 * memory. */
static int find(const struct layout *l, struct matcher *scratch,
    struct span path, struct log_id *id)
{
	const struct taxonomy *tax = l->tax;
	const struct pairs pairs = pairs_of(path);
	struct pattern_match m;

	if (l->users && pattern_find(l->users, scratch, path, &m) == 1)
		return fill_id(id, path, l->users, &m, 1) ? -1 : 1;
	for (size_t i = first_of(tax); i < end_of(tax); i++) {
		const struct signal *s = taxonomy_signal_at(tax, i);
		bool chosen = l->name ? !strcmp(s->name, l->name)
				      : !l->users && s->tells[0] == LAYOUT_AUTO;
		const struct pattern *p;

		if ((!chosen && i + 1 < end_of(tax)) ||
		    !may_fit(s, path, &pairs))
			continue;
		p = taxonomy_signal_pattern(tax, i);
		if (!p)
			return -1;
		if (signals_tell(tax, i, scratch, path, &m))
			return fill_id(id, path, p, &m,
				   s->tells[1] != LAYOUT_FROM_ZERO)
			    ? -1
			    : 1;
	}
	return 0;
}

int layout_match(
    const struct layout *l, const char *path, struct log_id *id, struct err *e)
{
	struct matcher *scratch = borrow(l->matchers);
	struct span s = span_of(path);
	int rc;

	*id = (struct log_id){ .rank = -1, .attempt = 1 };
	rc = scratch ? find(l, scratch, s, id) : -1;
	if (!rc) {
		/* an odd name (a newline in it): the path is the job */
		id->key = span_dup(s);
		id->job = span_dup(s);
		rc = id->key && id->job ? 1 : -1;
	}
	give_back(l->matchers, scratch);
	if (rc > 0)
		return 0;
	layout_id_release(id);
	return err_nomem(e);
}

void layout_id_release(struct log_id *id)
{
	free(id->key);
	free(id->job);
	free(id->node);
	free(id->cluster);
	*id = (struct log_id){ .rank = -1, .attempt = 1 };
}

char *layout_absolute(const char *key, const char *base)
{
	const char *bar = strchr(key, '|');
	struct buf b = BUF_INIT(BUF_MAX);
	char *whole = NULL;

	if (!base || !bar || strncmp(key, "record|", 7) == 0 || bar[1] == '/')
		return span_dup(span_of(key));
	if (!buf_add(&b, key, (size_t)(bar + 1 - key)) &&
	    !buf_addf(&b, "%s/%s", base, bar + 1))
		whole = buf_take(&b);
	buf_release(&b);
	return whole;
}
