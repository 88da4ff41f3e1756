/* The part of a diagnosis' JSON that tells how the training went. */
#ifndef REPORTS_DIAGNOSIS_JSON_TRENDS_H
#define REPORTS_DIAGNOSIS_JSON_TRENDS_H

#include "diagnose/diagnosis.h"

struct jsontext;

/* Put `trends` and `metrics` into the object at hand, if the scan kept curves
 * (engine_trends).
 */
void diagnosis_json_trends(
    struct jsontext *o, const struct diagnosis *d, const struct taxonomy *tax);

#endif
