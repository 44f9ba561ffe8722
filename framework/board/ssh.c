/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The connection to a board, and its temporary folder there. */
#include "framework/board/ssh.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/clock.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"
#include "framework/util/spawn.h"

#define ANSWER_MS   30000  /* for a line from the other side */
#define COPY_MS	    180000 /* time to copy the program, also over a serial line */
#define GOODBYE_MS  5000
#define PATIENCE    10u /* factor: time for a whole answer, relative to its next byte */
#define HASH_TEXT   65
#define PROGRAM_MAX (64 << 20)

/*
 * Runs at the other end, under any login shell. It makes the folder and prints its path, reads the program's length and
 * the program, and prints its SHA-256 and version. Then the program reserves the board until the end of input. A step
 * that fails ends it: the next one would read what was meant for this one.
 */
static const char keeper_script[] =
	"exec sh -c '"
	"no() { echo \"pcieval: $1; TMPDIR in the environment of the account names another folder\" >&2; exit 1; }; "
	"umask 077; t=${TMPDIR:-/tmp}; d=$(mktemp -d \"$t/pcieval.XXXXXXXX\") || no \"$t: no folder can be made in "
	"it\"; "
	"trap \"rm -rf \\\"\\$d\\\"\" EXIT; trap \"exit 1\" HUP INT TERM PIPE; "
	"echo \"pcieval-board $(uname -m) $(uname -r) $d\"; f=$d/pcieval-far; "
	"read -r n || exit; head -c \"$n\" >\"$f\" || no \"$f cannot be written\"; chmod 700 \"$f\" || exit; "
	"sha256sum <\"$f\" || exit; read -r go || exit; "
	"v=$(\"$f\" --version 2>&1 </dev/null); s=$?; echo \"$v\" | head -n 1; [ $s = 0 ] || exit $s; "
	"read -r hold && \"$f\" $hold'";

/* ---- lines from the other side ---- */

static int fail(struct pv_ssh *s, struct pv_error *e, const char *expected, const char *got)
{
	return pv_error(e, -EPROTO,
			"--target ssh:%s: expected %s, got '%s'; does a login script there print something?", s->host,
			expected, PV_SHOW(got));
}

static int ended(struct pv_ssh *s, const char *doing, struct pv_error *e)
{
	char status[64];

	pv_spawn_status(pv_child_end(&s->keeper, GOODBYE_MS), status, sizeof(status));
	return pv_error(e, -ENOTCONN, "--target ssh:%s: %s: ssh ended with %s; it said why above", s->host, doing,
			status);
}

/* Like poll(2) on one descriptor, until the time `end` of pv_now_ms(). */
static int poll_until(struct pollfd *fd, int64_t end)
{
	int64_t left = end - pv_now_ms();

	return left > 0 ? poll(fd, 1, (int)left) : 0;
}

/* Reads a line within `ms`, byte by byte, as the bytes behind it must not be consumed. */
static int read_line(struct pv_ssh *s, const char *doing, int ms, char *line, size_t size, struct pv_error *e)
{
	struct pollfd fd = {.fd = s->keeper.out, .events = POLLIN};
	int64_t end = pv_now_ms() + ms;
	size_t n = 0;

	for (;;) {
		int ready = poll_until(&fd, end);

		if (!ready)
			return pv_error(e, -ETIMEDOUT, "--target ssh:%s: %s: no answer for %d s", s->host, doing,
					ms / 1000);
		ssize_t got = ready < 0 ? -1 : read(fd.fd, line + n, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return ended(s, doing, e);
		if (line[n] == '\n')
			break;
		if (++n < size)
			continue;
		line[n - 1] = 0;
		return fail(s, e, "a line", line);
	}
	line[n] = 0;
	return 0;
}

/* ---- connecting ---- */

bool pv_ssh_is_plain(const char *text)
{
	static const char also[] = "@:._-/[]%+=";

	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(also, *c))
			return false;
	return *text && *text != '-';
}

static int name_socket(struct pv_ssh *s, struct pv_error *e)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	uint64_t random[2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return pv_error(e, -errno, "random numbers: %s", strerror(errno));
	/* ssh expands %. The path of a socket has at most 107 bytes, of which ssh needs some for a temporary suffix. */
	if (!folder || !*folder || strlen(folder) > 40 || !pv_ssh_is_plain(folder) || strchr(folder, '%'))
		folder = "/tmp";
	snprintf(s->control, sizeof(s->control), "%s/pcieval-%016" PRIx64 "%016" PRIx64, folder, random[0], random[1]);
	snprintf(s->shared, sizeof(s->shared), "ControlPath=%s", s->control);
	return 0;
}

static int start_keeper(struct pv_ssh *s, struct pv_error *e)
{
	char patience[48];

	snprintf(patience, sizeof(patience), "ServerAliveCountMax=%u", s->patience);
	const char *const argv[] = {"ssh",	   "-T",
				    "-a",	   "-x",
				    "-o",	   "BatchMode=yes",
				    "-o",	   "ConnectTimeout=10",
				    "-o",	   "ServerAliveInterval=5",
				    "-o",	   patience,
				    "-o",	   "ControlMaster=yes",
				    "-o",	   "ControlPersist=no",
				    "-o",	   s->shared,
				    "-o",	   "ClearAllForwardings=yes",
				    "-o",	   "RemoteCommand=none",
				    "--",	   s->host,
				    keeper_script, NULL};

	return pv_child_start(&s->keeper, argv, PV_CHILD_OWN_GROUP, -1, e);
}

/* Parses "pcieval-board MACHINE RELEASE FOLDER". */
static int read_folder(struct pv_ssh *s, struct pv_error *e)
{
	char line[512], folder[sizeof(s->program) - sizeof("/pcieval-far")] = "";
	int at = 0;
	int err = read_line(s, "connecting", ANSWER_MS, line, sizeof(line), e);

	if (err)
		return err;
	if (sscanf(line, "pcieval-board %31s %63s %n", s->machine, s->release, &at) == 2 && at &&
	    strlen(line + at) < sizeof(folder))
		snprintf(folder, sizeof(folder), "%s", line + at);
	if (*folder != '/' || !pv_ssh_is_plain(folder) || !pv_ssh_is_plain(s->machine))
		return fail(s, e, "the name of a temporary folder", line);
	snprintf(s->program, sizeof(s->program), "%s/pcieval-far", folder);
	return 0;
}

int pv_ssh_open(struct pv_ssh *s, const char *host, double timeout_scale, struct pv_error *e)
{
	*s = (struct pv_ssh){.host = host, .keeper = {.in = -1, .out = -1}};
	/* At least as patient as ssh itself, at most an hour. */
	s->patience = timeout_scale > 1 ? (unsigned)(timeout_scale < 240 ? 3 * timeout_scale : 720) : 3;
	if (!pv_ssh_is_plain(host))
		return pv_error(e, -EINVAL, "--target ssh:HOST: expected a host as ssh takes it, got '%.80s'", host);
	signal(SIGPIPE, SIG_IGN);
	int err = name_socket(s, e);

	if (!err)
		err = start_keeper(s, e);
	return err ? err : read_folder(s, e);
}

bool pv_ssh_is_connected(const struct pv_ssh *s)
{
	struct pollfd fd = {.fd = s->keeper.out, .events = POLLIN};

	/* The keeper sends nothing while it holds the board, so its stream becomes readable only at its end. */
	return s->keeper.pid && !poll(&fd, 1, 0);
}

/* ---- the program ---- */

/* Runs sha256sum on this machine. */
static int hash_file(const char *path, char hash[HASH_TEXT], struct pv_error *e)
{
	const char *const argv[] = {"sha256sum", "--", path, NULL};
	struct pv_child c;
	int err = pv_child_start(&c, argv, PV_CHILD_OUR_GROUP, -1, e);
	_autofclose_ FILE *f = err ? NULL : fdopen(dup(c.out), "r");
	bool got = f && fscanf(f, "%64[0-9a-f]", hash) == 1 && strlen(hash) == HASH_TEXT - 1;

	if (err)
		return err;
	return pv_child_end(&c, GOODBYE_MS) || !got ? pv_error(e, -EIO, "sha256sum %s failed", path) : 0;
}

/* Fails after ANSWER_MS without progress, or COPY_MS in all: the other side may hang. */
static int write_to(struct pv_ssh *s, const char *data, size_t n, const char *doing, struct pv_error *e)
{
	struct pollfd fd = {.fd = s->keeper.in, .events = POLLOUT};
	int64_t end = pv_now_ms() + COPY_MS;

	while (n) {
		int64_t soon = pv_now_ms() + ANSWER_MS;
		int ready = poll_until(&fd, soon < end ? soon : end);

		if (!ready && soon > end)
			return pv_error(e, -ETIMEDOUT, "--target ssh:%s: %s: not done in %d s", s->host, doing,
					COPY_MS / 1000);
		if (!ready)
			return pv_error(e, -ETIMEDOUT, "--target ssh:%s: %s: nothing is taken for %d s", s->host, doing,
					ANSWER_MS / 1000);
		/* A pipe that poll(2) reports as writable has room for this many bytes. */
		ssize_t did = ready < 0 ? -1 : write(fd.fd, data, n < PIPE_BUF ? n : PIPE_BUF);
		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0)
			return ended(s, doing, e);
		data += did;
		n -= (size_t)did;
	}
	return 0;
}

static int send_program(struct pv_ssh *s, const char *path, struct pv_error *e)
{
	_autofree_ char *data = NULL;
	size_t n;
	char head[32];
	int err = pv_file_read(path, PROGRAM_MAX, &data, &n, e);

	if (err)
		return err;
	snprintf(head, sizeof(head), "%zu\n", n);
	err = write_to(s, head, strlen(head), "copying pcieval-far", e);
	return err ? err : write_to(s, data, n, "copying pcieval-far", e);
}

static const char noexec[] = "; does the folder forbid programs (noexec)? TMPDIR in the environment of the account "
			     "names another one";

int pv_ssh_install(struct pv_ssh *s, const char *path, const char *version, struct pv_error *e)
{
	char hash[HASH_TEXT] = "", line[256];
	int err = hash_file(path, hash, e);

	if (!err)
		err = send_program(s, path, e);
	if (!err)
		err = read_line(s, "copying pcieval-far", COPY_MS, line, sizeof(line), e);
	if (err)
		return err;
	if (strncmp(line, hash, HASH_TEXT - 1) || !isspace((unsigned char)line[HASH_TEXT - 1]))
		return pv_error(
			e, -EBADMSG,
			"--target ssh:%s: %s arrived damaged: expected SHA-256 %s, got '%s'; is there room in the "
			"folder for temporary files (TMPDIR)?",
			s->host, path, hash, PV_SHOW(line));
	err = pv_write_all(s->keeper.in, "go\n", 3);
	err = err ? ended(s, "starting pcieval-far", e)
		  : read_line(s, "starting pcieval-far", ANSWER_MS, line, sizeof(line), e);
	if (err)
		return err;
	return strcmp(line, version)
		       ? pv_error(e, -ENOEXEC, "--target ssh:%s: %s: expected it to run there as %s, got '%s'%s",
				  s->host, path, version, PV_SHOW(line),
				  strstr(line, "Permission denied") ? noexec : "")
		       : 0;
}

int pv_ssh_hold(struct pv_ssh *s, const char *options, void (*waits)(void *ctx), void *ctx, struct pv_error *e)
{
	char line[256];
	int err = pv_write_all(s->keeper.in, options, strlen(options));

	if (!err)
		err = pv_write_all(s->keeper.in, "\n", 1);
	err = err ? ended(s, "holding the board", e)
		  : read_line(s, "holding the board", ANSWER_MS, line, sizeof(line), e);
	while (!err && !strcmp(line, "waiting")) {
		waits(ctx);
		err = read_line(s, "waiting for the board", ANSWER_MS, line, sizeof(line), e);
	}
	return err || !strcmp(line, "held") ? err : fail(s, e, "'held'", line);
}

/* ---- commands ---- */

/* Builds the ssh command up to the host, on the shared connection. Returns the number of words. */
static size_t begin_words(const struct pv_ssh *s, const char *words[PV_SSH_WORDS])
{
	static const char *const first[] = {"ssh", "-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ControlMaster=no",
					    "-o"};
	size_t n = 0;

	for (; n < ARRAY_SIZE(first); n++)
		words[n] = first[n];
	words[n++] = s->shared;
	words[n++] = "--";
	words[n++] = s->host;
	return n;
}

const char *const *pv_ssh_command(struct pv_ssh *s, const char *options)
{
	size_t n = begin_words(s, s->words);

	s->words[n++] = "exec";
	s->words[n++] = s->program;
	s->words[n++] = options;
	s->words[n] = NULL;
	return s->words;
}

/* Copies a stream to its end. 0; -ETIMEDOUT, -EMSGSIZE, -EIO. */
static int copy_all(int from, FILE *out, size_t max, unsigned ms)
{
	struct pollfd fd = {.fd = from, .events = POLLIN};
	int64_t end = pv_now_ms() + (int64_t)PATIENCE * ms;
	char buf[16384];

	for (size_t all = 0;;) {
		int64_t soon = pv_now_ms() + ms;

		if (poll_until(&fd, soon < end ? soon : end) <= 0)
			return -ETIMEDOUT;
		ssize_t n = read(from, buf, sizeof(buf));
		if (n <= 0)
			return n || fflush(out) ? -EIO : 0;
		all += (size_t)n;
		if (all > max)
			return -EMSGSIZE;
		if (fwrite(buf, 1, (size_t)n, out) != (size_t)n)
			return -EIO;
	}
}

/* `what`: the command, for messages. */
static int copy_output(const struct pv_ssh *s, const char *const *words, const char *what, FILE *out, size_t max,
		       unsigned ms, struct pv_error *e)
{
	struct pv_child c;
	char status[64];
	int err = pv_child_start(&c, words, PV_CHILD_OUR_GROUP, -1, e);

	if (err)
		return err;
	err = copy_all(c.out, out, max, ms);
	int ended_with = pv_child_end(&c, err ? 0 : GOODBYE_MS);
	if (err == -EMSGSIZE)
		return pv_error(e, err, "--target ssh:%s: %s: expected at most %zu bytes, got more", s->host, what,
				max);
	if (err == -ETIMEDOUT)
		return pv_error(e, err, "--target ssh:%s: %s: no answer for %u s, or none within %u s", s->host, what,
				ms / 1000, PATIENCE * (ms / 1000));
	return !err && !ended_with ? 0
				   : pv_error(e, -EIO, "--target ssh:%s: %s ended with %s", s->host, what,
					      pv_spawn_status(ended_with, status, sizeof(status)));
}

int pv_ssh_output(struct pv_ssh *s, const char *options, FILE *out, size_t max, unsigned ms, struct pv_error *e)
{
	char what[320];

	snprintf(what, sizeof(what), "pcieval-far %s", options);
	return copy_output(s, pv_ssh_command(s, options), what, out, max, ms, e);
}

int pv_ssh_shell(struct pv_ssh *s, const char *command, const char *what, FILE *out, size_t max, unsigned ms,
		 struct pv_error *e)
{
	const char *words[PV_SSH_WORDS];
	size_t n = begin_words(s, words);

	words[n++] = command;
	words[n] = NULL;
	return copy_output(s, words, what, out, max, ms, e);
}

void pv_ssh_close(struct pv_ssh *s)
{
	pv_child_end(&s->keeper, GOODBYE_MS);
	if (*s->control)
		unlink(s->control);
	*s = (struct pv_ssh){.keeper = {.in = -1, .out = -1}};
}
