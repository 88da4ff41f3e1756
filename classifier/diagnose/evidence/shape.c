/*
 * Recognisers for single lines, written by hand: they run on lines that no
 * rule has nominated, where a regular expression would cost too much.
 */
#include "diagnose/evidence/shape.h"

#include "diagnose/signals/signals.h"

#include <string.h>

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Length of a dotted name at the start of s; 0 when there is none. */
static size_t dotted_name(struct span s, size_t *last)
{
	size_t i = 0;

	*last = 0;
	if (s.n == 0 || !is_word(s.p[0]) || (s.p[0] >= '0' && s.p[0] <= '9'))
		return 0;
	while (i < s.n && i < 200) {
		if (is_word(s.p[i])) {
			i++;
		} else if (s.p[i] == '.' && i + 1 < s.n &&
		    is_word(s.p[i + 1])) {
			*last = ++i;
		} else {
			break;
		}
	}
	return i;
}

/* Ends of classes that nothing else is called by. */
static const char *const sure[] = { "Error", "Exception", "Interrupt", "Exit",
	"StopIteration", NULL };

bool shape_may_raise(struct span line)
{
	for (size_t i = 0; sure[i]; i++)
		if (span_find(line, sure[i]) != SIZE_MAX)
			return true;
	return false;
}

enum shape_exception shape_exception(struct span s, struct span *type)
{
	static const char *const likely[] = { "Timeout", "Fault", "Failure",
		"Failed", "Iteration", "Killed", "NotFound", "Empty", "Full",
		"Abort", "Aborted", "timeout", "error", "Canceled", "Group",
		"Traceback", "error_perm", "error_temp", "error_proto", NULL };
	size_t last, n = dotted_name(s, &last);
	struct span name = span_sub(s, last, n);

	if (n == 0)
		return SHAPE_NO;
	*type = span_sub(s, 0, n);
	/* ray.exceptions.RayTaskError(ValueError): text */
	if (n < s.n && s.p[n] == '(') {
		while (n < s.n && s.p[n] != ')' && s.p[n] != ' ')
			n++;
		n += n < s.n;
	}
	if (n < s.n && (s.p[n] != ':' || (n + 1 < s.n && s.p[n + 1] != ' ')))
		return SHAPE_NO;
	for (size_t i = 0; sure[i]; i++)
		if (span_ends(name, sure[i]))
			return SHAPE_SURE;
	for (size_t i = 0; likely[i]; i++)
		if (span_ends(name, likely[i]) && (last || n < s.n))
			return SHAPE_CLASS;
	if (last && name.n && is_upper(name.p[0]) && n < s.n)
		return SHAPE_CLASS;
	return is_upper(name.p[0]) ? SHAPE_WEAK : SHAPE_NO;
}

/* The number at the start of s, or -1. */
static int64_t leading_number(struct span s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return span_number(span_sub(s, 0, n));
}

bool shape_frame(struct span s, struct shape_frame *out)
{
	struct span t = span_trim(s);
	size_t quote, in;

	*out = (struct shape_frame){ .line = -1 };
	if (!span_starts(t, "File \""))
		return false;
	t = span_sub(t, 6, t.n);
	quote = span_find(t, "\", line ");
	if (quote == SIZE_MAX)
		return false;
	out->file = span_sub(t, 0, quote);
	t = span_sub(t, quote + strlen("\", line "), t.n);
	out->line = leading_number(t);
	in = span_find(t, ", in ");
	if (in == SIZE_MAX)
		in = span_find(t, " in "); /* faulthandler */
	if (in != SIZE_MAX)
		out->function =
		    span_trim(span_sub(t, in + (t.p[in] == ',' ? 5 : 4), t.n));
	return out->line >= 0;
}

bool shape_spy_frame(struct span s, struct shape_frame *out)
{
	struct span t = span_trim(s), number;
	size_t open = span_find(t, " (");

	*out = (struct shape_frame){ .line = -1 };
	if (open == SIZE_MAX || !open || !span_ends(t, ")"))
		return false;
	out->function = span_sub(t, 0, open);
	out->file = span_sub(t, open + 2, t.n - 1);
	for (size_t i = out->file.n; i-- > 0;)
		if (out->file.p[i] == ':') {
			number = span_sub(out->file, i + 1, out->file.n);
			out->line = span_number(number);
			out->file.n = out->line < 0 ? out->file.n : i;
			break;
		}
	return out->file.n > 0;
}

#define RICH_BAR "\xe2\x94\x82" /* beside each line */

bool shape_rich(struct span s, struct span *inner)
{
	*inner = (struct span){ s.p, 0 };
	if (span_starts(s, "\xe2\x95\xad") || span_starts(s, "\xe2\x95\xb0"))
		return true; /* above and below */
	if (!span_starts(s, RICH_BAR))
		return false;
	*inner = span_trim(span_sub(s, strlen(RICH_BAR), s.n));
	if (span_ends(*inner, RICH_BAR))
		inner->n -= strlen(RICH_BAR);
	*inner = span_trim(*inner);
	return true;
}

bool shape_rich_frame(struct span inner, struct shape_frame *out)
{
	size_t in = span_find(inner, " in ");
	struct span file = span_sub(inner, 0, in == SIZE_MAX ? 0 : in);
	size_t colon = file.n;

	while (colon && file.p[colon - 1] != ':')
		colon--;
	*out = (struct shape_frame){ .line = -1 };
	if (colon < 2 || span_find(file, " ") != SIZE_MAX)
		return false;
	out->file = span_sub(file, 0, colon - 1);
	out->line = span_number(span_sub(file, colon, file.n));
	out->function = span_trim(span_sub(inner, in + 4, inner.n));
	return out->line > 0 && out->function.n &&
	    span_find(out->function, " ") == SIZE_MAX;
}

bool shape_ipython_frame(struct span s, struct shape_frame *out)
{
	struct span t = s;
	size_t at;

	*out = (struct shape_frame){ .line = -1 };
	if (span_starts(t, "File ") && !span_starts(t, "File \"")) {
		/* File ~/x.py:12, in f(a) */
		t = span_sub(t, 5, t.n);
		at = span_find(t, ":");
		if (at == SIZE_MAX)
			return false;
		out->file = span_sub(t, 0, at);
		out->line = leading_number(span_sub(t, at + 1, t.n));
	} else if (span_starts(t, "Cell In[") || span_starts(t, "Input In [") ||
	    span_starts(t, "<ipython-input-")) {
		at = span_find(t, span_starts(t, "<") ? ">" : "]");
		if (at == SIZE_MAX)
			return false;
		out->file = span_sub(t, 0, at + 1);
		at = span_find(t, "line ");
		if (at != SIZE_MAX)
			out->line = leading_number(span_sub(t, at + 5, t.n));
	} else if (t.n && (t.p[0] == '/' || t.p[0] == '~')) {
		/* ~/lib/x.py in f(a) */
		at = span_find(t, ".py in ");
		if (at == SIZE_MAX)
			return false;
		out->file = span_sub(t, 0, at + 3);
	} else {
		return false;
	}
	at = span_find(t, " in ");
	if (at != SIZE_MAX) {
		struct span f = span_sub(t, at + 4, t.n);
		size_t paren = span_find(f, "(");

		out->function =
		    paren == SIZE_MAX ? span_trim(f) : span_sub(f, 0, paren);
	}
	return true;
}

/* "+ cmd", "++ cmd" of set -x; but not a number with its sign. */
static bool shell_trace(struct span s)
{
	size_t i = 0;

	while (i < s.n && i < 8 && s.p[i] == '+')
		i++;
	return i > 0 && i + 1 < s.n && s.p[i] == ' ' &&
	    !(s.p[i + 1] >= '0' && s.p[i + 1] <= '9');
}

/* Indented text in quotes is a piece of a program's string; but "key": "value"
 * is a record, and at the margin it is a message. */
static bool quoted_piece(struct span s, struct span t)
{
	return s.n > t.n && s.p != t.p && t.n > 1 && t.p[0] == '"' &&
	    t.p[t.n - 1] == '"' && span_find(t, "\": ") == SIZE_MAX;
}

/* "12:RuntimeError: ...": grep -n shows a line of another file. */
static bool grep_line(struct span s)
{
	size_t i = 0;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return i > 0 && i + 1 < s.n && s.p[i] == ':' && s.p[i + 1] != ' ' &&
	    !(s.p[i + 1] >= '0' && s.p[i + 1] <= '9');
}

/* "  CUDA out of memory   -> lower --batch": a row of a help text. */
static bool help_row(struct span s, struct span t)
{
	return s.n > t.n && span_find(t, "  -> ") != SIZE_MAX;
}

bool shape_echo(const struct taxonomy *tax, struct span s)
{
	struct span t = span_trim(s);
	bool code = false;
	uint32_t may;

	if (grep_line(s) || shell_trace(s) || quoted_piece(s, t) ||
	    help_row(s, t))
		return true;
	may = t.n ? tax->echo_letters[(unsigned char)*t.p] : 0;
	for (size_t i = tax->signal_from[SIGNAL_ECHO];
	     may && i < tax->signal_from[SIGNAL_ECHO + 1]; i++) {
		if (!(may & taxonomy_echo_bit(tax, i)) ||
		    !signals_tell(tax, i, NULL, t, NULL))
			continue;
		if (taxonomy_signal_at(tax, i)->tells[0] == ECHO_MESSAGE)
			return false;
		code = true;
	}
	return code;
}

struct span shape_pytest(struct span s)
{
	return span_starts(s, "E   ") ? span_trim(span_sub(s, 1, s.n)) : s;
}

bool shape_table_row(struct span s)
{
	size_t bars = 0;

	for (size_t i = 1; i + 1 < s.n; i++)
		bars += s.p[i] == '|' && s.p[i - 1] == ' ' && s.p[i + 1] == ' ';
	return bars >= 3;
}

struct span shape_ungroup(struct span s)
{
	size_t i = 0;

	while (i < s.n && s.p[i] == ' ')
		i++;
	if (i + 1 < s.n && (s.p[i] == '|' || s.p[i] == '+') &&
	    s.p[i + 1] == ' ')
		return span_sub(s, i + 2, s.n);
	/* an empty line of a group, or the rule between two of its parts */
	if ((i + 1 == s.n && s.p[i] == '|') ||
	    (i + 1 < s.n && s.p[i] == '+' && s.p[i + 1] == '-'))
		return span_sub(s, s.n, s.n);
	return s;
}

struct span shape_ipython_type(struct span s, size_t at)
{
	struct span head = span_sub(s, 0, at), type;

	if (at < 3 || !span_ends(head, "  ") ||
	    shape_exception(span_trim(head), &type) == SHAPE_NO)
		return (struct span){ NULL, 0 };
	return type;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_drawn(char c)
{
	return c == ' ' || c == '\t' || c == '|' || c == '*' || c == '%' ||
	    c == '#';
}

struct span shape_boxed(struct span s)
{
	struct span t = s;
	size_t i = 0;

	while (t.n && is_drawn(t.p[0]))
		t = span_sub(t, 1, t.n);
	while (t.n && is_drawn(t.p[t.n - 1]))
		t.n--;
	/* a drawing beside the text */
	if (span_starts(t, "\\___/"))
		t = span_trim(span_sub(t, strlen("\\___/"), t.n));
	while (i + 2 < t.n &&
	    (!is_letter(t.p[i]) || !is_letter(t.p[i + 1]) ||
		!is_letter(t.p[i + 2])))
		i++;
	return i + 2 < t.n ? t : span_sub(t, 0, 0);
}

struct span shape_program(struct span file)
{
	size_t from = file.n;

	while (from && file.p[from - 1] != '/' && file.p[from - 1] != '\\')
		from--;
	return span_is(span_sub(file, from, file.n), "__main__.py")
	    ? file
	    : span_sub(file, from, file.n);
}

bool shape_bar(struct span s)
{
	return span_find(s, "%|") != SIZE_MAX;
}
