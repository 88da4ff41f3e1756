#include "reports/output/object.h"

#include "base/when.h"
#include "diagnose/findings.h"
#include "rules/taxonomy.h"

static struct object begun(struct json *o)
{
	return (struct object){ o, o == NULL };
}

struct object object_new(void)
{
	return begun(json_new_object());
}

struct object object_new_array(void)
{
	return begun(json_new_array());
}

void object_put(struct object *to, const char *key, struct json *v)
{
	if (to->failed)
		json_free(v);
	else if (json_set(to->o, key, v))
		to->failed = true;
}

void object_string(struct object *to, const char *key, const char *s)
{
	object_put(to, key, json_new_string(s));
}

void object_strings(struct object *to, const char *key, const struct strings *s)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < s->n; i++)
		object_add(&a, json_new_string(s->v[i]));
	object_put(to, key, object_done(&a));
}

void object_bool(struct object *to, const char *key, bool v)
{
	object_put(to, key, json_new_bool(v));
}

void object_int(struct object *to, const char *key, int64_t v)
{
	object_put(to, key, json_new_int(v));
}

void object_real(struct object *to, const char *key, double v)
{
	object_put(to, key, json_new_real(v));
}

void object_count(struct object *to, const char *key, int64_t v)
{
	object_put(to, key, v < 0 ? json_new_null() : json_new_int(v));
}

void object_total(struct object *to, const char *key, uint64_t n)
{
	object_int(to, key, (int64_t)n);
}

void object_time(struct object *to, const char *key, int64_t t)
{
	char text[32];

	if (t != ENVELOPE_NO_TIME)
		when_format(t, text);
	object_string(to, key, t != ENVELOPE_NO_TIME ? text : NULL);
}

void object_add(struct object *to, struct json *v)
{
	if (to->failed)
		json_free(v);
	else if (json_append(to->o, v))
		to->failed = true;
}

struct json *object_done(struct object *o)
{
	struct json *built = o->o;

	o->o = NULL;
	if (!o->failed)
		return built;
	json_free(built);
	return NULL;
}

int object_print(struct object *o, FILE *f, struct err *e)
{
	struct json *built = object_done(o);
	int rc = json_print(built, f);

	json_free(built);
	return rc ? json_lacking(e) : 0;
}

int object_write(struct object *o, struct buf *out)
{
	struct json *built = object_done(o);
	int rc = json_write(built, out);

	json_free(built);
	return rc;
}
