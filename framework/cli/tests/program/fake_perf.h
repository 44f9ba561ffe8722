/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds PMUs to the machine of files in folder "machine", and makes a perf for it in folder "tools". This perf writes
 * its arguments to "asked" and its pid to "pid", and then runs the file "behave", a piece of shell script.
 */
#ifndef PV_CLI_TESTS_FAKE_PERF_H
#define PV_CLI_TESTS_FAKE_PERF_H

#include "framework/cli/tests/program/machine.h"

/* A shell starts perf in the background, where a script cannot catch SIGINT, but perf, which is no script, can. */
static const char make_fake_perf[] =
	"set -e; mkdir tools; cat >tools/perf <<END\n"
	"#!/bin/sh\n"
	"cd $PWD\n"
	"[ -n \"\\$fake\" ] || exec env fake=1 --default-signal=INT sh tools/perf \"\\$@\"\n"
	"END\n"
	"cat >>tools/perf <<'END'\n"
	"echo \"$@\" >asked; echo $$ >pid; n=1000\n"
	"while [ $# -gt 0 ]; do case $1 in -e) events=$2;; --interval-count) n=$2;; esac; shift; done\n"
	"trap 'n=$i' INT\n"
	"[ ! -e behave ] || . ./behave\n"
	"for i in $(seq 1000); do sleep 0.1\n"
	"echo \"$events\" | sed \"s|/,|/\\n|g\" | while read -r e; do echo \"$i.0,4096,,$e,1000,100.00,,\"; done\n"
	"[ $i -lt $n ] || exit 0; done\n"
	"END\n"
	"chmod +x tools/perf\n"
	"cd machine/sys/bus; echo 0x060400 >pci/devices/0000:00:10.0/class; cd event_source/devices\n"
	"mkdir -p dwc_rootport_80/events cxl_pmu_mem0.0/events\n"
	"echo eventid=0x00,type=0x0 >dwc_rootport_80/events/one_cycle\n"
	"echo eventid=0x21,type=0x0 >dwc_rootport_80/events/Rx_PCIe_TLP_Data_Payload\n"
	"echo vid=0x1e98,gid=0x11,mask=0x2 >cxl_pmu_mem0.0/events/m2s_req_memrd";

#define FAKE_EVENTS "dwc_rootport_80/eventid=0x21,type=0x0/"

static inline void make_perf(void)
{
	cr_assert_eq(program_script(make_fake_perf), 0, "%s", output);
}

/* Starts "pcieval watch ARGUMENTS >out 2>&1" as $watch, and waits for its first line. */
#define START_WATCH(arguments)                                                                        \
	"rm -f pid out; env --default-signal=INT $pcieval watch " arguments " >out 2>&1 & watch=$!\n" \
	"for i in $(seq 300); do grep -qs ' s  ' out && break; sleep 0.1; done\n"
/* Exits with status 100 if perf still runs after 10 s. */
#define EXPECT_NO_PERF                                                                                            \
	"for i in $(seq 100); do kill -0 $(cat pid) 2>/dev/null || break; sleep 0.1; done; ! kill -0 $(cat pid) " \
	"2>/dev/null || exit 100\n"

#endif
