# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: where kernels come from: Debian's suites and linux-source.

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
	made "tree-$(basename "$1" .tar.xz)" "$({ digest_of "$1" && recipe source.sh; } | digest)" unpack_source "$1"
}

unpack_source() {
	say "$(basename "$1" .tar.xz): unpacking"
	set -- "$@" --exclude='linux-source-*/Documentation/*/*' --exclude='*/arch/arm64/boot/dts/*/*' --exclude='*/tools/testing/*'
	for other in alpha arc csky hexagon loongarch m68k microblaze mips nios2 openrisc parisc powerpc riscv s390 sh sparc um x86 xtensa; do
		set -- "$@" --exclude="linux-source-*/arch/$other/*.[chS]" --exclude="*/arch/$other/boot/dts/*/*"
	done
	for unused in drivers/gpu 'drivers/net/*' drivers/media drivers/infiniband drivers/scsi drivers/staging drivers/usb sound fs/xfs fs/btrfs; do
		set -- "$@" --exclude="linux-source-*/$unused/*.[chS]"
	done
	tarball=$1 into=$2
	shift 2
	tar -x -I 'xz -T0' -f "$tarball" -C "$into" --strip-components=1 "$@" || fail "cannot unpack $tarball: a full disk?"
}
