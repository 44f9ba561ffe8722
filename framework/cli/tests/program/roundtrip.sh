#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Traces of real runs through perf.data and upstream's perf: the words in perf's text are those of the trace, perf's
# text is that of `trace dump --perf-compat`, in a file and in a pipe, and what comes back from the perf.data is
# the trace to the byte. Nothing here is made by hand, and perf's text is read by the few lines of awk below.
# Usage: roundtrip.sh PCIEVAL SCENARIOS (exit 77: no perf 6.12; what needs none was tested)
set -eu
pcieval=$1 scenarios=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
export PERF_CONFIG=/dev/null LC_ALL=C

fail() {
	echo "$name: $*"
	exit 1
}

# The words of the payload as perf prints them, a record a line, each under its name.
words_of_perf() {
	awk '
		/HISI PTT data: size/ { next }
		/^\.  [0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]: / {
			what = $7 == "Header" ? $8 : $7
			if (what == "Prefix" || what == "Format") { if (line) print line; line = "" }
			line = line what " " $3 $4 $5 $6 " "
		}
		END { if (line) print line }'
}

# The same of the trace itself. perf leaves out the mark and the reserved word of 8DW.
words_of_trace() {
	if [ "$(od -An -tx1 -N4 "$1" | tr -d ' ')" = ffffffff ]; then
		od -An -v -w32 -tx1 "$1" | awk '{
			gsub(" ", "")
			if (substr($0, 1, 8) != "ffffffff" || substr($0, 49, 8) != "00000000") print "mark of", $0
			print "Prefix " substr($0, 9, 8), "DW0 " substr($0, 17, 8), "DW1 " substr($0, 25, 8), \
				"DW2 " substr($0, 33, 8), "DW3 " substr($0, 41, 8), "Time " substr($0, 57, 8) " " }'
	else
		od -An -v -w16 -tx1 "$1" | awk '{
			gsub(" ", "")
			print "Format " substr($0, 1, 8), "DW1 " substr($0, 9, 8), "DW2 " substr($0, 17, 8), "DW3 " substr($0, 25, 8) " " }'
	fi
}

payload_text() {
	grep -E '^\.  [0-9a-f]{8}: |HISI PTT data'
}

there_and_back() {
	"$pcieval" trace convert -o "$work/t.data" "$1" || fail "convert: exit status $?"
	"$pcieval" trace convert -o "$work/t.raw" "$work/t.data" || fail "convert back: exit status $?"
	cmp "$1" "$work/t.raw" || fail "what comes back from perf.data is not the trace"
	"$pcieval" trace convert -o "$work/again.data" "$work/t.data" || fail "convert again: exit status $?"
	cmp "$work/t.data" "$work/again.data" || fail "perf.data of a perf.data is another"
	"$pcieval" trace convert --to perf.data -o - "$1" | "$pcieval" trace convert --to raw -o - - | cmp - "$1" ||
		fail "what comes back from a pipe is not the trace"
}

through_perf() {
	"$pcieval" trace dump --perf-compat=6.12 "$work/t.data" >"$work/ours" || fail "dump: exit status $?"
	perf report -D -i "$work/t.data" 2>/dev/null | payload_text >"$work/report"
	cmp "$work/ours" "$work/report" || fail "perf report -D says something else than trace dump"
	perf script -D -i "$work/t.data" 2>/dev/null | payload_text | cmp - "$work/ours" || fail "perf script -D differs"
	"$pcieval" trace convert --to perf.data -o - "$1" | perf report -D -i - 2>/dev/null | payload_text |
		cmp - "$work/ours" || fail "perf report -D of a pipe differs"
	words_of_trace "$1" >"$work/expected"
	words_of_perf <"$work/report" | cmp - "$work/expected" || fail "the words in perf's text are not those of the trace"
}

runs=0
run() {
	runs=$((runs + 1))
	"$pcieval" run --keep --results "$work/run$runs" --name "$1" "$scenarios/${1%%/*}.xml" >"$work/out" || {
		cat "$work/out"
		exit 1
	}
}

run 'ptt-trace-directions/*' # each direction and type, each kind of TLP, in both formats
run 'ptt-trace-formats/prefix*'
run 'ptt-trace-formats/golden*'
run ptt-buffers/linux-sizes # 22 MB: many AUXTRACE records
case $(perf --version 2>/dev/null || true) in
"perf version 6.12"*) perf=yes ;;
*) perf=no ;;
esac
find "$work"/run?/cases -name 'trace-*.bin' -size +0 | sort >"$work/traces"
files=0 four=0 eight=0 bytes=0
while read -r trace; do
	name=${trace#"$work"/run?/cases/}
	there_and_back "$trace"
	[ $perf = no ] || through_perf "$trace"
	files=$((files + 1)) bytes=$((bytes + $(stat -c %s "$trace")))
	case $(od -An -tx1 -N4 "$trace" | tr -d ' ') in
	ffffffff) eight=$((eight + 1)) ;;
	*) four=$((four + 1)) ;;
	esac
done <"$work/traces"
# What a run says of a trace, and the trace does not: overruns, from its log to perf's warning.
run 'ptt-buffers/slow-consumer*'
overruns=0
for log in "$work"/run$runs/cases/*/log.txt; do
	offsets=$(sed -n 's/.*trace-t.bin: flagged truncated at //p' "$log")
	[ -n "$offsets" ] || continue
	name=${log#"$work"/} overruns=$((overruns + 1))
	"$pcieval" trace convert --truncated "$offsets" -o "$work/t.data" "${log%/*}/trace-t.bin" || fail "exit status $?"
	"$pcieval" trace decode "$work/t.data" 2>&1 >"$work/records" | sed -n 's/.*lost behind AUX offset //p' | paste -sd , >"$work/told"
	[ "$(cat "$work/told")" = "$offsets" ] || fail "expected overruns at $offsets, got $(cat "$work/told")"
	[ $perf = no ] || perf report -i "$work/t.data" 2>&1 | grep -q 'AUX data lost' || fail "perf does not warn"
done
[ $overruns -ge 2 ] || { echo "only $overruns traces with overruns"; exit 1; }
[ $four -ge 10 ] && [ $eight -ge 10 ] && [ $bytes -gt 20000000 ] || { echo "only $four traces of 4DW and $eight of 8DW, $bytes bytes"; exit 1; }
echo "$files traces, $bytes bytes, came back to the byte"
[ $perf = yes ] || { echo "skipped: needs perf 6.12 (linux-perf of bookworm-backports)"; exit 77; }
