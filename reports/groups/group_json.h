/* A group of failures as JSON. */
#ifndef REPORTS_GROUPS_GROUP_JSON_H
#define REPORTS_GROUPS_GROUP_JSON_H

#include <stdbool.h>

struct failure_group;
struct json;

/* before: whether there is a period before. NULL: out of memory. */
struct json *group_json(const struct failure_group *g, bool before);

#endif
