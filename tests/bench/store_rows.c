/*
 * Made-up diagnoses of a cluster, for a store that is large: real ones (scan's
 * JSON lines) with jobs, users, nodes, times and usage of their own. Row i of
 * all is the same whoever makes it.
 *
 * usage: store_rows put URL  LINES FIRST COUNT OF DAYS
 *            through the store's interface, as scan does
 *        store_rows copy -   LINES FIRST COUNT OF DAYS
 *            for COPY (columns) FROM STDIN (FORMAT binary), on standard output
 *        store_rows columns  the columns of that
 * LINES: a file of scan --format jsonl. FIRST, COUNT: which of the OF rows,
 * which end on DAYS days before 2026-11-01.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/when.h"
#include "reports/store/entry.h"
#include "reports/store/store_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)
#define LAST (INT64_C(1793491200) * SECOND) /* 2026-11-01 */
#define LINES 600
#define USERS 400u
#define GROUPS 40u
#define NODES 1000u
#define BUGS 40000u /* failures that have a fingerprint of their own */
#define WELL 78u    /* of a hundred attempts */

static struct json *well[LINES], *bad[LINES];
static size_t n_well, n_bad;

static void die(const char *what)
{
	fprintf(stderr, "store_rows: %s\n", what);
	exit(1);
}

/* ---- numbers by chance, the same for the same row ---- */

static uint32_t draw(uint64_t *state, uint32_t below)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(((z ^ z >> 31) >> 32) * below >> 32);
}

/* Few of them come often. */
static uint32_t draw_few(uint64_t *state, uint32_t below)
{
	uint32_t a = draw(state, below), b = draw(state, below);

	return (uint32_t)((uint64_t)a * b / below);
}

/* ---- a row ---- */

static void set(struct json *o, const char *key, struct json *v)
{
	if (json_set(o, key, v))
		die("out of memory");
}

static void set_string(struct json *o, const char *key, const char *fmt,
    const char *prefix, uint32_t n)
{
	char text[80];

	snprintf(text, sizeof text, fmt, prefix, n);
	set(o, key, json_new_string(text));
}

static void set_time(struct json *o, const char *key, int64_t t)
{
	char text[40];

	when_format(t, text);
	set(o, key, json_new_string(text));
}

/* The template of row i with its own values. */
static struct json *row(uint64_t i, uint64_t of, int days)
{
	uint64_t r = i * UINT64_C(0xd1342543de82ef95) + 1;
	bool is_well = draw(&r, 100) < WELL;
	struct json *o = is_well ? well[draw(&r, (uint32_t)n_well)]
				 : bad[draw_few(&r, (uint32_t)n_bad)];
	struct json *record = json_new_object(), *usage = json_new_object();
	struct json *nodes = json_new_array();
	uint32_t user = draw_few(&r, USERS), gpus = 1u << draw(&r, 6);
	uint32_t seconds = 60 + draw_few(&r, 200000);
	/* a job in 18 was tried three times */
	uint64_t again = i % 20 < 3 ? i % 20 : 0;
	int64_t all = days * DAY, end, used;

	end = LAST - all + (int64_t)((double)all * (double)i / (double)of);
	if (!record || !usage || !nodes)
		die("out of memory");
	set_string(o, "job", "%s%u", "", (uint32_t)(i - again));
	set(o, "attempt", json_new_int((int64_t)again + 1));
	set_string(o, "user", "%s%03u", "u", user);
	set_string(o, "group", "%s%02u", "account", user % GROUPS);
	for (uint32_t k = 0, at = draw(&r, NODES); k * 8 < gpus; k++) {
		char node[16];

		snprintf(node, sizeof node, "n%04u", (at + k) % NODES);
		if (json_append(nodes, json_new_string(node)))
			die("out of memory");
	}
	set(o, "nodes", nodes);
	set_time(o, "started", end - seconds * SECOND);
	set_time(o, "ended", end);
	set_string(record, "name", "%s%u", "train-", draw_few(&r, 3000));
	set(record, "state", json_new_string(is_well ? "COMPLETED" : "FAILED"));
	set_string(record, "partition", "%s%u", "gpu", draw(&r, 4));
	set(record, "image", json_new_null());
	set_time(record, "submitted", end - (seconds + 600) * SECOND);
	set(o, "record", record);
	used = (int64_t)gpus * seconds;
	set(usage, "gpus", json_new_int(gpus));
	set(usage, "runtime_seconds", json_new_int(seconds));
	set(usage, "gpu_seconds", json_new_int(used));
	set(usage, "gpu_seconds_lost",
	    json_new_int(is_well ? 0 : used / (1 + draw(&r, 9))));
	set(usage, "estimated", json_new_bool(false));
	set(o, "usage", usage);
	if (!is_well)
		set_string(
		    o, "fingerprint", "%s%08x", "0b5e55ed", draw_few(&r, BUGS));
	return o;
}

static struct store_item *pack(
    struct store *s, uint64_t i, uint64_t of, int days)
{
	struct arena *arena = arena_new();
	struct json *o = row(i, of, days);
	struct buf text = BUF_INIT(BUF_MAX);
	struct store_item *it;
	char key[80];
	struct entry en;
	struct err e;

	snprintf(key, sizeof key, "/logs/%llu/%llu.out",
	    (unsigned long long)i / 1000, (unsigned long long)i);
	if (!arena || json_write(o, &text) || entry_read(&en, o, arena, &e))
		die("a row cannot be made");
	it = store_pack(s,
	    &(struct store_row){ .entry = &en,
		.record = { text.p, text.len },
		.key = key,
		.lookup = en.job },
	    &e);
	if (!it)
		die(e.text);
	buf_release(&text);
	arena_free(arena);
	return it;
}

/* ---- where they go ---- */

static void put(
    const char *url, uint64_t first, uint64_t n, uint64_t of, int days)
{
	struct err e;
	struct store *s = store_open(url, STORE_WRITE, &e);

	if (!s)
		die(e.text);
	for (uint64_t i = first; i < first + n; i++) {
		struct store_item *it = pack(s, i, of, days);

		if (store_put(s, hash_of(&i, sizeof i), &it, 1, LAST, &e))
			die(e.text);
	}
	if (store_close(s, &e))
		die(e.text);
}

static void put_be(struct buf *b, uint64_t v, int bytes)
{
	while (bytes--)
		if (buf_addc(b, (char)(v >> bytes * 8 & 0xff)))
			die("out of memory");
}

static void copy_item(struct buf *b, const struct store_item *it)
{
	put_be(b, STORE_COLUMNS, 2);
	for (size_t k = 0; k < STORE_COLUMNS; k++) {
		const struct store_value *v = &it->v[k];

		if (v->kind == STORE_NULL) {
			put_be(b, UINT32_MAX, 4);
		} else if (v->kind == STORE_INTEGER) {
			put_be(b, 8, 4);
			put_be(b, (uint64_t)v->i, 8);
		} else {
			put_be(b, v->n, 4);
			if (buf_add(b, it->bytes + v->at, v->n))
				die("out of memory");
		}
	}
}

static void copy(uint64_t first, uint64_t n, uint64_t of, int days)
{
	static const char head[19] = "PGCOPY\n\377\r\n";
	struct buf b = BUF_INIT(BUF_MAX);
	struct store s = { .lock = PTHREAD_MUTEX_INITIALIZER,
		.scratch = BUF_INIT(BUF_MAX) };
	struct err e;

	s.block = deflate_block_new(span_of(store_dictionary), &e);
	if (!s.block)
		die(e.text);
	if (buf_add(&b, head, sizeof head))
		die("out of memory");
	for (uint64_t i = first; i < first + n; i++) {
		struct store_item *it = pack(&s, i, of, days);

		store_item_seen(it, LAST);
		copy_item(&b, it);
		store_item_free(it);
		fwrite(b.p, 1, b.len, stdout);
		buf_clear(&b);
	}
	put_be(&b, UINT16_MAX, 2);
	fwrite(b.p, 1, b.len, stdout);
	if (fclose(stdout))
		die("standard output");
	buf_release(&b);
	buf_release(&s.scratch);
	deflate_block_free(s.block);
}

static void load(const char *path)
{
	static char line[1 << 20];
	FILE *f = fopen(path, "r");
	struct err e;

	while (f && fgets(line, sizeof line, f)) {
		struct json *o =
		    json_parse(span_trim(span_of(line)), JSON_PARSE, &e);
		const struct json *failed = json_get(o, "failed");

		if (!o)
			die(e.text);
		if (!json_is(failed, JSON_IS_BOOL))
			continue;
		if (json_true_value(failed) && n_bad < LINES)
			bad[n_bad++] = o;
		else if (!json_true_value(failed) && n_well < LINES)
			well[n_well++] = o;
	}
	if (!n_bad || !n_well)
		die("no diagnoses of both kinds");
	fclose(f);
}

int main(int argc, char **argv)
{
	uint64_t first, n, of;
	int days;

	if (argc == 2 && strcmp(argv[1], "columns") == 0) {
		for (size_t k = 0; k < STORE_COLUMNS; k++)
			printf("%s\"%s\"", k ? "," : "", store_column_name(k));
		putchar('\n');
		return 0;
	}
	if (argc != 8)
		die("usage: put URL|copy - LINES FIRST COUNT OF DAYS");
	load(argv[3]);
	first = strtoull(argv[4], NULL, 10);
	n = strtoull(argv[5], NULL, 10);
	of = strtoull(argv[6], NULL, 10);
	days = atoi(argv[7]);
	if (strcmp(argv[1], "put") == 0)
		put(argv[2], first, n, of, days);
	else
		copy(first, n, of, days);
	return 0;
}
