/*
 * What log collectors, launchers and loggers put before a message. Peeling
 * takes the known prefixes off one clean line, outermost first, as many as
 * there are, and keeps what they say.
 */
#ifndef INPUT_ENVELOPE_H
#define INPUT_ENVELOPE_H

#include "base/text.h"

enum stream { STREAM_UNKNOWN, STREAM_STDOUT, STREAM_STDERR };

enum level {
	LEVEL_UNKNOWN,
	LEVEL_DEBUG,
	LEVEL_INFO,
	LEVEL_WARNING,
	LEVEL_ERROR,
	LEVEL_FATAL
};

#define ENVELOPE_NO_TIME INT64_MIN

struct envelope {
	int64_t time;   /* microseconds since 1970 UTC, or NO_TIME. A time
			 * without zone is taken as UTC; without year (syslog,
			 * glog) as of 1970; dmesg seconds since boot are
			 * not a time */
	int64_t uptime; /* microseconds since boot (dmesg), or -1 */
	int rank;       /* global rank, or -1 */
	int local_rank; /* torchrun [default3]:, or -1 */
	enum stream stream;
	enum level level;    /* of the innermost logger prefix */
	enum level outer;    /* of the outermost one: who passes it on */
	struct span node;    /* host name, or empty; into the line */
	struct span program; /* syslog tag or logger name, or empty */
	struct span process; /* syslog tag with its number, or empty */
	struct span text;    /* what is left; into the line */
	bool kernel;         /* a dmesg or syslog kernel line */
};

struct prefixes;

/* Never fails: a line without prefixes comes back whole. more: the taxonomy's
 * own (prefixes.h), or NULL. */
void envelope_peel(
    const struct prefixes *more, struct span line, struct envelope *out);

#endif
