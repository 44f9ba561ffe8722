# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest and ci/qemu: what nobody has used for 30 days leaves the cache. The time of a folder is that of its last use.

unused_days=30

# used FOLDER: fails if it is not there; else notes that it is used now. None goes meanwhile, so it is there afterwards.
used() {
	[ -d "$1" ] || return 1
	# Without leave to write, nobody removes anything either.
	[ -w "$(dirname "$1")" ] || return 0
	(flock -s 8 && [ -d "$1" ] && touch "$1") 8>"$(dirname "$1")/prune.lock"
}

# prune TOP: removes folders of TOP whose name ends in the 16 digits of what they were made from, and small files like logs.
# Who is killed leaves a folder `gone`, and none that is half there.
prune() {
	(flock 8 && remove_unused "$1") 8>"$1/prune.lock"
}

remove_unused() {
	rm -rf "$1/gone"
	mkdir "$1/gone"
	find "$1" -mindepth 1 -maxdepth 1 -type d -mtime +$((unused_days - 1)) -regextype posix-extended \
		-regex '.*[/-][0-9a-f]{16}' -exec mv -t "$1/gone" {} +
	rm -rf "$1/gone"
	find "$1" -maxdepth 2 -type f \( -path '*/digest/*' -o -name '*.log' \) -mtime +$((unused_days - 1)) -delete
}
