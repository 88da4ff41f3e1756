#include "cli/store_action.h"

#include "base/err.h"

enum exit_status store_action_run(
    const struct settings *s, enum store_mode mode, store_action *run)
{
	enum exit_status status;
	struct outfile out;
	struct store *st;
	struct err e = { 0 };

	st = store_open(s->store, mode, &e);
	if (!st)
		return screen_failed(&e, STATUS_INTERNAL);
	if (outfile_open(&out, s->output, &e)) {
		store_close(st, NULL);
		return screen_failed(&e, STATUS_INTERNAL);
	}
	status = run(s, st, out.f, &e);
	if (store_close(st, &e) && status != STATUS_INTERNAL)
		status = screen_failed(&e, STATUS_INTERNAL);
	if (status == STATUS_INTERNAL || status == STATUS_USAGE) {
		outfile_abandon(&out);
		return status;
	}
	return outfile_close(&out, &e) ? screen_failed(&e, STATUS_INTERNAL)
				       : status;
}
