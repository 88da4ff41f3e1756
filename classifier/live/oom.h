/* Whether the kernel killed for memory. Private to live/. */
#ifndef LIVE_OOM_H
#define LIVE_OOM_H

#include <stdint.h>

/* How often it did so in this process's control group and below, so far; -1:
 * not known. */
int64_t oom_kills(void);

#endif
