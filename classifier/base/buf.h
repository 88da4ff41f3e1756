/*
 * A growable run of bytes with a ceiling that is fixed at its birth. It is
 * always followed by a NUL, which is not counted, so p can serve as a string.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>

struct buf {
	char *p;    /* never NULL after a first successful add */
	size_t len; /* bytes in use */
	size_t cap; /* bytes allocated, less the one for the NUL */
	size_t max; /* ceiling for len */
};

/* An empty buffer that may grow to max bytes. Allocates nothing. */
#define BUF_INIT(ceiling)             \
	{                             \
		NULL, 0, 0, (ceiling) \
	}

/* Ceiling for buffers whose size the program itself bounds. */
#define BUF_MAX ((size_t)1 << 30)

/* Free the memory; the buffer is empty and usable afterwards. */
void buf_release(struct buf *b);

/* Make room for n more bytes. 0, or -1 when out of memory or over max. */
int buf_reserve(struct buf *b, size_t n);

/* Append. 0, or -1 with the buffer unchanged. */
int buf_add(struct buf *b, const void *p, size_t n);
int buf_addc(struct buf *b, char c);
int buf_adds(struct buf *b, const char *s);
int buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Forget the content, keep the memory. */
void buf_clear(struct buf *b);

/* Hand the bytes to the caller, who frees them; the buffer is empty then.
 * Never NULL unless out of memory. */
char *buf_take(struct buf *b);

#endif
