/* What makes data is read; what would do anything else is refused, with its
 * place. Bytes by hand, and cut at every place. */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/pickle.h"

#include <stdlib.h>
#include <string.h>

#define BYTES(s) ((struct span){ (s), sizeof(s) - 1 })

static void same(struct span pickle, const char *want)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct err e = { 0 };
	struct json *v = pickle_parse(pickle, &e);

	if (!v)
		fail_msg("%s: %s", want, e.text);
	assert_int_equal(json_write(v, &b), 0);
	assert_string_equal(b.p, want);
	buf_release(&b);
	json_free(v);
}

static void refused(struct span pickle, const char *why)
{
	struct err e = { 0 };
	struct json *v = pickle_parse(pickle, &e);

	assert_null(v);
	if (!strstr(e.text, why))
		fail_msg("'%s' is not in '%s'", why, e.text);
	assert_int_equal(strncmp(e.text, "byte ", 5), 0);
	assert_false(e.lack);
}

static void test_values(void **state)
{
	(void)state;
	same(BYTES("\x80\x02N."), "null");
	same(BYTES("\x80\x02]q\x00(\x88\x89"
		   "e."),
	    "[true,false]");
	same(BYTES("\x80\x02(K\x07M\x00\x01J\xff\xff\xff\xfft."), "[7,256,-1]");
	same(BYTES("\x80\x02\x8a\x08\x00\x00\x00\x00\x01\x00\x00\x00."),
	    "4294967296");
	same(BYTES("\x80\x02\x8a\x01\xff."), "-1");
	same(BYTES("\x80\x02\x8a\x00."), "0");
	same(BYTES("\x80\x02G\x3f\xf8\x00\x00\x00\x00\x00\x00."), "1.5");
	same(BYTES("\x80\x02G\x7f\xf0\x00\x00\x00\x00\x00\x00."), "null");
	same(BYTES("\x80\x02X\x02\x00\x00\x00hi."), "\"hi\"");
	same(BYTES("\x80\x04\x8c\x02hi\x94."), "\"hi\"");
	same(BYTES("\x80\x02}(X\x01\x00\x00\x00"
		   "aK\x01X\x01\x00\x00\x00"
		   "b)u."),
	    "{\"a\":1,\"b\":[]}");
	same(BYTES("\x80\x02K\x01K\x02\x86."), "[1,2]");
}

static void test_shared(void **state)
{
	(void)state;
	same(BYTES("\x80\x02]q\x00X\x01\x00\x00\x00xq\x01"
		   "a]h\x01"
		   "aK\x01\x87."),
	    "[[\"x\"],[\"x\"],1]");
	/* one list at two places */
	same(BYTES("\x80\x02]q\x00h\x00\x86."), "[[],[]]");
}

static void test_refused(void **state)
{
	static const char much[] = "\x80\x02]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
				   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.";

	(void)state;
	refused(BYTES("\x80\x02"
		      "cos\nsystem\nX\x02\x00\x00\x00id\x85R."),
	    "byte 2: it asks for more than");
	refused(BYTES("\x80\x04\x8c\x02os\x8c\x06system\x93."), "more than");
	refused(BYTES("\x80\x02N}b."), "more than"); /* BUILD */
	refused(BYTES("\x80\x02NQ."), "more than");  /* a persistent id */
	refused(BYTES("\x80\x02NR."), "more than");
	refused(BYTES("\x80\x02\x81."), "more than");
	refused(BYTES("\x80\x05\x97."), "more than");
	refused(BYTES("(lp0\nI5\na."), "more than"); /* of protocol 0 */
	refused(BYTES("\x80\x02]q\x00h\x00"
		      "a."),
	    "grows after its end");
	refused(BYTES("\x80\x02]q\x00]h\x00"
		      "aaN."),
	    "grows after its end");
	refused(BYTES("\x80\x02}NNs."), "no text");
	refused(BYTES("\x80\x02NNa."), "no list or dict");
	refused(BYTES("\x80\x02h\x09."), "not in its memo");
	refused(BYTES("\x80\x02Nr\xff\xff\xff\xff."), "memo is too large");
	refused(BYTES("\x80\x02X\xff\xff\xff\x7f"
		      "a."),
	    "too early");
	refused(BYTES("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
		      "a."),
	    "too early");
	refused(BYTES("\x80\x02\x8a\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01."),
	    "64 bits");
	refused(BYTES("\x80\x02(1e."), "a mark is missing");
	refused(BYTES("\x80\x02(a."), "missing");
	refused(BYTES("\x80\x02."), "no value");
	refused(BYTES("\x80\x02NN."), "several");
	refused(BYTES("\x80\x02("), "too early");
	refused((struct span){ much, sizeof much - 1 }, "too deep");
}

/* Values that cost a byte each are counted. */
static void test_bounds(void **state)
{
	size_t n = 9u << 20;
	char *many = malloc(n);

	(void)state;
	assert_non_null(many);
	memset(many, 'N', n);
	refused((struct span){ many, n }, "too many values");
	/* fetched ones, too */
	memcpy(many, "Nq\x00", 3);
	for (size_t i = 3; i + 1 < n; i += 2)
		memcpy(many + i, "h\x00", 2);
	refused((struct span){ many, n - 1 }, "");
	free(many);
}

static void test_cut(void **state)
{
	static const char whole[] =
	    "\x80\x02}q\x00(X\x01\x00\x00\x00"
	    "aq\x01]q\x02(K\x01K\x02\x86q\x03h\x03G\x3f\xf8\x00\x00\x00\x00"
	    "\x00\x00"
	    "eX\x01\x00\x00\x00"
	    "bNu.";

	(void)state;
	same(BYTES(whole), "{\"a\":[[1,2],[1,2],1.5],\"b\":null}");
	for (size_t n = 0; n + 1 < sizeof whole; n++) {
		/* at the end of a block, so that a byte too far shows */
		char *cut = malloc(n ? n : 1);

		assert_non_null(cut);
		memcpy(cut, whole, n);
		refused((struct span){ cut, n }, "too early");
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
