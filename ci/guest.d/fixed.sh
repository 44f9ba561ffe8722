# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: kernels of ours with the fixed drivers of ci/driver-fixes instead of their own.

# fixed_kernel KERNEL
fixed_kernel() {
	case $1 in
	fast | debug | gcov | fast:?* | debug:?* | gcov:?* | source:?*) ;;
	*) fail "expected fast, debug, gcov or source:TREE before +fixed, got $1: modules of another kernel are built with its own tree" ;;
	esac
	unfixed=$(named_kernel "$1")
	key=$({ basename "$unfixed" && parts_of_fixes && recipe outside.sh pack.sh fixed.sh; } | digest)
	made "fixed-$(basename "$unfixed" | sed 's/-[0-9a-f]*$//')" "$key" fix_kernel "$1" "$unfixed"
}

# Prints what the fixed drivers are made from, besides the kernel.
parts_of_fixes() {
	cat "$here/driver-fixes" "$here/fixes.py" "$here/bugs.py" "$here"/driver-fixes.d/*.txt
}

# fix_kernel KERNEL UNFIXED FOLDER
fix_kernel() {
	need python3 ${cross}gcc make cpio modinfo
	case $1 in source:?*) source=${1#source:} ;; *) source=$(tree_of "$1") ;; esac
	say "$name: fixing and compiling the drivers"
	"$here/driver-fixes" apply "$source" "$3/drivers" || fail "$name: the fixes do not apply"
	compile_for "$1" "$3/drivers"
	cp -l "$2/Image" "$3" 2>/dev/null || cp "$2/Image" "$3"
	cp -r "$2/config" "$2/release" "$2/modules" "$3"
	find "$3/drivers" -name '*.ko' -exec cp {} "$3/modules" \;
	case $1 in gcov | gcov:?*)
		collect_gcov "$3/drivers" "$3"
		find "$3/drivers" -name '*.c' ! -name '*.mod.c' -exec cp {} "$3/gcov" \;
		;;
	esac
	rm -rf "$3/drivers"
	pack_modules "$3"
}
