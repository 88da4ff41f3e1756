/*
 * A map of a YAML file read by a table of its keys: name, what to do with the
 * value, where it goes, whether it must be there. Whatever a table does not
 * know is an error, with the place of the key. Private to rules/.
 */
#ifndef RULES_FIELDS_H
#define RULES_FIELDS_H

#include "rules/taxonomy_read.h"

#include <stdbool.h>
#include <stddef.h>

struct yamldoc_node;

/* The file that is being read. */
struct reader {
	struct taxonomy_raw *raw;
	const char *file; /* the copy in raw->files */
	unsigned layer;
	const char *category; /* of the file's rules, or NULL */
	struct place category_at;
	struct err *e;
};

/* A table of these ends with a zeroed one. */
struct field {
	const char *name;
	int (*read)(struct reader *r, const struct yamldoc_node *n, void *to);
	size_t offset;
	bool required;
};

#define AT(type, member) offsetof(struct type, member)
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Set the error, with the place of n before it; -1. */
int fields_bad(struct reader *r, const struct yamldoc_node *n, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));
struct place fields_place(const struct reader *r, const struct yamldoc_node *n);
/* The place of its id, or where it begins when it has none. */
struct place fields_id_place(
    const struct reader *r, const struct yamldoc_node *n);
/* How a message names a value: by its key, or as an item of a list. */
const char *fields_name(const struct yamldoc_node *n);

/* Values: 0, or -1 with the error set. `to` is char ** for text and id, bool *,
 * double * for a factor, struct strings * for a list. */
int fields_text(struct reader *r, const struct yamldoc_node *n, void *to);
int fields_id(struct reader *r, const struct yamldoc_node *n, void *to);
int fields_bool(struct reader *r, const struct yamldoc_node *n, void *to);
int fields_factor(struct reader *r, const struct yamldoc_node *n, void *to);
int fields_list(struct reader *r, const struct yamldoc_node *n, void *to);
/* As fields_list, of one example at least. */
int fields_examples(struct reader *r, const struct yamldoc_node *n, void *to);
/* A whole number of a range, or -1 with the error set. */
long fields_number(
    struct reader *r, const struct yamldoc_node *n, long least, long most);
/* Index of a name in a table, or -1 with an error that lists the table. */
int fields_choose(struct reader *r, const struct yamldoc_node *n,
    const char *const *names, size_t count);

/* int *: of enum confidence. */
int fields_confidence(struct reader *r, const struct yamldoc_node *n, void *to);
/* A verdict that a file may give, which "none" is not: enum verdict *, or int *
 * where it may be left out. */
int fields_verdict(struct reader *r, const struct yamldoc_node *n, void *to);
int fields_verdict_number(
    struct reader *r, const struct yamldoc_node *n, void *to);

/* Read the keys of a map into the struct at base. given, when not NULL, gets
 * a bit for each field that was there; then none is required. */
int fields_map(struct reader *r, const struct yamldoc_node *n,
    const struct field *fields, void *base, unsigned *given);

/* Read every item of a list, which may be NULL: there is none. */
int fields_each(struct reader *r, const struct yamldoc_node *list,
    int (*read)(struct reader *r, const struct yamldoc_node *n));

/* One more of the *n entries of size bytes at *v, zeroed. NULL with the error
 * set. */
void *fields_more(
    struct reader *r, void **v, size_t *n, size_t *cap, size_t size);

#endif
