# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: kernels as Debian builds them. Of the drivers under test, those that Debian leaves out are
# compiled against its headers.

# The drivers under test: option and file in the kernel's tree; then what else is loaded, where it is a module.
under_test='HISI_PTT drivers/hwtracing/ptt/hisi_ptt
CXL_PMU drivers/perf/cxl_pmu
DWC_PCIE_PMU drivers/perf/dwc_pcie_pmu'
also='cxl_pci cxl_mem cxl_port'

debian_kernel() {
	fetched=$(fetched_debian "$1")
	packed "debian-$1" "$fetched"
}

# image_of SERIES: prints the newest kernel of a series, and its version. 6.12 is not of the series 6.1.
image_of() {
	remembered "image-$1" find_package "$1" 'linux-image-SERIES[^0-9 ][^ ]*[0-9]-arm64'
}

fetched_debian() {
	found=$(image_of "$1")
	tarball=$(tarball_of "$1")
	key=$({ echo "$found" && digest_of "$tarball" && module_parts && recipe compile.sh debian.sh fast.config; } | digest)
	made "fetched-debian-$1" "$key" fetch_debian "$1" "${found% *}" "$tarball"
}

# fetch_debian SERIES PACKAGE TARBALL FOLDER
fetch_debian() {
	need ${cross}gcc make flex bison bc modinfo depmod xz zstd
	series=$1 part=$4 tarball=$3
	release=${2#linux-image-}
	say "$name: fetching $2 and its headers, 90 MB"
	# shellcheck disable=SC2046 # a list of packages
	"$here/foreign" "$(suites_of "$series")" arm64 unpack "$part/root" "$2" $(parts_of_image "$2") "linux-headers-$release" \
		"linux-headers-${release%-arm64}-common" "linux-kbuild-${release%-arm64}"
	mkdir "$part/modules"
	[ -d "$part/root/lib" ] || ln -s usr/lib "$part/root/lib"
	copy_one "$part/Image" "$part/root/boot/vmlinuz-$release" "$part/root/lib/modules/$release/vmlinuz"
	copy_one "$part/config" "$part/root/boot/config-$release" "$part/root/lib/modules/$release/config"
	echo "$release" >"$part/release"
	copy_debian_modules
	prepare_headers
	compile_left_out
	cp -r "$module_source" "$part/root/own"
	compile_here "$part/root/own"
	cp "$part/root/own/pcieval.ko" "$part"
	rm -rf "$part/root" "$part/scripts"
}

# Prints the packages that an image is divided into; there are some since 7.
parts_of_image() {
	"$here/foreign" "$(suites_of "$series")" arm64 run apt-cache depends "$1" |
		sed -n "s/^ *Depends: \(linux-[a-z]*-$release\)$/\1/p"
}

# copy_one TO FILE...: copies the one of the files that is there.
copy_one() {
	to=$1
	shift
	for file; do
		[ ! -f "$file" ] || { cp "$file" "$to" && return; }
	done
	fail "$name: expected one of $*; Debian has moved it"
}

# Copies those of Debian's modules that we load, and what these need.
copy_debian_modules() {
	depmod -b "$part/root" "$release" || fail "$name: depmod failed"
	for module in $also $(echo "$under_test" | sed 's|.*/||'); do
		grep "/$module\.ko[.a-z]*:" "$part/root/lib/modules/$release/modules.dep" || true
	done | tr -d : | tr ' ' '\n' | sort -u | while read -r file; do
		[ -z "$file" ] || add_module "$part/root/lib/modules/$release/$file" "$part/modules"
	done
}

compile_left_out() {
	echo "$under_test" | while read -r option file; do
		grep -q "^CONFIG_$option=" "$part/config" || echo "$file"
	done >"$part/root/left-out"
	[ -s "$part/root/left-out" ] || return 0
	say "$name: compiling $(sed 's|.*/||' "$part/root/left-out" | tr '\n' ' ')"
	copy_sources
	compile_here "$part/root/drivers"
	find "$part/root/drivers" -name '*.ko' -exec cp {} "$part/modules" \;
}

# Compiles the modules in a folder. Debian's newest compiler has options that ours may lack.
compile_here() {
	logged "$name" make -C "$headers" M="$1" CC=${cross}gcc CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= modules
}

# Headers that were unpacked elsewhere, with programs that run on this machine instead of Debian's for arm64.
prepare_headers() {
	tree=$(unpacked "$tarball")
	headers=$part/root/usr/src/linux-headers-$release
	kbuild=$part/root/usr/lib/linux-kbuild-${release%-arm64}
	sed -i "s|/usr/src|$part/root/usr/src|" "$headers/Makefile"
	# Without it, no BTF is made, which would take pahole.
	rm -f "$headers/vmlinux"
	configure fast "$tree" "$part/scripts"
	logged "$name" in_tree "$tree" "$part/scripts" modules_prepare
	find "$kbuild/scripts" -type f | while read -r program; do
		native=$part/scripts/scripts/${program#"$kbuild/scripts/"}
		! [ -x "$native" ] || cp "$native" "$program"
	done
}

# The drivers that are left out, with the headers beside them, as one external module.
copy_sources() {
	mkdir -p "$part/root/drivers/drivers"
	for folder in cxl perf hwtracing; do
		cp -r "$tree/drivers/$folder" "$part/root/drivers/drivers"
	done
	find "$part/root/drivers" \( -name Makefile -o -name Kbuild \) -delete
	sed 's|\(.*\)|obj-m += \1.o|' "$part/root/left-out" >"$part/root/drivers/Makefile"
}
