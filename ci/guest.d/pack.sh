# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: the archives that an initramfs is made of. They are not compressed: the guest would take longer to unpack them.

PATH=$PATH:/usr/sbin:/sbin

# pack FOLDER ARCHIVE NAME...: packs files and folders of FOLDER; the same files give the same bytes.
pack() {
	from=$1 archive=$2
	shift 2
	(cd "$from" && find "$@" -exec touch -h -d @0 {} + && chmod -R u=rwX,go=rX "$@")
	(cd "$from" && find "$@" | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0 --reproducible) >"$archive"
}

# pack_modules FOLDER: writes FOLDER/modules.cpio, with a file beside each module that names those it needs.
pack_modules() {
	for module in "$1"/modules/*.ko; do
		[ -e "$module" ] || continue
		name_as_kernel "$module"
		${cross}readelf -h "$module" 2>/dev/null | grep -q AArch64 || fail "$module is no module for arm64"
		# Stripping takes the signature away.
		grep -q 'Module signature appended' "$module" || ${cross}strip -g "$module"
		echo $(modinfo -F depends "$module" | tr ',-' ' _') >"${module%.ko}.needs"
	done
	pack "$1" "$1/modules.cpio" modules
}

# name_as_kernel MODULE: sets $module to its name from now on: some-driver.ko is some_driver to the kernel.
name_as_kernel() {
	module=$(dirname "$1")/$(basename "$1" | tr - _)
	[ "$module" = "$1" ] || mv "$1" "$module"
}

# packed NAME FOLDER: prints the folder of a kernel as guests take it, from that of what was compiled or fetched.
packed() {
	made "$1" "$({ basename "$2" && recipe pack.sh; } | digest)" pack_kernel "$2"
}

pack_kernel() {
	need cpio modinfo "${cross}readelf"
	# One file under two names, where the file system has that.
	cp -l "$1/Image" "$2" 2>/dev/null || cp "$1/Image" "$2"
	cp -r "$1/config" "$1/release" "$1/modules" "$2"
	pack_modules "$2"
}
