# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: programs of Debian, each in an archive of its own with the libraries that it needs and the loader: perf, for which only some cases ask,
# and fio, with which tests load a guest that they use as a board. What takes a program out of packages.

debian_perf() {
	found=$(remembered perf find_perf)
	made perf "$({ echo "$found" && recipe programs.sh pack.sh; } | digest)" make_program perf bookworm,bookworm-backports "linux-perf=$found" 30
}

find_perf() {
	"$here/foreign" bookworm,bookworm-backports arm64 run apt-cache madison linux-perf | awk '$6 ~ /backports/ { print $3; exit }'
}

debian_fio() {
	found=$(remembered fio find_fio)
	made fio "$({ echo "$found" && recipe programs.sh pack.sh; } | digest)" make_program fio "$(suites_of 6.12)" "fio=$found" 58
}

find_fio() {
	"$here/foreign" "$(suites_of 6.12)" arm64 version fio
}

# make_program PROGRAM SUITES PACKAGE=VERSION MEGABYTES FOLDER: the archive of usr/bin/PROGRAM in FOLDER.
make_program() {
	need cpio
	say "$1: fetching $3 and its libraries, $4 MB"
	unpack_with_libraries "$5" "$2" "$3"
	pick_program "$5/all" "$5/root" "bin/$1"
	pack "$5/root" "$5/$1.cpio" .
	rm -rf "$5/all" "$5/root"
}

# unpack_with_libraries FOLDER SUITES PACKAGE=VERSION: the package and all that it depends on, in FOLDER/all.
unpack_with_libraries() {
	"$here/foreign" "$2" arm64 fetch "$1/deb" "$3"
	for deb in "$1"/deb/*.deb; do
		dpkg-deb -x "$deb" "$1/all"
	done
	rm -rf "$1/deb"
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
