/*
 * The words for how a job ended are signals of the taxonomy. A word that none
 * has leaves the end unknown.
 */
#include "jobs/accounting_values.h"
#include "rules/taxonomy.h"

struct span accounting_state_word(struct span v)
{
	size_t by = span_find(v, " by ");

	return span_trim(span_sub(v, 0, by));
}

/* Whether the word, in any case, is one of s. Slurm's has other forms, too, in
 * which case counts, and may have been cut to the width of a column. */
static bool is_of(const struct signal *s, struct span word, bool cut)
{
	bool slurm = s->tells[1] == STATE_OF_SLURM;

	for (size_t i = 0; i < s->is.n; i++) {
		struct span one = span_of(s->is.v[i]);

		if (i && slurm ? span_eq(one, word)
			       : accounting_same(word, s->is.v[i]))
			return true;
		if (cut && slurm && !i &&
		    span_eq(span_sub(one, 0, word.n), word))
			return true;
	}
	return false;
}

bool accounting_state(
    const struct taxonomy *tax, struct span word, struct accounting_state *out)
{
	static const enum job_end ends[] = {
		[STATE_UNKNOWN] = JOB_END_UNKNOWN,
		[STATE_PENDING] = JOB_END_PENDING,
		[STATE_RUNNING] = JOB_END_RUNNING,
		[STATE_WELL] = JOB_END_WELL,
		[STATE_FAILED] = JOB_END_FAILED,
	};
	bool cut = word.n > 2 && word.p[word.n - 1] == '+';

	word.n -= cut;
	for (size_t i = tax->signal_from[SIGNAL_STATE];
	     i < tax->signal_from[SIGNAL_STATE + 1]; i++) {
		const struct signal *s = taxonomy_signal_at(tax, i);

		if (!is_of(s, word, cut))
			continue;
		*out = (struct accounting_state){ ends[s->tells[0]],
			s->tells[1] == STATE_OF_SLURM ? s->is.v[0] : NULL };
		return true;
	}
	return false;
}
