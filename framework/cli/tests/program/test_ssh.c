/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs on a board that ssh reaches: OpenSSH's client and server, with keys and configurations of the test's own. The server is
 * started by the client (ProxyCommand sshd -i), so that nothing listens anywhere. What is "there" has a temporary folder of
 * its own, and so have the sockets of the client: both must be empty in the end.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/tests/program/machine.h"
#include "framework/cli/tests/program/program.h"
#include "framework/far/protocol.h"

/*
 * Hosts: board; refused, whose server knows another key; noisy, whose login says something; damaging, which loses the last
 * byte of what is copied. ssh in PATH takes the test's configuration for the user's.
 */
static const char make_hosts[] =
	"set -e; here=$PWD; mkdir -p there run bin badbin /run/sshd\n"
	"for k in server key other; do ssh-keygen -q -t ed25519 -N '' -f $k; done\n"
	"server() { name=$1 keys=$2 path=$3; shift 3\n"
	"printf '%s\\n' 'HostKey '$here/server 'AuthorizedKeysFile '$here/$keys 'StrictModes no' 'UsePAM no' 'LogLevel "
	"QUIET' "
	"'PidFile none' \"SetEnv TMPDIR=$here/there PATH=$path\" \"$@\" >$name.conf\n"
	"printf '%s\\n' \"Host $name\" \"ProxyCommand /usr/sbin/sshd -i -f $here/$name.conf\" \"User $(id -un)\" "
	"\"IdentityFile "
	"$here/key\" 'IdentitiesOnly yes' \"UserKnownHostsFile $here/known\" 'StrictHostKeyChecking accept-new' "
	"'LogLevel ERROR' "
	">>config; }\n"
	"server board key.pub /usr/bin:/bin\n"
	"server refused other.pub /usr/bin:/bin\n"
	"server noisy key.pub /usr/bin:/bin 'ForceCommand echo Welcome to board 7; eval \"$SSH_ORIGINAL_COMMAND\"'\n"
	"server damaging key.pub $here/badbin:/usr/bin:/bin\n"
	"printf '#!/bin/sh\\nexec /usr/bin/ssh -F %s/config \"$@\"\\n' $here >bin/ssh\n"
	"printf '#!/bin/sh\\n[ $1 = -c ] || exec /usr/bin/head \"$@\"\\n/usr/bin/head -c $(($2 - 1)); /usr/bin/head -c "
	"1 "
	">/dev/null\\n' >badbin/head\n"
	"chmod +x bin/ssh badbin/head\n";

static void set_up(void)
{
	char path[256], here[128];

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

/* The connection may take a moment to end, when whoever held it was killed. */
static void expect_nothing_left(void)
{
	cr_expect_eq(program_script("for i in $(seq 100); do left=$(find there run -mindepth 1); "
				    "[ -z \"$left\" ] && exit; sleep 0.1; done; echo $left; exit 1"),
		     0, "left on the board, or of the connection: %s", output);
}

TestSuite(ssh, .init = set_up, .fini = program_tear_down, .timeout = 200);

#define SSH "run --target ssh:board --root $machine --results results "

/* A program that says that it is pcieval-far, knows the machine, and then does `what`. */
static void use_fake(const char *what)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "cat >fake <<'END'\n#!/bin/sh\ncase $1 in\n--version) echo 'pcieval-far %s, protocol %u' ;;\n--dump) "
		 "exec "
		 "%s \"$@\" ;;\n*) %s ;;\nesac\nEND\nchmod +x fake",
		 PCIEVAL_VERSION, PV_FAR_VERSION, FAR, what);
	cr_assert_eq(program_script(script), 0, "%s", output);
	setenv("PCIEVAL_FAR", "./fake", 1);
}

Test(ssh, the_same_verdicts_as_on_this_machine)
{
	cr_expect_eq(pcieval("run --target local --root machine --results here -j 1 " PLAN), 1, "%s", output);
	cr_expect_eq(pcieval(SSH PLAN), 1, "%s", output);
	expect_output("1 passed, 1 failed, 0 errors, 3 skipped");
	expect_output("again: pcieval run --target ssh:board --driver system --root ");
	cr_expect_eq(
		program_script("for r in here results; do jq -r 'select(.ev == \"verdict\") | \"\\(.case) \\(.verdict) "
			       "\\(.type) \\(.message)\"' $r/journal.jsonl | sed 's/target ssh:board/target local/; "
			       "s/target ssh /target local /' | "
			       "sort >$r.txt; done; "
			       "diff here.txt results.txt && wc -l <here.txt"),
		0, "%s", output);
	expect_output("5\n");
	expect_nothing_left();
}

Test(ssh, this_machine_from_afar_is_left_alone)
{
	cr_expect_eq(pcieval("run --target ssh:board -q " SCENARIOS "/ptt-tune.xml"), 0, "%s", output);
	expect_output("0 passed, 0 failed, 0 errors, 58 skipped");
	expect_nothing_left();
}

Test(ssh, a_host_that_is_none)
{
	cr_expect_eq(pcieval("run --target ssh:no.such.host.invalid " PLAN), 2, "%s", output);
	expect_output("--target ssh:no.such.host.invalid: connecting: ssh ended with exit status 255");
	cr_expect_eq(pcieval("run --target ssh:-oProxyCommand=id " PLAN), 2, "%s", output);
	expect_output("expected a host as ssh takes it, got '-oProxyCommand=id'");
	cr_expect_eq(pcieval("run --target 'ssh:a;id' " PLAN), 2, "%s", output);
	expect_output("expected a host as ssh takes it, got 'a;id'");
	cr_expect_eq(pcieval("run --target ssh: " PLAN), 2, "%s", output);
	cr_expect_eq(pcieval("run --target ssh " PLAN), 2, "%s", output);
	expect_output("--target: expected ssh:HOST, got 'ssh'");
	expect_nothing_left();
}

Test(ssh, a_key_that_is_refused)
{
	cr_expect_eq(pcieval("run --target ssh:refused " PLAN " </dev/null"), 2, "%s", output);
	expect_output("Permission denied");
	expect_output("--target ssh:refused: connecting: ssh ended with exit status 255");
	expect_nothing_left();
}

Test(ssh, a_login_script_that_prints)
{
	cr_expect_eq(pcieval("run --target ssh:noisy " PLAN), 2, "%s", output);
	expect_output(
		"expected the name of a temporary folder, got 'Welcome to board 7'; does a login script there print");
	expect_nothing_left();
}

Test(ssh, a_program_that_arrives_damaged_is_not_started)
{
	cr_expect_eq(pcieval("run --target ssh:damaging " PLAN), 2, "%s", output);
	expect_output("arrived damaged: expected SHA-256 ");
	expect_nothing_left();
}

Test(ssh, a_program_of_another_version)
{
	cr_assert_eq(program_script("printf '#!/bin/sh\\necho pcieval-far 0.0.9, protocol 77\\n' >old; chmod +x old"),
		     0);
	setenv("PCIEVAL_FAR", "./old", 1);
	cr_expect_eq(pcieval(SSH PLAN), 2, "%s", output);
	expect_output("expected it to run there as pcieval-far " PCIEVAL_VERSION ", protocol ");
	expect_output("got 'pcieval-far 0.0.9, protocol 77'");
	expect_nothing_left();
}

Test(ssh, a_far_side_that_dies_or_hangs)
{
	use_fake("exit 3");
	cr_expect_eq(pcieval(SSH PLAN " --name read"), 3, "%s", output);
	expect_output("ssh: exit status 3; its standard error is in the case's log");
	use_fake("exec cat >/dev/null");
	cr_expect_eq(pcieval("run --target ssh:board --root $machine " PLAN " --name read"), 3, "%s", output);
	expect_output("no answer: Connection timed out");
	expect_nothing_left();
}

Test(ssh, cases_do_not_share_the_machine)
{
	cr_expect_eq(pcieval(SSH PLAN " -j 2"), 2, "%s", output);
	expect_output("--jobs: expected 1 on target ssh:board, whose cases share one machine, got 2");
}

/* Stopped in the middle of a case, by each signal; what the case waits for ends when its input does. */
Test(ssh, whoever_is_stopped_leaves_nothing)
{
	static const char *const signals[] = {"INT", "TERM", "KILL"};
	char script[512];

	use_fake("echo $$ >$TMPDIR/../pid; exec cat >/dev/null");
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		snprintf(script, sizeof(script),
			 "rm -f pid; $pcieval run --target ssh:board --root $machine " PLAN
			 " --name read >out 2>&1 & run=$!\n"
			 "for i in $(seq 300); do [ -s pid ] && break; sleep 0.1; done; [ -s pid ] || { cat out; exit "
			 "1; }\n"
			 "[ -n \"$(ls there)\" ] || exit 2; kill -%s $run; wait $run\n"
			 "for i in $(seq 100); do kill -0 $(cat pid) 2>/dev/null || exit 0; sleep 0.1; done; exit 3",
			 signals[i]);
		cr_expect_eq(program_script(script), 0, "%s: %s", signals[i], output);
		expect_nothing_left();
	}
}
