#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The core must compile without any header but the compiler's own, without floating point registers, and
# need nothing at link time but mem* functions, which the kernel has too: usage: freestanding.sh CC ROOT FILE...
set -eu
cc=$1
root=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=$($cc -print-file-name=include)

objects=
for file in "$@"; do
	object=$work/$(basename "$file" .c).o
	$cc -std=gnu11 -Os -ffreestanding -nostdinc -isystem "$include" -mgeneral-regs-only -fno-stack-protector \
		-fno-pic -Wframe-larger-than=1024 -Werror -I "$root" -c "$file" -o "$object"
	objects="$objects $object"
done

# What the files need of each other is found when they are joined.
ld -r -o "$work/core.o" $objects
undefined=$(nm -u "$work/core.o" | awk '$2 !~ /^mem(cpy|set|move|cmp)$/ { print $2 }')
if [ -n "$undefined" ]; then
	echo "the core needs more than mem* functions:" $undefined
	exit 1
fi
echo "$# files need nothing but mem* functions"
