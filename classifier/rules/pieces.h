/*
 * Parts of expressions that have a name, so that what recurs is written once:
 * `pieces:` of a file names them, {{name}} in a pattern stands for them.
 * Private to rules/.
 */
#ifndef RULES_PIECES_H
#define RULES_PIECES_H

struct pattern;
struct reader;
struct yamldoc_node;

/* Take over what `pieces` of a file names; the patterns of its layer and of
 * later ones may use it. 0, or -1 with the reader's error set. */
int pieces_read(struct reader *r, const struct yamldoc_node *n);

/* Values, for fields.h, with the pieces filled in: an expression (char **), and
 * one or a list of them (struct strings *). */
int pieces_pattern(struct reader *r, const struct yamldoc_node *n, void *to);
int pieces_patterns(struct reader *r, const struct yamldoc_node *n, void *to);

/* Compile text, which is what n gives with its pieces filled in, as a pattern
 * of an overlay. */
int pieces_compile(struct reader *r, const struct yamldoc_node *n,
    const char *text, struct pattern **to);

#endif
