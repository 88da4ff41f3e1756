/*
 * Where a value stands in the JSON, of what type it is and where it goes is a
 * table; the lists are read by hand. Strings are cut, lists are bounded: a
 * report shows the first lines of a failure, not the log.
 */
#include "reports/store/entry_private.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/when.h"

#include <stdio.h>
#include <string.h>

#define TEXT_MAX 400 /* bytes of a string */

const struct entry entry_empty = {
	.submitted = ENVELOPE_NO_TIME,
	.started = ENVELOPE_NO_TIME,
	.ended = ENVELOPE_NO_TIME,
	.seen = ENVELOPE_NO_TIME,
	.gpus = USAGE_UNKNOWN,
	.seconds = USAGE_UNKNOWN,
	.gpu_seconds = USAGE_UNKNOWN,
	.lost = USAGE_UNKNOWN,
	.cpu_seconds = USAGE_UNKNOWN,
	.cpu_lost = USAGE_UNKNOWN,
	.last_step = -1,
	.goodput = { { -1, -1, -1, -1, -1, -1, -1, -1 }, -1, -1, -1, -1, -1,
	    -1 },
};

const struct entry_proof entry_proof_empty = {
	.line = -1, .rank = -1, .count = -1, .time = ENVELOPE_NO_TIME
};

/* ---- values ---- */

/* s is UTF-8: cut it before the character that does not fit. */
static struct span cut(struct span s)
{
	if (s.n <= TEXT_MAX)
		return s;
	s.n = TEXT_MAX;
	while (s.n && ((unsigned char)s.p[s.n] & 0xc0) == 0x80)
		s.n--;
	return s;
}

const char *entry_whole(struct arena *p, struct span s)
{
	struct buf b = BUF_INIT(BUF_MAX);
	const char *kept = NULL;
	int rc = 0;

	if (!s.n || !memchr(s.p, '\0', s.n))
		return arena_string(p, s);
	for (size_t i = 0; i < s.n && !rc; i++)
		rc = s.p[i] ? buf_addc(&b, s.p[i])
			    : buf_adds(&b, "\xef\xbf\xbd");
	if (!rc)
		kept = arena_string(p, (struct span){ b.p, b.len });
	buf_release(&b);
	return kept;
}

const char *entry_cut(struct arena *p, struct span s)
{
	return entry_whole(p, cut(s));
}

enum kind { TEXT, ID /* never cut */, COUNT, SECONDS, TIME, BOOL };

static const char *const kind_names[] = { "a string", "a string",
	"an integer from 0", "seconds, less than 10^12", "a time",
	"true or false" };

struct field {
	const char *key;
	enum kind kind;
	size_t at; /* offset of the value in the structure */
};

static int read_time(int64_t *out, const struct json *v)
{
	struct span s = json_text(v);

	return s.p && s.n && when_parse(s, out) == s.n ? 0 : -1;
}

/* 0; 1: of another type; -1: out of memory. null leaves *to as it is. */
static int read_value(
    void *to, enum kind kind, const struct json *v, struct arena *p)
{
	const char *s;
	int64_t n;

	if (json_is(v, JSON_IS_NULL))
		return 0;
	switch (kind) {
	case TEXT:
	case ID:
		if (!json_is(v, JSON_IS_TEXT))
			return 1;
		s = kind == ID ? entry_whole(p, json_text(v))
			       : entry_cut(p, json_text(v));
		if (!s)
			return -1;
		memcpy(to, &s, sizeof s);
		return 0;
	case COUNT:
		if (!json_int(v, &n) || n < 0)
			return 1;
		memcpy(to, &n, sizeof n);
		return 0;
	case SECONDS: /* so that sums of them stay in range */
		if (!json_int(v, &n) || n < 0 || n >= USAGE_SECONDS_END)
			return 1;
		memcpy(to, &n, sizeof n);
		return 0;
	case TIME:
		return read_time(to, v) ? 1 : 0;
	case BOOL:
	default:
		if (!json_is(v, JSON_IS_BOOL))
			return 1;
		*(bool *)to = json_true_value(v);
		return 0;
	}
}

/* The fields of an object; where names it in an error. */
static int read_fields(void *base, const struct field *f, size_t n,
    const struct json *o, struct arena *p)
{
	for (size_t i = 0; i < n; i++) {
		int rc = read_value((char *)base + f[i].at, f[i].kind,
		    json_get(o, f[i].key), p);

		if (rc)
			return rc < 0 ? -1 : (int)i + 1;
	}
	return 0;
}

/* What read_fields said, as an error. */
static int told(int rc, const char *where, const struct field *f, struct err *e)
{
	if (rc < 0)
		return err_nomem(e);
	if (rc > 0)
		return err_set(e, "%s%s: expected %s", where, f[rc - 1].key,
		    kind_names[f[rc - 1].kind]);
	return 0;
}

#define FIELD(key, kind, member)                          \
	{                                                 \
		key, kind, offsetof(struct entry, member) \
	}

static const struct field own_fields[] = {
	FIELD("job", ID, job),
	FIELD("attempt", COUNT, attempt),
	FIELD("cluster", ID, cluster),
	FIELD("place", ID, place),
	FIELD("user", ID, user),
	FIELD("group", ID, group),
	FIELD("category", TEXT, category),
	FIELD("category_name", TEXT, category_name),
	FIELD("dimension", TEXT, dimension),
	FIELD("family", TEXT, family),
	FIELD("rule", TEXT, rule),
	FIELD("fingerprint", ID, fingerprint),
	FIELD("reason", TEXT, reason),
	FIELD("taxonomy", ID, taxonomy),
	FIELD("started", TIME, started),
	FIELD("ended", TIME, ended),
};

static const struct field record_fields[] = {
	FIELD("name", TEXT, name),
	FIELD("state", TEXT, state),
	FIELD("partition", TEXT, partition),
	FIELD("image", TEXT, image),
	FIELD("submitted", TIME, submitted),
};

static const struct field usage_fields[] = {
	FIELD("gpus", COUNT, gpus),
	FIELD("runtime_seconds", SECONDS, seconds),
	FIELD("gpu_seconds", SECONDS, gpu_seconds),
	FIELD("gpu_seconds_lost", SECONDS, lost),
	FIELD("cpu_seconds", SECONDS, cpu_seconds),
	FIELD("cpu_seconds_lost", SECONDS, cpu_lost),
	FIELD("estimated", BOOL, estimated),
};

static const struct field fact_fields[] = {
	FIELD("ending", TEXT, ending),
	FIELD("node_log", BOOL, node_log),
	FIELD("launch_count", COUNT, launches),
	FIELD("framework", TEXT, framework),
	FIELD("stage", TEXT, stage),
	FIELD("last_checkpoint", TEXT, checkpoint),
	FIELD("last_step", COUNT, last_step),
};

/* As phase_name calls them. */
static const struct field goodput_fields[] = {
	FIELD("initializing", SECONDS, goodput.spent[PHASE_INITIALIZING]),
	FIELD("training", SECONDS, goodput.spent[PHASE_TRAINING]),
	FIELD("recomputing", SECONDS, goodput.spent[PHASE_RECOMPUTING]),
	FIELD("checkpointing", SECONDS, goodput.spent[PHASE_CHECKPOINTING]),
	FIELD("evaluating", SECONDS, goodput.spent[PHASE_EVALUATING]),
	FIELD("hanging", SECONDS, goodput.spent[PHASE_HANGING]),
	FIELD("stopping", SECONDS, goodput.spent[PHASE_STOPPING]),
	FIELD("unknown", SECONDS, goodput.spent[PHASE_UNKNOWN]),
	FIELD("unsaved", SECONDS, goodput.unsaved),
	FIELD("first_epoch", COUNT, goodput.first_epoch),
	FIELD("first_step", COUNT, goodput.first_step),
	FIELD("last_epoch", COUNT, goodput.last_epoch),
	FIELD("last_step", COUNT, goodput.last_step),
	FIELD("epoch_steps", COUNT, goodput.epoch_steps),
};

#define PROOF(key, kind, member)                                \
	{                                                       \
		key, kind, offsetof(struct entry_proof, member) \
	}

static const struct field proof_fields[] = {
	PROOF("path", TEXT, path),
	PROOF("node", ID, node),
	PROOF("rule", TEXT, rule),
	PROOF("text", TEXT, text),
	PROOF("why", TEXT, why),
	PROOF("line", COUNT, line),
	PROOF("rank", COUNT, rank),
	PROOF("count", COUNT, count),
	PROOF("time", TIME, time),
};

static const struct field template_fields[] = {
	FIELD("id", ID, template_id),
	FIELD("text", TEXT, template_text),
	FIELD("frames", TEXT, raisers),
};

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/* The objects in a diagnosis whose values an entry has. */
static const struct part {
	const char *key, *where; /* key NULL: the diagnosis itself */
	const struct field *fields;
	size_t n;
} parts[] = {
	{ NULL, "", own_fields, COUNT_OF(own_fields) },
	{ "record", "record.", record_fields, COUNT_OF(record_fields) },
	{ "usage", "usage.", usage_fields, COUNT_OF(usage_fields) },
	{ "facts", "facts.", fact_fields, COUNT_OF(fact_fields) },
	{ "goodput", "goodput.", goodput_fields, COUNT_OF(goodput_fields) },
	{ "template", "template.", template_fields, COUNT_OF(template_fields) },
};

static int read_parts(
    struct entry *en, const struct json *record, struct arena *p, struct err *e)
{
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		const struct part *part = &parts[i];
		const struct json *o =
		    part->key ? json_get(record, part->key) : record;
		int rc;

		if (!json_is(o, JSON_IS_OBJECT) && !json_is(o, JSON_IS_NULL))
			return err_set(e, "%s: expected an object", part->key);
		rc = read_fields(en, part->fields, part->n, o, p);
		if (told(rc, part->where, part->fields, e))
			return -1;
	}
	en->has_record = json_is(json_get(record, "record"), JSON_IS_OBJECT);
	return 0;
}

/* ---- lists ---- */

/* The array, or NULL for null; -1: something else. */
static int list_of(const struct json **v, const struct json *record,
    const char *key, struct err *e)
{
	*v = json_get(record, key);
	if (json_is(*v, JSON_IS_ARRAY))
		return 0;
	if (!json_is(*v, JSON_IS_NULL))
		return err_set(e, "%s: expected a list", key);
	*v = NULL;
	return 0;
}

struct strings_to {
	const char ***v;
	size_t *n, most;
};

static int read_strings(struct strings_to to, const struct json *record,
    const char *key, struct arena *p, struct err *e)
{
	const struct json *list;
	size_t n;

	if (list_of(&list, record, key, e))
		return -1;
	n = json_count(list);
	if (n > to.most)
		n = to.most;
	if (n == 0)
		return 0;
	*to.v = arena_memory(p, n * sizeof **to.v);
	if (!*to.v)
		return err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		struct span s = json_text(json_at(list, i));

		if (!s.p)
			return err_set(e, "%s[%zu]: expected a string", key, i);
		(*to.v)[i] = entry_cut(p, s);
		if (!(*to.v)[i])
			return err_nomem(e);
	}
	*to.n = n;
	return 0;
}

struct proofs_to {
	struct entry_proof **v;
	size_t *n;
};

static int read_proofs(struct proofs_to to, const struct json *record,
    const char *key, struct arena *p, struct err *e)
{
	const struct json *list;
	char where[64];
	size_t n;

	if (list_of(&list, record, key, e))
		return -1;
	n = json_count(list);
	if (n > ENTRY_PROOFS)
		n = ENTRY_PROOFS;
	if (n == 0)
		return 0;
	*to.v = arena_memory(p, n * sizeof **to.v);
	if (!*to.v)
		return err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		const struct json *o = json_at(list, i);
		struct entry_proof *proof = &(*to.v)[i];
		int rc;

		if (!json_is(o, JSON_IS_OBJECT))
			return err_set(
			    e, "%s[%zu]: expected an object", key, i);
		*proof = entry_proof_empty;
		snprintf(where, sizeof where, "%s[%zu].", key, i);
		rc = read_fields(
		    proof, proof_fields, COUNT_OF(proof_fields), o, p);
		if (told(rc, where, proof_fields, e))
			return -1;
	}
	*to.n = n;
	return 0;
}

/* The rules named anywhere in the diagnosis, each once. */
static int read_rules(
    struct entry *en, const struct json *record, struct arena *p, struct err *e)
{
	static const char *const lists[] = { "evidence", "consequences",
		"rejected" };
	const char *found[ENTRY_RULES];
	size_t n = 0;

	for (size_t k = 0; k < COUNT_OF(lists); k++) {
		const struct json *list = json_get(record, lists[k]);
		size_t count = json_count(list);

		for (size_t i = 0; i < count && n < ENTRY_RULES; i++) {
			struct span s = json_get_text(json_at(list, i), "rule");
			const char *id = s.p ? entry_cut(p, s) : NULL;
			size_t m = 0;

			if (s.p && !id)
				return err_nomem(e);
			while (m < n && found[m] != id)
				m++;
			if (id && m == n)
				found[n++] = id;
		}
	}
	if (n == 0)
		return 0;
	en->rules = arena_memory(p, n * sizeof *en->rules);
	if (!en->rules)
		return err_nomem(e);
	memcpy(en->rules, found, n * sizeof *found);
	en->n_rules = n;
	return 0;
}

/* ---- the rest ---- */

static int read_words(
    struct entry *en, const struct json *record, struct err *e)
{
	const struct json *failed = json_get(record, "failed");
	struct span verdict = json_get_text(record, "verdict");
	struct span confidence = json_get_text(record, "confidence");
	int k = 0;

	if (!json_is(failed, JSON_IS_BOOL) && !json_is(failed, JSON_IS_NULL))
		return err_set(e, "failed: expected true, false or null");
	en->failed =
	    json_is(failed, JSON_IS_NULL) ? -1 : json_true_value(failed);
	while (k < VERDICT_COUNT &&
	    !span_is(verdict, taxonomy_verdict_name((enum verdict)k)))
		k++;
	if (k == VERDICT_COUNT)
		return err_set(e, "verdict: expected a verdict");
	en->verdict = (enum verdict)k;
	for (k = CONFIDENCE_HIGH; k >= CONFIDENCE_LOW; k--)
		if (span_is(confidence,
			diagnosis_confidence_name((enum confidence)k)))
			break;
	if (k < CONFIDENCE_LOW)
		return err_set(e, "confidence: expected high, medium or low");
	en->confidence = (enum confidence)k;
	return 0;
}

static int add_text(struct buf *b, const char *before, struct span s)
{
	return s.n ? buf_adds(b, before) || buf_add(b, s.p, s.n) : 0;
}

const char *entry_frame(struct arena *p, struct span file, int64_t line,
    struct span function, struct span code)
{
	struct buf b = BUF_INIT(BUF_MAX);
	const char *frame = NULL;
	int rc = add_text(&b, "", file);

	if (!rc && line >= 0)
		rc = buf_addf(&b, ":%lld", (long long)line);
	rc = rc || add_text(&b, " in ", function) || add_text(&b, ": ", code);
	if (!rc)
		frame = entry_cut(p, (struct span){ b.p, b.len });
	buf_release(&b);
	return frame;
}

static int read_frame(
    struct entry *en, const struct json *record, struct arena *p, struct err *e)
{
	const struct json *frame =
	    json_get(json_get(record, "facts"), "user_frame");
	struct span file = json_get_text(frame, "file");
	int64_t line = -1;

	if (!json_is(frame, JSON_IS_OBJECT) && !json_is(frame, JSON_IS_NULL))
		return err_set(e, "facts.user_frame: expected an object");
	if (!file.n)
		return 0;
	(void)json_int(json_get(frame, "line"), &line);
	en->frame = entry_frame(p, file, line, json_get_text(frame, "function"),
	    json_get_text(frame, "code"));
	return en->frame ? 0 : err_nomem(e);
}

/* A log calls a node "n07.example.org" that the record calls "n07". */
static bool same_node(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return n == m && strncmp(a, b, n) == 0 &&
	    (a[n] == '\0' || b[m] == '\0' || strcmp(a + n, b + m) == 0);
}

void entry_node(struct entry *en)
{
	if (en->n_evidence && en->evidence[0].node)
		en->node = en->evidence[0].node;
	else if (en->n_nodes == 1)
		en->node = en->nodes[0];
	for (size_t i = 0; en->node && i < en->n_nodes; i++)
		if (same_node(en->node, en->nodes[i])) {
			en->node = en->nodes[i];
			break;
		}
}

static int read_lists(
    struct entry *en, const struct json *record, struct arena *p, struct err *e)
{
	struct strings_to nodes = { &en->nodes, &en->n_nodes, ENTRY_NODES };
	struct strings_to remedies = { &en->remedies, &en->n_remedies,
		ENTRY_STRINGS };
	struct strings_to notes = { &en->notes, &en->n_notes, ENTRY_STRINGS };
	struct proofs_to evidence = { &en->evidence, &en->n_evidence };
	struct proofs_to consequences = { &en->consequences,
		&en->n_consequences };
	const struct json *paths;
	struct span first;

	if (read_proofs(evidence, record, "evidence", p, e) ||
	    read_proofs(consequences, record, "consequences", p, e) ||
	    read_strings(nodes, record, "nodes", p, e) ||
	    read_strings(remedies, record, "remedies", p, e) ||
	    read_strings(notes, record, "notes", p, e) ||
	    list_of(&paths, record, "paths", e))
		return -1;
	en->has_log = json_count(paths) > 0;
	if (!en->has_log)
		return 0;
	first = json_text(json_at(paths, 0));
	if (!first.p)
		return err_set(e, "paths[0]: expected a string");
	en->path = entry_whole(p, first);
	return en->path ? 0 : err_nomem(e);
}

int entry_read(
    struct entry *en, const struct json *record, struct arena *p, struct err *e)
{
	*en = entry_empty;
	if (!span_is(json_get_text(record, "schema"), "jobtriage.diagnosis/1"))
		return err_set(e, "schema: expected jobtriage.diagnosis/1");
	if (read_parts(en, record, p, e) || read_words(en, record, e))
		return -1;
	if (!en->job || !en->job[0])
		return err_set(e, "job: expected a string");
	if (!en->category || !en->category[0])
		return err_set(e, "category: expected a string");
	if (en->attempt < 1)
		return err_set(e, "attempt: expected an integer from 1");
	if (read_lists(en, record, p, e) || read_rules(en, record, p, e) ||
	    read_frame(en, record, p, e) || entry_trends_read(en, record, p, e))
		return -1;
	entry_node(en);
	return 0;
}

bool entry_same(const struct entry_owner *a, const struct entry_owner *b)
{
	const char *const x[] = { a->cluster, a->user, a->place };
	const char *const y[] = { b->cluster, b->user, b->place };

	for (size_t i = 0; i < COUNT_OF(x); i++)
		if (x[i] && y[i] && strcmp(x[i], y[i]) != 0)
			return false;
	return true;
}

static bool is_or_any(const char *s, const char *wanted)
{
	return !wanted || (s && strcmp(s, wanted) == 0);
}

bool entry_wanted(const struct entry *en, const struct entry_whose *w)
{
	return is_or_any(en->cluster, w->cluster) &&
	    is_or_any(en->user, w->user) && is_or_any(en->group, w->account);
}

int64_t entry_when(const struct entry *en)
{
	return en->ended != ENVELOPE_NO_TIME ? en->ended : en->started;
}

int64_t entry_counted(const struct entry *en)
{
	int64_t when = entry_when(en);

	return when != ENVELOPE_NO_TIME ? when : en->seen;
}

const char *entry_category(const struct entry *en)
{
	return en->failed == 1 && !en->has_log &&
		strcmp(en->category, "unknown") == 0
	    ? ENTRY_NO_LOG
	    : en->category;
}

enum ending entry_ending(const struct entry *en)
{
	for (int k = ENDING_PROVEN; k <= ENDING_RUNNING && en->ending; k++)
		if (strcmp(en->ending, ending_name((enum ending)k)) == 0)
			return (enum ending)k;
	return en->failed == 0 ? ENDING_PROVEN : ENDING_UNKNOWN;
}

const char *entry_log(const struct entry *en)
{
	return en->n_evidence && en->evidence[0].path ? en->evidence[0].path
						      : en->path;
}

int64_t entry_line(const struct entry *en)
{
	return en->n_evidence && en->evidence[0].line > 0 ? en->evidence[0].line
							  : -1;
}
