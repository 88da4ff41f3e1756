/*
 * JSON records are cut out of the text by counting brackets and parsed one by
 * one. So a file needs no more memory than its largest record, each record
 * knows its line, and what is there of a file that was cut off can be used.
 */
#include "jobs/accounting_load.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

enum { TOP, INSIDE, INSIDE_MEMBER, TAIL }; /* accounting_walk.place */

/* The offset behind the string that begins at i, or SIZE_MAX. */
static size_t string_end(struct span s, size_t i)
{
	for (i++; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == '"')
			return i + 1;
	}
	return SIZE_MAX;
}

/* The offset behind the bracket that closes `depth` open ones, or SIZE_MAX. */
static size_t close_end(struct span s, size_t i, size_t depth)
{
	while (i < s.n) {
		char c = s.p[i];

		if (c == '"') {
			i = string_end(s, i);
			if (i == SIZE_MAX)
				return SIZE_MAX;
			continue;
		}
		i++;
		depth += c == '{' || c == '[';
		if ((c == '}' || c == ']') && --depth == 0)
			return i;
	}
	return SIZE_MAX;
}

static size_t skip_blanks(struct span s, size_t i)
{
	while (i < s.n &&
	    (s.p[i] == ' ' || s.p[i] == '\n' || s.p[i] == '\r' ||
		s.p[i] == '\t'))
		i++;
	return i;
}

/* Behind the '[' of the array that is the member `key` of the object at i; 0:
 * there is none; SIZE_MAX: the text ends before that is known. */
static size_t member_array(struct span s, size_t i, const char *key)
{
	for (i++; i < s.n;) {
		size_t end, value;
		bool wanted;

		if (s.p[i] == '}')
			return 0;
		if (s.p[i] == '{' || s.p[i] == '[') {
			i = close_end(s, i, 0);
			if (i == SIZE_MAX)
				return SIZE_MAX;
			continue;
		}
		if (s.p[i] != '"') {
			i++;
			continue;
		}
		end = string_end(s, i);
		if (end == SIZE_MAX)
			return SIZE_MAX;
		wanted = span_is(span_sub(s, i + 1, end - 1), key);
		value = skip_blanks(s, end);
		i = end;
		if (!wanted || value >= s.n || s.p[value] != ':')
			continue;
		value = skip_blanks(s, value + 1);
		if (value < s.n && s.p[value] == '[')
			return value + 1;
	}
	return SIZE_MAX;
}

struct walker {
	struct load *l;
	struct accounting_walk *w;
	const struct accounting_elements *what;
	struct span text;
	size_t i;
	bool last, stop;
};

/* Go on at `to`. */
static void move(struct walker *k, size_t to)
{
	accounting_load_lines(k->l, span_sub(k->text, k->i, to));
	k->i = to;
}

static int lose(struct walker *k, size_t to, const char *why)
{
	accounting_note(k->l, TROUBLE_ROW, k->l->line, "row lost: %s", why);
	move(k, to);
	return 0;
}

/* The text ends within a value. */
static int cut_off(struct walker *k)
{
	if (!k->last) {
		k->stop = true;
		return 0;
	}
	if (!k->w->any)
		return err_set(k->l->e,
		    "%s:%llu: the JSON text is cut off before its first "
		    "record is complete",
		    k->l->path, (unsigned long long)k->l->line);
	k->w->place = TAIL;
	return lose(k, k->text.n,
	    "the file is cut off here; the records above are read");
}

static int element(struct walker *k, size_t end)
{
	struct err why = { 0 };
	struct json *v =
	    json_parse(span_sub(k->text, k->i, end), JSON_PARSE, &why);
	int rc;

	if (!v)
		return why.lack ? err_pass(k->l->e, &why)
				: lose(k, end, why.text);
	rc = k->what->record(k->l, v, k->l->line);
	json_free(v);
	k->w->any = true;
	move(k, end);
	return rc;
}

/* An object at the top. */
static int top_object(struct walker *k)
{
	struct span t = k->text;
	size_t eol = span_find(span_sub(t, k->i, t.n), "\n");
	size_t inside = 0, end;

	eol = eol == SIZE_MAX ? t.n : k->i + eol;
	if (k->what->key && !k->w->lines)
		inside = member_array(t, k->i, k->what->key);
	if (inside == SIZE_MAX)
		return cut_off(k);
	if (inside) {
		k->w->place = INSIDE_MEMBER;
		move(k, inside);
		return 0;
	}
	end = close_end(t, k->i, 0);
	if (k->w->lines && end > eol) {
		if (eol == t.n)
			return cut_off(k);
		return lose(k, eol, "broken JSON");
	}
	if (end == SIZE_MAX)
		return cut_off(k);
	if (!k->w->any)
		k->w->lines =
		    end <= eol && eol < t.n && skip_blanks(t, end) >= eol;
	return element(k, end);
}

static int at_top(struct walker *k)
{
	char c = k->text.p[k->i];
	size_t eol;

	if (c == '{')
		return top_object(k);
	if (c == '[') {
		k->w->place = INSIDE;
		move(k, k->i + 1);
		return 0;
	}
	eol = span_find(span_sub(k->text, k->i, k->text.n), "\n");
	return lose(k, eol == SIZE_MAX ? k->text.n : k->i + eol, "no JSON");
}

static int inside(struct walker *k)
{
	char c = k->text.p[k->i];
	size_t end;

	if (c == ']') {
		k->w->place = k->w->place == INSIDE ? TOP : TAIL;
		k->w->any = true;
		move(k, k->i + 1);
		return 0;
	}
	if (c == '{' || c == '[') {
		end = close_end(k->text, k->i, 0);
		if (end == SIZE_MAX)
			return cut_off(k);
		return element(k, end);
	}
	if (c == '"') {
		end = string_end(k->text, k->i);
		if (end == SIZE_MAX)
			return cut_off(k);
		return lose(k, end, "no object");
	}
	for (end = k->i + 1; end < k->text.n; end++)
		if (strchr(",] \t\r\n", k->text.p[end]))
			break;
	return lose(k, end, "no object");
}

static int tail(struct walker *k)
{
	size_t end = close_end(k->text, k->i, 1);

	if (end == SIZE_MAX && !k->last) {
		k->stop = true;
		return 0;
	}
	k->w->place = TOP;
	move(k, end == SIZE_MAX ? k->text.n : end);
	return 0;
}

int accounting_json_walk(struct load *l, struct accounting_walk *w,
    const struct accounting_elements *what, struct span text, bool last,
    size_t *used)
{
	struct walker k = { l, w, what, text, 0, last, false };
	int rc = 0;

	while (rc == 0 && !k.stop) {
		size_t i = skip_blanks(text, k.i);

		if (i < text.n && text.p[i] == ',')
			i++;
		if (i > k.i) {
			move(&k, i);
			continue;
		}
		if (i >= text.n)
			break;
		if (w->place == TOP)
			rc = at_top(&k);
		else if (w->place == TAIL)
			rc = tail(&k);
		else
			rc = inside(&k);
	}
	*used = k.i;
	if (rc == 0 && last &&
	    (w->place == INSIDE || w->place == INSIDE_MEMBER))
		rc = cut_off(&k);
	return rc;
}

/* ---- values ------------------------------------------------------------ */

bool accounting_json_number(const struct json *v, int64_t *out)
{
	const struct json *set;
	double d;

	if (json_is(v, JSON_IS_OBJECT)) {
		set = json_get(v, "set");
		if (json_is(set, JSON_IS_BOOL) && !json_true_value(set))
			return false;
		if (json_true_value(json_get(v, "infinite")))
			return false;
		v = json_get(v, "number");
	}
	if (json_int(v, out))
		return true;
	if (json_number(v, &d) && d > -1e15 && d < 1e15) {
		*out = (int64_t)d;
		return true;
	}
	return json_is(v, JSON_IS_TEXT) &&
	    accounting_integer(json_text(v), out);
}

const struct json *accounting_json_find(
    const struct json *object, struct span path)
{
	char key[128];
	size_t dot;

	while (object) {
		const struct json *whole = NULL;

		if (path.n >= sizeof key)
			return NULL;
		memcpy(key, path.p, path.n);
		key[path.n] = '\0';
		whole = json_get(object, key);
		dot = span_find(path, ".");
		if (whole || dot == SIZE_MAX)
			return whole;
		key[dot] = '\0';
		object = json_get(object, key);
		path = span_sub(path, dot + 1, path.n);
	}
	return NULL;
}

struct span accounting_json_words(const struct json *v, char buf[32])
{
	int64_t n;
	double d;

	if (json_is(v, JSON_IS_TEXT))
		return json_text(v);
	buf[0] = '\0';
	if (json_is(v, JSON_IS_BOOL))
		snprintf(buf, 32, "%s", json_true_value(v) ? "true" : "false");
	else if (json_int(v, &n))
		snprintf(buf, 32, "%lld", (long long)n);
	else if (json_number(v, &d))
		snprintf(buf, 32, "%.6f", d);
	return span_of(buf);
}

bool accounting_json_head(struct span head, char c, const char *key)
{
	size_t i = skip_blanks(head, 0), n = strlen(key);
	size_t at;

	if (i >= head.n || head.p[i] != c)
		return false;
	while ((at = span_find(head, key)) != SIZE_MAX) {
		if (at > 0 && head.p[at - 1] == '"' && at + n < head.n &&
		    head.p[at + n] == '"')
			return true;
		head = span_sub(head, at + n, head.n);
	}
	return false;
}
