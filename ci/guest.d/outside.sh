# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: modules compiled outside of a kernel's tree, against one of our kernels, in seconds.

# tree [SERIES]
tree() {
	unpacked "$(tarball_of "${1:-6.12}")"
}

# compile_folder FOLDER [KERNEL]: FOLDER has a Makefile or Kbuild with obj-m. Its modules stay in it.
compile_folder() {
	[ -f "$1/Makefile" ] || [ -f "$1/Kbuild" ] || fail "expected a Makefile with obj-m in $1, and there is none"
	need ${cross}gcc make
	folder=$(cd "$1" && pwd)
	compile_for "${2:-fast}" "$folder" >&2
	echo "$folder"
}

# compile_for KERNEL FOLDER: the modules of FOLDER. What the kernel itself has is known when the module is loaded.
compile_for() {
	outside=outside-$(echo "$2 $1" | digest)
	case $1 in
	source:?*)
		kernel_of_tree "${1#*:}" >/dev/null
		tree=$(cd "${1#*:}" && pwd) prepared=$top/source-$(cd "${1#*:}" && pwd | digest)
		;;
	*)
		tree=$(tree_of "$1")
		prepared=$(prepared_for "$1")
		;;
	esac
	set -- "$1" M="$2" KBUILD_MODPOST_WARN=1
	case $1 in gcov | gcov:?*) set -- "$@" GCOV_PROFILE=y "KCFLAGS=$no_inlining" ;; esac
	shift
	logged "$outside" in_tree "$tree" "$prepared" "$@" modules
}

# FLAVOUR[:SERIES] of KERNEL; prints the tarball of its source.
source_of() {
	flavour=${1%%:*}
	case $flavour in fast | debug | gcov) ;; *) fail "expected fast, debug, gcov or source:TREE, got $1: modules of another kernel are built with its own tree" ;; esac
	case $1 in *:*) tarball_of "${1#*:}" ;; *) tarball_of 6.12 ;; esac
}

tree_of() {
	tarball=$(source_of "$1")
	unpacked "$tarball"
}

prepared_for() {
	tarball=$(source_of "$1")
	flavour=${1%%:*} series=6.12
	case $1 in *:*) series=${1#*:} ;; esac
	# shellcheck disable=SC2046 # names of files
	key=$({ digest_of "$tarball" && recipe compile.sh outside.sh $(fragments "$flavour"); } | digest)
	made "headers-$flavour-$series" "$key" prepare_headers_of "$flavour" "$tarball"
}

# driver FILE.c|FOLDER [KERNEL]: compiled beside its source, which stays as it is, and packed. "|| exit" behind the subshell
# would switch off -e in it.
driver() {
	need ${cross}gcc make
	[ -e "$1" ] || fail "expected a C file or a folder with a Makefile, and there is no $1"
	case $1 in *.c) from=$(cd "$(dirname "$1")" && pwd) ;; *) from=$(cd "$1" && pwd) ;; esac
	shadow=$top/driver-$(realpath "$1" | digest)-$(echo "${2:-fast}" | digest)
	(
		lock "$(basename "$shadow")"
		mkdir -p "$shadow"
		find "$shadow" \( -xtype l -o -name '*.ko' \) -delete
		link_source "$1" "$from" "$shadow"
		(
			trap 'echo $? >"$shadow/.status"' EXIT
			compile_for "${2:-fast}" "$shadow"
		) 2>&1 | sed "s|$shadow|$from|g"
		status=$(cat "$shadow/.status")
		[ "$status" = 0 ] || exit "$status"
		[ -n "$(find "$shadow" -name '*.ko')" ] || exit 1
	) >&2
	used "$shadow"
	case ${2:-fast} in
	gcov | gcov:?*) gcov_modules "$shadow" ;;
	*) user_modules "$shadow" ;;
	esac
}

# link_source FILE.c|FOLDER FROM SHADOW: not what a compiler has left there, which the next one would write through the links.
link_source() {
	case $1 in
	*.c)
		ln -sf "$2/$(basename "$1")" "$3"
		printf 'obj-m := %s.o\nccflags-y := -I%s\n' "$(basename "$1" .c)" "$2" >"$3/Makefile"
		;;
	*)
		[ -f "$1/Makefile" ] || [ -f "$1/Kbuild" ] || fail "expected a Makefile with obj-m in $1, and there is none"
		(cd "$2" && find . -type f ! -name '.*' ! -name '*.o' ! -name '*.ko' ! -name '*.mod' ! -name '*.mod.c' ! -name '*.a' \
			! -name Module.symvers ! -name modules.order) | while read -r file; do
			mkdir -p "$3/$(dirname "$file")" && ln -sf "$2/$file" "$3/$file"
		done
		;;
	esac
}

# prepare_headers_of FLAVOUR TARBALL FOLDER
prepare_headers_of() {
	need flex bison bc xz
	source=$(unpacked "$2")
	say "$name: preparing"
	configure "$1" "$source" "$3"
	logged "$name" in_tree "$source" "$3" modules_prepare
}
