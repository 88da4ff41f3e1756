/*
 * Opening what lies below a folder that the user named, where others may have
 * put links: a program that may read everything must not be led to what its
 * readers may not see.
 *
 * A link that stays below the folder may be followed. One that leads out of it
 * is where its owner owns what it leads to, who could have put that there
 * himself; or where the user says so. None leads into /proc, /sys or /dev, nor
 * to a folder that holds the one named. A file with several names is read
 * where only its owner, or the administrator, can have given it this one.
 */
#ifndef INPUT_BELOW_H
#define INPUT_BELOW_H

#include <stdbool.h>
#include <stddef.h>

struct stat;

/* The folder of a file that was opened, for the next one. All zero: none. */
struct below_folder {
	char *path;
	size_t given;
	int fd;
};

void below_folder_release(struct below_folder *f);

struct below {
	const char *path;
	size_t given; /* bytes of it that the user named: a folder; or all */
	bool follow;  /* links wherever they lead */
	struct below_folder *folder; /* or NULL: none is kept */
};

enum below_why {
	BELOW_ERROR,   /* errno says why */
	BELOW_OTHERS,  /* to what the link's owner does not own */
	BELOW_MACHINE, /* into /proc, /sys, /dev and the like */
	BELOW_LOOP,    /* to a folder around the given one */
	BELOW_NAMES,   /* a file that others may have given this name */
	BELOW_WHYS
};

/* Bytes of a path given, without the slashes at its end. */
size_t below_given(const char *path);

/* As longpath_open. -1: *why says why it is refused, or errno why it cannot
 * be. st gets what fstat says of it. */
int below_open(
    const struct below *b, int flags, struct stat *st, enum below_why *why);

/* The same, for fstat and openat only: nothing happens to devices and pipes. */
int below_look(const struct below *b, struct stat *st, enum below_why *why);

/* Whether what is open at fd lies in the folder given, so that who reads all of
 * the folder comes by without a link. */
bool below_within(const struct below *b, int fd);

/* Whether what is open at fd, of which st tells, is on a file system that the
 * kernel makes up, or among the devices. */
bool below_machine(int fd, const struct stat *st);

#endif
