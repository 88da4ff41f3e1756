/*
 * Parts of expressions that have a name, so that what recurs is written once:
 * `pieces:` of a file names them, {{name}} in a pattern stands for them.
 * Private to rules/.
 */
#ifndef RULES_PIECES_H
#define RULES_PIECES_H

struct err;
struct pattern;
struct reader;
struct taxonomy_raw;
struct yamldoc_node;

/* Take over what `pieces` of a file names, as it is written: the patterns and
 * pieces of its layer and of later ones may use it. 0, or -1 with the reader's
 * error set. */
int pieces_read(struct reader *r, const struct yamldoc_node *n);
/* Whether all pieces of a layer, whose files have been read, make sense. 0, or
 * -1 with e set. */
int pieces_check(const struct taxonomy_raw *raw, unsigned layer, struct err *e);

/* Values, for fields.h, with the pieces filled in: an expression (char **), and
 * one or a list of them (struct strings *). */
int pieces_pattern(struct reader *r, const struct yamldoc_node *n, void *to);
int pieces_patterns(struct reader *r, const struct yamldoc_node *n, void *to);

/* Compile text, which is what n gives with its pieces filled in, as a pattern
 * of an overlay. */
int pieces_compile(struct reader *r, const struct yamldoc_node *n,
    const char *text, struct pattern **to);

#endif
