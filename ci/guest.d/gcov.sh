# SPDX-License-Identifier: GPL-2.0-or-later
# ci/guest: kernels whose drivers under test count how often each line runs (gcov).

# gcov has no lines of functions that the compiler inlines on its own.
no_inlining='-fno-inline-functions -fno-inline-functions-called-once -fno-inline-small-functions -fno-partial-inlining'

# for_gcov MAKE-ARGUMENT...: in_tree, with the drivers under test, and no other file, compiled for gcov.
for_gcov() {
	for object in hisi_ptt cxl_pmu dwc_pcie_pmu; do
		set -- "$@" "GCOV_PROFILE_$object.o=y" "CFLAGS_$object.o=$no_inlining"
	done
	in_tree "$@"
}

# gcov_kernel SERIES
gcov_kernel() {
	tarball=$(tarball_of "$1")
	key=$({ digest_of "$tarball" && recipe compile.sh gcov.sh fast.config gcov.config; } | digest)
	compiled=$(made "compiled-gcov-$1" "$key" build_gcov_kernel "$tarball")
	made "gcov-$1" "$({ basename "$compiled" && recipe pack.sh gcov.sh; } | digest)" pack_gcov_kernel "$compiled"
}

# pack_gcov_kernel COMPILED FOLDER
pack_gcov_kernel() {
	pack_kernel "$@"
	cp -r "$1/gcov" "$2"
}

# gcov_modules FOLDER: the modules in FOLDER, packed, with what gcov needs of them.
gcov_modules() {
	key=$({ find "$1" \( -name '*.ko' -o -name '*.gcno' \) -exec sha256sum {} + | LC_ALL=C sort && recipe initramfs.sh pack.sh gcov.sh; } | digest)
	made modules "$key" copy_gcov_modules "$1"
}

# copy_gcov_modules FROM FOLDER
copy_gcov_modules() {
	copy_modules "$@"
	collect_gcov "$@"
}

# build_gcov_kernel TARBALL FOLDER
build_gcov_kernel() {
	need ${cross}gcc ${cross}gcov make flex bison bc xz
	tree=$(unpacked "$1")
	build=$2/build
	say "$name: configuring"
	configure gcov "$tree" "$build"
	say "$name: compiling, about 3 minutes of two processors"
	logged "$name" for_gcov "$tree" "$build" -j"${JOBS:-$(nproc)}" Image modules
	collect "$build" "$2"
	collect_gcov "$build" "$2"
	rm -rf "$build"
}

# collect_gcov BUILD FOLDER: the notes that gcov needs of each file that was compiled for it, and in "files" where the
# guest's debugfs has its counts.
collect_gcov() {
	mkdir -p "$2/gcov"
	find "$1" -name '*.gcno' | LC_ALL=C sort | while read -r notes; do
		object=$(basename "$notes" .gcno)
		cp "$notes" "$2/gcov"
		echo "$object /sys/kernel/debug/gcov$(cd "$(dirname "$notes")" && pwd)/$object.gcda" >>"$2/gcov/files"
	done
	[ -s "$2/gcov/files" ] || fail "$name: expected files compiled for gcov, and there is none"
}
