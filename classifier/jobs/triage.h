/*
 * From paths to diagnoses: the walk groups files into jobs, threads read and
 * scan them, and the answers come out in the order of the walk, whatever the
 * number of threads.
 */
#ifndef JOBS_TRIAGE_H
#define JOBS_TRIAGE_H

#include "base/hash.h"
#include "base/limits.h"
#include "diagnose/diagnosis.h"
#include "diagnose/job_record.h"
#include "input/input.h"
#include "jobs/files.h"
#include "jobs/shard.h"

struct accounting;
struct engine;
struct layout;
struct nodes;
struct redactor;
struct usual;

/* What remembers earlier readings. A reading is of files that are read
 * together: the logs of one job, or an archive with its jobs. */
struct triage_memory {
	void *ctx;
	/* 1: the files of this stamp were read before, and *answer is what the
	 * sink's recalled gets; 0: they were not; -1 with e set. Called from
	 * any thread. */
	int (*recall)(
	    void *ctx, struct hash_value stamp, void **answer, struct err *e);
	void (*drop)(void *answer);
};

/* Which records without logs become diagnoses. */
enum triage_records { RECORDS_ALL, RECORDS_FAILED, RECORDS_JOINED };

struct triage_options {
	const struct taxonomy *taxonomy;
	const struct limits *limits;
	const struct engine *engine;
	const struct layout *layout;
	const struct redactor *redact; /* what is secret in a diagnosis is
					* hidden by it; NULL: nothing is */
	const struct usual *usual;     /* what good runs print; or NULL */
	unsigned threads;              /* at least 1; that work at once */
	bool job_per_path; /* each path given is one job, whatever it holds */
	const struct accounting *records; /* or NULL */
	const struct nodes *nodes;        /* what nodes log; or NULL */
	const char *cluster;  /* of jobs that do not name theirs; or NULL */
	const char *declared; /* what the job says of its end, beside its
			       * logs; see reason_file.h; or NULL */
	const char *base;     /* folder that keys are made absolute with, where
			       * a store is to know them again; or NULL */
	enum triage_records which_records;
	const struct triage_memory *memory; /* or NULL; with it the findings'
					     * content is hashed */
	bool hash_content;                  /* without a memory, too */
	bool follow;        /* links wherever they lead; see input/below.h */
	struct shard shard; /* which jobs and records are told of */
	struct files files; /* which files of folders are read */
};

/* Counted while it runs; read by a progress display from another thread. */
struct triage_counters {
	_Atomic uint64_t files, bytes;    /* of the outer files, as stored */
	_Atomic uint64_t logs, log_bytes; /* expanded */
	_Atomic uint64_t others;          /* files that are no logs: left out */
	_Atomic uint64_t jobs;
	_Atomic uint64_t notes[NOTE_COUNT];
};

/* Called from one thread at a time, in the order of the walk. */
struct triage_sink {
	void *ctx;
	/* 0, or -1: stop. d stays the caller of triage's. */
	int (*job)(void *ctx, const struct diagnosis *d);
	void (*note)(void *ctx, const char *path, enum input_note kind,
	    const char *text);
	/* With a memory only: an answer of it, in the place of its jobs. */
	int (*recalled)(void *ctx, const void *answer);
	/* With a memory only: the jobs of one reading have all been told.
	 * stamp zero: the files may still change, do not remember. opened: of
	 * each archive that has shown logs the key that a diagnosis of it
	 * alone would have; borrowed. */
	int (*read)(void *ctx, struct hash_value stamp, char *const *opened,
	    size_t n_opened);
};

/* 0 when it ran to the end or the sink stopped it; -1 with e set: out of
 * memory or threads. Paths that do not exist are NOTE_UNREADABLE. */
int triage_run(const struct triage_options *o, const char *const *paths,
    size_t n, const struct triage_sink *sink, struct triage_counters *counters,
    struct err *e);

/* One job: all its logs lie under the paths, whatever these are called. */
struct triage_job {
	const char *const *paths;
	size_t n_paths;
	const char *id; /* or NULL: as the first log's path says */
	int attempt;    /* or 0: as the path or the record says, or else 1 */
	int exit_code, signal; /* told of its end, or -1; they count where the
				* record says nothing or is older */
	/* Filled in: */
	struct job_record record; /* what the diagnosis points to, if to any */
	bool recorded;            /* the record is one of o->records */
	bool named; /* by id, record or a path that tells the attempt: a job of
		     * the same id is the same job */
};

/*
 * Read them on the calling thread, without memory, and diagnose the job; there
 * is always an answer, also without a log. Only the sink's note is called. -1
 * with e set: out of memory. Release *out; it borrows from job.
 */
int triage_one(const struct triage_options *o, struct triage_job *job,
    const struct triage_sink *sink, struct diagnosis *out, struct err *e);

#endif
