# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest and ci/qemu: how far a build of minutes is.

# watched LOG COMMAND [ARGUMENT]...: what it says goes to LOG; every half minute, how far it is: [12/345] of Ninja's, else how many object
# files there are in the folder $compiled_in. Its exit status.
compiled_in=
watched() {
	log=$1
	shift
	: >"$log"
	(
		# Neither a lock nor the caller's output is held by this one, which ends soon after its parent.
		exec 9>&- >/dev/null
		while sleep 30 2>/dev/null && kill -0 $$ 2>/dev/null; do
			count=$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1)
			[ -z "$count$compiled_in" ] || say "${count:-$(find "$compiled_in" -name '*.o' | wc -l) files compiled}"
		done
	) &
	watcher=$!
	status=0
	"$@" >"$log" 2>&1 </dev/null || status=$?
	kill $watcher 2>/dev/null || true
	return $status
}
