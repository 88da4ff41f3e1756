/*
 * The decompressors alone: their input in pieces of any size, cut at every
 * byte, with each bit turned, and what may stand between and after parts.
 */
#include "tests/input/record.h"

#include "base/text.h"
#include "input/source.h"
#include "input/unpack.h"

/* A stream of n bytes that come in pieces: first, then step at a time. */
struct feed {
	struct source s; /* first: the two are one address */
	const char *p;
	size_t n, first, step;
};

static ssize_t feed_pull(struct source *s, const char **p)
{
	struct feed *f = (struct feed *)s;
	size_t n = f->first ? f->first : f->step;

	f->first = 0;
	if (n > f->n)
		n = f->n;
	*p = f->p;
	f->p += n;
	f->n -= n;
	return (ssize_t)n;
}

/* Unpacks in, and tells the fault, or "". */
static const char *unpack(const struct unpack_codec *codec, struct span in,
    size_t first, size_t step, struct buf *out)
{
	static char why[200];
	static char room[SOURCE_PIECE];
	struct source_run run = { 0 };
	struct feed f;
	struct source *s;
	struct err e;
	const char *p;
	ssize_t n;

	source_init(&f.s, &run, NULL);
	f.s.pull = feed_pull;
	f.p = in.p;
	f.n = in.n;
	f.first = first;
	f.step = step;
	s = unpack_open(&f.s, codec, &e);
	assert_non_null(s);
	if (step % 2)
		s->room = room;
	buf_clear(out);
	while ((n = source_read(s, &p)) > 0) {
		assert_true(!s->room || p == room);
		assert_int_equal(buf_add(out, p, (size_t)n), 0);
	}
	if (n < 0)
		assert_int_equal(s->fault, NOTE_DAMAGED);
	snprintf(why, sizeof why, "%s", n < 0 ? s->why : "");
	source_close(s);
	return why;
}

static struct span load(const char *path, struct buf *b)
{
	FILE *f = fopen(path, "rb");
	char part[4096];
	size_t n;

	assert_non_null(f);
	buf_clear(b);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		assert_int_equal(buf_add(b, part, n), 0);
	fclose(f);
	return (struct span){ b->p, b->len };
}

static uint32_t crc32_of(struct span s)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < s.n; i++) {
		crc ^= (unsigned char)s.p[i];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

enum { HCRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16 };

/* The gzip stream gz with those fields in its header. */
static struct span with_header(struct span gz, int flags, struct buf *out)
{
	char head[10] = { 0x1f, (char)0x8b, 8, (char)flags, 1, 2, 3, 4, 0, 3 };
	uint32_t crc;

	buf_clear(out);
	buf_add(out, head, 10);
	if (flags & EXTRA)
		buf_add(out, "\x07\0ab\x03\0xyz", 9);
	if (flags & NAME)
		buf_add(out, "rank0.log", 10);
	if (flags & COMMENT)
		buf_add(out, "what it is", 11);
	if (flags & HCRC) {
		crc = crc32_of((struct span){ out->p, out->len });
		buf_addc(out, (char)(crc & 0xff));
		buf_addc(out, (char)(crc >> 8 & 0xff));
	}
	assert_true(gz.n > 18 && !gz.p[3]);
	assert_int_equal(buf_add(out, gz.p + 10, gz.n - 10), 0);
	return (struct span){ out->p, out->len };
}

struct sample {
	struct buf plain, packed, other, out;
};

/* Some lines, and what command makes of them. */
static struct span sample_make(struct sample *s, const char *command, int lines)
{
	*s = (struct sample){ BUF_INIT(BUF_MAX), BUF_INIT(BUF_MAX),
		BUF_INIT(BUF_MAX), BUF_INIT(BUF_MAX) };
	write_lines("plain", 0, lines);
	sh(command);
	load("plain", &s->plain);
	return load("packed", &s->packed);
}

static void sample_release(struct sample *s)
{
	buf_release(&s->plain);
	buf_release(&s->packed);
	buf_release(&s->other);
	buf_release(&s->out);
}

static void expect_whole(const struct sample *s, const char *why)
{
	assert_string_equal(why, "");
	assert_int_equal(s->out.len, s->plain.len);
	assert_memory_equal(s->out.p, s->plain.p, s->plain.len);
}

static void test_gzip_headers(void **state)
{
	struct sample s;
	struct span gz = sample_make(&s, "gzip -nc plain >packed", 40);

	(void)state;
	for (int flags = 0; flags < 32; flags += 2) {
		struct span in = with_header(gz, flags, &s.other);

		for (size_t i = 1; i < in.n; i++)
			expect_whole(
			    &s, unpack(&unpack_gzip, in, i, in.n, &s.out));
		for (size_t i = 1; i < 9; i++)
			expect_whole(
			    &s, unpack(&unpack_gzip, in, 0, i, &s.out));
	}
	/* the header's own sum */
	for (int bit = 0; bit < 16; bit++) {
		struct span in = with_header(gz, HCRC | NAME, &s.other);

		s.other.p[20 + bit / 8] ^= (char)(1 << bit % 8);
		assert_string_equal(unpack(&unpack_gzip, in, 0, in.n, &s.out),
		    "bad gzip data: incorrect length or checksum");
	}
	sample_release(&s);
}

static void test_cut_at_every_byte(void **state)
{
	static const struct {
		const struct unpack_codec *codec;
		const char *command;
		size_t end; /* bytes of sums, which carry nothing else */
	} rows[] = {
		{ &unpack_gzip, "gzip -nc plain >packed", 8 },
		{ &unpack_zstd, "zstd -q --check -c plain >packed", 4 },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sample s;
		struct span in = sample_make(&s, rows[i].command, 300);

		for (size_t n = 1; n < in.n; n++) {
			const char *why = unpack(rows[i].codec,
			    span_sub(in, 0, n), 0, n % 2 ? n : 5, &s.out);

			assert_non_null(strstr(why, "ends too early"));
			assert_true(s.out.len <= s.plain.len);
			if (s.out.len)
				assert_memory_equal(
				    s.out.p, s.plain.p, s.out.len);
			if (n >= in.n - rows[i].end)
				assert_int_equal(s.out.len, s.plain.len);
		}
		sample_release(&s);
	}
}

/* A bit that is turned is told, unless it is one of a header that says nothing
 * about the content. */
static void test_each_bit(void **state)
{
	struct sample s;
	struct span in = sample_make(&s, "gzip -nc plain >packed", 20);
	int unseen = 0;

	(void)state;
	for (size_t bit = 10 * 8; bit < in.n * 8; bit++) {
		const char *why;

		s.packed.p[bit / 8] ^= (char)(1 << bit % 8);
		why = unpack(&unpack_gzip, in, 0, in.n, &s.out);
		if (!*why)
			unseen++;
		if (!*why || bit / 8 >= in.n - 8)
			expect_whole(&s, "");
		s.packed.p[bit / 8] ^= (char)(1 << bit % 8);
	}
	assert_in_range(unseen, 0, 7); /* that fill the last byte */
	sample_release(&s);
	in = sample_make(&s, "zstd -q --check -c plain >packed", 20);
	for (size_t bit = 6 * 8; bit < in.n * 8; bit++) {
		s.packed.p[bit / 8] ^= (char)(1 << bit % 8);
		if (!*unpack(&unpack_zstd, in, 0, in.n, &s.out))
			expect_whole(&s, ""); /* a bit that is not in use */
		s.packed.p[bit / 8] ^= (char)(1 << bit % 8);
	}
	for (size_t bit = (in.n - 4) * 8; bit < in.n * 8; bit++) {
		s.packed.p[bit / 8] ^= (char)(1 << bit % 8);
		assert_non_null(strstr(
		    unpack(&unpack_zstd, in, 0, in.n, &s.out), "checksum"));
		s.packed.p[bit / 8] ^= (char)(1 << bit % 8);
	}
	sample_release(&s);
}

static void test_parts(void **state)
{
	static const struct {
		const struct unpack_codec *codec;
		const char *command, *why;
	} rows[] = {
		{ &unpack_gzip, "gzip -c plain; gzip -c /dev/null", "" },
		{ &unpack_gzip,
		    "head -c 99 plain | gzip -c; tail -c +100 plain | gzip -c",
		    "" },
		{ &unpack_gzip, "gzip -c plain; head -c 700 /dev/zero", "" },
		{ &unpack_gzip, "gzip -c plain; echo more",
		    "other bytes follow the gzip data" },
		{ &unpack_gzip, "gzip -c plain; printf '\\037more of it'",
		    "bad gzip data: incorrect header" },
		{ &unpack_gzip, "gzip -c plain; printf '\\037'",
		    "the gzip data ends too early" },
		{ &unpack_zstd, "zstd -q -c plain; true | zstd -q -c", "" },
		{ &unpack_zstd,
		    "head -c 99 plain | zstd -q -c; printf "
		    "'\\120\\052\\115\\030\\3\\0\\0\\0abc'; "
		    "tail -c +100 plain | zstd -q -c",
		    "" },
		{ &unpack_zstd,
		    "zstd -q -c plain; printf "
		    "'\\137\\052\\115\\030\\3\\0\\0\\0abc'",
		    "" },
		{ &unpack_zstd,
		    "zstd -q -c plain; printf "
		    "'\\137\\052\\115\\030\\3\\0\\0\\0ab'",
		    "the zstd data ends too early" },
		{ &unpack_zstd, "zstd -q -c plain; head -c 700 /dev/zero", "" },
		{ &unpack_zstd, "zstd -q -c plain; echo more",
		    "other bytes follow the zstd data" },
		{ &unpack_zstd, "zstd -q --no-check -19 -c plain", "" },
		{ &unpack_xz, "xz -c plain; true | xz -c", "" },
		{ &unpack_xz, "xz -c plain; head -c 700 /dev/zero", "" },
		{ &unpack_xz, "xz -c plain; echo more",
		    "other bytes follow the xz data" },
		{ &unpack_xz,
		    "xz -c plain; printf '\\375more than a header has'",
		    "bad xz data: incorrect header" },
		{ &unpack_lzma, "xz --format=lzma -c plain", "" },
		{ &unpack_lzma, "xz --format=lzma -c plain; echo more",
		    "other bytes follow the lzma data" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char command[300];
		struct sample s;
		struct span in;

		snprintf(
		    command, sizeof command, "(%s) >packed", rows[i].command);
		in = sample_make(&s, command, 3000);
		for (size_t step = 1; step <= in.n; step += 1 + step * 3) {
			const char *why =
			    unpack(rows[i].codec, in, 0, step, &s.out);

			assert_string_equal(why, rows[i].why);
			expect_whole(&s, "");
		}
		sample_release(&s);
	}
}

/* Much from little: what fills the room again and again. */
static void test_dense(void **state)
{
	static const struct {
		const struct unpack_codec *codec;
		const char *command;
	} rows[] = {
		{ &unpack_gzip, "head -c 5M /dev/zero | gzip -9 >packed" },
		{ &unpack_zstd, "head -c 5M /dev/zero | zstd -q >packed" },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sample s;
		struct span in = sample_make(&s, rows[i].command, 1);

		for (size_t step = 1; step <= in.n; step += 7) {
			assert_string_equal(
			    unpack(rows[i].codec, in, 0, step, &s.out), "");
			assert_int_equal(s.out.len, 5 << 20);
		}
		sample_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_gzip_headers),
		IN_FOLDER(test_cut_at_every_byte),
		IN_FOLDER(test_each_bit),
		IN_FOLDER(test_parts),
		IN_FOLDER(test_dense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
