/*
 * Job records from a text, and the notes made while it was read.
 */
#ifndef TESTS_ACCOUNTING_LAB_H
#define TESTS_ACCOUNTING_LAB_H

#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "jobs/accounting.h"
#include "rules/taxonomy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONE USAGE_UNKNOWN
#define NO_TIME ENVELOPE_NO_TIME

struct lab {
	struct accounting *a;
	struct buf notes; /* "LINE: text\n" each */
	char map[32];     /* path of a column map, or "" */
};

static inline void lab_note(
    void *ctx, const char *path, uint64_t line, const char *text)
{
	struct lab *lab = ctx;

	assert_non_null(path);
	assert_int_equal(
	    buf_addf(&lab->notes, "%llu: %s\n", (unsigned long long)line, text),
	    0);
}

/* A file with these bytes, that the caller unlinks. */
static inline void lab_file(char path[32], const void *p, size_t n)
{
	FILE *f;
	int fd;

	snprintf(path, 32, "/tmp/accounting-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	f = fdopen(fd, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* The built-in one, for all tests. */
static inline const struct taxonomy *lab_taxonomy(void)
{
	static struct taxonomy *tax;

	if (!tax)
		tax = taxonomy_load(NULL, 0, NULL);
	assert_non_null(tax);
	return tax;
}

static inline void lab_init(struct lab *lab)
{
	memset(lab, 0, sizeof *lab);
	lab->notes.max = BUF_MAX;
	lab->a = accounting_new(lab_taxonomy());
	assert_non_null(lab->a);
	assert_int_equal(buf_reserve(&lab->notes, 0), 0);
}

static inline int lab_load_file(
    struct lab *lab, const char *path, struct err *e)
{
	struct accounting_options o = { lab->map[0] ? lab->map : NULL, lab_note,
		lab, NULL, NULL };

	return accounting_load(lab->a, path, &o, e);
}

static inline int lab_load(struct lab *lab, const char *text, struct err *e)
{
	char path[32];
	int rc;

	lab_file(path, text, strlen(text));
	rc = lab_load_file(lab, path, e);
	unlink(path);
	return rc;
}

static inline void lab_free(struct lab *lab)
{
	accounting_free(lab->a);
	buf_release(&lab->notes);
	if (lab->map[0])
		unlink(lab->map);
}

/* The records of a text. */
static inline void lab_read(struct lab *lab, const char *text)
{
	struct err e = { 0 };

	lab_init(lab);
	if (lab_load(lab, text, &e) || accounting_settle(lab->a, &e))
		fail_msg("%s", e.text);
}

/* The same under a column map. */
static inline void lab_read_map(
    struct lab *lab, const char *map, const char *text)
{
	struct err e = { 0 };

	lab_init(lab);
	lab_file(lab->map, map, strlen(map));
	if (lab_load(lab, text, &e) || accounting_settle(lab->a, &e))
		fail_msg("%s", e.text);
}

/* The text is no job record file: the error holds this. */
static inline void lab_refuse(
    const char *map, const char *text, const char *words)
{
	struct lab lab;
	struct err e = { 0 };

	lab_init(&lab);
	if (map)
		lab_file(lab.map, map, strlen(map));
	assert_int_equal(lab_load(&lab, text, &e), -1);
	if (!strstr(e.text, words))
		fail_msg("'%s' is not in: %s", words, e.text);
	assert_int_equal(accounting_settle(lab.a, &e), 0);
	assert_int_equal(accounting_count(lab.a), 0);
	lab_free(&lab);
}

static inline const struct job_record *lab_at(const struct lab *lab, size_t i)
{
	const struct job_record *r = accounting_at(lab->a, i);

	if (!r)
		fail_msg("no record %zu; notes: %s", i, lab->notes.p);
	return r;
}

static inline void lab_noted(const struct lab *lab, const char *words)
{
	if (!strstr(lab->notes.p, words))
		fail_msg("'%s' is not noted in: %s", words, lab->notes.p);
}

static inline void lab_quiet(const struct lab *lab)
{
	assert_string_equal(lab->notes.p, "");
}

/* What the rules would see. */
static inline void lab_words(const struct job_record *r, const char *want)
{
	struct buf b = BUF_INIT(BUF_MAX);

	assert_int_equal(buf_reserve(&b, 0), 0);
	assert_int_equal(accounting_words(lab_taxonomy(), r, &b), 0);
	assert_string_equal(b.p, want);
	buf_release(&b);
}

static inline int lab_utc(void **state)
{
	(void)state;
	return setenv("TZ", "UTC", 1);
}

#endif
