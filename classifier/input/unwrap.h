/*
 * Lines that carry another line: JSON records (docker json-file, JSON
 * loggers, journald exports), calm records of logfmt, Kubernetes CRI partial
 * lines, torchelastic
 * error files, exports of services that are one JSON value, and dumps of
 * PyTorch's flight recorder. What they carry
 * is written out in forms that envelope_peel understands; a record's lines are
 * separated by '\r', so that one line of the log stays one line of the log.
 */
#ifndef INPUT_UNWRAP_H
#define INPUT_UNWRAP_H

#include "base/text.h"

struct buf;
struct clean;
struct err;
struct jsonkeys;
struct prefixes;
struct unwrap;

/* A line that could be a record is held until its end, up to this. */
#define UNWRAP_HOLD (1u << 20)
/* The same of an export, which pictures make long. */
#define UNWRAP_EXPORT (64u << 20)

/* line: bytes of joined partial lines before they are given out; pieces
 * overlap by overlap bytes. NULL: out of memory. */
struct unwrap *unwrap_new(
    const struct jsonkeys *keys, size_t line, size_t overlap);
void unwrap_free(struct unwrap *u);
/* A new log. */
void unwrap_begin(struct unwrap *u);

enum unwrap_look {
	UNWRAP_NO,   /* an ordinary line */
	UNWRAP_MORE, /* cannot tell before more of it is there */
	UNWRAP_CRI,  /* a CRI line that can stay as it is */
	UNWRAP_LINE  /* unwrap_line must see all of it */
};

/* What the start of a line says. cri: look for CRI lines and logfmt, too. */
enum unwrap_look unwrap_look(
    const struct unwrap *u, struct span start, bool cri);

/* Whether a line that is `{` alone begins, of an object on lines of its own. */
bool unwrap_opens(struct span start);

/* A whole line without its end, or such an object. 1: out got what takes its
 * place (nothing, when a partial line is held); 0: it is an ordinary line; 2:
 * it is a CRI line that can stay as it is; -1: a lack of memory, or of jansson.
 */
int unwrap_line(
    struct unwrap *u, struct span line, struct buf *out, struct err *e);

/* Who wrote a record, and when. 1: the line is one that says so; 0; -1. The
 * node is borrowed until the next line, rank is -1 without one. */
int unwrap_when(struct unwrap *u, struct span line, int64_t *time,
    struct span *node, int64_t *rank, struct err *e);

/* What the start of a line that is none of those says: MORE, or LINE, when a
 * record may stand in it, behind a prefix; or NO. */
enum unwrap_look unwrap_look_behind(struct span start);

/* A whole line. 1: all of it is prefixes, of which those of the taxonomy are
 * given or NULL, and a record, and out got what takes its place; 0; -1. */
int unwrap_behind(struct unwrap *u, const struct prefixes *prefixes,
    struct span line, struct buf *out, struct err *e);

/* At the log's end: the partial lines still held. 0, or -1: no memory. */
int unwrap_rest(struct unwrap *u, struct buf *out);

/* Whether the log's first bytes can begin a torchelastic error file: NO, MORE
 * or LINE (hold all of it). */
enum unwrap_look unwrap_look_error_file(struct span start);

/* A whole log. 1: it is an error file and out got its text; 2: one that cannot
 * be read; 0; -1. */
int unwrap_error_file(
    struct unwrap *u, struct span log, struct buf *out, struct err *e);

/* Whether the log's first bytes can begin an export, or a notebook: NO, MORE or
 * LINE (hold all of it, up to UNWRAP_EXPORT). */
enum unwrap_look unwrap_look_export(struct span start);

/* A whole log. 1: out got the text of its records in the order of their times,
 * or what a notebook's cells printed; 0: it is none; -1. */
int unwrap_export(
    struct unwrap *u, struct span log, struct buf *out, struct err *e);

/* Whether the log's first bytes, or all of it, can begin a value of JSON that
 * holds a log as a text or a list of lines: NO, MORE or LINE (hold all of it,
 * up to UNWRAP_EXPORT). */
enum unwrap_look unwrap_look_text(struct span start, bool all);

/* A whole log. 1: out got those lines; 0: it is none; -1. */
int unwrap_text_value(
    struct unwrap *u, struct span log, struct buf *out, struct err *e);

/* Whether the log's first bytes, as they are in the file, can begin a dump of
 * PyTorch's flight recorder, as a pickle or as JSON: NO, MORE or LINE (hold all
 * of it, up to UNWRAP_EXPORT). */
enum unwrap_look unwrap_look_dump(struct span start);

/* A whole log. 1: out got a line for each group and each operation of the dump,
 * as unwrap_dump.c tells; 0: it is none; 2: it cannot be read, as why tells;
 * -1, with why set. */
int unwrap_dump(struct span log, struct buf *out, struct err *why);

/* Whether the last record was {"message": "..."} and nothing else: the short
 * form of an error file, when it is the only line. */
bool unwrap_bare_message(const struct unwrap *u);

/* Whether records named several writers, as an export of pods does. */
bool unwrap_writers(const struct unwrap *u);

/* Whether records are those of a program's own logger, and no collector's: one
 * had a cause or a stack beside its message, or more than a line. */
bool unwrap_logged(const struct unwrap *u);

/* Escapes and NUL bytes found inside records. */
const struct clean *unwrap_dropped(const struct unwrap *u);

#endif
