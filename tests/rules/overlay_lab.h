/* For the tests of the taxonomy: overlays from texts, and their errors. */
#ifndef TESTS_RULES_OVERLAY_LAB_H
#define TESTS_RULES_OVERLAY_LAB_H

#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/taxonomy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder of overlay files, made anew for each test. */
struct folder {
	char path[256];
	char *files[8];
	int n;
};

static inline void folder_open(struct folder *f)
{
	const char *tmp = getenv("TMPDIR");

	memset(f, 0, sizeof *f);
	snprintf(
	    f->path, sizeof f->path, "%s/taxonomy.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(f->path));
}

static inline const char *folder_add(
    struct folder *f, const char *name, const char *text)
{
	struct buf path = BUF_INIT(BUF_MAX);
	FILE *out;

	assert_int_equal(buf_addf(&path, "%s/%s", f->path, name), 0);
	f->files[f->n++] = path.p;
	out = fopen(path.p, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
	assert_int_equal(fclose(out), 0);
	return path.p;
}

static inline void folder_close(struct folder *f)
{
	while (f->n) {
		assert_int_equal(unlink(f->files[--f->n]), 0);
		free(f->files[f->n]);
	}
	assert_int_equal(rmdir(f->path), 0);
}

#define CATEGORY                     \
	"category:\n"                \
	"  id: site_fault\n"         \
	"  name: Site Fault\n"       \
	"  dimension: site\n"        \
	"  family: infrastructure\n" \
	"  verdict: retry\n"         \
	"  description: Ours.\n"

#define EXAMPLES "    examples: {match: [xx], no_match: [yy]}\n"

#define RULE                           \
	"rules:\n"                     \
	"  - id: site_fault.one\n"     \
	"    title: One\n"             \
	"    pattern: '(?<code>xx)'\n" \
	"    role: root\n" EXAMPLES

/* Load one overlay of this text; its error, less the folder, must be as
 * given: "line:column: text". */
static inline void refuse(const char *text, const char *message)
{
	struct err e = { 0 };
	struct folder f;
	const char *path;
	char want[1300];

	folder_open(&f);
	path = folder_add(&f, "site.yaml", text);
	assert_null(taxonomy_load(&path, 1, &e));
	snprintf(want, sizeof want, "%s:%s", path, message);
	assert_string_equal(e.text, want);
	folder_close(&f);
}

static inline struct taxonomy *load_two(const char *first, const char *second)
{
	struct err e = { 0 };
	struct folder f;
	const char *paths[2];
	struct taxonomy *t;

	folder_open(&f);
	paths[0] = folder_add(&f, "a.yaml", first);
	paths[1] = second ? folder_add(&f, "b.yaml", second) : NULL;
	t = taxonomy_load(paths, second ? 2 : 1, &e);
	assert_string_equal(e.text, "");
	assert_non_null(t);
	folder_close(&f);
	return t;
}

#endif
