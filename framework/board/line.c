/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps a far side from case to case. */
#include "framework/board/line.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/spawn.h"
#include "framework/util/utf8.h"

#define SESSION_END_MS 10000 /* time to restore changes, on a slow connection */
#define GOODBYE_MS     5000  /* time for a far side to end on request */
#define SAID_MAX       (64 << 10)
#define LAST_MAX       240 /* bytes of its last line in messages */

void pv_line_init(struct pv_line *l, const char *const *command)
{
	*l = (struct pv_line){.command = command, .child = {.in = -1, .out = -1}, .said = -1};
}

/* ---- its standard error ---- */

static int open_said(struct pv_line *l)
{
	if (l->said >= 0)
		return 0;
	l->said = memfd_create("pcieval-far", MFD_CLOEXEC);
	return l->said < 0 || fcntl(l->said, F_SETFL, O_APPEND) ? -errno : 0;
}

/* Returns the last SAID_MAX bytes of the file, and empties it. */
static char *take_said(struct pv_line *l)
{
	struct stat st = {0};

	if (l->said < 0 || fstat(l->said, &st) || !st.st_size)
		return NULL;
	off_t begin = st.st_size > SAID_MAX ? st.st_size - SAID_MAX : 0;
	char *text = calloc(1, (size_t)(st.st_size - begin) + 1);

	if (text && pread(l->said, text, (size_t)(st.st_size - begin), begin) < 0)
		*text = 0;
	if (ftruncate(l->said, 0))
		free(steal(&text));
	return text;
}

/* ---- a session ---- */

int pv_line_begin(void *line, int fds[2], struct pv_error *e)
{
	struct pv_line *l = line;
	int err = open_said(l);

	if (err)
		return pv_error(e, err, "no place for what %s says: %s", l->command[0], strerror(-err));
	/*
	 * The far side gets its own process group, so that ctrl-C reaches only the runner, which lets the case end
	 * first.
	 */
	if (!l->child.pid)
		err = pv_child_start(&l->child, l->command, PV_CHILD_OWN_GROUP, l->said, e);
	fds[0] = l->child.out;
	fds[1] = l->child.in;
	return err;
}

/* Ends a session by an empty message. The far side restores everything, then answers with an empty message. */
static bool end_session(struct pv_line *l)
{
	static const char empty[4];
	struct pollfd room = {.fd = l->child.in, .events = POLLOUT}, fd = {.fd = l->child.out, .events = POLLIN};
	char got[sizeof(empty) + 1];
	size_t n = 0;

	/* The pipe is full if the far side has stopped reading. */
	if (poll(&room, 1, SESSION_END_MS) != 1 || pv_write_all(l->child.in, empty, sizeof(empty)))
		return false;
	while (n < sizeof(empty) && poll(&fd, 1, SESSION_END_MS) == 1) {
		ssize_t more = read(fd.fd, got + n, sizeof(got) - n);

		if (more <= 0)
			break;
		n += (size_t)more;
	}
	return n == sizeof(empty) && !memcmp(got, empty, sizeof(empty));
}

/* The last line with text, for messages: without control characters, and shortened. "": there is none. */
struct last_line {
	char s[LAST_MAX + 4];
};

static struct last_line last_line(const char *text)
{
	struct last_line last = {""};
	const char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	const char *begin = end;
	while (begin > text && begin[-1] != '\n')
		begin--;
	size_t n = (size_t)(end - begin), shown = pv_utf8_cut(begin, n, LAST_MAX);
	for (size_t i = 0; i < shown; i++)
		last.s[i] = (char)(iscntrl((unsigned char)begin[i]) ? ' ' : begin[i]);
	strcpy(last.s + shown, shown < n ? "..." : "");
	return last;
}

int pv_line_end(void *line, char **said, struct pv_error *e)
{
	struct pv_line *l = line;
	bool good = !l->child.pid || end_session(l);
	int status = good ? 0 : pv_child_stop(&l->child, GOODBYE_MS);
	char text[64];

	*said = take_said(l);
	if (good)
		return 0;
	const struct last_line last = last_line(*said ? *said : "");
	bool any = *last.s;
	return pv_error(e, -ECONNRESET, "%s did not end the case's session: %s; %s%s%s", l->command[0],
			pv_spawn_status(status, text, sizeof(text)), any ? "it said: " : "its standard error is empty",
			last.s, any ? " (all of its standard error is in the case's log)" : "");
}

void pv_line_close(struct pv_line *l)
{
	pv_child_end(&l->child, GOODBYE_MS);
	if (l->said >= 0)
		close(l->said);
	l->said = -1;
}
