#include "cli/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct progress_bar {
	const struct triage_options *o;
	const struct triage_counters *c;
	const char *const *paths;
	size_t n;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop, drawn;
	/* by the walk of this thread */
	uint64_t files, bytes;
	bool counted;
	struct timespec start;
};

static double since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) +
	    (double)(now.tv_nsec - t->tv_nsec) / 1e9;
}

static bool stopped(struct progress_bar *p)
{
	bool yes;

	pthread_mutex_lock(&p->lock);
	yes = p->stop;
	pthread_mutex_unlock(&p->lock);
	return yes;
}

static int count_file(void *ctx, const char *path, int64_t size)
{
	struct progress_bar *p = ctx;

	if (shard_reads(p->o, path) <= 0)
		return 0;
	p->files++;
	p->bytes += size > 0 ? (uint64_t)size : 0;
	return p->files % 256 == 0 && stopped(p) ? -1 : 0;
}

/* The lock is held. */
static void draw(struct progress_bar *p)
{
	double t = since(&p->start), mib = 1 << 20;
	double done = (double)p->c->bytes, rate = done / (t > 0 ? t : 1);

	if (t < 1)
		return;
	fprintf(stderr, "\r\033[K%llu", (unsigned long long)p->c->files);
	if (p->counted)
		fprintf(stderr, "/%llu", (unsigned long long)p->files);
	fprintf(stderr, " files  %.1f", done / mib);
	if (p->counted)
		fprintf(stderr, "/%.1f", (double)p->bytes / mib);
	fprintf(stderr, " MiB  %.1f MiB/s", rate / mib);
	if (p->counted && rate > 0 && (double)p->bytes > done) {
		unsigned left = (unsigned)(((double)p->bytes - done) / rate);

		fprintf(stderr, "  %u:%02u left", left / 60, left % 60);
	}
	fflush(stderr);
	p->drawn = true;
}

static void clear(struct progress_bar *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}

static void *run(void *arg)
{
	struct progress_bar *p = arg;
	const struct walk_sink count = {
		.ctx = p,
		.file = count_file,
		.sizes = true,
	};

	for (size_t i = 0; i < p->n && !stopped(p); i++)
		(void)walk_path(p->paths[i], &count, NULL);
	pthread_mutex_lock(&p->lock);
	p->counted = p->bytes > 0;
	while (!p->stop) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
		pthread_cond_timedwait(&p->wake, &p->lock, &until);
		if (!p->stop)
			draw(p);
	}
	clear(p);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct progress_bar *progress_start(const struct triage_options *o,
    const struct triage_counters *c, const char *const *paths, size_t n)
{
	struct progress_bar *p;

	if (isatty(STDERR_FILENO) != 1)
		return NULL;
	p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->o = o;
	p->c = c;
	p->paths = paths;
	p->n = n;
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	if (pthread_create(&p->thread, NULL, run, p)) {
		free(p);
		return NULL;
	}
	return p;
}

void progress_clear(struct progress_bar *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	clear(p);
	pthread_mutex_unlock(&p->lock);
}

void progress_stop(struct progress_bar *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
