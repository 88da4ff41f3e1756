/*
 * A YAML file as a tree whose every node knows its line and column, so that
 * what is wrong with it can be said with its place. A strict subset: one
 * document, no aliases, no tags, no duplicate keys, no NUL in a text, bounded
 * size and depth.
 */
#ifndef RULES_YAMLDOC_H
#define RULES_YAMLDOC_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct yamldoc;

enum yamldoc_kind { YAMLDOC_SCALAR, YAMLDOC_LIST, YAMLDOC_MAP };

struct yamldoc_node {
	enum yamldoc_kind kind;
	bool plain; /* a scalar without quotes: may be a number, null */
	unsigned line, column;            /* from 1 */
	const char *text;                 /* of a scalar */
	size_t n;                         /* children of a list or map */
	const struct yamldoc_node *first; /* child; a map's are its values */
	const struct yamldoc_node *next;  /* sibling */
	const struct yamldoc_node *key;   /* of a map's value: its key */
};

#define YAMLDOC_BYTES_MAX ((size_t)16 << 20)
#define YAMLDOC_NODES_MAX 1000000
#define YAMLDOC_KEYS_MAX 1000 /* of one map: looking for one is linear */
#define YAMLDOC_DEPTH_MAX 32

/* Read data. name stands in messages and is copied. NULL with e set:
 * "name:line:column: text". Frees with yamldoc_free. */
struct yamldoc *yamldoc_new(
    const char *data, size_t len, const char *name, struct err *e);
void yamldoc_free(struct yamldoc *d);

/* Never NULL, lives as long as the document. */
const struct yamldoc_node *yamldoc_root(const struct yamldoc *d);
const char *yamldoc_name(const struct yamldoc *d);

/* The value of a key of a map, or NULL. */
const struct yamldoc_node *yamldoc_get(
    const struct yamldoc_node *map, const char *key);

/* Whether a node is what an empty value gives: plain, and "", ~ or null. */
bool yamldoc_null(const struct yamldoc_node *n);

#endif
