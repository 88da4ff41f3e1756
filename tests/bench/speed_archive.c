/*
 * What libarchive alone takes to unpack files: every format, every filter,
 * every member, nothing done with the bytes.
 *
 * usage: speed_archive PATH...; prints the number of unpacked bytes
 */
#include <archive.h>
#include <archive_entry.h>

#include <stdint.h>
#include <stdio.h>

#define BLOCK (256u << 10)

static int read_archive(struct archive *a, const char *path, uint64_t *total)
{
	struct archive_entry *entry;
	const void *data;
	size_t n;
	int64_t offset;
	int status;

	archive_read_support_filter_all(a);
	archive_read_support_format_all(a);
	archive_read_support_format_raw(a);
	if (archive_read_open_filename(a, path, BLOCK) != ARCHIVE_OK)
		return -1;
	while ((status = archive_read_next_header(a, &entry)) == ARCHIVE_OK) {
		while ((status = archive_read_data_block(
			    a, &data, &n, &offset)) == ARCHIVE_OK)
			*total += n;
		if (status != ARCHIVE_EOF)
			return -1;
	}
	return status == ARCHIVE_EOF ? 0 : -1;
}

int main(int argc, char **argv)
{
	uint64_t total = 0;

	for (int i = 1; i < argc; i++) {
		struct archive *a = archive_read_new();
		int bad = !a || read_archive(a, argv[i], &total);

		if (bad)
			fprintf(stderr, "%s: %s\n", argv[i],
			    a ? archive_error_string(a) : "no memory");
		archive_read_free(a);
		if (bad)
			return 1;
	}
	printf("%ju\n", (uintmax_t)total);
	return argc < 2;
}
