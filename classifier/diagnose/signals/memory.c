/*
 * PyTorch before 2.0 tells all that its allocator has reserved, later versions
 * the part of it that is not allocated: the former is never less than what is
 * allocated.
 */
#include "diagnose/signals/memory.h"

#include <stdlib.h>
#include <string.h>

/* What a process takes of a device beside its allocator at most: the context,
 * the code of the libraries, buffers of NCCL. Under 2 GiB in all messages seen
 * of a process that was alone, up to 80 GiB of memory. */
#define CONTEXT_MAX (2ll << 30)

/* "2.10 GiB", "630.00 MB", "1024 bytes". GB is read as GiB: the programs that
 * write it mean that. */
static int64_t size_of(const char *s)
{
	static const char units[] = "BKMGTP";
	const char *unit;
	char *end;
	double v;

	if (!s)
		return -1;
	v = strtod(s, &end);
	if (end == s || v < 0)
		return -1;
	while (*end == ' ')
		end++;
	unit = *end == 'b' ? units : *end ? strchr(units, *end) : units;
	if (!unit)
		return -1;
	for (; unit > units; unit--)
		v *= 1024;
	return v < 9e18 ? (int64_t)v : -1;
}

bool memory_read(const struct evidence *ev, struct memory *out)
{
	int64_t reserved = size_of(findings_capture(ev, "reserved"));
	int64_t all = size_of(findings_capture(ev, "own"));
	int64_t own;

	*out = (struct memory){
		.requested = size_of(findings_capture(ev, "requested")),
		.total = size_of(findings_capture(ev, "total")),
		.free = size_of(findings_capture(ev, "free")),
		.allocated = size_of(findings_capture(ev, "allocated")),
		.unallocated = -1,
		.others = -1,
	};
	if (reserved >= 0 && out->allocated >= 0)
		out->unallocated = reserved >= out->allocated
		    ? reserved - out->allocated
		    : reserved;
	out->fragmented =
	    out->requested > 0 && out->unallocated >= out->requested;
	if (out->total > 0 && out->free >= 0 && out->allocated >= 0) {
		own = all >= 0 ? all
			       : out->allocated +
			(out->unallocated > 0 ? out->unallocated : 0);
		out->others = out->total - out->free - own;
		if (out->others < 0)
			out->others = 0;
		/* a message that tells all that the process has names the
		 * others, too, which a rule reads: small ones are mostly
		 * contexts of the job's other ranks */
		out->held_by_others = out->others > out->total / 2 ||
		    (all < 0 && out->requested >= 0 &&
			out->others >= out->requested + CONTEXT_MAX);
	}
	return out->requested >= 0 || out->total >= 0;
}
