#include "reports/store/store_file.h"

#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

bool store_file_shared(const char *path)
{
#ifdef __linux__
	static const uint32_t kinds[] = {
		0x6969,     /* NFS */
		0x517b,     /* SMB */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB 2 */
		0x0bd00bd0, /* Lustre */
		0x47504653, /* GPFS */
		0x19830326, /* BeeGFS */
		0x00c36400, /* Ceph */
		0x5346414f, /* AFS */
		0x65735546, /* FUSE */
		0x01021997, /* 9P */
		0x01161970, /* GFS2 */
		0x7461636f, /* OCFS2 */
	};
	struct statfs fs;

	if (statfs(path, &fs))
		return true;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if ((uint32_t)fs.f_type == kinds[i])
			return true;
	return false;
#else
	(void)path;
	return true;
#endif
}

int store_file_make(const char *path, struct err *e)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);

	if (fd < 0)
		return errno == EEXIST ? 0 : err_set(e, "%s", strerror(errno));
	close(fd);
	return 0;
}

int store_file_frozen(const char *path, struct buf *uri, struct err *e)
{
	struct stat st;
	int rc = buf_addf(uri, "%s-wal", path);

	if (!rc && stat(uri->p, &st) == 0 && st.st_size > 0)
		return err_set(e,
		    "being written, and there is no room or no right to read "
		    "along");
	buf_clear(uri);
	rc = rc || buf_adds(uri, "file:");
	for (const char *p = path; !rc && *p; p++)
		rc = strchr("?#%", *p) ? buf_addf(uri, "%%%02x", (unsigned)*p)
				       : buf_addc(uri, *p);
	return rc || buf_adds(uri, "?immutable=1") ? err_nomem(e) : 0;
}
