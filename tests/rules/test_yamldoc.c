/*
 * The YAML reader: places, kinds, and all that it refuses.
 */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/yamldoc.h"

#include <string.h>

static struct yamldoc *must(const char *text)
{
	struct err e = { 0 };
	struct yamldoc *d = yamldoc_new(text, strlen(text), "x.yaml", &e);

	assert_string_equal(e.text, "");
	assert_non_null(d);
	return d;
}

static void refuse_bytes(const char *text, size_t n, const char *message)
{
	struct err e = { 0 };
	struct yamldoc *d = yamldoc_new(text, n, "x.yaml", &e);

	assert_null(d);
	if (strncmp(e.text, message, strlen(message)) != 0)
		assert_string_equal(e.text, message);
}

static void refuse(const char *text, const char *message)
{
	refuse_bytes(text, strlen(text), message);
}

static void test_tree(void **state)
{
	struct yamldoc *d = must("# comment\n"
				 "a: 1\n"
				 "list:\n"
				 "  - 'one'\n"
				 "  - {k: v, empty: }\n"
				 "text: >-\n"
				 "  folded\n"
				 "  text\n");
	const struct yamldoc_node *root = yamldoc_root(d), *n, *m;

	(void)state;
	assert_string_equal(yamldoc_name(d), "x.yaml");
	assert_int_equal(root->kind, YAMLDOC_MAP);
	assert_int_equal(root->n, 3);
	n = yamldoc_get(root, "a");
	assert_string_equal(n->text, "1");
	assert_true(n->plain);
	assert_int_equal(n->line, 2);
	assert_int_equal(n->column, 4);
	assert_string_equal(n->key->text, "a");
	assert_int_equal(n->key->column, 1);
	n = yamldoc_get(root, "list");
	assert_int_equal(n->kind, YAMLDOC_LIST);
	assert_int_equal(n->n, 2);
	assert_string_equal(n->first->text, "one");
	assert_false(n->first->plain);
	assert_null(n->first->key);
	m = n->first->next;
	assert_null(m->next);
	assert_int_equal(m->line, 5);
	assert_int_equal(m->column, 5);
	assert_string_equal(yamldoc_get(m, "k")->text, "v");
	assert_true(yamldoc_null(yamldoc_get(m, "empty")));
	assert_false(yamldoc_null(yamldoc_get(m, "k")));
	assert_string_equal(yamldoc_get(root, "text")->text, "folded text");
	assert_null(yamldoc_get(root, "none"));
	assert_null(yamldoc_get(n, "a"));
	yamldoc_free(d);
}

static void test_quoted_null_is_text(void **state)
{
	struct yamldoc *d = must("['null', null, ~, '']");
	const struct yamldoc_node *n = yamldoc_root(d)->first;

	(void)state;
	assert_false(yamldoc_null(n));
	assert_true(yamldoc_null(n->next));
	assert_true(yamldoc_null(n->next->next));
	assert_false(yamldoc_null(n->next->next->next));
	yamldoc_free(d);
}

static void test_refused(void **state)
{
	(void)state;
	refuse("", "x.yaml:1:1: the file is empty");
	refuse("# only\n", "x.yaml:1:1: the file is empty");
	refuse("a: 1\nb: 2\na: 3\n", "x.yaml:3:1: duplicate key 'a'");
	refuse("a: &x 1\nb: *x\n", "x.yaml:2:4: aliases are not supported");
	refuse("a: !!int 1\n", "x.yaml:1:4: tags are not supported");
	refuse("a: !foo {b: c}\n", "x.yaml:1:4: tags are not supported");
	refuse("a: \"x\\0y\"\n", "x.yaml:1:4: a text must not hold NUL");
	refuse("a: 1\n---\nb: 1\n", "x.yaml:2:1: only one document");
	refuse("? [a, b]\n: 1\n", "x.yaml:1:3: a key must be a text");
	refuse("a: 'open\n", "x.yaml:2:1: found unexpected end of stream");
	refuse("a:\n\t- b\n", "x.yaml:2:1: found character that cannot start");
	refuse_bytes("a: \xff\xfe z\n", 8, "x.yaml:1:1: invalid leading UTF-8");
	refuse_bytes("a: b\0c\n", 7, "x.yaml:1:1: control characters");
}

static void test_depth(void **state)
{
	char text[2 * YAMLDOC_DEPTH_MAX + 8] = "";

	(void)state;
	memset(text, '[', YAMLDOC_DEPTH_MAX);
	memset(text + YAMLDOC_DEPTH_MAX, ']', YAMLDOC_DEPTH_MAX);
	yamldoc_free(must(text));
	memset(text, '[', YAMLDOC_DEPTH_MAX + 1);
	memset(text + YAMLDOC_DEPTH_MAX + 1, ']', YAMLDOC_DEPTH_MAX + 1);
	refuse(text, "x.yaml:1:33: nested too deeply");
}

static void test_size(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	for (int i = 0; i <= YAMLDOC_KEYS_MAX; i++)
		assert_int_equal(buf_addf(&b, "k%d: v\n", i), 0);
	refuse(b.p, "x.yaml:1001:1: too many keys in one map");
	buf_clear(&b);
	assert_int_equal(buf_reserve(&b, YAMLDOC_BYTES_MAX + 1), 0);
	memset(b.p, ' ', YAMLDOC_BYTES_MAX + 1);
	refuse_bytes(b.p, YAMLDOC_BYTES_MAX + 1,
	    "x.yaml:1:1: the file is larger than 16 MiB");
	buf_release(&b);
	yamldoc_free(NULL);
}

/* Texts larger than a block of the arena, and many of them. */
static void test_large(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	const struct yamldoc_node *n;
	struct yamldoc *d;
	size_t i = 0;

	(void)state;
	for (i = 0; i < 3000; i++)
		assert_int_equal(
		    buf_addf(&b, "- '%0*d'\n", (int)(i * 37 % 900) + 1, 7), 0);
	assert_int_equal(buf_adds(&b, "- '"), 0);
	assert_int_equal(buf_reserve(&b, 200000), 0);
	memset(b.p + b.len, 'z', 200000);
	b.len += 200000;
	assert_int_equal(buf_adds(&b, "'\n"), 0);
	d = must(b.p);
	i = 0;
	for (n = yamldoc_root(d)->first; n->next; n = n->next, i++)
		assert_int_equal(strlen(n->text), i * 37 % 900 + 1);
	assert_int_equal(i, 3000);
	assert_int_equal(strlen(n->text), 200000);
	assert_int_equal(strspn(n->text, "z"), 200000);
	yamldoc_free(d);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_quoted_null_is_text),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
