/*
 * What a traceback of Python that was cut off right above its exception was
 * about to say, by the code of its last frame: a tracker that keeps a run's
 * output ends so.
 */
#ifndef DIAGNOSE_RAISED_H
#define DIAGNOSE_RAISED_H

#include <stddef.h>

struct buf;

/* Appends the exception to a traceback's text; the byte where it begins, or 0:
 * the code of the last frame raises none, or there is no room for it. */
size_t raised_add(struct buf *text);

#endif
