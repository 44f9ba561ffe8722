/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A running Linux: combines its tables. */
#include "framework/linux/linux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "framework/linux/internal.h"
#include "framework/util/cleanup.h"

int pv_linux_open(struct pv_linux **out, const char *root, struct pv_error *e)
{
	struct pv_linux *l = calloc(1, sizeof(*l));

	if (!l)
		return pv_error(e, -ENOMEM, "opening %s/sys: no memory", root);
	if (strlen(root) >= sizeof(l->root)) {
		free(l);
		return pv_error(e, -ENAMETOOLONG, "opening %s/sys: expected less than 128 characters", root);
	}
	strcpy(l->root, root);
	if (access(PV_LINUX_PATH(l, "sys/bus"), X_OK)) {
		int err = -errno;

		free(l);
		return pv_error(e, err, "opening %s/sys/bus: %s; is sysfs mounted?", root, pv_errno_name(err));
	}
	l->driver.ops = &pv_linux_driver_ops;
	l->machine.ops = &pv_linux_machine_ops;
	l->shell.ops = &pv_linux_shell_ops;
	l->undo.fd = l->lock_fd = l->asker = -1;
	pv_kmsg_open(&l->log, PV_LINUX_PATH(l, "dev/kmsg"));
	pv_kmsg_news_open(&l->news, PV_LINUX_PATH(l, "dev/kmsg"));
	*out = l;
	return 0;
}

void pv_linux_close(struct pv_linux *l)
{
	if (!l)
		return;
	while (l->events)
		pv_linux_event_close(&l->driver, l->events);
	pv_kmsg_close(&l->log);
	pv_kmsg_news_close(&l->news);
	pv_undolog_close(&l->undo);
	free(l->pmu);
	if (l->lock_fd >= 0)
		close(l->lock_fd);
	free(l);
}

/* Returns the process with the flock(2) of a file, by /proc/locks; 0: unknown, or in another PID namespace. */
static int holder_of(int fd)
{
	_autofclose_ FILE *f = fopen("/proc/locks", "re");
	unsigned major_there, minor_there;
	char line[256];
	unsigned long inode;
	struct stat st;
	int pid;

	while (f && !fstat(fd, &st) && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*[^:]: FLOCK %*s %*s %d %x:%x:%lu", &pid, &major_there, &minor_there, &inode) == 4 &&
		    inode == st.st_ino && makedev(major_there, minor_there) == st.st_dev)
			return pid > 0 ? pid : 0;
	return 0;
}

/* Returns the age of a process in seconds; -1: unknown. proc(5): its start is field 22, after the name in brackets. */
static long age_of(int pid)
{
	char path[40], text[1024];
	unsigned long long started;
	struct timespec now;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	int n = pv_sysfs_read(path, text, sizeof(text));
	const char *end = n > 0 ? strrchr(text, ')') : NULL;
	if (!end || clock_gettime(CLOCK_BOOTTIME, &now) ||
	    sscanf(end + 1, "%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%llu", &started) != 1)
		return -1;
	return (long)now.tv_sec - (long)(started / (unsigned long long)sysconf(_SC_CLK_TCK));
}

static int refuse(int fd, const char *path, struct pv_error *e)
{
	int pid = holder_of(fd);
	long age = pid ? age_of(pid) : -1;
	char who[80] = "it";

	if (age >= 0)
		snprintf(who, sizeof(who), "process %d there, started %ld s ago,", pid, age);
	return pv_error(e, -EBUSY, "this machine: another pcieval is at work on it (%s holds %s); wait for its end",
			who, path);
}

/* A folder that always exists and that every user may open. */
int pv_linux_lock(struct pv_linux *l, struct pv_error *e)
{
	const struct pv_linux_path path = pv_linux_path(l, "sys/bus");

	l->lock_fd = open(path.s, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->lock_fd < 0)
		return pv_error(e, -errno, "%s: %s", path.s, strerror(errno));
	if (!flock(l->lock_fd, LOCK_EX | LOCK_NB))
		return 0;
	int err = refuse(l->lock_fd, path.s, e);
	close(l->lock_fd);
	l->lock_fd = -1;
	return err;
}

void pv_linux_serve(struct pv_linux *l, int fd)
{
	l->asker = fd;
}

const char *pv_linux_root(const struct pv_linux *l)
{
	return l->root;
}

struct pv_driver *pv_linux_driver(struct pv_linux *l)
{
	return &l->driver;
}

struct pv_machine *pv_linux_machine(struct pv_linux *l)
{
	return &l->machine;
}

struct pv_shell *pv_linux_shell(struct pv_linux *l)
{
	return &l->shell;
}
