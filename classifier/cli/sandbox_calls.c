/*
 * A list of what is forbidden, not of what is allowed: libraries that are
 * loaded on demand, and other versions of the C library, may need a call that
 * nobody thought of. What is forbidden fails with EPERM, so that a library
 * that tries goes on without. When the filter is installed, the kernel runs it
 * for every call there is, to learn which ones are always allowed; so it is
 * short: numbers in a row that are treated alike are one, and it searches by
 * halves.
 */
#define _GNU_SOURCE /* syscall */
#include "cli/sandbox.h"

#include <errno.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define X32 0x40000000u /* numbers from here on: another interface */

/* How a call is forbidden. */
enum forbid {
	ALLOW,
	NEVER,
	NEVER_HERE,   /* unless files are written that others are to use */
	NOT_KNOWN,    /* the C library then uses the older call */
	THREADS_ONLY, /* by the flags that come first */
	SELF_ONLY,    /* by the process that comes first */
	SELF_OR_ZERO,
	NO_TYPING /* an ioctl that types into a terminal */
};

struct row {
	unsigned number;
	enum forbid how;
};

#define ROW(name, how)          \
	{                       \
		SYS_##name, how \
	}

static const struct row rows[] = {
	/* network, also over what was inherited */
	ROW(socket, NEVER),
	ROW(socketpair, NEVER),
	ROW(connect, NEVER),
	ROW(bind, NEVER),
	ROW(listen, NEVER),
	ROW(accept, NEVER),
	ROW(accept4, NEVER),
	ROW(sendto, NEVER),
	ROW(sendmsg, NEVER),
	ROW(sendmmsg, NEVER),
	ROW(recvmsg, NEVER),
	ROW(recvfrom, NEVER),
	ROW(recvmmsg, NEVER),
	ROW(shutdown, NEVER),
	ROW(getsockname, NEVER),
	ROW(getpeername, NEVER),
	ROW(setsockopt, NEVER),
	ROW(getsockopt, NEVER),
	/* other programs and processes */
	ROW(execve, NEVER),
	ROW(execveat, NEVER),
	ROW(clone, THREADS_ONLY),
	ROW(clone3, NOT_KNOWN),
	ROW(ptrace, NEVER),
	ROW(process_vm_readv, NEVER),
	ROW(process_vm_writev, NEVER),
	ROW(process_madvise, NEVER),
	ROW(kcmp, NEVER),
	ROW(pidfd_open, NEVER),
	ROW(pidfd_getfd, NEVER),
	ROW(pidfd_send_signal, NEVER),
	ROW(kill, SELF_ONLY),
	ROW(tkill, NEVER),
	ROW(tgkill, SELF_ONLY),
	ROW(rt_sigqueueinfo, NEVER),
	ROW(rt_tgsigqueueinfo, NEVER),
	ROW(prlimit64, SELF_OR_ZERO),
	ROW(setpriority, NEVER),
	ROW(ioctl, NO_TYPING),
	/* what of a file Landlock does not watch */
	ROW(truncate, NEVER),
	ROW(fchmod, NEVER_HERE),
	ROW(fchmodat, NEVER),
	ROW(fchown, NEVER_HERE),
	ROW(fchownat, NEVER),
	ROW(utimensat, NEVER),
	ROW(setxattr, NEVER),
	ROW(lsetxattr, NEVER),
	ROW(fsetxattr, NEVER),
	ROW(removexattr, NEVER),
	ROW(lremovexattr, NEVER),
	ROW(fremovexattr, NEVER),
	ROW(name_to_handle_at, NEVER),
	ROW(open_by_handle_at, NEVER),
	ROW(memfd_create, NEVER),
	/* the machine */
	ROW(mount, NEVER),
	ROW(umount2, NEVER),
	ROW(pivot_root, NEVER),
	ROW(chroot, NEVER),
	ROW(move_mount, NEVER),
	ROW(open_tree, NEVER),
	ROW(fsopen, NEVER),
	ROW(fsconfig, NEVER),
	ROW(fsmount, NEVER),
	ROW(fspick, NEVER),
	ROW(unshare, NEVER),
	ROW(setns, NEVER),
	ROW(bpf, NEVER),
	ROW(perf_event_open, NEVER),
	ROW(userfaultfd, NEVER),
	ROW(io_uring_setup, NEVER),
	ROW(io_uring_enter, NEVER),
	ROW(io_uring_register, NEVER),
	ROW(keyctl, NEVER),
	ROW(add_key, NEVER),
	ROW(request_key, NEVER),
	ROW(init_module, NEVER),
	ROW(finit_module, NEVER),
	ROW(delete_module, NEVER),
	ROW(kexec_load, NEVER),
	ROW(reboot, NEVER),
	ROW(swapon, NEVER),
	ROW(swapoff, NEVER),
	ROW(acct, NEVER),
	ROW(syslog, NEVER),
	ROW(quotactl, NEVER),
	ROW(settimeofday, NEVER),
	ROW(clock_settime, NEVER),
	ROW(adjtimex, NEVER),
	ROW(clock_adjtime, NEVER),
	ROW(sethostname, NEVER),
	ROW(setdomainname, NEVER),
	ROW(personality, NEVER),
	ROW(vhangup, NEVER),
#ifdef __x86_64__ /* calls that newer machines never had */
	ROW(fork, NEVER),
	ROW(vfork, NEVER),
	ROW(chmod, NEVER),
	ROW(chown, NEVER),
	ROW(lchown, NEVER),
	ROW(utime, NEVER),
	ROW(utimes, NEVER),
	ROW(futimesat, NEVER),
	ROW(kexec_file_load, NEVER),
	ROW(iopl, NEVER),
	ROW(ioperm, NEVER),
	ROW(modify_ldt, NEVER),
#endif
};
#define N_ROWS (sizeof rows / sizeof *rows)

/* From this number to the next span's, all are treated alike. */
#define SPANS_MAX (2 * N_ROWS + 1)
#define FILTER_MAX (8 * SPANS_MAX)

struct filter {
	struct sock_filter v[FILTER_MAX];
	unsigned short n;
	bool writes;
	bool far; /* a jump was longer than there are */
};

static void add(struct filter *f, unsigned code, unsigned k)
{
	f->v[f->n++] = (struct sock_filter){ (unsigned short)code, 0, 0, k };
}

/* A jump over so many: where the comparison holds, and where not. */
static void jump(
    struct filter *f, unsigned how, unsigned k, unsigned yes, unsigned no)
{
	f->v[f->n++] =
	    (struct sock_filter){ (unsigned short)(BPF_JMP | how | BPF_K),
		    (unsigned char)yes, (unsigned char)no, k };
}

static void load(struct filter *f, size_t at)
{
	add(f, BPF_LD | BPF_W | BPF_ABS, (unsigned)at);
}

static void allow(struct filter *f)
{
	add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

static void deny(struct filter *f, int number)
{
	add(f, BPF_RET | BPF_K,
	    SECCOMP_RET_ERRNO | ((unsigned)number & SECCOMP_RET_DATA));
}

/* The low half of an argument; both machines have it first. */
static void load_argument(struct filter *f, unsigned i)
{
	load(f, offsetof(struct seccomp_data, args) + 8 * i);
}

/* What to do with such a call. */
static void judge(struct filter *f, enum forbid how)
{
	switch (how) {
	case ALLOW:
		allow(f);
		return;
	case NEVER_HERE:
		if (f->writes) {
			allow(f);
			return;
		}
		break;
	case NOT_KNOWN:
		deny(f, ENOSYS);
		return;
	case THREADS_ONLY:
		load_argument(f, 0);
		jump(f, BPF_JSET, CLONE_THREAD, 0, 1);
		allow(f);
		break;
	case SELF_OR_ZERO:
		load_argument(f, 0);
		jump(f, BPF_JEQ, 0, 1, 0);
		jump(f, BPF_JEQ, (unsigned)getpid(), 0, 1);
		allow(f);
		break;
	case SELF_ONLY:
		load_argument(f, 0);
		jump(f, BPF_JEQ, (unsigned)getpid(), 0, 1);
		allow(f);
		break;
	case NO_TYPING:
		load_argument(f, 1);
		jump(f, BPF_JEQ, TIOCSTI, 2, 0);
		jump(f, BPF_JEQ, TIOCLINUX, 1, 0);
		allow(f);
		break;
	case NEVER:
		break;
	}
	deny(f, EPERM);
}

/* The tree over some spans; the number of the call is loaded. */
static void tree(struct filter *f, const struct row *v, size_t n)
{
	size_t half = n / 2, below;
	unsigned short at = f->n;

	if (n == 1) {
		judge(f, v->how);
		return;
	}
	jump(f, BPF_JGE, v[half].number, 0, 0);
	tree(f, v, half);
	below = f->n - at - 1u;
	f->far |= below > 255;
	f->v[at].jt = (unsigned char)below;
	tree(f, v + half, n - half);
}

static int by_number(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* The rows, sorted, and what lies between them. */
static size_t make_spans(struct row *spans)
{
	struct row sorted[N_ROWS];
	unsigned next = 0; /* after the last row */
	size_t n = 0;

	memcpy(sorted, rows, sizeof rows);
	qsort(sorted, N_ROWS, sizeof *sorted, by_number);
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct row *r = &sorted[i];

		if (r->number > next)
			spans[n++] = (struct row){ next, ALLOW };
		if (!n || r->how != NEVER || spans[n - 1].how != NEVER)
			spans[n++] = *r;
		next = r->number + 1;
	}
	spans[n++] = (struct row){ next, ALLOW };
	return n;
}

int sandbox_calls(bool writes)
{
	struct filter f = { .writes = writes };
	struct row spans[SPANS_MAX] = { { 0, ALLOW } };
	struct sock_fprog program = { .filter = f.v };

	load(&f, offsetof(struct seccomp_data, arch));
	jump(&f, BPF_JEQ, ARCHITECTURE, 1, 0);
	deny(&f, EPERM);
	load(&f, offsetof(struct seccomp_data, nr));
	jump(&f, BPF_JGE, X32, 0, 1);
	deny(&f, EPERM);
	tree(&f, spans, make_spans(spans));
	program.len = f.n;
	if (f.far) {
		errno = E2BIG;
		return -1;
	}
	/* SPEC_ALLOW: else older kernels make the whole process slower */
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}

#else

int sandbox_calls(bool writes)
{
	(void)writes;
	errno = ENOSYS;
	return -1;
}

#endif
