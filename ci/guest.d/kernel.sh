# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: kernels of our own, from Debian's linux-source or a tree of the user's.

# Suites of Debian's that have a series of kernels.
suites_of() {
	case $1 in
	6.1 | 6.12) echo bookworm,bookworm-security,bookworm-backports ;;
	*) echo trixie-backports,sid ;;
	esac
}

# find_package SERIES PATTERN: prints the newest package of a series whose name matches, and its version. The pattern has
# SERIES where the series stands.
find_package() {
	series='[0-9][0-9.]*'
	[ "$1" = newest ] || series=$(echo "$1" | sed 's/\./\\./g')
	pattern=$(echo "$2" | sed "s/SERIES/$series/")
	package=$("$here/foreign" "$(suites_of "$1")" arm64 run apt-cache pkgnames | grep -x "$pattern" | sort -V | tail -n 1)
	[ -n "$package" ] || fail "no kernel $1: $(suites_of "$1") of Debian have no package $pattern"
	echo "$package $("$here/foreign" "$(suites_of "$1")" arm64 version "$package")"
}

# Prints where the source of a series is: the installed package, else one that is fetched.
tarball_of() {
	if [ -r "/usr/src/linux-source-$1.tar.xz" ]; then
		echo "/usr/src/linux-source-$1.tar.xz"
		return
	fi
	found=$(remembered "source-$1" find_package "$1" 'linux-source-SERIES')
	package=${found% *}
	folder=$(made "$package" "$(echo "$found" | digest)" fetch_source "$(suites_of "$1")" "$package")
	echo "$folder/usr/src/$package.tar.xz"
}

fetch_source() {
	say "$2: fetching it from $1, 150 MB"
	"$here/foreign" "$1" arm64 unpack "$3" "$2"
}

# Prints the folder of an unpacked source. What no configuration of ours compiles stays packed, but for its Kconfig and
# Makefiles: half a gigabyte instead of two.
unpacked() {
	made "tree-$(basename "$1" .tar.xz)" "$({ digest_of "$1" && recipe kernel.sh; } | digest)" unpack_source "$1"
}

unpack_source() {
	say "$(basename "$1" .tar.xz): unpacking"
	set -- "$@" --exclude='linux-source-*/Documentation/*/*' --exclude='*/arch/arm64/boot/dts/*/*' --exclude='*/tools/testing/*'
	for other in alpha arc csky hexagon loongarch m68k microblaze mips nios2 openrisc parisc powerpc riscv s390 sh sparc um x86 xtensa; do
		set -- "$@" --exclude="linux-source-*/arch/$other/*.[chS]" --exclude="*/arch/$other/boot/dts/*/*"
	done
	for unused in drivers/gpu drivers/net drivers/media drivers/infiniband drivers/scsi drivers/staging drivers/usb sound fs/xfs fs/btrfs; do
		set -- "$@" --exclude="linux-source-*/$unused/*.[chS]"
	done
	tarball=$1 into=$2
	shift 2
	tar -x -I 'xz -T0' -f "$tarball" -C "$into" --strip-components=1 "$@" || fail "cannot unpack $tarball: a full disk?"
}

# in_tree SOURCE BUILD ARGUMENT...: make, with the same result everywhere.
in_tree() {
	tree=$1 build=$2
	shift 2
	compiler=${cross}gcc
	! command -v ccache >/dev/null || compiler="ccache $compiler"
	make -s -C "$tree" O="$build" ARCH=arm64 CROSS_COMPILE=$cross CC="$compiler" KBUILD_BUILD_TIMESTAMP=2026-01-01 \
		KBUILD_BUILD_USER=pcieval KBUILD_BUILD_HOST=pcieval KBUILD_BUILD_VERSION=1 "$@"
}

fragments() {
	echo fast.config
	[ "$1" != debug ] || echo debug.config
}

# configure FLAVOUR SOURCE BUILD: an option that this kernel has, but does not take, is an error; one that it does not have
# is named. KASAN and lockdep are the debug kernel, hisi_ptt the reason for all of it: they may not be missing.
configure() {
	mkdir -p "$3"
	# shellcheck disable=SC2046 # names of files
	(cd "$recipes" && cat $(fragments "$1")) >"$3/fragment"
	logged "$name" in_tree "$2" "$3" KCONFIG_ALLCONFIG="$3/fragment" allnoconfig
	grep '^CONFIG_' "$3/fragment" | grep -vxF -f "$3/.config" | while read -r option; do
		symbol=${option%%=*}
		if grep -rqsx --include='Kconfig*' "[[:space:]]*\(menu\)\?config ${symbol#CONFIG_}" "$2"; then
			fail "$name: this kernel does not take $option: what it depends on has changed (make menuconfig tells)"
		fi
		say "$name: this kernel has no $symbol"
	done
}

compile() {
	say "$1: compiling, about 3 minutes of two processors"
	logged "$1" in_tree "$2" "$3" -j"${JOBS:-$(nproc)}" Image modules
}

# collect BUILD FOLDER: what a guest needs of a kernel.
collect() {
	mkdir -p "$2/modules"
	cp "$1/arch/arm64/boot/Image" "$2/Image"
	cp "$1/.config" "$2/config"
	cp "$1/include/config/kernel.release" "$2/release"
	find "$1" -name '*.ko' -exec cp {} "$2/modules" \;
	pack_modules "$2"
}

# kernel FLAVOUR SERIES
kernel() {
	tarball=$(tarball_of "$2")
	# shellcheck disable=SC2046 # names of files
	key=$({ digest_of "$tarball" && recipe kernel.sh initramfs.sh $(fragments "$1"); } | digest)
	made "$1-$2" "$key" build_kernel "$1" "$tarball"
}

build_kernel() {
	need ${cross}gcc make flex bison bc cpio modinfo xz
	tree=$(unpacked "$2")
	build=$3/build
	say "$name: configuring"
	configure "$1" "$tree" "$build"
	compile "$name" "$tree" "$build"
	collect "$build" "$3"
	rm -rf "$build"
}

# A tree of the user's is compiled again where it has changed; its objects stay in the cache.
kernel_of_tree() {
	[ -f "$1/Kconfig" ] && [ -f "$1/Makefile" ] || fail "expected a kernel tree in $1: it has no Kconfig and Makefile"
	[ ! -f "$1/.config" ] || fail "$1 is configured in place: make -C $1 mrproper, or give --kernel and --modules what you have built"
	need ${cross}gcc make flex bison bc cpio modinfo
	tree=$(cd "$1" && pwd)
	name=source-$(echo "$tree" | digest)
	(
		lock "$name"
		build=$top/$name
		if [ ! -e "$build/configured" ] || [ "$(recipe fast.config | digest)" != "$(cat "$build/configured")" ]; then
			say "$tree: configuring"
			configure fast "$tree" "$build"
			recipe fast.config | digest >"$build/configured"
		fi
		compile "$name" "$tree" "$build"
	) >&2
	build=$top/$name
	key=$({ cat "$build/arch/arm64/boot/Image" && find "$build" -name '*.ko' -exec cat {} +; } | digest)
	made "$name" "$key" collect "$build"
}
