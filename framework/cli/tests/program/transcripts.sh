#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the output of commands to the character: runs each line "$ COMMAND" of the files in `transcripts` with sh. Its output,
# both streams, must be the lines below it. "## " begins a comment. A file has a folder of its own, with scenarios and
# fixtures. "tty COMMAND" runs a command on a terminal of 80 columns; "untimed" takes durations and the revision of the tree
# out of an output. In a pipe both streams are one, and are read to their end: their order is then the same each time.
# Usage: transcripts.sh PCIEVAL TREE [--write]    # --write: the outputs of now become the expected ones; read the difference
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pcieval=$(realpath "$1") tree=$(realpath "$2") write=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/bin"
ln -s "$pcieval" "$work/bin/pcieval"
cat >"$work/bin/tty" <<'end'
#!/bin/sh
words=
for word; do words="$words '$word'"; done
script -qec "stty cols 80; TERM=dumb exec $words" /dev/null </dev/null | tr -d '\r'
end
cat >"$work/bin/untimed" <<'end'
#!/bin/sh
exec sed -E 's/ *[0-9]+\.[0-9]+ s/ N s/g; s/ \([0-9a-f]{12}(-dirty)?\)//; s/ \(unknown\);/;/'
end
chmod +x "$work/bin/tty" "$work/bin/untimed"
export PATH="$work/bin:$PATH" LC_ALL=C.UTF-8 TZ=UTC HOME="$work"
unset PCIEVAL_AGENT

# replay TRANSCRIPT: prints it with what its commands print now
replay() {
	while IFS= read -r line; do
		case $line in
		'$ '*)
			printf '%s\n' "$line"
			(eval "${line#??}") 2>&1 </dev/null || :
			;;
		'## '*) printf '\n%s\n' "$line" ;;
		esac
	done <"$1"
}

differ=0 n=0
for transcript in "$here"/transcripts/*.txt; do
	name=$(basename "$transcript" .txt)
	mkdir "$work/$name"
	ln -s "$tree/scenarios" "$tree/fixtures" "$work/$name"
	(cd "$work/$name" && replay "$transcript") >"$work/$name.txt"
	n=$((n + 1))
	if [ "$write" = --write ]; then
		cp "$work/$name.txt" "$transcript"
	elif ! diff -u --label "$name.txt" --label now "$transcript" "$work/$name.txt"; then
		differ=$((differ + 1))
	fi
done
[ $n -ge 5 ] || { echo "transcripts.sh: only $n transcripts found"; exit 1; }
[ $differ = 0 ]
