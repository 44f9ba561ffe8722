# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: all that runs in guests take, as a package, for machines without compilers and without network. It is installed
# beside the scripts: prepared/NAME has what `ci/guest NAME` prints, prepared/qemu what ci/qemu prints.

# What is in it, a word a line, with "-" for a space.
shipped="base far perf fast fast+fixed module-fast debug module-debug"

# prepared WORD...: prints the folder of the package that has it; fails if there is none.
prepared() {
	name=$(echo "$*" | tr ' ' -)
	case " $shipped " in *" $name "*) ;; *) return 1 ;; esac
	[ -d "$root/prepared/$name" ] && echo "$root/prepared/$name"
}

# package FOLDER: makes FOLDER/pcieval-qemu_VERSION_ARCHITECTURE.deb and prints its path.
package() {
	need dpkg-deb dpkg-shlibdeps
	mkdir -p "$1" && folder=$(cd "$1" && pwd) || fail "cannot make $1"
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT INT TERM
	tree=$work/debian/pcieval-qemu
	fill_package "$tree/usr/lib/pcieval/prepared" >&2
	mkdir -p "$tree/usr/share/pcieval" "$tree/usr/share/doc/pcieval-qemu"
	ln -s ../../lib/pcieval/prepared "$tree/usr/share/pcieval/prepared"
	copyright_of_package >"$tree/usr/share/doc/pcieval-qemu/copyright"
	mkdir "$tree/DEBIAN"
	control_of_package >"$tree/DEBIAN/control"
	chmod -R u=rwX,go=rX "$tree"
	deb=$folder/pcieval-qemu_${version}_$architecture.deb
	dpkg-deb --root-owner-group --build "$tree" "$deb.new" >/dev/null
	mv "$deb.new" "$deb"
	echo "$deb"
}

# fill_package FOLDER
fill_package() {
	qemu=$("$here/qemu")
	mkdir -p "$1/qemu"
	cp "$qemu" "$1/qemu"
	for name in $shipped; do
		# shellcheck disable=SC2046 # words
		made=$("$here/guest" $(echo "$name" | tr - ' '))
		cp -r "$made" "$1/$name"
	done
}

control_of_package() {
	version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$root/meson.build")
	architecture=$(dpkg --print-architecture)
	: >"$work/debian/control"
	printf 'Source: pcieval\n\nPackage: pcieval-qemu\nArchitecture: any\n' >"$work/debian/control"
	libraries=$(cd "$work" && dpkg-shlibdeps -O debian/pcieval-qemu/usr/lib/pcieval/prepared/qemu/* 2>/dev/null | sed 's/^shlibs:Depends=//')
	cat <<-END
		Package: pcieval-qemu
		Version: $version
		Architecture: $architecture
		Maintainer: pcieval maintainers <maintainers@pcieval.example>
		Depends: pcieval (= $version), $libraries
		Installed-Size: $(du -sk "$work/debian/pcieval-qemu" | cut -f 1)
		Section: devel
		Priority: optional
		Description: QEMU and kernels for pcieval run --target qemu
		 Guests for pcieval's target qemu: QEMU for arm64 with the PCIe and CXL devices,
		 kernels with the drivers, without and with KASAN and lockdep, and an initramfs.
		 With it, no compiler and no network is needed.
	END
}

# Whose it is, and which source it is from.
copyright_of_package() {
	cat <<-END
		What this package has was compiled from these sources, all of them Debian's and under GPL-2 or a license that goes with it:

		QEMU: $(basename "$top"/../qemu/source/*.dsc .dsc), with fixtures/qemu of pcieval
		Linux: $(tarball_of 6.12 | xargs basename), $(cat "$work"/debian/pcieval-qemu/usr/lib/pcieval/prepared/fast/release)
		busybox-static: $(remembered busybox find_busybox)
		linux-perf and its libraries: $(remembered perf find_perf)
		pcieval's far-side program and kernel module: framework/far of pcieval, with the C library of Debian

		The text of the license is in /usr/share/common-licenses/GPL-2.
	END
}
