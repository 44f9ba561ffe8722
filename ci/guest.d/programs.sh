# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: Debian's perf, in an archive of its own: only some cases ask for it. What takes a program out of packages.

# Debian's perf with the libraries that it needs, and the loader.
debian_perf() {
	found=$(remembered perf find_perf)
	made perf "$({ echo "$found" && recipe perf.sh pack.sh; } | digest)" fetch_perf
}

find_perf() {
	"$here/foreign" bookworm,bookworm-backports arm64 run apt-cache madison linux-perf | awk '$6 ~ /backports/ { print $3; exit }'
}

fetch_perf() {
	need cpio
	say "perf: fetching linux-perf $found and its libraries, 30 MB"
	"$here/foreign" bookworm,bookworm-backports arm64 fetch "$1/deb" "linux-perf=$found"
	for deb in "$1"/deb/*.deb; do
		dpkg-deb -x "$deb" "$1/all"
	done
	pick_program "$1/all" "$1/root" bin/perf
	pack "$1/root" "$1/perf.cpio" .
	rm -rf "$1/deb" "$1/all" "$1/root"
}

# pick_program FROM TO PROGRAM: copies a program from usr/PROGRAM, and, from library to library, what it is linked with.
pick_program() {
	mkdir -p "$2/lib" "$(dirname "$2/$3")"
	cp "$1/usr/$3" "$2/$3"
	look_at=$2/$3
	while [ -n "$look_at" ]; do
		new=
		# shellcheck disable=SC2086 # a list of files
		for library in $(${cross}readelf -d $look_at | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u); do
			[ ! -e "$2/lib/$library" ] || continue
			found=$(find "$1" -name "$library" | head -n 1)
			[ -n "$found" ] || fail "$3: it needs $library, which none of its packages has"
			cp -L "$found" "$2/lib/$library"
			new="$new $2/lib/$library"
		done
		look_at=$new
	done
}
