/*
 * A file that was changed within the grain of its time stamp could change
 * again unseen, so a fresh file has no stamp: the next night gives it one.
 */
#include "jobs/stamp.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Coarser than the time stamps of any file system in use (FAT: 2 s). */
#define FRESH_SECONDS 3

int stamp_stat(const char *path, struct stat *st)
{
	char *outer;
	int rc = stat(path, st);

	for (const char *p = path; rc && (p = strchr(p, '!')); p++) {
		outer = span_dup((struct span){ path, (size_t)(p - path) });
		if (!outer)
			return -1;
		rc = stat(outer, st);
		free(outer);
	}
	return rc == 0 && S_ISREG(st->st_mode) ? 0 : -1;
}

/* What goes above STAMP_HASH: the day of the last change, the folder. */
static uint64_t place(const char *path, time_t newest)
{
	const char *name = strrchr(path, '/');
	size_t n = name ? (size_t)(name - path) : 0;
	uint64_t day = (uint64_t)newest / 86400;

	return day << 48 | (hash_of(path, n).low & 0xffff) << 32;
}

struct hash_value stamp_files(char *const *paths, size_t n)
{
	struct hash *h = hash_new();
	struct hash_value v = { 0, 0 };
	time_t now = time(NULL), newest = 0;

	for (size_t i = 0; h && i < n; i++) {
		struct stat st;

		if (stamp_stat(paths[i], &st) ||
		    st.st_mtim.tv_sec > now - FRESH_SECONDS ||
		    st.st_ctim.tv_sec > now - FRESH_SECONDS)
			goto out;
		const int64_t facts[] = { (int64_t)st.st_size,
			(int64_t)st.st_mtim.tv_sec, (int64_t)st.st_mtim.tv_nsec,
			(int64_t)st.st_ctim.tv_sec, (int64_t)st.st_ctim.tv_nsec,
			(int64_t)st.st_ino, (int64_t)st.st_dev };

		if (st.st_mtim.tv_sec > newest)
			newest = st.st_mtim.tv_sec;
		hash_add(h, paths[i], strlen(paths[i]) + 1);
		hash_add(h, facts, sizeof facts);
	}
	if (h && n) {
		v = hash_end(h);
		v.high = place(paths[0], newest) | (v.high & STAMP_HASH);
	}
out:
	hash_free(h);
	return v;
}
