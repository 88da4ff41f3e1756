#include "diagnose/signals/chained.h"

#include "diagnose/signals/signals.h"

static struct span last_name(struct span s)
{
	size_t i = s.n;

	while (i && s.p[i - 1] != '.')
		i--;
	return span_sub(s, i, s.n);
}

bool chained_tells(
    const struct taxonomy *tax, enum signal_chained act, struct span text)
{
	if (act == CHAINED_FUNCTION)
		text = last_name(text);
	for (size_t i = tax->signal_from[SIGNAL_CHAINED];
	     i < tax->signal_from[SIGNAL_CHAINED + 1]; i++)
		if (taxonomy_signal_at(tax, i)->tells[0] == (int)act &&
		    signals_tell(tax, i, NULL, text, NULL))
			return true;
	return false;
}
