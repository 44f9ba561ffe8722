# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: what a guest runs: busybox and /init, the far-side program, modules of the user's.

base() {
	found=$(remembered busybox find_busybox)
	busybox=$(made busybox "$(echo "$found" | digest)" fetch_busybox)
	made base "$({ echo "$found" && recipe initramfs.sh pack.sh && cat "$recipes/init"; } | digest)" make_base "$busybox"
}

find_busybox() {
	"$here/foreign" "$(suites_of 6.12)" arm64 version busybox-static
}

fetch_busybox() {
	say "base: fetching busybox-static $found"
	"$here/foreign" "$(suites_of 6.12)" arm64 unpack "$1/deb" busybox-static
	find "$1/deb" -name busybox -type f -path '*bin/*' -exec cp {} "$1/busybox" \;
	[ -x "$1/busybox" ] || fail "the package busybox-static $found has no busybox"
	rm -rf "$1/deb"
}

make_base() {
	need cpio
	mkdir "$2/root" "$2/root/bin"
	cp "$1/busybox" "$2/root/bin"
	cp "$recipes/init" "$2/root"
	chmod 755 "$2/root/init"
	ln -s busybox "$2/root/bin/sh"
	ln -s busybox "$2/root/bin/sleep"
	ln -s busybox "$2/root/bin/cat"
	pack "$2/root" "$2/base.cpio" bin init
	rm -rf "$2/root"
}

user_modules() {
	[ -n "$(find "$1" -name '*.ko*' 2>/dev/null)" ] || fail "expected modules (*.ko) in $1, and there are none"
	key=$({ find "$1" -name '*.ko*' -exec sha256sum {} + | LC_ALL=C sort && recipe initramfs.sh pack.sh; } | digest)
	made modules "$key" copy_modules "$1"
}

copy_modules() {
	need ${cross}strip cpio modinfo
	mkdir "$2/modules"
	find "$1" -name '*.ko*' | while read -r module; do
		add_module "$module" "$2/modules"
	done
	pack_modules "$2"
	modinfo -F vermagic "$2"/modules/*.ko | cut -d ' ' -f 1 | sort -u >"$2/release"
	[ "$(wc -l <"$2/release")" = 1 ] || fail "the modules in $1 are of several kernels: $(tr '\n' ' ' <"$2/release")"
}

# add_module FILE FOLDER: copies a module, unpacked.
add_module() {
	case $1 in
	*.ko) cp "$1" "$2" ;;
	*.ko.xz) xz -dc "$1" >"$2/$(basename "$1" .xz)" ;;
	*.ko.zst) zstd -qdc "$1" >"$2/$(basename "$1" .zst)" ;;
	*.ko.gz) gzip -dc "$1" >"$2/$(basename "$1" .gz)" ;;
	esac
}

# far [PROGRAM]
far() {
	if [ $# = 1 ]; then
		[ -f "$1" ] && [ -x "$1" ] || fail "expected a program in $1"
		made far "$({ digest_of "$1" && recipe initramfs.sh pack.sh; } | digest)" pack_far "$1"
	else
		made far "$({ far_parts && recipe initramfs.sh pack.sh; } | digest)" build_far
	fi
}

# Prints what the far-side program is compiled from.
far_parts() {
	(cd "$root" && cat framework/far/build framework/far/sources.txt ci/libperf meson.build && xargs cat <framework/far/sources.txt)
}

build_far() {
	need ${cross}gcc
	say "far: compiling the far-side program"
	logged far "$root/framework/far/build" ${cross%-} "$1/pcieval-far"
	pack_far "$1/pcieval-far" "$1"
}

pack_far() {
	need cpio ${cross}readelf
	${cross}readelf -h "$1" 2>/dev/null | grep -q AArch64 || fail "expected a program for arm64 in $1"
	! ${cross}readelf -l "$1" | grep -q 'program interpreter' || fail "$1 is not static: link it with -static; a guest has no libraries"
	mkdir "$2/bin"
	cp "$1" "$2/bin/pcieval-far"
	${cross}strip "$2/bin/pcieval-far"
	pack "$2" "$2/far.cpio" bin
	mv "$2/bin/pcieval-far" "$2/pcieval-far"
	rmdir "$2/bin"
}
