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
	flavour=${2:-fast} series=6.12
	case $flavour in *:*) series=${flavour#*:} flavour=${flavour%%:*} ;; esac
	case $flavour in fast | debug) ;; *) fail "expected fast or debug, got ${2:-}: modules of another kernel are built with its own tree" ;; esac
	tarball=$(tarball_of "$series")
	# shellcheck disable=SC2046 # names of files
	key=$({ digest_of "$tarball" && recipe compile.sh outside.sh $(fragments "$flavour"); } | digest)
	prepared=$(made "headers-$flavour-$series" "$key" prepare_headers_of "$flavour" "$tarball")
	folder=$(cd "$1" && pwd)
	# What the kernel itself has is known when the module is loaded.
	logged "outside-$(echo "$folder" | digest)" in_tree "$(unpacked "$tarball")" "$prepared" M="$folder" KBUILD_MODPOST_WARN=1 modules >&2
	echo "$folder"
}

# prepare_headers_of FLAVOUR TARBALL FOLDER
prepare_headers_of() {
	need flex bison bc xz
	source=$(unpacked "$2")
	say "$name: preparing"
	configure "$1" "$source" "$3"
	logged "$name" in_tree "$source" "$3" modules_prepare
}
