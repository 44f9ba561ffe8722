# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: configuring and compiling a kernel. A change here compiles all kernels of ours again.

# in_tree SOURCE BUILD ARGUMENT...: make, with the same result everywhere.
in_tree() {
	tree=$1 build=$2
	shift 2
	compiler=${cross}gcc
	! command -v ccache >/dev/null || compiler="ccache $compiler"
	make -s -C "$tree" O="$build" ARCH=arm64 CROSS_COMPILE=$cross CC="$compiler" KBUILD_BUILD_TIMESTAMP=2026-01-01 \
		KBUILD_BUILD_USER=pcieval KBUILD_BUILD_HOST=pcieval KBUILD_BUILD_VERSION=1 "$@"
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
}
