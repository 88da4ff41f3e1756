/*
 * The template of a line: what differs between two runs of one program is a
 * placeholder in it, the rest is as it was printed. Lines of one format have
 * one template, whatever they tell:
 *
 *   epoch 3/90, loss 0.25, [12, 3, 224] on node017:29500
 *   epoch <num>/<num>, loss <num>, [<num>] on node<num>:<num>
 *
 * The placeholders are <num>, <hex>, <id> (a name that was made up), <uuid>,
 * <time>, <path>, <url>, <host>, and <text> for what stands in quotes, unless
 * that is a sentence.
 */
#ifndef BASE_TEMPLATE_H
#define BASE_TEMPLATE_H

#include "base/span.h"

struct buf;

/* Bytes of a line that are looked at. */
#define TEMPLATE_LINE ((size_t)1024)

/* Append the template of a line without its envelope and end. *words: whether a
 * word is in it that no placeholder stands for; else it tells nothing. -1: out
 * of memory. */
int template_mask(struct buf *out, struct span line, bool *words);
/* The same, but what stands in quotes is like the rest of the line: where two
 * messages about different things are to be two. */
int template_mask_quoting(struct buf *out, struct span line, bool *words);

#endif
