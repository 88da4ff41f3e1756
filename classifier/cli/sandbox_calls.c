/*
 * A list of what is allowed: what strace saw of every command, and what other
 * versions of the C library, and musl, call for the same functions. All else
 * is refused. A call that is older than every kernel that is supported fails
 * with EPERM: nobody expects that it does not exist, but each caller bears that
 * it may not. From NEW on, where all machines share their numbers, and for
 * what nobody knows yet, it is ENOSYS, as on the kernel before: a library then
 * uses the older call (clone for clone3).
 *
 * When the filter is installed, the kernel runs it for every call there is, to
 * learn which ones are always allowed; so it is short: numbers in a row that
 * are treated alike are one, and it searches by halves.
 */
#define _GNU_SOURCE /* syscall */
#include "cli/sandbox.h"

#include <errno.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define X32 0x40000000u /* numbers from here on: another interface */
#define NEW 424         /* Linux 5.1 */

/* What the headers of an older kernel may lack; numbers are its interface. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef SYS_futex_wake
#define SYS_futex_wake 454
#define SYS_futex_wait 455
#define SYS_futex_requeue 456
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#define GET_TERMIOS2 \
	0x802c542au   /* TCGETS2, whose struct clashes with another */
#define MADV_HARM 100 /* a page is broken, for the whole machine ... */
#define MADV_OFF 101  /* ... or given up */
/* Namespaces, of which a thread may have its own. */
#define NEW_SPACES 0x7e020080u
#define MODES_OF_OTHERS 07000 /* set-user-id and its like */
/* What says that a file is to be made, as the kernel reads it. */
#define MAKES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))

/* What of it a command does; see enum sandbox_need. */
#define ALWAYS 0
#define THREADS SANDBOX_THREADS
#define CHILD SANDBOX_CHILD
#define OUTPUT SANDBOX_OUTPUT
#define STORE SANDBOX_STORE
#define SERVER SANDBOX_SERVER

/* How a call is allowed, when one of its needs is there. */
enum allow {
	REFUSED,
	ALLOWED,
	READING_ONLY, /* nothing is to be written */
	SELF,         /* the process that comes first */
	SELF_OR_ZERO,
	A_THREAD, /* by the flags that come first */
	OPENING,  /* what it makes is not set-user-id */
	OPENING_AT,
	MODE,      /* nor made so, by the mode that comes second */
	OWNER,     /* the store's, second and third */
	ONE_OF,    /* the second is one of the values */
	FIRST_OF,  /* the first is one */
	NOT_ONE_OF /* the third is none */
};

struct row {
	unsigned number;
	unsigned need; /* one of these, or ALWAYS */
	enum allow how;
	const unsigned *values;
	size_t n_values;
};

#define ROW(name, need)                            \
	{                                          \
		SYS_##name, need, ALLOWED, NULL, 0 \
	}
#define HOW(name, need, how)                   \
	{                                      \
		SYS_##name, need, how, NULL, 0 \
	}
#define OF_NEED(name, need, how, v)                               \
	{                                                         \
		SYS_##name, need, how, v, sizeof(v) / sizeof *(v) \
	}
#define OF(name, how, v) OF_NEED(name, ALWAYS, how, v)

/* Of a descriptor; not who is told of what happens to it. */
static const unsigned fcntls[] = { F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD,
	F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK,
	F_OFD_SETLKW, F_GETPIPE_SZ };
/* What a stream asks a terminal or pipe. */
static const unsigned ioctls[] = { TCGETS, GET_TERMIOS2, TIOCGWINSZ, FIONREAD,
	FIOCLEX, FIONCLEX };
static const unsigned prctls[] = { PR_SET_NAME, PR_GET_NAME, PR_SET_VMA,
	PR_GET_DUMPABLE, PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS };
static const unsigned families[] = { AF_UNIX, AF_INET, AF_INET6 };
static const unsigned advice[] = { MADV_HARM, MADV_OFF };

static const struct row rows[] = {
	/* files: which ones, Landlock says */
	ROW(read, ALWAYS),
	ROW(readv, ALWAYS),
	ROW(pread64, ALWAYS),
	ROW(preadv, ALWAYS),
	ROW(preadv2, ALWAYS),
	ROW(write, ALWAYS),
	ROW(writev, ALWAYS),
	ROW(lseek, ALWAYS),
	ROW(close, ALWAYS),
	HOW(openat, ALWAYS, OPENING_AT),
	HOW(openat2, ALWAYS, READING_ONLY), /* its mode cannot be seen */
	ROW(fstat, ALWAYS),
	ROW(newfstatat, ALWAYS),
	ROW(statx, ALWAYS),
	ROW(statfs, ALWAYS),
	ROW(fstatfs, ALWAYS),
	ROW(faccessat, ALWAYS),
	ROW(faccessat2, ALWAYS),
	ROW(readlinkat, ALWAYS),
	ROW(getdents64, ALWAYS),
	ROW(getcwd, ALWAYS),
	ROW(fadvise64, ALWAYS),
	ROW(dup, ALWAYS),
	ROW(dup3, ALWAYS),
	ROW(pipe2, ALWAYS),
	ROW(ppoll, ALWAYS),
	ROW(pselect6, ALWAYS),
	OF(fcntl, ONE_OF, fcntls),
	OF(ioctl, ONE_OF, ioctls),
	/* memory */
	ROW(brk, ALWAYS),
	ROW(mmap, ALWAYS), /* PCRE2 makes code: it is both written and run */
	ROW(mprotect, ALWAYS),
	ROW(munmap, ALWAYS),
	ROW(mremap, ALWAYS),
	OF(madvise, NOT_ONE_OF, advice),
	/* threads and signals */
	HOW(clone, THREADS, A_THREAD),
	ROW(exit, ALWAYS),
	ROW(exit_group, ALWAYS),
	ROW(futex, ALWAYS),
	ROW(futex_waitv, ALWAYS),
	ROW(futex_wake, ALWAYS),
	ROW(futex_wait, ALWAYS),
	ROW(futex_requeue, ALWAYS),
	ROW(set_robust_list, ALWAYS),
	ROW(set_tid_address, ALWAYS),
	ROW(rseq, ALWAYS),
	ROW(membarrier, ALWAYS),
	ROW(sched_yield, ALWAYS),
	ROW(sched_getaffinity, ALWAYS),
	ROW(sched_getparam, ALWAYS),
	ROW(sched_getscheduler, ALWAYS),
	ROW(getcpu, ALWAYS),
	ROW(rt_sigaction, ALWAYS),
	ROW(rt_sigprocmask, ALWAYS),
	ROW(rt_sigreturn, ALWAYS),
	ROW(rt_sigpending, ALWAYS),
	ROW(rt_sigtimedwait, ALWAYS),
	ROW(rt_sigsuspend, ALWAYS),
	ROW(sigaltstack, ALWAYS),
	ROW(restart_syscall, ALWAYS),
	HOW(kill, ALWAYS, SELF),
	HOW(tkill, ALWAYS, SELF), /* musl's raise, of the first thread */
	HOW(tgkill, ALWAYS, SELF),
	ROW(wait4, CHILD),
	ROW(waitid, CHILD),
	/* what it is, when and where */
	ROW(getpid, ALWAYS),
	ROW(getppid, ALWAYS),
	ROW(gettid, ALWAYS),
	ROW(getuid, ALWAYS),
	ROW(geteuid, ALWAYS),
	ROW(getgid, ALWAYS),
	ROW(getegid, ALWAYS),
	HOW(prlimit64, ALWAYS, SELF_OR_ZERO),
	ROW(getrusage, ALWAYS),
	ROW(times, ALWAYS),
	ROW(sysinfo, ALWAYS),
	ROW(uname, ALWAYS),
	ROW(umask, ALWAYS),
	ROW(getrandom, ALWAYS),
	ROW(clock_gettime, ALWAYS),
	ROW(clock_getres, ALWAYS),
	ROW(clock_nanosleep, ALWAYS),
	ROW(nanosleep, ALWAYS),
	ROW(gettimeofday, ALWAYS),
	OF(prctl, FIRST_OF, prctls),
	/* what it writes; its names are Landlock's */
	ROW(fsync, OUTPUT | STORE),
	ROW(fdatasync, OUTPUT | STORE),
	ROW(ftruncate, OUTPUT | STORE),
	ROW(unlinkat, OUTPUT | STORE),
	HOW(fchmod, OUTPUT | STORE, MODE),
	ROW(renameat, OUTPUT),
#ifdef SYS_renameat2
	ROW(renameat2, OUTPUT),
#endif
	HOW(fchown, STORE, OWNER),
	ROW(pwrite64, STORE),
	ROW(pwritev, STORE),
	ROW(fallocate, STORE),
	ROW(msync, STORE),
	/* a store's server; which port, Landlock says */
	OF_NEED(socket, SERVER, FIRST_OF, families),
	ROW(connect, SERVER),
	ROW(sendto, SERVER),
	ROW(sendmsg, SERVER),
	ROW(sendmmsg, SERVER),
	ROW(recvfrom, SERVER),
	ROW(recvmsg, SERVER),
	ROW(getsockopt, SERVER),
	ROW(setsockopt, SERVER),
	ROW(getsockname, SERVER),
	ROW(getpeername, SERVER),
#ifdef __x86_64__ /* what newer machines never had */
	HOW(open, ALWAYS, OPENING),
	ROW(stat, ALWAYS),
	ROW(lstat, ALWAYS),
	ROW(access, ALWAYS),
	ROW(readlink, ALWAYS),
	ROW(getdents, ALWAYS),
	ROW(dup2, ALWAYS),
	ROW(pipe, ALWAYS),
	ROW(poll, ALWAYS),
	ROW(select, ALWAYS),
	ROW(time, ALWAYS),
	ROW(getrlimit, ALWAYS),
	ROW(arch_prctl, ALWAYS),
	ROW(unlink, OUTPUT | STORE),
	ROW(rename, OUTPUT),
	/* a profiler's own: the kernel jumps to them */
	{ 335, ALWAYS, ALLOWED, NULL, 0 },
	{ 336, ALWAYS, ALLOWED, NULL, 0 },
#endif
};
#define N_ROWS (sizeof rows / sizeof *rows)

/* From this number to the next span's, all are treated alike. */
struct span_of_calls {
	unsigned from;
	const struct row *row; /* NULL: refused */
};

#define SPANS_MAX (2 * N_ROWS + 3)
#define FILTER_MAX (3 * SPANS_MAX)
#define NEAR 200 /* instructions; a jump reaches 255 */

/* An end, where it was put last. */
enum { ALLOW, DENY, UNKNOWN, NO_TERMINAL, ENDS };

/* Written from its end to its start: jumps go forward only, to what then has a
 * place, and all near by share the ends. */
struct filter {
	struct sock_filter v[FILTER_MAX];
	unsigned at; /* of the first instruction */
	unsigned ends[ENDS];
	const struct sandbox_calls *for_whom;
	unsigned self; /* the process */
	bool far; /* a jump was longer than there are, or there is no room */
};

/* Put an instruction first; these return its place. */
static unsigned put(struct filter *f, struct sock_filter instruction)
{
	f->far |= f->at == 0;
	f->at -= f->at > 0;
	f->v[f->at] = instruction;
	return f->at;
}

static unsigned load(struct filter *f, size_t at)
{
	return put(f,
	    (struct sock_filter){
		BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)at });
}

/* To the one place where the comparison holds, to the other where not. */
static unsigned jump(
    struct filter *f, unsigned how, unsigned k, unsigned yes, unsigned no)
{
	yes -= f->at;
	no -= f->at;
	f->far |= yes > 255 || no > 255;
	return put(f,
	    (struct sock_filter){ (unsigned short)(BPF_JMP | how | BPF_K),
		(unsigned char)yes, (unsigned char)no, k });
}

/* The low half of an argument; both machines have it first, and the kernel
 * takes no more of those that are looked at. */
static unsigned load_argument(struct filter *f, unsigned i)
{
	return load(f, offsetof(struct seccomp_data, args) + 8 * i);
}

static void put_ends(struct filter *f)
{
	static const unsigned what[ENDS] = {
		[ALLOW] = SECCOMP_RET_ALLOW,
		[DENY] = SECCOMP_RET_ERRNO | EPERM,
		[UNKNOWN] = SECCOMP_RET_ERRNO | ENOSYS,
		/* so that a library takes a file for no terminal */
		[NO_TERMINAL] = SECCOMP_RET_ERRNO | ENOTTY,
	};

	for (size_t i = 0; i < ENDS; i++)
		f->ends[i] = put(
		    f, (struct sock_filter){ BPF_RET | BPF_K, 0, 0, what[i] });
}

/* Whether what is loaded is one of the values. */
static unsigned one_of(
    struct filter *f, const struct row *r, unsigned yes, unsigned no)
{
	for (size_t i = 0; i < r->n_values; i++)
		no = jump(f, BPF_JEQ, r->values[i], yes, no);
	return no;
}

/* Files may be opened, but not made with a mode that lends rights. */
static unsigned opening(
    struct filter *f, unsigned flags, unsigned allow, unsigned deny)
{
	unsigned mode;

	jump(f, BPF_JSET, MODES_OF_OTHERS, deny, allow);
	mode = load_argument(f, flags + 1);
	jump(f, BPF_JSET, MAKES, mode, allow);
	return load_argument(f, flags);
}

static unsigned owner(struct filter *f, unsigned allow, unsigned deny)
{
	unsigned group;

	jump(f, BPF_JEQ, f->for_whom->gid, allow, deny);
	group = load_argument(f, 2);
	jump(f, BPF_JEQ, f->for_whom->uid, group, deny);
	return load_argument(f, 1);
}

/* The place of what is done with such a call. */
static unsigned judge(struct filter *f, const struct row *r, unsigned deny)
{
	unsigned allow = f->ends[ALLOW], self = f->self;

	switch (r->how) {
	case REFUSED:
		return deny;
	case READING_ONLY:
	case ALLOWED:
		return allow;
	case SELF:
		jump(f, BPF_JEQ, self, allow, deny);
		return load_argument(f, 0);
	case SELF_OR_ZERO:
		jump(f, BPF_JEQ, 0, allow, jump(f, BPF_JEQ, self, allow, deny));
		return load_argument(f, 0);
	case A_THREAD:
		jump(f, BPF_JSET, NEW_SPACES, deny,
		    jump(f, BPF_JSET, CLONE_THREAD, allow, deny));
		return load_argument(f, 0);
	case OPENING:
		return opening(f, 1, allow, deny);
	case OPENING_AT:
		return opening(f, 2, allow, deny);
	case MODE:
		jump(f, BPF_JSET, MODES_OF_OTHERS, deny, allow);
		return load_argument(f, 1);
	case OWNER:
		return owner(f, allow, deny);
	case ONE_OF:
		one_of(f, r, allow,
		    r->number == SYS_ioctl ? f->ends[NO_TERMINAL] : deny);
		return load_argument(f, 1);
	case FIRST_OF:
		one_of(f, r, allow, deny);
		return load_argument(f, 0);
	case NOT_ONE_OF:
		one_of(f, r, deny, allow);
		return load_argument(f, 2);
	}
	return deny;
}

/* The tree over some spans; the number of the call is loaded. */
static unsigned tree(struct filter *f, const struct span_of_calls *v, size_t n)
{
	size_t half = n / 2;
	unsigned above, below;

	if (n == 1) {
		unsigned deny = v->from < NEW ? DENY : UNKNOWN;

		if (f->ends[ALLOW] - f->at > NEAR)
			put_ends(f);
		return v->row ? judge(f, v->row, f->ends[deny]) : f->ends[deny];
	}
	above = tree(f, v + half, n - half);
	below = tree(f, v, half);
	return jump(f, BPF_JGE, v[half].from, above, below);
}

static int by_number(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;

	return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

/* Whether the call is of use to who asks. */
static bool needed(const struct row *r, unsigned needs)
{
	if (r->how == READING_ONLY)
		return !(needs & (OUTPUT | STORE));
	return r->need == ALWAYS || (r->need & needs);
}

/* One more span, unless the last goes on. */
static size_t add_span(
    struct span_of_calls *v, size_t n, struct span_of_calls span)
{
	const struct row *last = n ? v[n - 1].row : NULL;

	if (span.row && last && span.row->how == ALLOWED &&
	    last->how == ALLOWED)
		return n;
	v[n++] = span;
	return n;
}

/* The rows that are needed, sorted, and what lies between them. */
static size_t make_spans(struct span_of_calls *spans, unsigned needs)
{
	const struct row *sorted[N_ROWS];
	size_t n_sorted = 0, n = 0;
	unsigned next = 0; /* after the last row */

	for (size_t i = 0; i < N_ROWS; i++)
		if (needed(&rows[i], needs))
			sorted[n_sorted++] = &rows[i];
	qsort(sorted, n_sorted, sizeof *sorted, by_number);
	for (size_t i = 0; i <= n_sorted; i++) {
		unsigned to = i < n_sorted ? sorted[i]->number : X32;

		if (next < to)
			n = add_span(
			    spans, n, (struct span_of_calls){ next, NULL });
		if (next < NEW && to > NEW)
			n = add_span(
			    spans, n, (struct span_of_calls){ NEW, NULL });
		if (i < n_sorted)
			n = add_span(
			    spans, n, (struct span_of_calls){ to, sorted[i] });
		next = to + 1;
	}
	return n;
}

int sandbox_calls(const struct sandbox_calls *c)
{
	struct filter f = {
		.at = FILTER_MAX, .for_whom = c, .self = (unsigned)getpid()
	};
	struct span_of_calls spans[SPANS_MAX];
	struct sock_fprog program;
	size_t n = make_spans(spans, c->needs);

	put_ends(&f);
	tree(&f, spans, n);
	put_ends(&f);
	jump(&f, BPF_JGE, X32, f.ends[UNKNOWN], f.at + ENDS);
	load(&f, offsetof(struct seccomp_data, nr));
	jump(&f, BPF_JEQ, ARCHITECTURE, f.at, f.ends[UNKNOWN]);
	load(&f, offsetof(struct seccomp_data, arch));
	program.filter = f.v + f.at;
	program.len = (unsigned short)(FILTER_MAX - f.at);
	if (f.far) {
		errno = E2BIG;
		return -1;
	}
	/* SPEC_ALLOW: else older kernels make the whole process slower */
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}

#else

int sandbox_calls(const struct sandbox_calls *c)
{
	(void)c;
	errno = ENOSYS;
	return -1;
}

#endif
