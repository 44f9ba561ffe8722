/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts for tests of boards behind ssh: sshd on this machine, with the test's own keys and configurations. */
#ifndef PV_CLI_TESTS_SSH_HOSTS_H
#define PV_CLI_TESTS_SSH_HOSTS_H

#include <stdlib.h>

#include "framework/cli/tests/program/machine.h"

/*
 * Hosts: board; refused, whose server has another key; noisy, which prints text at login; damaging, which loses the
 * last byte of a copy; counting, which has perf. ssh in PATH uses the test's configuration as the user's.
 */
static const char make_hosts[] =
	"set -e; here=$PWD; mkdir -p there run bin badbin /run/sshd\n"
	"for k in server key other; do ssh-keygen -q -t ed25519 -N '' -f $k; done\n"
	"server() { name=$1 keys=$2 path=$3; shift 3\n"
	"printf '%s\\n' 'HostKey '$here/server 'AuthorizedKeysFile '$here/$keys 'StrictModes no' 'UsePAM no' 'LogLevel "
	"QUIET' "
	"'PidFile none' \"SetEnv TMPDIR=$here/there HOME=$here PATH=$path\" \"$@\" >$name.conf\n"
	"printf '%s\\n' \"Host $name\" \"ProxyCommand /usr/sbin/sshd -i -f $here/$name.conf\" \"User $(id -un)\" "
	"\"IdentityFile "
	"$here/key\" 'IdentitiesOnly yes' \"UserKnownHostsFile $here/known\" 'StrictHostKeyChecking accept-new' "
	"'LogLevel ERROR' "
	">>config; }\n"
	"server board key.pub /usr/bin:/bin\n"
	"server refused other.pub /usr/bin:/bin\n"
	"server noisy key.pub /usr/bin:/bin 'ForceCommand echo Welcome to board 7; eval \"$SSH_ORIGINAL_COMMAND\"'\n"
	"server damaging key.pub $here/badbin:/usr/bin:/bin\n"
	"server counting key.pub $here/tools:/usr/bin:/bin\n"
	"printf '#!/bin/sh\\nexec /usr/bin/ssh -F %s/config \"$@\"\\n' $here >bin/ssh\n"
	"printf '#!/bin/sh\\n[ $1 = -c ] || exec /usr/bin/head \"$@\"\\n/usr/bin/head -c $(($2 - 1)); /usr/bin/head -c "
	"1 "
	">/dev/null\\n' >badbin/head\n"
	"chmod +x bin/ssh badbin/head\n";

static inline void ssh_set_up(void)
{
	char path[4096], here[1024];

	if (access("/usr/sbin/sshd", X_OK) || access("/usr/bin/ssh", X_OK))
		cr_skip_test("no openssh-server, or no openssh-client");
	program_set_up();
	unsetenv("PCIEVAL_AGENT");
	unsetenv("PCIEVAL_FAR");
	make_machine();
	cr_assert_eq(program_script(make_hosts), 0, "%s", output);
	cr_assert_not_null(getcwd(here, sizeof(here)));
	snprintf(path, sizeof(path), "%s/bin:%s", here, getenv("PATH"));
	setenv("PATH", path, 1);
	snprintf(path, sizeof(path), "%s/run", here);
	setenv("XDG_RUNTIME_DIR", path, 1);
	snprintf(path, sizeof(path), "%s/machine", here);
	setenv("machine", path, 1);
}

/* After its holder was killed, the connection may take a moment to end. */
static inline void ssh_expect_nothing_left(void)
{
	cr_expect_eq(program_script("for i in $(seq 100); do left=$(find there run -mindepth 1); "
				    "[ -z \"$left\" ] && exit; sleep 0.1; done; echo $left; exit 1"),
		     0, "left on the board, or of the connection: %s", output);
}

static inline void ssh_allow_writes(void)
{
	cr_assert_eq(program_script("echo '<board name=\"b\"><writes/></board>' >board.xml; cp -r machine was"), 0);
}

static inline void ssh_expect_as_it_was(void)
{
	cr_expect_eq(program_script("rmdir machine/run/pcieval machine/run 2>/dev/null; diff -r was machine"), 0, "%s",
		     output);
}

#endif
