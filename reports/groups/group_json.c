#include "reports/groups/group_json.h"

#include "reports/groups/group.h"
#include "reports/output/object.h"

static void put_sums(struct object *o, const struct group_sums *s)
{
	object_total(o, "attempts", s->attempts);
	object_total(o, "jobs", s->jobs);
	object_int(o, "gpu_seconds", s->gpu_seconds);
}

static struct json *before_json(const struct group_sums *s)
{
	struct object o = object_new();

	put_sums(&o, s);
	return object_done(&o);
}

static struct json *sample_json(const struct entry *en)
{
	const struct entry_proof *p = en->n_evidence ? en->evidence : NULL;
	struct object o = object_new();

	object_string(&o, "job", en->job);
	object_int(&o, "attempt", en->attempt);
	object_string(&o, "cluster", en->cluster);
	object_string(&o, "place", en->place);
	object_string(&o, "user", en->user);
	object_string(&o, "category", en->category);
	object_string(&o, "rule", en->rule);
	object_string(&o, "path", entry_log(en));
	object_count(&o, "line", entry_line(en));
	object_string(&o, "text", p ? p->text : NULL);
	return object_done(&o);
}

struct json *group_json(const struct failure_group *g, bool before)
{
	struct object o = object_new(), a = object_new_array();

	object_string(&o, "id", g->id);
	object_string(&o, "template", g->template);
	object_string(&o, "frames", g->frames);
	object_string(&o, "name", g->name);
	object_bool(&o, "ignored", g->ignored);
	put_sums(&o, &g->now);
	object_total(&o, "users", g->users);
	object_put(
	    &o, "before", before ? before_json(&g->before) : json_new_null());
	object_time(&o, "first", g->first);
	object_time(&o, "last", g->last);
	for (size_t i = 0; i < g->n_others; i++)
		object_add(&a, json_new_string(g->others[i]));
	object_put(&o, "others", object_done(&a));
	a = object_new_array();
	for (size_t i = 0; i < g->n_samples; i++)
		object_add(&a, sample_json(g->samples[i]));
	object_put(&o, "samples", object_done(&a));
	return object_done(&o);
}
