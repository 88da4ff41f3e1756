#include "jobs/shard.h"

#include "base/err.h"
#include "base/hash.h"
#include "jobs/accounting.h"
#include "jobs/layout.h"
#include "jobs/triage.h"

#include <string.h>
#include <strings.h>

#define MOST 1000000

bool shard_read(struct span text, struct shard *out)
{
	size_t slash = span_find(text, "/");
	int64_t i, n;

	if (slash == SIZE_MAX)
		return false;
	i = span_number(span_sub(text, 0, slash));
	n = span_number(span_sub(text, slash + 1, text.n));
	if (i < 1 || n < i || n > MOST)
		return false;
	*out = (struct shard){ (unsigned)i, (unsigned)n };
	return true;
}

static bool has(const struct shard *s, struct hash_value h)
{
	return s->n < 2 || h.high % s->n == s->i - 1;
}

bool shard_has_record(const struct shard *s, const struct job_record *r)
{
	struct hash_value h = hash_of(r->id, strlen(r->id));

	if (r->cluster)
		hash_join(&h, hash_of(r->cluster, strlen(r->cluster)));
	return has(s, h);
}

bool shard_has_log(const struct triage_options *o, const struct log_id *id)
{
	const struct job_record *rec = NULL;
	struct span name = span_of(id->key);
	size_t bar = span_find(name, "|");

	if (o->shard.n < 2)
		return true;
	if (o->records)
		rec = accounting_find(o->records,
		    id->cluster ? id->cluster : o->cluster, id->job,
		    id->attempt_named ? id->attempt : 0);
	if (rec)
		return shard_has_record(&o->shard, rec);
	if (bar != SIZE_MAX) /* the attempt stands before it */
		name = span_sub(name, bar + 1, name.n);
	return has(&o->shard, hash_of(name.p, name.n));
}

/* What archives are called. What is passed over in one is not read, or all is
 * decompressed. */
static const struct archive_name {
	const char *end;
	bool passes;
} names[] = { { ".zip", true }, { ".tar", true }, { ".tar.gz", false },
	{ ".tgz", false }, { ".tar.zst", false }, { ".tar.xz", false },
	{ ".txz", false }, { ".tar.bz2", false }, { ".tbz2", false },
	{ ".tar.lz4", false }, { ".7z", false }, { ".rar", false },
	{ ".cpio", false } };

bool shard_splits(const struct triage_options *o, const char *path)
{
	bool all = o->records && !o->memory;
	size_t n = strlen(path);

	if (o->shard.n < 2)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t k = strlen(names[i].end);

		if (n > k && !strcasecmp(path + n - k, names[i].end))
			return names[i].passes || all;
	}
	return false;
}

int shard_reads(const struct triage_options *o, const char *path)
{
	struct log_id id;
	struct err e;
	int rc;

	if (o->shard.n < 2 || shard_splits(o, path))
		return 1;
	if (layout_match(o->layout, path, &id, &e))
		return -1;
	rc = shard_has_log(o, &id);
	layout_id_release(&id);
	return rc;
}
