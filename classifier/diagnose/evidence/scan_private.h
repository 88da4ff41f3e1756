/*
 * One log being read: what scan.c (blocks and lines) and scan_rules.c (what the
 * rules say of a line, and what is kept of it) share. Private to them.
 */
#ifndef DIAGNOSE_SCAN_PRIVATE_H
#define DIAGNOSE_SCAN_PRIVATE_H

#include "diagnose/evidence/before.h"
#include "diagnose/evidence/engine.h"
#include "diagnose/evidence/excerpt.h"
#include "diagnose/evidence/judged.h"
#include "diagnose/evidence/lines.h"
#include "diagnose/evidence/quote.h"
#include "diagnose/evidence/scan.h"
#include "diagnose/evidence/trace.h"
#include "diagnose/signals/cut.h"
#include "diagnose/signals/launches.h"
#include "diagnose/signals/signals.h"
#include "rules/needs.h"
#include "rules/taxonomy.h"

#define SCAN_TEXT_MAX 1024 /* bytes of evidence text kept */

struct rule_state {
	uint32_t confirms; /* texts that its patterns were run on */
	uint32_t hits;
	uint32_t give_ups; /* runs that reached their limit */
	uint32_t late;     /* hits in the rest of the block, of a flood */
	uint32_t cut;      /* where in the block they begin: scan_flood.c */
	uint32_t first;    /* its first piece of evidence, from 1; 0: none */
	uint64_t raised;   /* rule.raised_bits */
	/* of the rule itself, which is large and seldom needed: */
	bool known; /* these are set */
	bool context;
	uint8_t where, sources;
};

/* A line of the block that may tell of a checkpoint. */
struct mention {
	size_t from, to;
	size_t hit;       /* the last text in it that says so */
	bool looked_at;   /* it is no echo, and the text not in its prefix */
	uint64_t undated; /* its number, when it does not say when; or 0 */
};

struct mentions {
	struct mention *v;
	size_t n, cap;
};

/* What is in a block, whatever came before it: any thread may search it. */
struct scan_found {
	struct prefilter_hits hits;
	struct prefilter_hits raised; /* for exceptions, */
	size_t words;                 /* as launches_find, */
	bool has_raised, has_words;   /* if asked for */
	bool unsearched;              /* likewise: there are no hits */
};

/* What else the look at a block may ask for, by those at the ones before. */
struct scan_ask {
	unsigned raised; /* so many blocks on */
	bool words;
	bool lines; /* it goes by them, and needs no search */
};

struct scan {
	const struct engine *en;
	struct decode *decode;
	struct trace *trace;
	struct trace_sink sink;
	struct matcher *matcher;
	struct findings *f;
	struct rule_state *rules;
	uint32_t *stamps; /* the last text each pattern was nominated for */
	uint32_t stamp;   /* the text at hand */
	struct prefilter_hits hits;   /* in the block at hand */
	struct prefilter_hits inner;  /* in a closed traceback */
	struct prefilter_hits raised; /* in the text of an exception */
	uint32_t *signal_stamps;      /* as stamps, of signals */
	struct signal_hits signals;   /* in the text at hand */
	size_t *nominated;            /* patterns for the text at hand */
	size_t n_nominated;
	size_t nominations[WHERE_COUNT]; /* of them, by enum where */
	struct judged *judged;   /* what expressions found; NULL: not yet */
	size_t texts;            /* of this log that rules have been run on */
	struct span looked_at;   /* the text that rules run on, */
	struct needs_seen needs; /* and what it holds */
	const struct decode_block *block;
	size_t pos;                  /* in the block, of the line at hand */
	const struct log_line *line; /* the line at hand */
	struct before before;
	struct quote quote;
	uint64_t quoted; /* where the last one begins; 0: there is none */
	struct mentions mentions;
	struct launch_reader launches;
	struct excerpt_reader excerpts;
	struct metric_reader *metrics; /* or NULL: not asked for */
	struct phase_reader *phases;   /* likewise */
	bool calm, others; /* levels before lines that were looked at */
	struct said {
		struct span line; /* that holds the message at hand, or none */
		size_t at;        /* where in it the message begins */
		size_t class;     /* bytes before it in what rules are shown */
		size_t lines;     /* where it may still stand */
		uint64_t number;  /* of the line before these */
		size_t count;     /* lines that may hold one */
		size_t from;      /* in the block: they are looked for */
	} said;
	bool confirm_noted;
	bool flooded; /* a rule has matched very often */
	struct flood {
		bool raised; /* the last block was searched for exceptions */
		bool known;  /* s->raised are those of the block */
		struct flood_literal *literals; /* by number; NULL: not yet */
		bool *raises; /* likewise: rules for exceptions go by it */
		uint32_t block;
		bool vain; /* hits were dropped of a rule run in vain */
		struct lines *lines; /* NULL: not yet */
		unsigned apart;      /* blocks until these are tried again */
	} flood;                     /* see scan_flood.c */
	struct again *again;         /* NULL: not yet */
	struct scan_time *time, own_time;
	struct cut_bytes bytes; /* looked at by look_at_start */
	struct pool *pool;      /* or NULL: no thread helps */
	struct scan_pipe *pipe; /* or NULL: this thread does it all */
};

/* Search a block. Reads of the scan only what a look does not change any more
 * when it is asked for. 0, or -1: no memory. */
int scan_find(const struct scan *s, struct span text, struct scan_ask ask,
    struct scan_found *found);
/* For the look: let s->hits be those in the block that count. found: what is in
 * it, which gets the memory that the one before used; or NULL: not yet
 * searched. 0, or -1: no memory. */
int scan_take_hits(struct scan *s, struct scan_found *found);
/* Behind a look. */
void scan_ask(const struct scan *s, struct scan_ask *ask);
/* Look at a block. found: what is in it, which is taken; or NULL: not yet
 * searched. 0, or -1: no memory. */
int scan_block(
    struct scan *s, const struct decode_block *b, struct scan_found *found);

/* Remember a line until scan_checkpoints, which reads what counts of them when
 * all lines of the block have been gone over. */
void scan_mention(struct scan *s, struct mention m);
void scan_checkpoints(struct scan *s);

/* The state of rule i, with what the rule says of where it counts. */
struct rule_state *scan_state(const struct scan *s, size_t i);
/* Whether a rule floods the log. */
bool scan_floods(const struct rule_state *r);
/* Drop the hits in the block that only rules that flood are for, but the last:
 * what they would find would not be kept. 0, or -1: no memory. */
int scan_thin(struct scan *s);
/* Do the search that it may make of a block with these hits, if it is likely.
 */
int scan_find_raised(
    const struct scan *s, struct span text, struct scan_found *found);
/* The same for a block that has not been searched, which is then left for most
 * of it. 1; 0: it is to be searched; -1: no memory. */
int scan_thin_lines(struct scan *s);
/* Whether it is likely to do the next one. */
bool scan_goes_by_lines(const struct scan *s);
/* Whether lines do not count for a rule. */
bool scan_for_blocks(const struct rule_state *r);
/* For whom a hit alone is a reason to look at its line, as bits. */
enum {
	SCAN_FOR_CHECKPOINT = 1, /* the reader of these */
	SCAN_FOR_EXCEPTION = 2,  /* rules for exceptions */
	SCAN_FOR_ELSE = 4        /* anything else; the others are not told */
};
unsigned scan_matters(const struct scan *s, const struct prefilter_hit *h);
/* The kinds of extra readers that were hit, as bits. */
unsigned scan_extras(const struct engine *en, const struct prefilter_hit *h);
/* Set s->signals to those that these hits in text speak for. */
void scan_hits(
    struct scan *s, const struct prefilter_hit *h, size_t n, struct span text);
/* The first signal of a kind that the line at hand tells, of those that were
 * hit. Whether there is one. */
bool scan_told(struct scan *s, enum signal_kind kind, struct signal_told *told);
/* Fill s->nominated from hits (all patterns when there is no prefilter); of a
 * line of the block: without what scan_thin has cut off. */
void scan_nominate(struct scan *s, const struct prefilter_hit *h, size_t n);
void scan_nominate_line(
    struct scan *s, const struct prefilter_hit *h, size_t n);
/* The same for the last line of the log: rules of that kind, too. */
void scan_nominate_last(struct scan *s);
/* Run the nominated rules of one kind on subject: the line at hand, or the
 * block event. Context rules go first: a match of one means that nothing else
 * counts. Returns how many matched, or -1 when context said no. */
int scan_rules(
    struct scan *s, enum where where, struct span subject, uint32_t event);
/* Who wrote a line, as bits of what rules ask for. */
unsigned scan_source(const struct scan *s, const struct log_line *l);
/* Whether rule i may still be run in this log, without a word about it. */
bool scan_may_run(const struct scan *s, size_t i);
/* Rule i was run on a text that counts so much. */
void scan_count_run(struct scan *s, size_t i, uint32_t count);
/* Whether the rule that rule i needs before it was seen near enough. */
bool scan_within_reach(const struct scan *s, size_t i, uint64_t line);
/* Evidence that a pattern matched the line at hand, or what the block event is,
 * without what it says; borrowed as findings_evidence. NULL: no memory. */
struct evidence *scan_keep(struct scan *s, size_t pattern, uint32_t event);
/* Of evidence in a line, and what of it a rule was run on: what else these say
 * of it. */
void scan_keep_aside(const struct scan *s, struct evidence *ev,
    struct span line, struct span subject, bool of_event);
/* What it says: the match in a subject, what it is shown with. */
void scan_keep_text(struct scan *s, struct evidence *ev, struct span subject,
    struct span match, const struct pattern_match *m);
/* What matched a message is shown with the line that it stands in. */
void scan_as_said(
    const struct scan *s, struct span *subject, struct span *match);
/* Whether a rule for lines says of a text that it is never evidence: of lines
 * that nothing else points at that was not asked. */
bool scan_is_context(struct scan *s, struct span text);
/* An event for the line at hand, which is an exception or says as much; with
 * EVENT_NONE there is no room. Give back the last one, which says nothing. */
uint32_t scan_bare_event(struct scan *s, const struct log_line *l);
void scan_no_event(struct scan *s, uint32_t event);
/* Whether a line is an exception's; what it says goes to *text. */
bool scan_is_exception(struct span line, struct span *text);
/* The line at hand, with these hits, which no block took: rules for lines see
 * it, and rules for exceptions when it looks like one. */
void scan_outside(struct scan *s, const struct prefilter_hit *h, size_t n,
    const struct log_line *l);
/* Look for a message in the line at hand, by signals, and run the rules for
 * exceptions on it as if it had been raised. Where it is expected behind that
 * line, it may stand in the next block, with which scan_said_on begins. */
void scan_said(struct scan *s, const struct log_line *l);
void scan_said_on(struct scan *s);
/* The same for a line that is among the last, or the end of all. Whether a rule
 * knows what it says. */
bool scan_said_last(struct scan *s, const struct log_line *l, bool end);
/* The number of the line at a position in the last bytes of the log. */
uint64_t scan_line_number(
    const struct findings *f, struct span tail, size_t at);
/* When the log has ended, all: the bytes at hand. Rules for its last line,
 * which begins at a place; and what a program said last, where nothing else
 * tells why the job ended, and which of its last lines are of an earlier kind.
 */
void scan_last_line(struct scan *s, struct span all, size_t at);
void scan_last_words(struct scan *s, struct span all);
/* The same for what a block says, whose last word is no exception's. */
void scan_said_block(struct scan *s, struct span text, uint32_t event);
/* The same for what an exception says whose class does not end as most do:
 * a user's own, UserWarning, TemplateNotFound. */
void scan_said_class(struct scan *s, struct span text, uint32_t event);
/* Rules for lines, on the first ones of an exception that stands on no line as
 * it is. */
void scan_said_joined(struct scan *s, struct span exception, uint32_t event);
/* Read the signals of the line at hand that were hit; within the time for
 * rules. */
void scan_signals(struct scan *s);
/* Whether a line says of itself that it is no error, */
bool scan_below_error(const struct envelope *env);
/* and nothing to be warned of. */
bool scan_calm(enum level level);
/* Whether the line at hand, which has no level, comes right behind a record of
 * its program's logger that speaks of trouble. */
bool scan_logged(const struct scan *s);
/* The level before a line; and at the end of the log, before its last lines are
 * looked at: where all have one and it is calm, it is that of who passes on
 * what another program prints, and says nothing. */
void scan_level(struct scan *s, const struct envelope *env);
void scan_levels_end(struct scan *s, struct span all);
/* The last line with words in it before *end, which is moved to its end. */
bool scan_line_back(struct span all, size_t *end, size_t *at);

/* ---- what was printed before with other numbers ---- */

/* A run of a rule. */
struct scan_run {
	size_t rule;
	const size_t *patterns; /* of it */
	size_t n;
	struct span subject;
	uint32_t count;
	bool alike;      /* the same of any text with other digits */
	ptrdiff_t found; /* by which pattern, or -1 */
	const struct pattern_match *match;
	bool gave_up;
};

/* Free what is known of them. */
void scan_again_free(struct again *a);
void scan_again_begin(struct scan *s);
/* Whether such a one begins with the line at [from, to) of the block: then it
 * is open, and no line of it is to be looked at, up to *next. If it is not
 * known yet, what is done of it may be kept. */
bool scan_again(
    struct scan *s, size_t from, size_t to, uint64_t number, size_t *next);
/* Whether a block that is complete is one: its rules have been run. */
bool scan_again_closed(struct scan *s, uint32_t event, bool *importing);
/* Of what is done of one to be kept: the look at a line, whose hits are taken;
 * the run of a rule; the block is complete, and all of it has been done. */
void scan_record_line(struct scan *s, enum trace_part part);
void scan_record_ran(struct scan *s, const struct scan_run *run);
void scan_record_closing(struct scan *s, uint32_t event, struct span whole);
void scan_record_keep(struct scan *s, uint32_t event, struct span exception);
/* The lines of the block have been gone over: the texts of what is kept. */
void scan_again_texts(struct scan *s);

#endif
