/*
 * Which files of a folder, and members of an archive, are logs. Projects keep
 * their code, settings, data and models beside them, which are no jobs.
 */
#ifndef JOBS_FILES_H
#define JOBS_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct taxonomy;

/* A choice of the user's; all zero: what the taxonomy says. */
struct files {
	/* Globs for names, or for paths where they have a '/'. Borrowed. */
	const char *const *include; /* these only, whatever they are called */
	size_t n_include;
	const char *const *exclude;
	size_t n_exclude;
	bool all; /* whatever they are called */
};

/* Whether the file at path, below a folder of which the user named so many
 * bytes, is to be read. It is looked into where its name does not tell. */
bool files_wanted(const struct files *f, const struct taxonomy *tax,
    const char *path, size_t given);
/* The same for a member of an archive, by its name alone. */
bool files_wanted_member(
    const struct files *f, const struct taxonomy *tax, const char *path);

#endif
