/*
 * What a logger of Java prints of an exception: a record in words, and below it
 * the exception with its stack, without a prefix. It is of the record's level.
 */
#ifndef DIAGNOSE_THROWN_H
#define DIAGNOSE_THROWN_H

#include "input/envelope.h"

/* The level of the record that the exception at pos is of, which line holds;
 * LEVEL_UNKNOWN where it is no such line, or the block begins in the middle. */
enum level thrown_level(const struct prefixes *prefixes, struct span block,
    size_t pos, struct span line);

#endif
