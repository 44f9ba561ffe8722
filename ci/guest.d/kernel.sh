# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: kernels of our own, from Debian's linux-source or a tree of the user's.

fragments() {
	echo fast.config
	[ "$1" = fast ] || echo "$1.config"
}

# kernel FLAVOUR SERIES
kernel() {
	tarball=$(tarball_of "$2")
	# shellcheck disable=SC2046 # names of files
	key=$({ digest_of "$tarball" && recipe compile.sh $(fragments "$1"); } | digest)
	compiled=$(made "compiled-$1-$2" "$key" build_kernel "$1" "$tarball")
	packed "$1-$2" "$compiled"
}

build_kernel() {
	need ${cross}gcc make flex bison bc xz
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
	need ${cross}gcc make flex bison bc
	tree=$(cd "$1" && pwd)
	name=source-$(echo "$tree" | digest)
	(
		lock "$name"
		build=$top/$name
		used "$build" || mkdir "$build"
		if [ ! -e "$build/configured" ] || [ "$(recipe fast.config | digest)" != "$(cat "$build/configured")" ]; then
			say "$tree: configuring"
			configure fast "$tree" "$build"
			recipe fast.config | digest >"$build/configured"
		fi
		compile "$name" "$tree" "$build"
	) >&2
	build=$top/$name
	key=$({ cat "$build/arch/arm64/boot/Image" && find "$build" -name '*.ko' -exec cat {} +; } | digest)
	compiled=$(made "compiled-$name" "$key" collect "$build")
	packed "$name" "$compiled"
}
