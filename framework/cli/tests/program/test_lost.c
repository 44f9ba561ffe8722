/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boards that a case kills: the lab's commands cycle the power and print the console. In these tests the board is dead
 * while a file "dead" exists: ssh cannot reach it. The command "./power" boots it: its processes are gone, and its
 * settings are those after a boot.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "framework/cli/tests/program/program.h"
#include "framework/cli/tests/program/ssh_hosts.h"

#define PMU "machine/sys/bus/event_source/devices/hisi_ptt0_0"

static const char make_mortal[] =
	"cat >bin/ssh <<END\n"
	"#!/bin/sh\n"
	"[ ! -e $PWD/dead ] || { echo no route to host >&2; exit 255; }\n"
	"exec /usr/bin/ssh -F $PWD/config \"\\$@\"\n"
	"END\n"
	"cat >power <<END\n"
	"#!/bin/sh\n"
	"cd $PWD\n"
	"echo \"\\$@\" >>powered\n"
	"[ ! -e burnt ] || exit 7\n"
	"pkill -KILL -f $PWD/there/pcieval\n"
	"rm -rf there/* machine/run\n"
	"echo 1 >" PMU "/tune/qos_tx_p\n"
	"[ ! -e record ] || { mkdir -p machine/sys/fs/pstore; cp record machine/sys/fs/pstore/dmesg-ramoops-1; }\n"
	"[ \"\\$1\" = off ] || rm -f dead\n"
	"END\n"
	"chmod +x power; : >serial; cp -r machine was\n";

static const char board[] = "<board name='b'><writes/><power cycle='./power cycle' after-s='1' boot-s='20'/>"
			    "<console command='echo console >>powered; exec tail -f -n 0 serial'/></board>";

static void set_up(void)
{
	ssh_set_up();
	cr_assert_eq(program_script(make_mortal), 0, "%s", output);
}

TestSuite(lost, .init = set_up, .fini = program_tear_down, .timeout = 200);

static void describe(const char *text)
{
	FILE *f = fopen("board.xml", "w");

	cr_assert(f && fputs(text, f) >= 0 && !fclose(f));
}

/* The board dies while the first case waits. ssh neither answers nor ends. */
#define DIES                                                                                          \
	"touch dead; sleep 0.3; kill -KILL $(pgrep -P $run -f ControlMaster=yes) $(pgrep -P $run -f " \
	"ControlMaster=no); "                                                                         \
	"pkill -STOP -f \"^$PWD/there/pcieval.*--undo\"\n"

/* Runs both cases of the plan; the shell command `says` prints the last messages of the kernel. */
static void run_and_kill(const char *options, const char *says)
{
	char script[2048];

	snprintf(script, sizeof(script),
		 "$pcieval run --target ssh:board --root $machine --board board.xml --results results %s " LOST
		 " >out 2>&1 & run=$!\n"
		 "until grep -qs '\"wait\"' results/journal.jsonl; do kill -0 $run || { cat out; exit 1; }; sleep "
		 "0.05; done\n"
		 "%s\n" DIES "wait $run; cat out\n"
		 "jq -r 'select(.ev == \"verdict\") | \"\\(.case) \\(.verdict) \\(.type)\"' results/journal.jsonl | tr "
		 "'\\n' ';'\n"
		 "echo; cat powered; cat results/cases/*/log.txt 2>/dev/null || :",
		 options, says);
	cr_expect_eq(program_script(script), 0, "%s", output);
}

#define OOPS                                                                                                           \
	"echo '[   42.0] Unable to handle kernel paging request at virtual address 0000dead'; "                        \
	"echo '[   42.0] Internal error: Oops: 96000004 [#1] SMP'; echo '[   42.0] CPU: 0 PID: 7 Comm: pcieval-far'; " \
	"echo '[   42.0] pc : hisi_ptt_update_aux+0x40/0x200 [hisi_ptt]'; echo '[   42.0] ---[ end trace 0 ]---'"

Test(lost, power_is_cycled_and_the_next_case_runs)
{
	describe(board);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 pass null;");
	expect_output("power was cycled, and the machine answered after ");
	expect_output("no report of its kernel was found");
	expect_output("\ncycle\n");
	ssh_expect_as_it_was();
}

Test(lost, an_oops_of_the_driver_on_the_console_is_its_failure)
{
	describe(board);
	run_and_kill("--allow-exec", "{ " OOPS "; } >>serial; sleep 0.3");
	expect_output("0 fail kernel;1 pass null;");
	expect_output(
		"Unable to handle kernel paging request at virtual address 0000dead; the machine did not answer any "
		"more; power was cycled, and the machine answered after ");
	expect_output("---- console of the board ----\n[   42.0] Unable to handle");
	expect_output("pc : hisi_ptt_update_aux+0x40/0x200 [hisi_ptt]\n");
}

/* Crash records from before the case do not belong to it. */
Test(lost, a_panic_in_pstore_is_an_error)
{
	describe(board);
	cr_assert_eq(program_script("mkdir -p machine/sys/fs/pstore; { " OOPS
				    "; } >machine/sys/fs/pstore/dmesg-ramoops-0; "
				    "echo '<0>[   43.1] Kernel panic - not syncing: stuck' >record; rm -rf was; cp -r "
				    "machine was"),
		     0);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 pass null;");
	expect_output("the machine died: Kernel panic - not syncing: stuck; power was cycled");
	expect_output("dmesg-ramoops-1 ");
	cr_expect_not(strstr(output, "dmesg-ramoops-0"));
}

/* 5 MiB of old records, and a long new one. */
Test(lost, many_old_crashes_hide_no_new_one)
{
	describe(board);
	cr_assert_eq(program_script("old=machine/var/lib/systemd/pstore; for i in $(seq 20); do mkdir -p $old/$i/001\n"
				    "yes $i | head -c 260000 >$old/$i/001/dmesg.txt; done\n"
				    "{ echo '<0>[   43.1] Kernel panic - not syncing: stuck'; yes | head -c 300000; } "
				    ">record; rm -rf was; cp -r machine was"),
		     0);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 pass null;");
	expect_output("the machine died: Kernel panic - not syncing: stuck; power was cycled");
	expect_output("---- only the first 262144 bytes of ");
	cr_expect_not(strstr(output, "dmesg.txt"));
}

/* systemd-pstore does that in each boot. */
Test(lost, an_old_crash_that_is_moved_stays_old)
{
	describe(board);
	cr_assert_eq(program_script("mkdir -p machine/sys/fs/pstore machine/var/lib/systemd/pstore; { " OOPS
				    "; } >machine/sys/fs/pstore/dmesg-ramoops-0; "
				    "echo mv machine/sys/fs/pstore/* machine/var/lib/systemd/pstore >>power"),
		     0);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 pass null;");
	expect_output("no report of its kernel was found");
	cr_expect_not(strstr(output, "dmesg-ramoops-0"));
}

Test(lost, crashes_that_are_not_known_to_be_new_are_nobodys)
{
	describe(board);
	cr_assert_eq(program_script("mkdir -p machine/sys/fs/pstore; { " OOPS
				    "; } >machine/sys/fs/pstore/dmesg-ramoops-0; touch mute\n"
				    "sed -i '2i [ ! -e mute ] || case \"$*\" in *pstore*) exit 9;; esac' bin/ssh"),
		     0);
	run_and_kill("--allow-exec", "rm mute");
	expect_output("0 error target;1 pass null;");
	expect_output("pcieval: run: a case that kills the board is judged without crash records, which are unknown: "
		      "--target ssh:board: listing crash records ended with exit status 9\n");
	expect_output("no report of its kernel was found");
	expect_output("---- new crash records are unknown: there is no list from before ----\n");
}

Test(lost, off_and_on_where_nothing_cycles)
{
	describe("<board name='b'><writes/><power on='./power on' off='./power off' after-s='1' boot-s='20'/></board>");
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 pass null;");
	expect_output("\noff\non\n");
	ssh_expect_as_it_was();
}

Test(lost, a_board_that_comes_back_by_itself_keeps_its_power)
{
	describe("<board name='b'><writes/><power cycle='./power cycle' after-s='30'/></board>");
	run_and_kill("--allow-exec", "(sleep 4; ./power itself) &");
	expect_output("0 error target;1 pass null;");
	expect_output("the machine answered again after ");
	cr_expect_not(strstr(output, "\ncycle\n"));
}

Test(lost, power_that_does_not_come_back)
{
	describe(board);
	cr_assert_eq(program_script("touch burnt"), 0);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 error infrastructure;");
	expect_output("power was not cycled: './power cycle' ended with exit status 7");
	cr_expect_eq(program_script("pkill -KILL -f $PWD/there/pcieval; rm -rf there/*"), 0);
}

/* Further cases are not over in milliseconds. */
Test(lost, a_board_that_comes_back_late_has_the_rest_of_the_cases)
{
	describe(board);
	cr_assert_eq(program_script("touch burnt"), 0);
	run_and_kill("--allow-exec", "(until grep -q '\"verdict\"' results/journal.jsonl; do sleep 0.1; done; sleep 3; "
				     "rm burnt; ./power itself) &");
	expect_output("0 error target;1 pass null;");
	expect_output("power was not cycled: './power cycle' ended with exit status 7");
}

/* ---- a board that comes back as another ---- */

#define KERNEL "machine/proc/sys/kernel/osrelease"

/* Its bootloader takes the fallback. */
Test(lost, a_board_with_another_kernel_after_the_boot)
{
	describe(board);
	/* A file that cannot be read is no reason not to look at the others. */
	cr_assert_eq(program_script("mkdir -p machine/proc/sys/kernel; echo 6.12.0-new >" KERNEL
				    "; echo 'echo 6.1.0-fallback >" KERNEL "' >>power; "
				    "mkdir -p machine/sys/devices/system/cpu/cpufreq/policy1/scaling_governor"),
		     0);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 error infrastructure;");
	expect_output("the machine answered after ");
	expect_output("s; the machine came back with another kernel: expected '6.12.0-new', got '6.1.0-fallback'; no "
		      "report ");
	expect_output("could not be started: the machine came back with another kernel: expected '6.12.0-new', got ");
}

#define PMUS "machine/sys/bus/event_source/devices"

Test(lost, a_board_without_a_driver_after_the_boot)
{
	describe(board);
	cr_assert_eq(program_script("echo 'mv " PMUS "/hisi_ptt0_0 away' >>power"), 0);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 error infrastructure;");
	expect_output("could not be started: the machine came back without PMU hisi_ptt0_0, which was at 0000:00:08.0");
	/* Without the time that its drivers had. */
	cr_expect_eq(program_script("grep -q 'the machine answered after [0-9] s; the machine came back without' out"),
		     0);
}

/* A case begins when the driver is there: within some seconds, or after other cases. */
Test(lost, a_board_that_loads_a_driver_late_is_the_same)
{
	describe(board);
	cr_assert_eq(program_script("echo 'mv " PMUS "/hisi_ptt0_0 away; (sleep 5; mv away " PMUS
				    "/hisi_ptt0_0) >/dev/null 2>&1 &' >>power"),
		     0);
	run_and_kill("--allow-exec", ":");
	expect_output("0 error target;1 pass null;");
	ssh_expect_as_it_was();
}

/* labgrid-client of a lab with one place, with power command "./power". */
static const char make_labgrid[] =
	"cat >bin/labgrid-client <<END\n"
	"#!/bin/sh\n"
	"cd $PWD\n"
	"[ \"\\$3\" != -c ] || { c=\"\\$1 \\$2\"; [ -e \"\\$4\" ] || exit 1; shift 4; set -- \\$c \"\\$@\"; }\n"
	"[ \"\\$1 \\$2 \\$3 \\$4\" = '-x lab:20408 -p rack4-a' ] || exit 1\n"
	"shift 4; echo \"\\$@\" >>asked\n"
	"lives() { [ -e console.pid ] && grep -q '^State:.[^Z]' /proc/\\$(cat console.pid)/status 2>/dev/null; }\n"
	"case \"\\$*\" in\n"
	"acquire) [ ! -e taken ] || { echo rack4-a has already been acquired by other/user "
	">&2; exit 1; }; touch taken;;\n"
	"release) rm taken;;\n"
	"show) [ ! -e silent ];;\n"
	"'power off') [ -e taken ] && ./power off && touch dead;;\n"
	"'power cycle') [ -e taken ] && ./power cycle;;\n"
	"'console --loop') [ -e taken ] && [ -t 0 ] && echo \\$\\$ >console.pid && exec tail -f -n 0 serial;;\n"
	"'-s shell power on') [ -e taken ] || exit 1\n"
	"for i in 1 2 3 4 5 6 7 8 9; do lives || break; sleep 0.1; done\n"
	"! lives && ./power cycle;;\n"
	"*) exit 1;; esac\n"
	"END\n"
	"chmod +x bin/labgrid-client\n";

static const char place[] = "<board name='b'><writes/><labgrid place='rack4-a' coordinator='lab:20408' after-s='1' "
			    "boot-s='20'/></board>";

Test(lost, a_place_of_labgrid)
{
	describe(place);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	run_and_kill("", "{ " OOPS "; } >>serial; sleep 0.3");
	expect_output("0 fail kernel;1 pass null;");
	expect_output("Unable to handle kernel paging request at virtual address 0000dead; the machine did not answer");
	expect_output("power was cycled, and the machine answered after ");
	cr_expect_eq(program_script("[ ! -e taken ] && cat asked"), 0, "it is released");
	cr_expect_str_eq(output, "acquire\nconsole --loop\npower cycle\nrelease\n");
	ssh_expect_as_it_was();
}

/* Somebody releases the place in the middle of the run, and turns the board off. */
Test(lost, a_place_that_is_taken_away)
{
	describe(place);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	run_and_kill("", "rm taken");
	expect_output("0 error target;1 error infrastructure;");
	expect_output(
		"power was not cycled: 'labgrid-client -x lab:20408 -p rack4-a power cycle' ended with exit status 1");
	expect_output("releasing the board: 'labgrid-client -x lab:20408 -p rack4-a release' ended with exit status 1");
	cr_expect_eq(program_script("[ ! -e powered ]"), 0, "it has the power of others");
	cr_expect_eq(program_script("pkill -KILL -f $PWD/there/pcieval; rm -rf there/*"), 0);
}

/* A strategy needs the console, which only one program can have. */
static const char strategy[] = "<board name='b'><writes/><labgrid place='rack4-a' coordinator='lab:20408' after-s='1' "
			       "boot-s='20' config='lab.yaml' state='shell'/></board>";

Test(lost, a_strategy_boots_the_board)
{
	describe(strategy);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	cr_assert_eq(program_script(": >lab.yaml"), 0);
	run_and_kill("", "{ " OOPS "; } >>serial; sleep 0.3");
	expect_output("0 fail kernel;1 pass null;");
	expect_output("Unable to handle kernel paging request at virtual address 0000dead; the machine did not answer");
	expect_output("power was cycled, and the machine answered after ");
	cr_expect_eq(program_script("[ ! -e taken ] && cat asked"), 0, "it is released");
	cr_expect_str_eq(output, "acquire\nconsole --loop\n-s shell power on\nconsole --loop\nrelease\n");
	ssh_expect_as_it_was();
}

Test(lost, a_strategy_boots_a_board_that_is_off_at_the_start)
{
	describe(strategy);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	cr_assert_eq(program_script(": >lab.yaml; touch dead"), 0);
	cr_expect_eq(pcieval("run --target ssh:board --root $machine --board board.xml --name next " LOST), 0, "%s",
		     output);
	expect_output("--target ssh:board does not answer; labgrid brings it into state shell\n");
	expect_output("1 passed");
	cr_expect_eq(program_script("[ ! -e taken ] && cat asked"), 0, "it is released");
	cr_expect_str_eq(output, "acquire\n-s shell power on\nconsole --loop\npower off\nrelease\n");
}

Test(lost, a_strategy_that_fails_is_told)
{
	describe(strategy);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	cr_assert_eq(program_script(": >lab.yaml; touch dead burnt"), 0);
	cr_expect_eq(pcieval("run --target ssh:board --root $machine --board board.xml --name next " LOST), 2, "%s",
		     output);
	expect_output("bringing the board into state shell: 'labgrid-client -x lab:20408 -c '");
	expect_output("ended with exit status 7");
	cr_expect_eq(program_script("[ ! -e taken ]"), 0, "it is released");
}

Test(lost, a_strategy_boots_no_board_that_somebody_uses)
{
	describe(strategy);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	cr_expect_eq(
		program_script(": >lab.yaml; flock machine/sys/bus sleep 100 & until ! flock -n machine/sys/bus true; "
			       "do sleep 0.05; done; $pcieval run --target ssh:board --root $machine --board board.xml "
			       "--name next " LOST
			       "; status=$?; kill $!; pkill -P $!; grep shell asked && exit 100; exit "
			       "$status"),
		2, "%s", output);
}

Test(lost, a_place_that_others_have)
{
	describe(place);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	cr_assert_eq(program_script("touch taken"), 0);
	cr_expect_eq(pcieval("run --target ssh:board --root $machine --board board.xml " LOST), 2, "%s", output);
	expect_output("rack4-a has already been acquired by other/user\n");
	expect_output("acquiring the board: 'labgrid-client -x lab:20408 -p rack4-a acquire' ended with exit status 1");
	cr_expect_eq(program_script("[ -e taken ] && cat asked"), 0, "it is not released");
	cr_expect_str_eq(output, "acquire\n");
}

/*
 * The real labgrid, in the root made by ci/labgrid: its coordinator, and an exporter of a power port, here an HTTP
 * server that runs "./power", and of a serial port, here a TCP server with a shell of the board, which also sends the
 * file "serial". As of ser2net, one client at a time has the port.
 */
static const char make_real_labgrid[] =
	"set -e\n"
	"cat >servers.py <<'END'\n"
	"import http.server, os, pty, select, socket, subprocess, threading\n"
	"class Power(http.server.BaseHTTPRequestHandler):\n"
	"    def do_GET(self):\n"
	"        subprocess.run(['./power', 'on' if self.path == '/1/1' else 'off'], check=True)\n"
	"        self.send_response(200)\n"
	"        self.end_headers()\n"
	"serial_port = threading.Lock()\n"
	"def serve(client):\n"
	"    if not serial_port.acquire(timeout=3):\n"
	"        return client.close()\n"
	"    pid, shell = pty.fork()\n"
	"    if not pid:\n"
	"        os.execvpe('sh', ['sh', '-i'], {'PS1': 'board# ', 'PATH': os.getcwd() + '/board:/usr/bin:/bin'})\n"
	"    with open('serial', 'rb') as f:\n"
	"        try:\n"
	"            while True:\n"
	"                ready = select.select([client, shell], [], [], 0.05)[0]\n"
	"                client.sendall(f.read())\n"
	"                if shell in ready:\n"
	"                    client.sendall(os.read(shell, 4096))\n"
	"                if client in ready:\n"
	"                    data = client.recv(4096)\n"
	"                    if not data:\n"
	"                        break\n"
	"                    os.write(shell, data)\n"
	"        except OSError:\n"
	"            pass\n"
	"    client.close()\n"
	"    os.close(shell)\n"
	"    os.waitpid(pid, 0)\n"
	"    serial_port.release()\n"
	"power = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Power)\n"
	"serial = socket.create_server(('127.0.0.1', 0))\n"
	"free = socket.create_server(('127.0.0.1', 0))\n"
	"ports = [s.getsockname()[1] for s in (power.socket, serial, free)]\n"
	"free.close()\n"
	"threading.Thread(target=power.serve_forever, daemon=True).start()\n"
	"open('ports.new', 'w').write('%d %d %d\\n' % tuple(ports))\n"
	"__import__('os').rename('ports.new', 'ports')\n"
	"while True:\n"
	"    threading.Thread(target=serve, args=(serial.accept()[0],), daemon=True).start()\n"
	"END\n"
	"python3 servers.py >servers.log 2>&1 & echo $! >pids\n"
	"until [ -e ports ]; do sleep 0.05; done; read -r power serial port <ports; echo $port >port; mkdir "
	"$LABGRID_ROOT/lab.$port\n"
	"cat >$LABGRID_ROOT/lab.$port/export.yaml <<END\n"
	"board:\n"
	"  NetworkPowerPort: {model: simplerest, host: 'http://127.0.0.1:$power/{index}/{value}', index: 1}\n"
	"  NetworkSerialPort: {host: 127.0.0.1, port: $serial, protocol: raw}\n"
	"END\n"
	"in_root() { exec chroot $LABGRID_ROOT env -C /lab.$port HOME=/root LC_ALL=C.UTF-8 \"$@\"; }\n"
	"in_root labgrid-coordinator -l 127.0.0.1:$port >coordinator.log 2>&1 & echo $! >>pids\n"
	"cat >bin/labgrid-client <<END\n"
	"#!/bin/sh\n"
	"exec chroot $LABGRID_ROOT env HOME=/root LC_ALL=C.UTF-8 labgrid-client \"\\$@\"\n"
	"END\n"
	"chmod +x bin/labgrid-client\n"
	"for i in $(seq 100); do labgrid-client -x 127.0.0.1:$port places >/dev/null 2>&1 && break; sleep 0.2; done\n"
	"in_root labgrid-exporter -c 127.0.0.1:$port -n lab --hostname 127.0.0.1 export.yaml >exporter.log 2>&1 "
	"& "
	"echo $! "
	">>pids\n"
	"labgrid-client -x 127.0.0.1:$port -p rack4-a create\n"
	"labgrid-client -x 127.0.0.1:$port -p rack4-a add-match 'lab/board/*'\n"
	"for i in $(seq 100); do labgrid-client -x 127.0.0.1:$port resources 2>/dev/null | grep -q Serial && break; "
	"sleep 0.2; done\n"
	"echo \"<board name='b'><writes/><labgrid place='rack4-a' coordinator='127.0.0.1:$port' after-s='1' "
	"boot-s='20'/></board>\" >board.xml\n";

static void end_servers(void)
{
	program_script(
		"kill $(cat pids); for i in $(seq 50); do kill -0 $(cat pids) 2>/dev/null || break; sleep 0.1; done; "
		"kill -KILL $(cat pids) 2>/dev/null");
}

Test(lost, labgrid_itself)
{
	if (!getenv("LABGRID_ROOT"))
		cr_skip_test("ci/labgrid runs it");
	cr_expect_eq(program_script(make_real_labgrid), 0, "%s", output);
	run_and_kill("", "sleep 2; { " OOPS "; } >>serial; sleep 1");
	expect_output("0 fail kernel;1 pass null;");
	expect_output("Unable to handle kernel paging request at virtual address 0000dead; the machine did not answer");
	expect_output("power was cycled, and the machine answered after ");
	expect_output("\noff\non\n");
	cr_expect_eq(program_script("labgrid-client -x 127.0.0.1:$(cat port) -p rack4-a show | grep 'acquired: None'"),
		     0, "it is released: %s", output);
	end_servers();
	ssh_expect_as_it_was();
}

/* The strategy turns the power off and on, and logs in, on the console that the run has left for it. */
static const char use_strategy[] =
	"set -e; mkdir board; printf '#!/bin/sh\\n' >board/systemctl; chmod +x board/systemctl\n"
	"mkdir -p $LABGRID_ROOT$PWD; cat >$LABGRID_ROOT$PWD/lab.yaml <<'END'\n"
	"targets:\n"
	"  main:\n"
	"    resources:\n"
	"      RemotePlace: {name: rack4-a}\n"
	"    drivers:\n"
	"      NetworkPowerDriver: {delay: 0.5}\n"
	"      SerialDriver: {}\n"
	"      ShellDriver: {prompt: 'board# ', login_prompt: ' login: ', username: root, login_timeout: 20}\n"
	"      ShellStrategy: {}\n"
	"END\n"
	"sed -i \"s|boot-s='20'|boot-s='60' config='lab.yaml' state='shell'|\" board.xml; grep -q state= board.xml\n";

Test(lost, labgrid_itself_with_a_strategy)
{
	if (!getenv("LABGRID_ROOT"))
		cr_skip_test("ci/labgrid runs it");
	cr_expect_eq(program_script(make_real_labgrid), 0, "%s", output);
	cr_expect_eq(program_script(use_strategy), 0, "%s", output);
	run_and_kill("", "sleep 2; { " OOPS "; } >>serial; sleep 1");
	expect_output("0 fail kernel;1 pass null;");
	expect_output("Unable to handle kernel paging request at virtual address 0000dead; the machine did not answer");
	expect_output("power was cycled, and the machine answered after ");
	expect_output("\noff\noff\non\non\n");
	/* A board that is off, as labs leave it. */
	cr_expect_eq(program_script("touch dead; : >powered; $pcieval run --target ssh:board --root $machine --board "
				    "board.xml --name next " LOST "; cat powered"),
		     0, "%s", output);
	expect_output("labgrid brings it into state shell\n");
	expect_output("1 passed");
	expect_output("off\noff\non\non\noff\n"); /* off again, as it was */
	end_servers();
}

Test(lost, labgrid_itself_with_a_place_that_others_have)
{
	if (!getenv("LABGRID_ROOT"))
		cr_skip_test("ci/labgrid runs it");
	cr_expect_eq(program_script(make_real_labgrid), 0, "%s", output);
	cr_expect_eq(
		program_script("chroot $LABGRID_ROOT env LG_USERNAME=other labgrid-client -x 127.0.0.1:$(cat port) -p "
			       "rack4-a acquire"),
		0, "%s", output);
	cr_expect_eq(pcieval("run --target ssh:board --root $machine --board board.xml " LOST), 2, "%s", output);
	expect_output("acquiring the board: 'labgrid-client -x ");
	end_servers();
}

Test(lost, a_place_is_waited_for)
{
	describe(place);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	cr_expect_eq(
		program_script(
			"touch taken; (sleep 2; rm taken) & $pcieval run --target ssh:board --root $machine --board "
			"board.xml --wait --name next " LOST),
		0, "%s", output);
	expect_output("--target ssh:board: waiting for others to let it go\n");
	expect_output("1 passed");
	cr_expect_eq(program_script("[ ! -e taken ]"), 0, "it is released");
}

Test(lost, a_silent_coordinator_is_not_waited_for)
{
	describe(place);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	cr_assert_eq(program_script("touch taken silent"), 0);
	cr_expect_eq(
		pcieval("run --target ssh:board --root $machine --board board.xml --wait --timeout-scale 0.01 " LOST),
		2, "%s", output);
	expect_output(
		"acquiring the board: labgrid has not shown the place for 0 s: 'labgrid-client -x lab:20408 -p rack4-a "
		"show' ended with exit status 1; expected a coordinator that answers");
	cr_expect_not(strstr(output, "waiting for others"));
}

Test(lost, a_killed_run_leaves_no_place_behind)
{
	describe(place);
	cr_assert_eq(program_script(make_labgrid), 0, "%s", output);
	cr_expect_eq(
		program_script(
			"$pcieval run --target ssh:board --root $machine --board board.xml --results results " LOST
			" >out 2>&1 & run=$!\n"
			"until grep -qs '\"wait\"' results/journal.jsonl; do kill -0 $run || { cat out; exit 1; }; "
			"sleep 0.05; done\n"
			"kill -KILL $run\n"
			"for i in $(seq 200); do [ -e taken ] || break; sleep 0.05; done; [ ! -e taken ]"),
		0, "%s", output);
	cr_expect_eq(program_script("cat asked"), 0);
	cr_expect_str_eq(output, "acquire\nconsole --loop\nrelease\n");
}

/* ---- a board that dies between two cases ---- */

/*
 * The run writes to a pipe that is full from the first case on, so that the run stops when it prints that this case has
 * passed. Then the board dies, somebody reads the pipe, and the run goes on. The script `before` is run at the start.
 */
static void run_and_kill_between(const char *before)
{
	char script[3072];

	snprintf(script, sizeof(script),
		 "%s\nsed 's/<tune-write.*//; s/ms=\"100000\"/ms=\"6000\"/; s/equals=\"2\"/equals=\"1\"/; "
		 "s/timeout=\"60\"/timeout=\"3\"/' " LOST " >between.xml\n"
		 "mkfifo pipe; exec 3<>pipe\n"
		 "$pcieval run --target ssh:board --root $machine --board board.xml --allow-exec --results results "
		 "between.xml >pipe 2>err 3>&- & run=$!\n"
		 "until grep -qs '\"wait\"' results/journal.jsonl; do kill -0 $run || { cat err; exit 1; }; sleep "
		 "0.05; done\n"
		 "dd if=/dev/zero of=pipe bs=512 oflag=nonblock 2>/dev/null\n"
		 "until grep -q '\"verdict\"' results/journal.jsonl; do kill -0 $run || exit 2; sleep 0.05; done; "
		 "sleep 0.2\n"
		 "touch dead; pkill -KILL -P $run -f ControlMaster; sleep 0.2\n"
		 "exec 4<pipe 3>&-; cat <&4 >out & reader=$!; wait $run; wait $reader; tr -d '\\000' <out; cat err\n"
		 "jq -r 'select(.ev == \"verdict\") | \"\\(.case) \\(.verdict) \\(.type)\"' results/journal.jsonl | tr "
		 "'\\n' ';'\n"
		 "echo; cat powered; cat results/cases/*/log.txt 2>/dev/null || :",
		 before);
	cr_expect_eq(program_script(script), 0, "%s", output);
}

/* Booting takes longer than the second case may. */
Test(lost, a_board_that_dies_between_two_cases)
{
	describe(board);
	run_and_kill_between("sed -i '3i sleep 4' power");
	expect_output("0 pass null;1 pass null;");
	expect_output(
		"--target ssh:board was lost between two cases: power was cycled, and the machine answered after ");
	expect_output("\ncycle\n");
}

Test(lost, commands_of_the_lab_that_are_not_used_are_named)
{
	describe("<board name='b'><writes/><power cycle='./power cycle'/></board>");
	cr_expect_eq(pcieval("run --target ssh:board --root $machine --board board.xml --name next " LOST), 0);
	expect_output("pcieval: run: <power> is not used: give --allow-exec\n");
	describe("<board name='b'><writes/><console command='tail serial'/></board>");
	cr_expect_eq(pcieval("run --target ssh:board --root $machine --board board.xml --name next " LOST), 0);
	expect_output("pcieval: run: <console> is not used: give --allow-exec\n");
	cr_expect_eq(pcieval("run --target ssh:board --root $machine --board board.xml --allow-exec --name next " LOST),
		     0);
	cr_expect_not(strstr(output, "not used"));
}

Test(lost, nothing_of_it_without_the_right)
{
	describe(board);
	run_and_kill("", "(sleep 4; ./power itself) &");
	expect_output("0 error target;1 pass null;");
	cr_expect_not(strstr(output, "\ncycle\n"));
	cr_expect_not(strstr(output, "\nconsole\n"));
	expect_output("pcieval: run: <power> and <console> are not used: give --allow-exec\n");
	expect_output("; <power> and <console> are not used: give --allow-exec");
}
