#include "base/isal.h"

struct isal isal;

#define ROW(f) { #f, &isal.f },

static const struct library_row rows[] = { ISAL_FUNCTIONS(ROW) };
struct library isal_library = LIBRARY_INIT("libisal.so.2", "libisal2", rows);
