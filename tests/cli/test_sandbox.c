/*
 * Breaking out: a child enters the sandbox and tries what an attacker who had
 * taken the program over would act; each must fail as designed. And what the
 * program needs must still work.
 */
#define _GNU_SOURCE /* clone, O_PATH, process_vm_readv */
#include "tests/test.h"

#include "base/err.h"
#include "cli/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <unistd.h>

static char top[] = "/tmp/jobtriage-sandbox.XXXXXX";

/* ---- the place: top/logs is read, top/out is written, top/other is not ----
 */

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make_place(void **state)
{
	(void)state;
	if (!mkdtemp(top) || chdir(top) || mkdir("logs", 0755) ||
	    mkdir("logs/deep", 0755) || mkdir("out", 0755) ||
	    mkdir("other", 0755) || mkdir("linked", 0755))
		return -1;
	put("logs/a.log", "a");
	put("logs/deep/b.log", "b");
	put("out/old", "old");
	put("other/secret", "secret");
	put("linked/c.log", "c");
	put("single.log", "s");
	return symlink("../linked", "logs/link") ||
		symlink("../../single.log", "logs/deep/link.log")
	    ? -1
	    : 0;
}

static int remove_place(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", top);
	return chdir("/") || system(command);
}

static int can_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int can_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0644);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* ---- what is tried: 0 it worked, else the errno ---- */

static int tried(long rc)
{
	return rc < 0 ? errno : 0;
}

static int read_passwords(void)
{
	return can_read("/etc/passwd");
}

static int read_other(void)
{
	return can_read("other/secret");
}

static int read_up(void)
{
	return can_read("logs/../other/secret");
}

static int read_memory(void)
{
	return can_read("/proc/self/mem");
}

static int list_root(void)
{
	return can_read("/");
}

static int write_input(void)
{
	return can_write("logs/a.log");
}

static int write_beside(void)
{
	return can_write("other/new");
}

static int write_home(void)
{
	return can_write("new");
}

static int cut_input(void)
{
	return tried(truncate("logs/a.log", 0));
}

static int delete_input(void)
{
	return tried(unlink("logs/a.log"));
}

static int move_input(void)
{
	return tried(rename("logs/a.log", "out/a.log"));
}

static int link_secret(void)
{
	return tried(link("other/secret", "out/secret"));
}

/* A link in a folder that may be written, to one that may not be read. */
static int make_link(void)
{
	return tried(symlink("../other/secret", "out/link"));
}

static int make_folder(void)
{
	return tried(mkdir("out/folder", 0755));
}

static int make_pipe_file(void)
{
	return tried(mkfifo("out/fifo", 0644));
}

static int change_mode(void)
{
	return tried(chmod("logs/a.log", 0));
}

static int change_owner(void)
{
	return tried(chown("logs/a.log", 0, 0));
}

static int change_times(void)
{
	return tried(utimensat(AT_FDCWD, "logs/a.log", NULL, 0));
}

static int change_open(void)
{
	int fd = open("logs/a.log", O_RDONLY);

	return fd < 0 ? -1 : tried(fchmod(fd, 0));
}

static int inet(void)
{
	return tried(socket(AF_INET, SOCK_STREAM, 0));
}

static int datagram(void)
{
	return tried(socket(AF_INET, SOCK_DGRAM, 0));
}

static int local(void)
{
	return tried(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int pair(void)
{
	int both[2];

	return tried(socketpair(AF_UNIX, SOCK_STREAM, 0, both));
}

static int run_shell(void)
{
	return tried(execl("/bin/sh", "sh", "-c", "exit 0", (char *)NULL));
}

static int run_memory(void)
{
	return tried(syscall(SYS_memfd_create, "x", 0));
}

static int new_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return tried(pid);
}

/* As fork does it, but not through the C library. */
static int raw_clone(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return tried(pid);
}

static int trace_parent(void)
{
	return tried(ptrace(PTRACE_ATTACH, getppid(), 0, 0));
}

static int be_traced(void)
{
	return tried(ptrace(PTRACE_TRACEME, 0, 0, 0));
}

static int kill_parent(void)
{
	return tried(kill(getppid(), 0));
}

static int kill_all(void)
{
	return tried(kill(-1, 0));
}

static int read_parent(void)
{
	char c;
	struct iovec mine = { &c, 1 }, theirs = { &c, 1 };

	return tried(syscall(
	    SYS_process_vm_readv, getppid(), &mine, 1UL, &theirs, 1UL, 0UL));
}

static int type_into_terminal(void)
{
	return tried(ioctl(STDIN_FILENO, TIOCSTI, "x"));
}

static int ring(void)
{
	return tried(syscall(SYS_io_uring_setup, 1, NULL));
}

static int new_namespace(void)
{
	return tried(unshare(CLONE_NEWUSER));
}

static int trap(void)
{
	return tried(syscall(SYS_bpf, 0, NULL, 0));
}

static int mode_by_number(void)
{
	return tried(syscall(452, AT_FDCWD, "other/secret", 0777, 0));
}

static int attribute_by_number(void)
{
	struct {
		const char *value;
		unsigned size, flags;
	} a = { "x", 1, 0 };

	return tried(
	    syscall(463, AT_FDCWD, "other/secret", 0, "user.x", &a, sizeof a));
}

static int file_attributes(void)
{
	uint64_t a[3] = { 0 };

	return tried(syscall(469, AT_FDCWD, "other/secret", a, sizeof a, 0));
}

static int mount_attributes(void)
{
	uint64_t a[4] = { 1, 0, 0, 0 };

	return tried(syscall(442, AT_FDCWD, "/proc", 0, a, sizeof a));
}

static int tree_with_attributes(void)
{
	uint64_t a[4] = { 1, 0, 0, 0 };

	return tried(syscall(467, AT_FDCWD, "/", 1, a, sizeof a));
}

/* Of a descriptor that may be read: it cannot be changed or removed then. */
static int never_to_change(void)
{
	int fd = open("logs/a.log", O_RDONLY), flags = FS_IMMUTABLE_FL;

	return fd < 0 ? -1 : tried(ioctl(fd, FS_IOC_SETFLAGS, &flags));
}

static int processors_of_parent(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	return tried(sched_setaffinity(getppid(), sizeof set, &set));
}

static int turn_of_parent(void)
{
	struct sched_param p = { 0 };

	return tried(sched_setscheduler(getppid(), SCHED_IDLE, &p));
}

static int disk_of_parent(void)
{
	return tried(syscall(SYS_ioprio_set, 1, getppid(), 3 << 13));
}

static int pages_of_parent(void)
{
	return tried(
	    syscall(SYS_move_pages, getppid(), 0, NULL, NULL, NULL, 0));
}

/* A signal of one's choice, when a pipe can be read. */
static int signal_by_pipe(void)
{
	int ends[2];

	return pipe(ends) ? -1 : tried(fcntl(ends[0], F_SETOWN, getppid()));
}

static int shared_memory(void)
{
	return tried(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
}

static int attach_memory(void)
{
	return tried(shmat(0, NULL, 0) == (void *)-1 ? -1 : 0);
}

static int message_queue(void)
{
	return tried(syscall(SYS_msgget, IPC_PRIVATE, IPC_CREAT | 0600));
}

static int watch_all(void)
{
	return tried(syscall(SYS_fanotify_init, 0, 0));
}

static int watch_files(void)
{
	return tried(syscall(SYS_inotify_init1, 0));
}

static int other_user(void)
{
	return tried(syscall(SYS_setuid, 0));
}

static int bad_page(void)
{
	static char page[8192];
	char *p = page + 4096 - (uintptr_t)page % 4096;

	return tried(madvise(p, 4096, 100 /* MADV_HWPOISON */));
}

static int space_of_a_thread(void)
{
	return tried(syscall(SYS_clone,
	    CLONE_THREAD | CLONE_SIGHAND | CLONE_VM | CLONE_NEWNET, NULL, NULL,
	    NULL, NULL));
}

static int set_user_id(void)
{
	int fd = open("out/suid", O_CREAT | O_WRONLY, 04755);

	return tried(fd);
}

static int set_user_id_later(void)
{
	int fd = open("out/plain", O_CREAT | O_WRONLY, 0755);

	/* without an output or store it cannot even be made */
	return fd < 0 ? errno : tried(fchmod(fd, 04755));
}

static int set_user_id_unseen(void)
{
	uint64_t how[3] = { O_CREAT | O_WRONLY, 04755, 0 };

	return tried(syscall(
	    437 /* openat2 */, AT_FDCWD, "out/unseen", how, sizeof how));
}

#ifdef __x86_64__
/* The 32-bit door of the same kernel. */
static int old_door(void)
{
	long rc;

	__asm__ volatile("int $0x80" : "=a"(rc) : "a"(20L) : "memory");
	return rc < 0 ? (int)-rc : 0;
}

static int other_interface(void)
{
	return tried(syscall(0x40000000L + SYS_getppid));
}
#endif

static const struct {
	const char *name;
	int (*act)(void);
	int want, also; /* errno */
} forbidden[] = {
	{ "read /etc/passwd", read_passwords, EACCES, 0 },
	{ "read another folder", read_other, EACCES, 0 },
	{ "read over ..", read_up, EACCES, 0 },
	{ "read /proc/self/mem", read_memory, EACCES, 0 },
	{ "list /", list_root, EACCES, 0 },
	{ "write an input", write_input, EACCES, 0 },
	{ "write another folder", write_beside, EACCES, 0 },
	{ "write the current folder", write_home, EACCES, 0 },
	{ "cut an input", cut_input, EPERM, EACCES },
	{ "delete an input", delete_input, EPERM, EACCES },
	{ "move an input", move_input, EPERM, EACCES },
	{ "hard link to a secret", link_secret, EPERM, EACCES },
	{ "make a symbolic link", make_link, EPERM, EACCES },
	{ "make a folder", make_folder, EPERM, EACCES },
	{ "make a named pipe", make_pipe_file, EPERM, EACCES },
	{ "change a mode", change_mode, EPERM, 0 },
	{ "change an owner", change_owner, EPERM, 0 },
	{ "change times", change_times, EPERM, 0 },
	{ "change the mode of an open input", change_open, EPERM, 0 },
	{ "a TCP socket", inet, EPERM, 0 },
	{ "a UDP socket", datagram, EPERM, 0 },
	{ "a local socket", local, EPERM, 0 },
	{ "a pair of sockets", pair, EPERM, 0 },
	{ "run a shell", run_shell, EPERM, EACCES },
	{ "a program in memory", run_memory, EPERM, 0 },
	{ "fork", new_process, EPERM, 0 },
	{ "clone", raw_clone, EPERM, 0 },
	{ "trace the parent", trace_parent, EPERM, 0 },
	{ "be traced", be_traced, EPERM, 0 },
	{ "signal the parent", kill_parent, EPERM, 0 },
	{ "signal everybody", kill_all, EPERM, 0 },
	{ "read the parent's memory", read_parent, EPERM, 0 },
	{ "type into the terminal", type_into_terminal, ENOTTY, 0 },
	{ "an io_uring", ring, ENOSYS, 0 },
	{ "a namespace", new_namespace, EPERM, 0 },
	{ "bpf", trap, EPERM, 0 },
	{ "fchmodat2", mode_by_number, ENOSYS, 0 },
	{ "setxattrat", attribute_by_number, ENOSYS, 0 },
	{ "file_setattr", file_attributes, ENOSYS, 0 },
	{ "mount_setattr", mount_attributes, ENOSYS, 0 },
	{ "open_tree_attr", tree_with_attributes, ENOSYS, 0 },
	{ "make an input immutable", never_to_change, ENOTTY, 0 },
	{ "processors of the parent", processors_of_parent, EPERM, 0 },
	{ "scheduling of the parent", turn_of_parent, EPERM, 0 },
	{ "disk priority of the parent", disk_of_parent, EPERM, 0 },
	{ "pages of the parent", pages_of_parent, EPERM, 0 },
	{ "a signal by a pipe", signal_by_pipe, EPERM, 0 },
	{ "make shared memory", shared_memory, EPERM, 0 },
	{ "attach shared memory", attach_memory, EPERM, 0 },
	{ "a message queue", message_queue, EPERM, 0 },
	{ "watch the file system", watch_all, EPERM, 0 },
	{ "watch files", watch_files, EPERM, 0 },
	{ "become another user", other_user, EPERM, 0 },
	{ "break a page of memory", bad_page, EPERM, 0 },
	{ "a thread in a namespace", space_of_a_thread, EPERM, 0 },
	{ "make a set-user-id file", set_user_id, EPERM, 0 },
	{ "turn a file set-user-id", set_user_id_later, EPERM, EACCES },
	{ "make one unseen", set_user_id_unseen, ENOSYS, EACCES },
#ifdef __x86_64__
	{ "the 32-bit interface", old_door, ENOSYS, 0 },
	{ "the x32 interface", other_interface, ENOSYS, 0 },
#endif
};

/* ---- what must work ---- */

static int read_input(void)
{
	return can_read("logs/a.log");
}

static int list_input(void)
{
	return can_read("logs/deep");
}

static int read_linked(void)
{
	return can_read("logs/link/c.log");
}

static int read_linked_file(void)
{
	return can_read("logs/deep/link.log");
}

static int write_output(void)
{
	int rc = can_write("out/new");

	return rc ? rc : tried(rename("out/new", "out/old")) || can_read("out");
}

static int load_library(void)
{
	void *l = dlopen("libz.so.1", RTLD_NOW);

	return l && dlsym(l, "zlibVersion") ? 0 : 1;
}

static void *nothing(void *arg)
{
	return arg;
}

static int start_thread(void)
{
	pthread_t t;
	int rc = pthread_create(&t, NULL, nothing, NULL);

	return rc ? rc : pthread_join(t, NULL);
}

static int stop_oneself(void)
{
	return tried(raise(0)) || tried(kill(getpid(), 0));
}

static int local_time(void)
{
	return can_read("/usr/share/zoneinfo");
}

static const struct {
	const char *name;
	int (*act)(void);
} needed[] = {
	{ "read an input", read_input },
	{ "list a folder of inputs", list_input },
	{ "read through a link to a folder", read_linked },
	{ "read through a link to a file", read_linked_file },
	{ "write and rename in the output's folder", write_output },
	{ "load a library", load_library },
	{ "start a thread", start_thread },
	{ "signal oneself", stop_oneself },
	{ "read time zones", local_time },
};

/* ---- running them ---- */

static struct settings settings_for(const char **inputs, size_t n)
{
	struct settings s;

	options_init(&s);
	s.sandbox = SANDBOX_REQUIRE;
	s.arguments.v = inputs;
	s.arguments.n = n;
	return s;
}

/* In a child that is in the sandbox; its answer as the exit status. */
static int in_sandbox(const struct settings *s, int (*act)(void))
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (sandbox_enter(s, SANDBOX_THREADS, NULL))
			_exit(255);
		_exit(act() & 255);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int fine(void)
{
	return 0;
}

/* Not a failure, but told: an old kernel, another system, a sanitizer. */
static void need_sandbox(void)
{
	const char *inputs[] = { "logs" };
	struct settings s = settings_for(inputs, 1);

	if (in_sandbox(&s, fine) == 0)
		return;
	print_message("skip sandbox: this machine or build has none\n");
	skip();
}

static void nothing_gets_out(void **state)
{
	const char *inputs[] = { "logs" };
	struct settings s = settings_for(inputs, 1);
	int bad = 0;

	(void)state;
	need_sandbox();
	for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
		int rc = in_sandbox(&s, forbidden[i].act);

		if (rc && (rc == forbidden[i].want || rc == forbidden[i].also))
			continue;
		print_error("%s: %s\n", forbidden[i].name, strerror(rc));
		bad++;
	}
	assert_int_equal(bad, 0);
}

/* With an output, what is not in its folder is still closed. */
static void an_output_opens_its_folder_only(void **state)
{
	const char *inputs[] = { "logs" };
	struct settings s = settings_for(inputs, 1);
	int bad = 0;

	(void)state;
	need_sandbox();
	s.output = "out/report";
	for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
		int rc = in_sandbox(&s, forbidden[i].act);

		/* the output's mode is set through its descriptor */
		if (rc || forbidden[i].act == change_open)
			continue;
		print_error("%s: it worked\n", forbidden[i].name);
		bad++;
	}
	assert_int_equal(bad, 0);
}

static void what_is_needed_works(void **state)
{
	const char *inputs[] = { "logs" };
	struct settings s = settings_for(inputs, 1);
	int bad = 0;

	(void)state;
	need_sandbox();
	s.output = "out/report";
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
		int rc = in_sandbox(&s, needed[i].act);

		if (rc == 0)
			continue;
		print_error("%s: %s\n", needed[i].name, strerror(rc));
		bad++;
	}
	assert_int_equal(bad, 0);
}

static int read_member_file(void)
{
	return can_read("single.log") || can_read("logs/a.log") != EACCES;
}

static void one_file_is_one_file(void **state)
{
	const char *file[] = { "single.log" },
		   *inner[] = { "single.log!a/b.log" };
	struct settings s = settings_for(file, 1);

	(void)state;
	need_sandbox();
	assert_int_equal(in_sandbox(&s, read_member_file), 0);
	s.arguments.v = inner;
	assert_int_equal(in_sandbox(&s, read_other), EACCES);
	s.output = s.store = NULL;
	assert_int_equal(in_sandbox(&s, write_home), EACCES);
}

/* What a link that is made afterwards leads to stays closed. */
static void a_link_that_comes_later_opens_nothing(void **state)
{
	const char *inputs[] = { "logs" };
	struct settings s = settings_for(inputs, 1);
	pid_t pid;
	int ready[2], go[2], status;
	char c = 0;

	(void)state;
	need_sandbox();
	assert_int_equal(pipe(ready) | pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		if (sandbox_enter(&s, SANDBOX_THREADS, NULL))
			_exit(255);
		if (write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(254);
		_exit(can_read("logs/turned/secret"));
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(symlink("../other", "logs/turned"), 0);
	assert_int_equal(write(go[1], &c, 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(unlink("logs/turned"), 0);
	assert_int_equal(WEXITSTATUS(status), EACCES);
}

static void off_is_off(void **state)
{
	const char *inputs[] = { "logs" };
	struct settings s = settings_for(inputs, 1);

	(void)state;
	s.sandbox = SANDBOX_OFF;
	assert_int_equal(in_sandbox(&s, read_passwords), 0);
	assert_int_equal(in_sandbox(&s, new_process), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_gets_out),
		cmocka_unit_test(an_output_opens_its_folder_only),
		cmocka_unit_test(what_is_needed_works),
		cmocka_unit_test(one_file_is_one_file),
		cmocka_unit_test(a_link_that_comes_later_opens_nothing),
		cmocka_unit_test(off_is_off),
	};

	return cmocka_run_group_tests(tests, make_place, remove_place);
}
