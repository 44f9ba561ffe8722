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

# pack_modules FOLDER: writes FOLDER/modules/order and FOLDER/modules.cpio. A module is named as the kernel names it.
pack_modules() {
	for module in "$1"/modules/*.ko; do
		[ -e "$module" ] || continue
		as=$1/modules/$(basename "$module" | tr - _)
		[ "$module" = "$as" ] || mv "$module" "$as"
		${cross}readelf -h "$as" 2>/dev/null | grep -q AArch64 || fail "$module is no module for arm64"
		# Stripping takes the signature away.
		grep -q 'Module signature appended' "$as" || ${cross}strip -g "$as"
	done
	order_modules "$1/modules" >"$1/order"
	mv "$1/order" "$1/modules/order"
	pack "$1" "$1/modules.cpio" modules
}

# Prints a line for each module: its name, then those that it needs, which have lines before it.
order_modules() {
	for module in "$1"/*.ko; do
		[ -e "$module" ] || continue
		of=$(basename "$module" .ko)
		echo "$of $of"
		for needed in $(modinfo -F depends "$module" | tr ,- ' _'); do
			echo "$needed $of"
		done
	done | tsort | while read -r of; do
		[ ! -e "$1/$of.ko" ] || echo "$of $(modinfo -F depends "$1/$of.ko" | tr ,- ' _')" | sed 's/ *$//'
	done
}
