/*
 * Landlock says which files, seccomp which system calls. Landlock's rules hang
 * on files and folders, not on names: what is renamed into a place later, or a
 * link that is changed, gives no new rights.
 *
 * A rule set only knows what may be done beneath a folder. So links that lead
 * out of the folders to be read, and are to be followed, are looked for first.
 */
#define _GNU_SOURCE /* O_PATH, syscall */
#include "cli/sandbox.h"

#include "base/buf.h"
#include "base/err.h"
#include "input/input.h"
#include "input/longpath.h"
#include "reports/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A sanitizer reads /proc, runs a symbolizer and traces its own threads. */
#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#if defined(__linux__) && !SANITIZED
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* What the headers of an older kernel may lack; numbers are its interface. */
#define FS_EXECUTE (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_REMOVE_FILE (1ULL << 5)
#define FS_MAKE_REG (1ULL << 8)
#define FS_TRUNCATE (1ULL << 14)
#define NET_CONNECT (1ULL << 1)
#define RULE_NET_PORT 2

#define READ (FS_READ_FILE | FS_READ_DIR)
#define WRITE \
	(READ | FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_FILE | FS_MAKE_REG)
#define OF_A_FILE (FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)

struct attributes {
	uint64_t fs, net, scoped;
};

/* By the version of the kernel's interface: the file rights, and how much of
 * struct attributes it knows. */
static const struct {
	uint64_t fs;
	size_t size;
} versions[] = {
	{ (1ULL << 13) - 1, 8 },  /* 1 */
	{ (1ULL << 14) - 1, 8 },  /* 2: moving between folders */
	{ (1ULL << 15) - 1, 8 },  /* 3: truncating */
	{ (1ULL << 15) - 1, 16 }, /* 4: TCP */
	{ (1ULL << 16) - 1, 16 }, /* 5: ioctl of devices */
	{ (1ULL << 16) - 1, 24 }, /* 6: abstract sockets, signals */
};
#define N_VERSIONS (sizeof versions / sizeof *versions)

/* Read without being asked for: libraries that are loaded when they are
 * needed, character sets, time zones, and seeds of hash tables. */
static const char *const machine[] = { "/usr/lib", "/usr/lib64", "/lib",
	"/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/localtime",
	"/usr/share/zoneinfo", "/dev/urandom" };

struct rules {
	int fd;
	uint64_t handled;
	bool nomem;
};

/* ---- rules ---- */

/* What lies at fd, and beneath it, may be used so. What has no place in the
 * file system, such as a pipe, needs no leave. */
static void allow_fd(struct rules *r, int fd, uint64_t rights)
{
	struct landlock_path_beneath_attr a = { .parent_fd = fd };
	struct stat st;

	if (fstat(fd, &st))
		return;
	if (!S_ISDIR(st.st_mode))
		rights &= OF_A_FILE;
	a.allowed_access = rights & r->handled;
	(void)syscall(
	    SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &a, 0);
}

static bool allow(struct rules *r, const char *path, uint64_t rights)
{
	int fd = longpath_open(path, O_PATH);

	if (fd < 0)
		return false;
	allow_fd(r, fd, rights);
	close(fd);
	return true;
}

/* The folder that path lies in. */
static void allow_folder(struct rules *r, const char *path, uint64_t rights)
{
	const char *slash = strrchr(path, '/');
	struct span name = { path, slash ? (size_t)(slash - path) : 0 };
	char *folder = span_dup(slash == path ? span_of("/")
		: slash                       ? name
					      : span_of("."));

	if (!folder)
		r->nomem = true;
	else
		allow(r, folder, rights);
	free(folder);
}

/* Each folder of "a:b". */
static void allow_list(struct rules *r, const char *list)
{
	while (list && *list) {
		size_t n = strcspn(list, ":");
		char *folder = span_dup((struct span){ list, n });

		if (!folder)
			r->nomem = true;
		else if (n)
			allow(r, folder, READ);
		free(folder);
		list += n + (list[n] == ':');
	}
}

/* ---- links ---- */

/* Where a link leads that will be followed. */
static void on_link(void *ctx, int fd)
{
	allow_fd(ctx, fd, READ);
}

/* ---- what this run needs ---- */

/* A file or folder; the file of an address in an archive; what is not there
 * yet, or may be written anew while it is waited for. */
static void allow_input(
    struct rules *r, const struct settings *s, const char *path, bool waits)
{
	const struct walk_sink links = {
		.ctx = r,
		.link = on_link,
		.follow = s->links,
	};
	bool there = allow(r, path, READ);
	struct err e;

	if (there && walk_path(path, &links, &e))
		r->nomem = true;
	for (size_t i = 1; !there && path[i]; i++) {
		char *outer;

		if (path[i] != '!')
			continue;
		outer = span_dup((struct span){ path, i });
		if (outer)
			allow(r, outer, FS_READ_FILE);
		else
			r->nomem = true;
		free(outer);
	}
	if (!there || waits)
		allow_folder(r, path, FS_READ_FILE);
}

/* A file, written aside in its folder; or what is no file, directly. */
static void allow_output(struct rules *r, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		allow(r, path, FS_WRITE_FILE);
	else
		allow_folder(r, path, WRITE);
}

/* A file beside the store. */
static bool allow_beside(struct rules *r, const char *store, const char *end)
{
	struct buf path = BUF_INIT(BUF_MAX);
	bool there = false;

	if (buf_addf(&path, "%s%s", store, end))
		r->nomem = true;
	else
		there = allow(r, path.p, WRITE);
	buf_release(&path);
	return there;
}

/*
 * When the store is open, and has a log, its three files are there, and all
 * that is left to do in the folder is to remove two of them at the end. Without
 * one, on a file system of several machines, each transaction makes a journal.
 * None of them is opened to look: to close it would give up SQLite's locks.
 */
static void allow_store(struct rules *r, const char *url, bool open)
{
	char *real = realpath(store_path(url), NULL);
	bool log, index;

	/* SQLite, too, goes by where a link leads */
	if (!real) {
		r->nomem |= errno == ENOMEM;
		return;
	}
	allow(r, real, WRITE);
	log = allow_beside(r, real, "-wal");
	index = allow_beside(r, real, "-shm");
	allow_folder(
	    r, real, open && log && index ? READ | FS_REMOVE_FILE : WRITE);
	free(real);
}

static void allow_all(struct rules *r, const struct settings *s, unsigned needs)
{
	for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
		allow(r, machine[i], READ);
	allow_list(r, getenv("LD_LIBRARY_PATH"));
	allow_list(r, getenv("TZDIR"));
	if (s->root)
		allow_input(r, s, s->root, false);
	for (size_t i = 0; i < s->arguments.n; i++)
		if (strcmp(s->arguments.v[i], "-") != 0)
			allow_input(r, s, s->arguments.v[i], s->settle > 0);
	if (s->diff)
		allow_input(r, s, s->diff, false);
	if (s->output && strcmp(s->output, "-") != 0)
		allow_output(r, s->output);
	if (s->spool)
		allow(r, s->spool, WRITE);
	if (s->store && store_port(s->store) < 0)
		allow_store(r, s->store, needs & SANDBOX_STORE_OPEN);
}

/* Where the store's server listens. */
static void allow_port(struct rules *r, const struct settings *s)
{
	struct {
		uint64_t access, port;
	} rule = { NET_CONNECT, 0 };
	int port = s->store ? store_port(s->store) : -1;

	if (port < 0)
		return;
	rule.port = (uint64_t)port;
	(void)syscall(SYS_landlock_add_rule, r->fd, RULE_NET_PORT, &rule, 0);
}

/* 0; -1 with errno set: the kernel has no Landlock, or refuses. */
static int restrict_files(const struct settings *s, unsigned needs, bool *nomem)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);
	struct attributes a = { 0, 3, 3 }; /* all there is of the last two */
	struct rules r = { .fd = -1 };
	size_t v;
	int rc;

	if (version < 1)
		return -1;
	v = ((size_t)version < N_VERSIONS ? (size_t)version : N_VERSIONS) - 1;
	a.fs = r.handled = versions[v].fs;
	r.fd =
	    (int)syscall(SYS_landlock_create_ruleset, &a, versions[v].size, 0);
	if (r.fd < 0)
		return -1;
	allow_all(&r, s, needs);
	allow_port(&r, s);
	*nomem = r.nomem;
	rc = (int)syscall(SYS_landlock_restrict_self, r.fd, 0);
	close(r.fd);
	return rc;
}

/* Whose the store is. */
static void find_owner(struct sandbox_calls *c, const char *url)
{
	struct stat st;
	bool there = stat(store_path(url), &st) == 0;

	c->uid = there ? st.st_uid : geteuid();
	c->gid = there ? st.st_gid : getegid();
}

static int enter(
    const struct settings *s, unsigned needs, const char **what, struct err *e)
{
	struct sandbox_calls c = { .needs = needs };
	bool require = s->sandbox == SANDBOX_REQUIRE, nomem = false;
	int files = 0, calls = 0;

	*what = "no_new_privs";
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return require ? -1 : 0;
	files = restrict_files(s, needs, &nomem);
	if (nomem)
		return err_nomem(e);
	*what = "Landlock";
	if (files && require)
		return -1;
	*what = "seccomp";
	if (s->output || s->spool)
		c.needs |= SANDBOX_OUTPUT;
	if (s->store && store_port(s->store) >= 0) {
		c.needs |= SANDBOX_SERVER;
	} else if (s->store) {
		c.needs |= SANDBOX_STORE;
		find_owner(&c, s->store);
	}
	calls = sandbox_calls(&c);
	return calls && require ? -1 : 0;
}

#else

static int enter(
    const struct settings *s, unsigned needs, const char **what, struct err *e)
{
	(void)needs;
	(void)e;
	*what = SANITIZED ? "a build without sanitizers" : "Linux";
	errno = ENOSYS;
	return s->sandbox == SANDBOX_REQUIRE ? -1 : 0;
}

#endif

int sandbox_enter(const struct settings *s, unsigned needs, struct err *e)
{
	struct err why = { 0 };
	const char *what = "";

	if (s->sandbox == SANDBOX_OFF || !enter(s, needs, &what, &why))
		return 0;
	return err_set(e, "--sandbox=require: %s: %s", what,
	    why.text[0] ? why.text : strerror(errno));
}
