#include "reports/output/object.h"

#include "base/when.h"
#include "diagnose/findings.h"

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

void object_count(struct object *to, const char *key, int64_t v)
{
	object_put(to, key, v < 0 ? json_new_null() : json_new_int(v));
}

void object_total(struct object *to, const char *key, uint64_t n)
{
	object_put(to, key, json_new_int((int64_t)n));
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
	if (!o->failed)
		return o->o;
	json_free(o->o);
	return NULL;
}
