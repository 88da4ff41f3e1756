/*
 * Who passed the line on: log collectors, the kernel's ring buffer, and the
 * launchers that label the lines of their ranks.
 */
#include "input/peel.h"
#include "input/prefixes.h"

#include "base/when.h"

#include <string.h>

/* After a launcher's label: the blank it adds, when it adds one. Old and new
 * mpirun differ in that; text is indented by an even number of blanks. */
static void odd_blank(struct cursor *c)
{
	struct cursor t = *c;

	if (cursor_blanks(&t) % 2)
		c->i++;
}

/* ---- collectors ---- */

/* Whether a part of a name is a number: "trainer-1", "ab12-algo-1-cd34" as
 * SageMaker calls its containers. */
static bool has_number(struct span name)
{
	size_t digits = 0;

	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '-' || name.p[i] == '_') {
			if (digits)
				return true;
			for (; i + 1 < name.n && peel_digit(name.p[i + 1]); i++)
				digits++;
		} else {
			digits = 0;
		}
	}
	return digits;
}

/* "service-1  | text" */
static size_t compose(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct span name = cursor_run(&c, peel_word);

	if (name.n < 3 || cursor_blanks(&c) < 2 || !cursor_eat(&c, "|") ||
	    !has_number(name))
		return 0;
	if (!cursor_word_end(&c))
		return 0;
	p->out->program = p->out->process = name;
	return c.i;
}

static bool is_pod(char c)
{
	return peel_digit(c) || c == '-' || (c >= 'a' && c <= 'z');
}

/* "pod-x2x9z container text" of stern. What Kubernetes makes up for a name is
 * five of 27 characters, so that no word comes of it (apimachinery's rand.go).
 */
static size_t stern(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct span pod = cursor_run(&c, is_pod), container;

	if (pod.n < 7 || pod.p[pod.n - 6] != '-' || !cursor_eat(&c, " "))
		return 0;
	for (size_t i = pod.n - 5; i < pod.n; i++)
		if (!strchr("bcdfghjklmnpqrstvwxz2456789", pod.p[i]))
			return 0;
	container = cursor_run(&c, is_pod);
	if (!container.n || !cursor_word_end(&c))
		return 0;
	p->out->program = container;
	p->out->process = pod;
	return c.i;
}

/* "job<tab>step<tab>2024-05-01T12:00:00.0000000Z text" of gh run view --log */
static size_t github_cli(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct span job, step;
	struct when w;
	size_t n;

	if (!cursor_until(&c, '\t', 160, &job) || !job.n ||
	    !cursor_until(&c, '\t', 160, &step) || !step.n)
		return 0;
	cursor_eat(&c, "\xef\xbb\xbf");
	n = when_scan(cursor_rest(&c), &w);
	if (!n || !w.zone || !w.year)
		return 0;
	c.i += n;
	if (!cursor_word_end(&c))
		return 0;
	peel_time(p, &w);
	p->after_time = true;
	p->out->program = job;
	return c.i;
}

/* "2024-05-01T12:00:00.000000000Z stderr F text" */
static size_t cri(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	enum stream stream;
	struct when w;

	c.i = when_scan(p->s, &w);
	if (!c.i || !w.zone || !w.year)
		return 0;
	if (cursor_eat(&c, " stdout "))
		stream = STREAM_STDOUT;
	else if (cursor_eat(&c, " stderr "))
		stream = STREAM_STDERR;
	else
		return 0;
	if (!cursor_eat(&c, "F") && !cursor_eat(&c, "P"))
		return 0;
	if (cursor_peek(&c) == ':')
		cursor_run(&c, peel_nospace);
	if (!cursor_word_end(&c))
		return 0;
	p->out->stream = stream;
	peel_time(p, &w);
	return c.i;
}

static bool is_tag(char c)
{
	return peel_word(c) || c == '/' || c == '@' || c == '(' || c == ')';
}

/* Who wrote a line, behind its time. */
struct sender {
	struct span host, tag, process;
	bool sure; /* it has a process number, or is the kernel */
};

/* "host prog[123]: " */
static bool read_sender(struct cursor *c, struct sender *s)
{
	size_t from;

	s->host = cursor_run(c, peel_word);
	if (!s->host.n || !cursor_eat(c, " "))
		return false;
	from = c->i;
	s->tag = cursor_run(c, is_tag);
	s->sure = span_is(s->tag, "kernel");
	if (cursor_eat(c, "[")) {
		if (cursor_number(c) < 0 || !cursor_eat(c, "]"))
			return false;
		s->sure = true;
	}
	s->process = (struct span){ c->p + from, c->i - from };
	return s->tag.n && cursor_eat(c, ":") && cursor_word_end(c);
}

static void note_sender(struct peel *p, const struct sender *s)
{
	p->out->node = s->host;
	p->out->program = s->tag;
	p->out->process = s->process;
	p->out->kernel |= span_is(s->tag, "kernel");
}

/* "Jan  2 03:04:05 host prog[123]: text", and the same with an ISO time,
 * where only a process number or the kernel tells it from a message. */
static size_t syslog_line(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct sender s;
	struct when w;

	c.i = when_scan(p->s, &w);
	if (!c.i || p->s.p[0] == '[' || !cursor_eat(&c, " ") ||
	    !read_sender(&c, &s))
		return 0;
	if (w.year ? !(w.zone && s.sure) : !peel_upper(p->s.p[0]))
		return 0;
	note_sender(p, &s);
	peel_time(p, &w);
	return c.i;
}

static enum level severity(int n)
{
	return n <= 2 ? LEVEL_FATAL
	    : n == 3  ? LEVEL_ERROR
	    : n == 4  ? LEVEL_WARNING
	    : n <= 6  ? LEVEL_INFO
		      : LEVEL_DEBUG;
}

/* "<4>" before a kernel or syslog line */
static size_t facility(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct when w;
	int n;

	if (!cursor_eat(&c, "<"))
		return 0;
	n = cursor_number(&c);
	if (n < 0 || n > 191 || !cursor_eat(&c, ">"))
		return 0;
	if (cursor_peek(&c) != '[' && !when_scan(cursor_rest(&c), &w))
		return 0;
	p->out->level = severity(n & 7);
	return c.i;
}

/* "kern  :err   : " of dmesg -x */
static size_t facility_names(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct span name, level;

	name = cursor_run(&c, peel_word);
	cursor_blanks(&c);
	if (!name.n || !cursor_eat(&c, ":"))
		return 0;
	level = cursor_run(&c, peel_word);
	cursor_blanks(&c);
	if (!peel_level(level) || !cursor_eat(&c, ": ") ||
	    cursor_peek(&c) != '[')
		return 0;
	p->out->level = peel_level(level);
	return c.i;
}

/* "[12345.678901] ", maybe with the caller "[ T1234]"; journalctl -o
 * short-monotonic says behind it who wrote the line */
static size_t dmesg(struct peel *p)
{
	struct cursor c = cursor_of(p->s), journal;
	struct sender who;
	struct span fraction;
	int64_t seconds;

	if (!cursor_eat(&c, "["))
		return 0;
	cursor_blanks(&c);
	seconds = cursor_number(&c);
	if (seconds < 0 || !cursor_eat(&c, "."))
		return 0;
	fraction = cursor_run(&c, peel_digit);
	if (fraction.n != 6 || !cursor_eat(&c, "]"))
		return 0;
	if (cursor_eat(&c, "[")) {
		cursor_blanks(&c);
		if ((!cursor_eat(&c, "T") && !cursor_eat(&c, "C")) ||
		    cursor_number(&c) < 0 || !cursor_eat(&c, "]"))
			return 0;
	}
	if (!cursor_word_end(&c))
		return 0;
	p->out->uptime = seconds * 1000000 + span_number(fraction);
	journal = c;
	if (read_sender(&journal, &who) && who.sure) {
		note_sender(p, &who);
		return journal.i;
	}
	p->out->kernel = true;
	return c.i;
}

/* ---- launchers ---- */

/* Rust numbers the frames of its stacks like this, in four columns. */
static bool is_rust_frame(struct span text)
{
	return !memchr(text.p, ' ', text.n) || span_starts(text, "0x") ||
	    span_find(text, "::") != SIZE_MAX;
}

/* "12: text" of srun --label, in as many columns as the last rank takes */
static size_t srun_label(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	size_t blanks = cursor_blanks(&c);
	int n = cursor_number(&c);

	if (n < 0 || c.i > 7 || p->after_time || p->after_rank ||
	    !cursor_eat(&c, ": "))
		return 0;
	if (blanks && c.i == 6 && is_rust_frame(cursor_rest(&c)))
		return 0;
	p->out->rank = n;
	p->after_rank = true;
	return c.i;
}

/* "[3] text" of MPICH's mpiexec -prepend-rank and Intel MPI's -l. A shell tells
 * so of its jobs, too: "[1]  + 4711 killed". */
static size_t mpich_rank(struct peel *p)
{
	struct cursor c = cursor_of(p->s), job;
	int n;

	if (p->after_time || p->after_rank || !cursor_eat(&c, "["))
		return 0;
	n = cursor_number(&c);
	if (n < 0 || !cursor_eat(&c, "]") || !cursor_word_end(&c))
		return 0;
	job = c;
	cursor_blanks(&job);
	if (cursor_eat(&job, "+ ") || cursor_eat(&job, "- ") ||
	    (job.i > c.i && cursor_number(&job) >= 0))
		return 0;
	p->out->rank = n;
	p->after_rank = true;
	return c.i;
}

/* The rank in "1,3", "prterun-host-7@1,3", "1,mpirank:3,algo-1" or "3". */
static int tag_rank(struct span tag, struct span *node)
{
	size_t at = span_find(tag, "mpirank:"), i;
	struct cursor c;
	int n;

	if (at != SIZE_MAX) {
		c = cursor_of(span_sub(tag, at + 8, tag.n));
		n = cursor_number(&c);
		if (cursor_eat(&c, ","))
			*node = cursor_rest(&c);
		return n;
	}
	for (i = tag.n; i && tag.p[i - 1] != ','; i--)
		;
	c = cursor_of(span_sub(tag, i, tag.n));
	n = cursor_number(&c);
	return cursor_end(&c) ? n : -1;
}

static bool stream_tag(struct cursor *c, enum stream *stream)
{
	if (cursor_eat(c, "<stdout>:"))
		*stream = STREAM_STDOUT;
	else if (cursor_eat(c, "<stderr>:") || cursor_eat(c, "<stddiag>:"))
		*stream = STREAM_STDERR;
	else
		return false;
	return true;
}

/* mpirun --tag-output "[1,3]<stdout>:", PRRTE, horovodrun "[3]<stderr>:" */
static size_t mpi_tag(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct span tag, detail, node = { NULL, 0 };
	enum stream stream;
	int rank;

	if (!cursor_eat(&c, "[") || !cursor_until(&c, ']', 120, &tag))
		return 0;
	rank = tag_rank(tag, &node);
	if (rank < 0)
		return 0;
	if (cursor_eat(&c, "[") && cursor_until(&c, ']', 120, &detail)) {
		struct cursor d = cursor_of(detail);

		if (!cursor_until(&d, ':', 120, &node))
			return 0;
	}
	if (!stream_tag(&c, &stream))
		return 0;
	odd_blank(&c);
	p->out->rank = rank;
	p->out->stream = stream;
	if (node.n)
		p->out->node = node;
	p->after_rank = true;
	return c.i;
}

/* "<stderr>:" that a launcher puts after a time */
static size_t mpi_stream(struct peel *p)
{
	struct cursor c = cursor_of(p->s);

	if (!p->after_time || !stream_tag(&c, &p->out->stream))
		return 0;
	odd_blank(&c);
	return c.i;
}

static bool is_role(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

/* PyTorch "[rank3]: "; torchrun --tee "[default3]:", the role's name and the
 * local rank, without a blank of its own */
static size_t torch_rank(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct span role;
	int n;

	if (!cursor_eat(&c, "["))
		return 0;
	role = cursor_run(&c, is_role);
	n = cursor_number(&c);
	if (!role.n || n < 0 || !cursor_eat(&c, "]:"))
		return 0;
	if (span_is(role, "rank")) {
		cursor_one_blank(&c);
		p->out->rank = n;
	} else {
		p->out->local_rank = n;
	}
	p->after_rank = true;
	return c.i;
}

/* The value of "key=" in the words of text. */
static struct span word_value(struct span text, const char *key)
{
	size_t at = span_find(text, key);
	struct cursor c;

	if (at == SIZE_MAX || (at && text.p[at - 1] != ' '))
		return (struct span){ NULL, 0 };
	c = cursor_of(span_sub(text, at + strlen(key), text.n));
	return cursor_run(&c, peel_word);
}

/* Ray and vLLM: "(Actor pid=1, ip=10.0.0.1) ", "(raylet) ",
 * "(WorkerProc rank=3 pid=1) " */
static size_t ray(struct peel *p)
{
	static const char *const daemons[] = { "raylet", "gcs_server",
		"autoscaler", "scheduler", "log_monitor", "dashboard" };
	struct cursor c = cursor_of(p->s), t;
	struct span tag, name, ip;
	int64_t rank;
	bool known;

	if (!cursor_eat(&c, "(") || !cursor_until(&c, ')', 160, &tag))
		return 0;
	if (!cursor_word_end(&c))
		return 0;
	t = cursor_of(tag);
	name = cursor_run(&t, peel_nospace);
	if (name.n && name.p[name.n - 1] == ',')
		name.n--;
	known = span_number(word_value(tag, "pid=")) >= 0;
	for (size_t i = 0; i < sizeof daemons / sizeof *daemons; i++)
		known |= span_is(name, daemons[i]);
	if (!known || !name.n)
		return 0;
	rank = span_number(word_value(tag, "rank="));
	if (rank >= 0 && rank < 10000000)
		p->out->rank = (int)rank;
	ip = word_value(tag, "ip=");
	if (ip.n)
		p->out->node = ip;
	p->out->program = name;
	p->after_rank = true;
	return c.i;
}

/* Whether a name is one that clusters give their nodes. A program with a
 * digit in its name ("python3: can't open file") must not pass. */
static bool is_node(const struct prefixes *more, struct span name)
{
	size_t dots = 0, digits = 0;

	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		dots += c == '.';
		digits += peel_digit(c);
		if (peel_upper(c) || c == '_')
			return false;
	}
	if (!digits)
		return false;
	if (dots >= 2 && digits + dots == name.n)
		return dots == 3; /* an address, not a version */
	if (peel_digit(name.p[name.n - 1]) && prefixes_node(more, name))
		return true;
	return dots >= 2 && !span_ends(name, ".py");
}

static bool has_prefix(const struct prefixes *more, struct span s)
{
	struct envelope scratch = { 0 };
	struct peel p = { .s = s, .more = more, .out = &scratch };
	int phase = 1;

	return envelope_step(&p, &phase, true);
}

/* "node1: " of pdsh, as DeepSpeed's launcher prints it */
static size_t pdsh(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct span host = cursor_run(&c, peel_word);
	bool digit = false;

	if (host.n < 2 || p->after_rank || !cursor_eat(&c, ": "))
		return 0;
	for (size_t i = 0; i < host.n; i++) {
		digit |= peel_digit(host.p[i]);
		if (peel_upper(host.p[i]) || host.p[i] == '_')
			return 0;
	}
	/* "slurmstepd-node1: error: ...": the daemon speaks */
	if (span_starts(host, "slurmstepd-") || span_starts(host, "slurmd-"))
		return 0;
	if (!is_node(p->more, host) &&
	    !(digit && has_prefix(p->more, cursor_rest(&c))))
		return 0;
	p->out->node = host;
	return c.i;
}

const struct peel_row origin_rows[] = {
	{ "github cli", github_cli, PEEL_UPPER | PEEL_LOWER | PEEL_DIGIT, 0 },
	{ "kubernetes cri", cri, PEEL_DIGIT, 0 },
	{ "stern", stern, PEEL_LOWER | PEEL_DIGIT, 0 },
	{ "docker compose", compose,
	    PEEL_UPPER | PEEL_LOWER | PEEL_DIGIT | PEEL_UNDER, 0 },
	{ "syslog", syslog_line, PEEL_UPPER | PEEL_DIGIT, 0 },
	{ "facility", facility, PEEL_ANGLE, 0 },
	{ "dmesg -x", facility_names, PEEL_LOWER, 0 },
	{ "dmesg", dmesg, PEEL_SQUARE, 0 },
	{ "srun --label", srun_label, PEEL_BLANK | PEEL_DIGIT, 1 },
	{ "mpirun tag", mpi_tag, PEEL_SQUARE, 1 },
	{ "mpirun stream", mpi_stream, PEEL_ANGLE, 1 },
	{ "torch rank", torch_rank, PEEL_SQUARE, 1 },
	{ "mpich rank", mpich_rank, PEEL_SQUARE, 1 },
	{ "ray", ray, PEEL_ROUND, 1 },
	{ "pdsh", pdsh, PEEL_LOWER | PEEL_DIGIT, 1 },
};
_Static_assert(sizeof origin_rows / sizeof *origin_rows <= 32, "bits of a set");
const size_t origin_rows_n = sizeof origin_rows / sizeof *origin_rows;
