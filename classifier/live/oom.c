/*
 * /proc/self/cgroup names the group: "0::/path" (version 2), or
 * "4:memory:/path". A container may show the path of the outer system, where
 * its own group is the root.
 */
#include "live/oom.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* The number after "oom_kill " in the file, or -1. */
static int64_t read_count(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256];
	int64_t n = -1;

	while (f && n < 0 && fgets(line, sizeof line, f))
		if (strncmp(line, "oom_kill ", 9) == 0)
			n = span_number(span_trim(span_of(line + 9)));
	if (f)
		fclose(f);
	return n;
}

static int64_t read_group(const char *root, const char *group, const char *file)
{
	char path[1024];
	int64_t n;

	snprintf(path, sizeof path, "%s%s/%s", root, group, file);
	n = read_count(path);
	if (n >= 0)
		return n;
	snprintf(path, sizeof path, "%s/%s", root, file);
	return read_count(path);
}

int64_t oom_kills(void)
{
	FILE *f = fopen("/proc/self/cgroup", "r");
	char line[512];
	int64_t n = -1;

	while (f && n < 0 && fgets(line, sizeof line, f)) {
		char *list = strchr(line, ':'), *group;

		line[strcspn(line, "\n")] = '\0';
		group = list ? strchr(list + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		if (list[1] == '\0')
			n = read_group(
			    "/sys/fs/cgroup", group, "memory.events");
		else if (strcmp(list + 1, "memory") == 0)
			n = read_group("/sys/fs/cgroup/memory", group,
			    "memory.oom_control");
	}
	if (f)
		fclose(f);
	return n;
}
