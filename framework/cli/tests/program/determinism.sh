#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Same seed, same bytes: ledgers, traces and register logs of two runs are compared file by file, one run with one
# case at a time, the other with two. Another seed must give other bytes, or the comparison proves nothing.
# Usage: determinism.sh PCIEVAL PLAN...
set -eu
pcieval=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() {
	name=$1 jobs=$2 seed=$3
	shift 3
	"$pcieval" run --keep -j "$jobs" --seed "$seed" --tag smoke --tag golden --tag '!slow' --results "$work/$name" "$@" \
		>"$work/$name.out" || [ $? = 1 ]
	(cd "$work/$name/cases" && find . -type f -size +0 ! -name log.txt -exec sha256sum {} + | LC_ALL=C sort -k2) >"$work/$name.sums"
}
run one 1 7 "$@"
run two 2 7 "$@"
run other 2 8 "$@"
files=$(wc -l <"$work/one.sums")
[ "$files" -ge 100 ] || { echo "only $files artefacts to compare"; exit 1; }
cmp "$work/one.sums" "$work/two.sums" || { diff "$work/one.sums" "$work/two.sums" | head -n 20; exit 1; }
if cmp -s "$work/one.sums" "$work/other.sums"; then
	echo "another seed gives the same bytes: nothing was compared"
	exit 1
fi
echo "$files artefacts are the same to the byte"
