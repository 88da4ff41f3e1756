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
#define FILTER_MAX (2 * SPANS_MAX)

/* Written from its end to its start: jumps go forward only, to what then has a
 * place, and all share the ends. */
struct filter {
	struct sock_filter v[FILTER_MAX];
	unsigned at; /* of the first instruction */
	unsigned allow, deny, not_known;
	bool writes;
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

static unsigned end(struct filter *f, unsigned action)
{
	return put(f, (struct sock_filter){ BPF_RET | BPF_K, 0, 0, action });
}

static unsigned end_error(struct filter *f, int number)
{
	return end(
	    f, SECCOMP_RET_ERRNO | ((unsigned)number & SECCOMP_RET_DATA));
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

/* The low half of an argument; both machines have it first. */
static unsigned load_argument(struct filter *f, unsigned i)
{
	return load(f, offsetof(struct seccomp_data, args) + 8 * i);
}

/* The place of what is done with such a call. */
static unsigned judge(struct filter *f, enum forbid how)
{
	switch (how) {
	case ALLOW:
		return f->allow;
	case NEVER:
		return f->deny;
	case NEVER_HERE:
		return f->writes ? f->allow : f->deny;
	case NOT_KNOWN:
		return f->not_known;
	case THREADS_ONLY:
		jump(f, BPF_JSET, CLONE_THREAD, f->allow, f->deny);
		return load_argument(f, 0);
	case SELF_OR_ZERO:
		jump(f, BPF_JEQ, 0, f->allow,
		    jump(f, BPF_JEQ, (unsigned)getpid(), f->allow, f->deny));
		return load_argument(f, 0);
	case SELF_ONLY:
		jump(f, BPF_JEQ, (unsigned)getpid(), f->allow, f->deny);
		return load_argument(f, 0);
	case NO_TYPING:
		jump(f, BPF_JEQ, TIOCSTI, f->deny,
		    jump(f, BPF_JEQ, TIOCLINUX, f->deny, f->allow));
		return load_argument(f, 1);
	}
	return f->deny;
}

/* The tree over some spans; the number of the call is loaded. */
static unsigned tree(struct filter *f, const struct row *v, size_t n)
{
	size_t half = n / 2;
	unsigned above, below;

	if (n == 1)
		return judge(f, v->how);
	above = tree(f, v + half, n - half);
	below = tree(f, v, half);
	return jump(f, BPF_JGE, v[half].number, above, below);
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
	struct filter f;
	struct row spans[SPANS_MAX];
	struct sock_fprog program;
	size_t n = make_spans(spans);

	f.at = FILTER_MAX;
	f.writes = writes;
	f.far = false;
	f.allow = end(&f, SECCOMP_RET_ALLOW);
	f.not_known = end_error(&f, ENOSYS);
	f.deny = end_error(&f, EPERM);
	tree(&f, spans, n);
	jump(&f, BPF_JGE, X32, f.deny, f.at);
	load(&f, offsetof(struct seccomp_data, nr));
	jump(&f, BPF_JEQ, ARCHITECTURE, f.at, f.deny);
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

int sandbox_calls(bool writes)
{
	(void)writes;
	errno = ENOSYS;
	return -1;
}

#endif
