# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: the kernel module of the far side (framework/far/module), compiled for a kernel.

module_source=$root/framework/far/module

# own_module KERNEL
own_module() {
	case $1 in
	debian:?*) compiled=$(fetched_debian "${1#*:}") ;;
	source:?*) compiled=$(module_for_tree "${1#*:}") ;;
	fast | debug | gcov | fast:?* | debug:?* | gcov:?*) compiled=$(module_for "$1") ;;
	*) fail "expected fast, debug, gcov, debian:SERIES or source:TREE, got $1: its headers are not at hand" ;;
	esac
	made module "$({ digest_of "$compiled/pcieval.ko" && recipe module.sh pack.sh; } | digest)" pack_own_module "$compiled"
}

# Prints what the module is compiled from.
module_parts() {
	cat "$module_source/Makefile" "$module_source/pcieval.c"
}

module_for() {
	flavour=${1%%:*}
	case $1 in *:*) series=${1#*:} ;; *) series=6.12 ;; esac
	tarball=$(tarball_of "$series")
	# shellcheck disable=SC2046 # names of files
	key=$({ digest_of "$tarball" && module_parts && recipe compile.sh outside.sh module.sh $(fragments "$flavour"); } | digest)
	made "module-$flavour-$series" "$key" compile_module "$flavour:$series"
}

# compile_module KERNEL FOLDER
compile_module() {
	cp "$module_source/Makefile" "$module_source/pcieval.c" "$2"
	compile_folder "$2" "$1" >/dev/null
}

module_for_tree() {
	folder=$top/source-$(cd "$1" && pwd | digest)-module
	(
		lock "$(basename "$folder")"
		mkdir -p "$folder"
		cp "$module_source/Makefile" "$module_source/pcieval.c" "$folder"
		compile_for "source:$1" "$folder"
	) >&2
	echo "$folder"
}

# pack_own_module FROM FOLDER
pack_own_module() {
	need cpio
	cp "$1/pcieval.ko" "$2"
	grep -q 'Module signature appended' "$2/pcieval.ko" || ${cross}strip -g "$2/pcieval.ko"
	pack "$2" "$2/module.cpio" pcieval.ko
}
