/*
 * Which readings a store has, as far as memory can tell: that it does not have
 * one is certain but for what other processes have put since, and then a log is
 * read once more. It spares the question to the database, which costs more than
 * a small log; to learn it costs a look at all readings, so it is learned when
 * about as much has been spent on questions in vain.
 */
#ifndef REPORTS_STORE_KNOWN_H
#define REPORTS_STORE_KNOWN_H

#include "base/hash.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct store;

struct store_known {
	pthread_mutex_t lock; /* taken last */
	uint64_t *bits;       /* NULL: not learned */
	size_t size;          /* bits, a power of two */
	uint64_t room;        /* stamps that it still takes */
	uint64_t readings;    /* of the store, about; when it was asked */
	uint64_t vain;        /* questions since */
	bool asked;
};

int store_known_init(struct store_known *k);
void store_known_release(struct store_known *k);
/* Whether the store certainly has no such reading. */
bool store_known_lacks(struct store_known *k, struct hash_value stamp);
/* The store is given this one. */
void store_known_add(struct store_known *k, struct hash_value stamp);
/* The store was asked for one that it has not; its lock is held. -1 with e set:
 * it cannot be read. */
int store_known_vain(struct store *s, struct err *e);

#endif
