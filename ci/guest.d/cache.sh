# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: folders that are made once. Each is named by what it was made from and has everything or does not exist.

say() {
	echo "ci/guest: $*" >&2
}

fail() {
	say "$*"
	exit 1
}

# With --cached, nothing is made or fetched.
not_now() {
	[ -z "$cached" ] || fail "$1; ci/guest $asked makes it"
}

# need PROGRAM...
need() {
	for program; do
		command -v "$program" >/dev/null || fail "expected $program, and there is none; $here/setup guest installs it"
	done
}

# Prints 16 digits that stand for what comes in.
digest() {
	sha256sum | cut -c 1-16
}

# recipe FILE...: prints the parts of ci/guest that a folder depends on, without comments.
recipe() {
	(cd "$recipes" && sed '/^[[:space:]]*#/d' "$@")
}

# digest_of FILE: reads FILE only when its name, size or time is new.
digest_of() {
	memo=$top/digest/$(stat -c '%n %s %Y %i' "$1" | digest)
	if [ ! -s "$memo" ]; then
		mkdir -p "$top/digest"
		sum=$(digest <"$1")
		echo "$sum" >"$memo.$$"
		mv "$memo.$$" "$memo"
	fi
	cat "$memo"
}

# made NAME KEY FUNCTION [ARGUMENT]...: prints the folder NAME-KEY. When it is not there, FUNCTION fills the folder that it
# gets as its last argument; the folder gets its name when that has ended well. One process at a time makes NAME.
made() {
	name=$1 folder=$top/$1-$2
	shift 2
	if ! used "$folder"; then
		not_now "$name is not made yet"
		(
			lock "$name"
			if ! used "$folder"; then
				part=$top/$name.part
				rm -rf "$part"
				mkdir -p "$part" || fail "cannot make $part"
				# In a shell of its own: its variables are not ours.
				("$@" "$part")
				mv -T "$part" "$folder"
				prune "$top"
			fi
		) >&2
	fi
	echo "$folder"
}

# The lock is that of file descriptor 9: it ends with the last process that has it, so that compilers that outlive a killed
# ci/guest still keep others away from their folder.
lock() {
	exec 9>"$top/$1.lock" || fail "cannot write in $top"
	flock -n 9 || {
		say "another ci/guest makes $1; waiting for it"
		flock 9
	}
}

# logged NAME COMMAND [ARGUMENT]...: keeps what it says, and shows the compiler's errors, else the end of that, when it fails:
# exit status 65, EX_DATAERR of sysexits.h.
logged() {
	log=$top/$1.log
	shift
	compiled_in=
	case $1 in in_tree | for_gcov) compiled_in=$3 ;; esac
	watched "$log" "$@" || {
		grep -v '^make' "$log" >"$log.short"
		grep -E -A 3 ': (fatal )?error: |^ERROR: modpost' "$log.short" | head -n 30 | grep . >&2 || tail -n 15 "$log.short" >&2
		rm -f "$log.short"
		say "that failed; all of it is in $log"
		exit 65
	}
}

# Which package a name such as "newest" stood for the first time: prints it, else what FUNCTION prints.
remembered() {
	memo=$top/names/$1
	if [ ! -s "$memo" ]; then
		not_now "nobody has asked for $1 yet"
		shift
		found=$("$@")
		[ -n "$found" ] || fail "Debian's packages have no $asked"
		mkdir -p "$top/names"
		echo "$found" >"$memo.$$"
		mv "$memo.$$" "$memo"
	fi
	cat "$memo"
}

forget_names() {
	for suites in $(suites_of 6.12) $(suites_of newest); do
		"$here/foreign" "$suites" arm64 update
	done
	rm -rf "$top/names"
}
