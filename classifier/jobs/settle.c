/*
 * A file is opened to look at it: that is what makes NFS ask the server, which
 * a mere stat does not for some seconds.
 */
#include "jobs/settle.h"

#include "input/input.h"
#include "jobs/stamp.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define QUIET_MS 1000
#define FIRST_PAUSE_MS 10
#define LAST_PAUSE_MS 250

struct look {
	struct settle *out;
	struct hash *h; /* NULL: out of memory; then nothing is proved */
};

static int64_t micros(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t clock_ms(clockid_t which)
{
	struct timespec t = { 0, 0 };

	clock_gettime(which, &t);
	return micros(t) / 1000;
}

static int look_file(void *ctx, const char *path, int64_t size)
{
	struct look *l = ctx;
	struct settle *s = l->out;
	struct stat st;
	int fd;

	s->files++;
	if (stamp_stat(path, &st)) {
		s->endless |= size < 0;
		return 0;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0) {
		(void)fstat(fd, &st);
		close(fd);
	}
	s->bytes += (uint64_t)st.st_size;
	if (micros(st.st_mtim) > s->newest)
		s->newest = micros(st.st_mtim);
	if (l->h) {
		const int64_t facts[] = { (int64_t)st.st_size,
			micros(st.st_mtim), (int64_t)st.st_mtim.tv_nsec,
			(int64_t)st.st_ino, (int64_t)st.st_dev };

		hash_add(l->h, path, strlen(path) + 1);
		hash_add(l->h, facts, sizeof facts);
	}
	return 0;
}

void settle_look(
    const char *const *paths, size_t n, bool follow, struct settle *out)
{
	struct look l = { .h = hash_new() };
	const struct walk_sink sink = {
		.ctx = &l,
		.file = look_file,
		.sizes = true,
		.follow = follow,
	};

	*out = (struct settle){ .newest = INT64_MIN, .missing = n };
	l.out = out;
	for (size_t i = 0; i < n; i++)
		if (walk_path(paths[i], &sink, NULL) && out->missing == n)
			out->missing = i;
	if (l.h)
		out->state = hash_end(l.h);
	hash_free(l.h);
}

static bool same(const struct settle *a, const struct settle *b)
{
	return a->state.low == b->state.low && a->state.high == b->state.high;
}

static bool complete(const struct settle *s, size_t n)
{
	return s->missing == n && s->files && (s->bytes || s->endless);
}

/* Its last change is long enough ago, if the clocks agree. */
static bool old(const struct settle *s, int64_t quiet)
{
	int64_t age;

	if (s->newest == INT64_MIN)
		return true;
	age = clock_ms(CLOCK_REALTIME) - s->newest / 1000;
	return age >= quiet;
}

bool settle_wait(const char *const *paths, size_t n, bool follow,
    double seconds, struct settle *out)
{
	int64_t begin = clock_ms(CLOCK_MONOTONIC), since = begin, now, left;
	int64_t limit = (int64_t)(seconds * 1000), pause = FIRST_PAUSE_MS;
	int64_t quiet = limit / 2 < QUIET_MS ? limit / 2 : QUIET_MS;
	struct settle before;

	settle_look(paths, n, follow, out);
	if (complete(out, n) && old(out, quiet))
		return true;
	for (;;) {
		now = clock_ms(CLOCK_MONOTONIC);
		if (complete(out, n) && now - since >= quiet)
			return true;
		left = begin + limit - now;
		if (left <= 0)
			return false;
		if (pause > left)
			pause = left;
		nanosleep(
		    &(struct timespec){ pause / 1000, pause % 1000 * 1000000 },
		    NULL);
		pause = pause * 2 < LAST_PAUSE_MS ? pause * 2 : LAST_PAUSE_MS;
		before = *out;
		settle_look(paths, n, follow, out);
		if (!same(&before, out) || before.missing != out->missing)
			since = clock_ms(CLOCK_MONOTONIC);
	}
}
