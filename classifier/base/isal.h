/*
 * ISA-L, which deflates ten times and inflates two to three times as fast as
 * zlib. Once isal_library is loaded, its functions are called
 * through isal.
 */
#ifndef BASE_ISAL_H
#define BASE_ISAL_H

#include "base/library.h"

#include <isa-l/igzip_lib.h>

#define ISAL_FUNCTIONS(X)              \
	X(isal_deflate)                \
	X(isal_deflate_init)           \
	X(isal_deflate_process_dict)   \
	X(isal_deflate_reset)          \
	X(isal_deflate_reset_dict)     \
	X(isal_deflate_set_hufftables) \
	X(isal_gzip_header_init)       \
	X(isal_inflate)                \
	X(isal_inflate_init)           \
	X(isal_inflate_reset)          \
	X(isal_inflate_set_dict)       \
	X(isal_read_gzip_header)

struct isal {
	ISAL_FUNCTIONS(LIBRARY_SLOT)
};

extern struct isal isal;
extern struct library isal_library;

#endif
