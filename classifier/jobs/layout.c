/*
 * Every layout is one regular expression over the path. Groups:
 *   scope    the folder that holds all logs of the job
 *   job      what the job is called
 *   name     more of what tells jobs of one folder apart
 *   attempt  counted from 0 where `from0` is set
 *   rank, node, stream
 * The key of a job is scope + name + job + attempt, so what tells its logs
 * apart (rank, node, stream) is left out of it. In an archive '!' separates
 * like '/', so "one archive a job" is "one folder a job".
 *
 * A regex is compiled for the first path that may fit. For most runs that is
 * one of the whole table, and the compiling of all would take longer than the
 * reading of a small log.
 */
#include "jobs/layout.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/pattern.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* An end of a log's name; compression and rotation may follow. */
#define END "(?:\\.(?:gz|bz2|xz|zst|lz4|\\d{1,3}|log|txt))*$"
/* A folder that only sorts logs by stream. */
#define STREAM_DIR "(?:(?:out|err|stdout|stderr|outputs?|errors?|logs?)/)?"
/* As few folders as possible, so that what follows may hold one. */
#define SCOPE "^(?<scope>(?:|.*?[/!]))"
#define PART                                                                   \
	"(?:rank|worker|task|proc|process|local_rank|trainer|master|launcher|" \
	"replica|actor|pod|gpu)"
#define PART_WORDS                                                         \
	"rank", "worker", "task", "proc", "trainer", "master", "launcher", \
	    "replica", "actor", "pod", "gpu"
#define WORDS_MAX 32 /* with the NULL behind them */

struct row {
	const char *name, *help, *regex;
	bool from0;  /* attempts are counted from 0 */
	bool chosen; /* only when asked for by name */
	/* each path that fits has one; none: any path */
	const char *words[WORDS_MAX];
};

static const struct row rows[] = {
	{ "torchelastic",
	    "torchrun's --log-dir: RUN/attempt_N/RANK/stdout.log, stderr.log, "
	    "error.json",
	    "^(?<scope>(?:.*[/!])?)(?<job>[^/!]+)/attempt_(?<attempt>\\d+)/"
	    "(?<rank>\\d+)/(?:(?<stream>stdout|stderr)\\.log|error\\.json)" END,
	    true, false, { "attempt_" } },
	{ "kubernetes",
	    "/var/log/pods/NS_POD_UID/CONTAINER/N.log, and "
	    "/var/log/containers/POD_NS_CONTAINER-ID.log",
	    "^(?<scope>(?:.*[/!])?)(?:(?<name>[a-z0-9.-]+)_"
	    "(?<job>[a-z0-9.-]+?)(?:-(?:worker|master|launcher|replica-\\d+)-"
	    "(?<rank>\\d+))?_[0-9a-f-]{32,36}/[a-z0-9.-]+/(?<attempt>\\d+)"
	    "\\.log|(?<job2>[a-z0-9.-]+?)(?:-(?:worker|master|launcher)-"
	    "(?<rank2>\\d+))?_(?<name2>[a-z0-9.-]+)_[a-z0-9.-]+-"
	    "[0-9a-f]{64}\\.log)" END,
	    true, false, { "_" } },
	{ "slurm",
	    "slurm-%j.out, slurm-%A_%a.out, %x-%j.err, %x_%A_%a.out, with a "
	    "rank or step behind the id",
	    SCOPE STREAM_DIR
	    "(?<name>(?:[^/!]*[-_.])?)(?<!\\d)(?<job>(?<=slurm-)\\d+(?:_\\d+)?|"
	    "\\d{4,10}(?:_\\d{1,6})?)(?:[-_.](?:" PART
	    "?[-_]?(?<rank>\\d{1,5})|"
	    "(?<node>[a-z][a-z0-9-]*\\d)))?"
	    "\\.(?<stream>out|err|stdout|stderr|output|error)" END,
	    false, false, { ".out", ".err", ".std" } },
	{ "pbs", "PBS and Grid Engine: NAME.oID, NAME.eID, with .TASK",
	    "^(?<scope>(?:.*[/!])?)(?<name>[^/!]*?)\\."
	    "(?:p?(?<stream>[oe]))(?<job>\\d+(?:[.-]\\d+)?)" END,
	    false, false, { ".o", ".e", ".po", ".pe" } },
	{ "attempt", "JOB/attempt_N/ANY, with ranks in the names",
	    "^(?<scope>(?:.*[/!])?)(?<job>[^/!]+)/(?:attempt|retry|restart|try)"
	    "[-_.]?(?<attempt>\\d+)/" STREAM_DIR "(?:" PART "[-_.]?"
	    "(?<rank>\\d+)/)?[^/!]*?(?:" PART "[-_.]?(?<rank2>\\d+)[^/!]*?)?$",
	    false, false, { "attempt", "restart", "try" } },
	{ "parts",
	    "one folder or archive a job that holds stdout, stderr, error.json "
	    "or one log a rank, worker, node: JOB/rank0.log, JOB/rank_0/x.log",
	    SCOPE "(?:(?<job>[^/!]+)[/!])?" STREAM_DIR PART
		  "[-_.]?(?<rank>\\d+)/" STREAM_DIR
		  "(?:(?<stream>stdout|stderr|out|err|output|log|console|train)"
		  "(?:\\.(?:log|txt|out|err|json))?|error\\.json)" END,
	    false, false, { PART_WORDS } },
	{ "parts", "",
	    SCOPE
	    "(?:(?<job>[^/!]+)[/!])?" STREAM_DIR
	    "(?:(?:log|out|err)[-_.])?(?:" PART
	    "[-_.]?(?<rank>\\d+)(?:[-_.](?<stream2>stdout|stderr|out|err))?|"
	    "(?<stream>stdout|stderr|std_log|error)|launcher|torchrun|agent|"
	    "dmesg|kern(?:el)?|syslog|"
	    "slurmd|(?<node>(?:node|host)"
	    "[-_.]?\\d+))"
	    "(?:\\.(?:log|txt|out|err|json|stdout|stderr))?" END,
	    false, false,
	    { PART_WORDS, "stdout", "stderr", "std_log", "error", "torchrun",
		"agent", "dmesg", "kern", "syslog", "slurmd", "node",
		"host" } },
	{ "ranks", "STEM.rank3, STEM-rank_3.log: one job a stem",
	    "^(?<scope>(?:.*[/!])?)(?<job>[^/!]+?)[-_.]?(?:local_)?rank[-_.]?"
	    "(?<rank>\\d+)(?:\\.(?<stream>out|err|log|txt))?" END,
	    false, false, { "rank" } },
	{ "directory", "one folder a job, whatever it holds",
	    "^(?<scope>(?:.*[/!])?)(?<job>[^/!]+)[/!](?:[^/!]*?" PART
	    "[-_.]?(?<rank>\\d+))?[^/!]*$",
	    false, true, { NULL } },
	{ "archive", "one archive a job, whatever it holds",
	    "^(?<scope>(?:[^!]*/)?)(?<job>[^/!]+)!(?:.*" PART
	    "[-_.]?(?<rank>\\d+))?.*$",
	    false, true, { NULL } },
	{ "file", "one file a job; .out, .err and .log of one stem are one job",
	    "^(?<scope>(?:.*[/!])?)(?<job>[^/!]+?)(?:\\.(?<stream>out|err|"
	    "stdout|stderr|log|txt))?" END,
	    false, false, { NULL } },
};

#define N_ROWS (sizeof rows / sizeof *rows)

/* Scratch memory of matches, which costs more to make than a match: as many
 * as there were threads at once. */
struct matchers {
	pthread_mutex_t lock;
	struct matcher **v;
	size_t n, cap;
};

/* A row of the table, or the user's regex, and its pattern when one has been
 * needed. */
struct choice {
	pattern_slot *slot;
	const struct row *row; /* NULL: the user's */
};

struct layout {
	struct matchers *matchers;
	struct choice v[N_ROWS + 1];
	pattern_slot slots[N_ROWS + 1];
	size_t n;
};

static void add(struct layout *l, const struct row *row)
{
	l->v[l->n] = (struct choice){ &l->slots[l->n], row };
	l->n++;
}

static int add_users(struct layout *l, const char *regex, struct err *e)
{
	struct pattern *p = pattern_new(regex, NULL, e);

	if (!p)
		return err_prefix(e, "layout '%s'", regex);
	atomic_store(&l->slots[l->n], p);
	add(l, NULL);
	if (pattern_group(p, "job") < 0)
		return err_set(e,
		    "layout '%s': neither a known name nor a regex with a "
		    "group (?<job>...)",
		    regex);
	return 0;
}

static int fill(struct layout *l, const char *choice, struct err *e)
{
	const struct row *last = &rows[N_ROWS - 1];
	bool all = !choice || strcmp(choice, "auto") == 0, known = false;

	for (size_t i = 0; i < N_ROWS; i++) {
		bool named = choice && strcmp(choice, rows[i].name) == 0;

		known |= named;
		if (named || (all && !rows[i].chosen))
			add(l, &rows[i]);
	}
	if (!all && !known && add_users(l, choice, e))
		return -1;
	if (l->v[l->n - 1].row != last)
		add(l, last);
	return 0;
}

struct layout *layout_new(const char *choice, struct err *e)
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
	if (fill(l, choice, e)) {
		layout_free(l);
		return NULL;
	}
	return l;
}

void layout_free(struct layout *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		pattern_free(atomic_load(&l->slots[i]));
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

/* The name shown for a job: what the layout calls it, with its folders where
 * the layout only knows a file or folder name. */
static int job_name(struct buf *b, struct span scope, struct span job)
{
	bool id = job.n > 0;

	for (size_t i = 0; i < job.n; i++)
		id &= (job.p[i] >= '0' && job.p[i] <= '9') || job.p[i] == '_' ||
		    job.p[i] == '-';
	if (!id && scope.n && buf_add(b, scope.p, scope.n))
		return -1;
	if (!job.n) /* the folder itself is not named: "rank0.log" */
		return b->len ? 0 : buf_adds(b, ".");
	return buf_add(b, job.p, job.n);
}

static int fill_id(struct log_id *id, struct span path, const struct row *row,
    const struct pattern *p, const struct pattern_match *m)
{
	struct span scope = group(p, m, "scope", "scope2");
	struct span job = group(p, m, "job", "job2");
	struct span name = group(p, m, "name", "name2");
	struct span node = group(p, m, "node", "node2");
	struct buf key = BUF_INIT(BUF_MAX), shown = BUF_INIT(BUF_MAX);
	int attempt = small_number(group(p, m, "attempt", "attempt2"));

	id->rank = small_number(group(p, m, "rank", "rank2"));
	id->attempt = attempt < 0 ? 1 : attempt + (row && row->from0);
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
	    buf_addc(&key, '|') || buf_add(&key, job.p, job.n) ||
	    job_name(&shown, scope, job))
		goto out;
	id->key = buf_take(&key);
	id->job = buf_take(&shown);
	id->node = node.n ? span_dup(node) : NULL;
out:
	buf_release(&key);
	buf_release(&shown);
	return id->key && id->job && (!node.n || id->node) ? 0 : -1;
}

/* The pairs of bytes in a text, a bit for each and for some others. */
struct pairs {
	uint64_t bits[8];
};

static unsigned pair_at(const char *p)
{
	return ((unsigned char)p[0] * 31u + (unsigned char)p[1]) % 512;
}

static struct pairs pairs_of(struct span s)
{
	struct pairs all = { { 0 } };

	for (size_t i = 0; i + 1 < s.n; i++)
		all.bits[pair_at(s.p + i) / 64] |= UINT64_C(1)
		    << pair_at(s.p + i) % 64;
	return all;
}

static bool has(struct span path, const struct pairs *pairs, const char *word)
{
	unsigned pair = pair_at(word);

	/* most words need not be looked for */
	return (!word[1] || pairs->bits[pair / 64] >> pair % 64 & 1) &&
	    span_find(path, word) != SIZE_MAX;
}

static bool may_fit(
    const struct row *row, struct span path, const struct pairs *pairs)
{
	const char *const *word = row ? row->words : NULL;

	if (!word || !*word)
		return true;
	for (; *word; word++)
		if (has(path, pairs, *word))
			return true;
	return false;
}

int layout_match(
    const struct layout *l, const char *path, struct log_id *id, struct err *e)
{
	struct matcher *scratch = borrow(l->matchers);
	struct pattern_match m;
	struct span s = span_of(path);
	const struct pairs pairs = pairs_of(s);
	int rc = -1;

	*id = (struct log_id){ .rank = -1, .attempt = 1 };
	if (!scratch)
		goto out;
	for (size_t i = 0; i < l->n; i++) {
		const struct row *row = l->v[i].row;
		const struct pattern *p;

		if (!may_fit(row, s, &pairs))
			continue;
		p = pattern_late(l->v[i].slot, row ? row->regex : "");
		if (!p)
			goto out;
		if (pattern_find(p, scratch, s, &m) != 1)
			continue;
		rc = fill_id(id, s, row, p, &m);
		goto out;
	}
	/* an odd name (a newline in it): the path is the job */
	id->key = span_dup(s);
	id->job = span_dup(s);
	rc = id->key && id->job ? 0 : -1;
out:
	give_back(l->matchers, scratch);
	if (rc) {
		layout_id_release(id);
		err_nomem(e);
	}
	return rc;
}

void layout_id_release(struct log_id *id)
{
	free(id->key);
	free(id->job);
	free(id->node);
	*id = (struct log_id){ .rank = -1, .attempt = 1 };
}

const char *layout_help(size_t i, const char **help)
{
	if (i >= N_ROWS)
		return NULL;
	*help = rows[i].help;
	return rows[i].name;
}
